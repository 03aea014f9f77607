"""Every error the service answers or the command prints: one tree, each class with its stable code."""

from __future__ import annotations

from typing import Any


class MemoryBusError(Exception):
    """Base of all errors; `code` is what callers may rely on, the text is for people."""

    code = "internal"

    def to_data(self) -> dict[str, Any]:
        """The value of `error` in an answer: `{"code", "message", …}`."""
        return {"code": self.code, "message": str(self)}


class InvalidRequest(MemoryBusError):
    """A request that misses a key or gives it a wrong type or value; `field` names the key."""

    code = "invalid_request"

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field

    def to_data(self) -> dict[str, Any]:
        return {**super().to_data(), "field": self.field}


class NotFound(MemoryBusError):
    """No such item for this caller; the same answer whether it never existed or belongs to somebody else."""

    code = "not_found"


class Forbidden(MemoryBusError):
    """The configuration does not allow this request."""

    code = "forbidden"


class Busy(MemoryBusError):
    """A bounded queue is full; try again after `retry_after` seconds."""

    code = "busy"

    def __init__(self, message: str, retry_after: float = 0.5) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def to_data(self) -> dict[str, Any]:
        return {**super().to_data(), "retry_after": self.retry_after}


class BackendAway(MemoryBusError):
    """A backend in another process, or a plugin that is one, does not answer."""

    code = "backend_away"


class ShuttingDown(MemoryBusError):
    """The service is stopping; what was acknowledged is kept."""

    code = "shutting_down"


class DeadlineExceeded(MemoryBusError):
    """The work was not done before its deadline."""

    code = "timeout"


class StorageError(MemoryBusError):
    """The store could not do it; nothing was half written."""

    code = "storage_error"


class StorageFull(StorageError):
    """The disk, or its quota, is full."""

    code = "storage_full"


class StorageReadOnly(StorageError):
    """The data folder or the database cannot be written."""

    code = "storage_read_only"


class StorageLocked(StorageError):
    """Another process holds the database for longer than we wait."""

    code = "storage_locked"


class StorageCorrupt(StorageError):
    """The database file is damaged."""

    code = "storage_corrupt"


class StorageTooNew(StorageError):
    """The database was written by a newer version of this program."""

    code = "storage_too_new"


class FolderInUse(StorageError):
    """Another service works on the same data folder."""

    code = "folder_in_use"


class ModelError(MemoryBusError):
    """The embedding model cannot be used."""

    code = "model_error"


class ModelMissing(ModelError):
    """The model is not installed."""

    code = "model_missing"


class ModelBroken(ModelError):
    """The model's files do not match their checksum or cannot be loaded."""

    code = "model_broken"


class EmbeddingUnavailable(MemoryBusError):
    """No embedding could be made now (no model, or semantic memory is off)."""

    code = "embedding_unavailable"


class ConfigError(MemoryBusError):
    """The configuration has a wrong value; `field` names the key."""

    code = "config_error"

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class BusUnavailable(MemoryBusError):
    """No messagebus answers at the configured address."""

    code = "bus_unavailable"

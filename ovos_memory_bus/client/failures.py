"""From the `error` of an answer to the exception with its code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ovos_memory_bus import errors


def _subclasses(cls: type[errors.MemoryBusError]) -> Iterator[type[errors.MemoryBusError]]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


# Only the tree of errors.py: a subclass made elsewhere may share a code, and is not what an answer means.
_BY_CODE = {cls.code: cls for cls in _subclasses(errors.MemoryBusError) if cls.__module__ == errors.__name__}


def error_from_data(data: Any) -> errors.MemoryBusError:
    """The exception for an answer's `error`; an unknown code becomes a `MemoryBusError` that carries that code."""
    if not isinstance(data, Mapping):
        return errors.MemoryBusError(str(data))
    code, text = str(data.get("code", errors.MemoryBusError.code)), str(data.get("message", ""))
    cls = _BY_CODE.get(code)
    if cls is None:
        error = errors.MemoryBusError(text)
        error.code = code
        return error
    if issubclass(cls, (errors.InvalidRequest, errors.ConfigError)):
        return cls(text, data.get("field"))
    if issubclass(cls, errors.Busy):
        return cls(text, float(data.get("retry_after", 0.5)))
    return cls(text)

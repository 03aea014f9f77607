"""Topics about the service itself; their requests carry nothing but a `request_id`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fields import MAX_SHORT, Fields

STATUS = "memory.status"
BACKENDS = "memory.backends"
EXPLAIN = "memory.explain"
IS_ALIVE = "mycroft.memory.is_alive"
IS_READY = "mycroft.memory.is_ready"
QUERY = "memory.query"


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """The trace of the recall with this `request_id`, or of the caller's newest one."""

    request_id: str | None = None

    @classmethod
    def from_data(cls, data: Any) -> ExplainRequest:
        fields = Fields(data)
        return cls(fields.text("recall_id", limit=MAX_SHORT) or fields.text("request_id", limit=MAX_SHORT))

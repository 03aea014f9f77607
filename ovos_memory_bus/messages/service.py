"""Topics about the service itself; their requests carry nothing but a `request_id`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fields import Fields

STATUS = "memory.status"
BACKENDS = "memory.backends"
EXPLAIN = "memory.explain"
IS_ALIVE = "mycroft.memory.is_alive"
IS_READY = "mycroft.memory.is_ready"
QUERY = "memory.query"


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """The trace of the recall whose request id was `recall_id`. Without one, that of the recall with the same
    `request_id` as this request, where there is none the caller's newest: most clients give each request its own."""

    recall_id: str | None = None
    request_id: str | None = None

    @classmethod
    def from_data(cls, data: Any) -> ExplainRequest:
        fields = Fields.of(data)
        return cls(fields.short("recall_id"), fields.short("request_id"))

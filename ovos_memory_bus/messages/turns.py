"""`memory.update` and `memory.history.get`: what was said goes in, this session's history comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..records import ROLES
from .fields import MAX_SHORT, Fields

UPDATE = "memory.update"
HISTORY = "memory.history.get"
MAX_MESSAGES = 1_000


@dataclass(frozen=True, slots=True)
class NewTurn:
    """One message of an update; `created_at` None means the moment of the commit."""

    role: str
    content: str
    created_at: datetime | None = None
    name: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Any, prefix: str, shared: Mapping[str, Any]) -> NewTurn:
        fields = Fields.of(data, prefix)
        role = fields.choice("role", ROLES, None)
        if role is None:
            raise fields.refuse("role", "is missing")
        return cls(
            role=role,
            content=fields.visible_text("content"),
            created_at=fields.moment("created_at"),
            name=fields.short("name"),
            metadata={**shared, **(fields.mapping("metadata") or {})},
        )


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """Turns to store, in order; the same `request_id` of the same owner is stored once."""

    messages: tuple[NewTurn, ...]
    lang: str | None = None
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    request_id: str | None = None

    @classmethod
    def from_data(cls, data: Any) -> UpdateRequest:
        fields = Fields.of(data)
        shared = fields.mapping("metadata") or {}
        messages = fields.list("messages", limit=MAX_MESSAGES)
        if not messages:
            raise fields.refuse("messages", "is missing or empty")
        return cls(
            messages=tuple(NewTurn.from_data(m, f"messages.{i}", shared) for i, m in enumerate(messages)),
            lang=fields.short("lang"),
            agent_id=fields.label("agent_id"),
            graph_id=fields.label("graph_id"),
            task_id=fields.label("task_id"),
            request_id=fields.text("request_id", limit=MAX_SHORT),
        )


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """The newest `limit` messages of this session (None: the configured number, 0: all)."""

    limit: int | None = None
    agent_id: str | None = None
    request_id: str | None = None

    @classmethod
    def from_data(cls, data: Any) -> HistoryRequest:
        fields = Fields.of(data)
        return cls(
            limit=fields.integer("limit", 0, 0, 10_000) if fields.has("limit") else None,
            agent_id=fields.label("agent_id"),
            request_id=fields.text("request_id", limit=MAX_SHORT),
        )

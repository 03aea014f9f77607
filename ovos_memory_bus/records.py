"""The values that travel between all parts: a chat message, a stored item, a recalled hit; nothing but conversion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

KINDS = ("turn", "note", "fact", "summary", "document")
ROLES = ("user", "assistant", "system", "developer", "tool")


UNDATED = datetime.fromtimestamp(0, timezone.utc)
"""The `created_at` of what nobody dated."""


def to_wire_time(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and a `Z`, as every time on the wire."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_wire_time(text: str) -> datetime:
    """An aware datetime in UTC from such a time, or from one in another zone; without a zone it is UTC. Raises
    ValueError."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))  # Python 3.10 does not read the Z
    return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment.astimezone(timezone.utc)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a context handed to a chat model."""

    role: str
    content: str
    name: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str | None = None

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.name is not None:
            data["name"] = self.name
        if self.tool_calls:
            data["tool_calls"] = [dict(call) for call in self.tool_calls]
        if self.tool_call_id is not None:
            data["tool_call_id"] = self.tool_call_id
        return data


@dataclass(frozen=True, slots=True)
class Item:
    """One thing remembered. `seq` orders items as they were stored (a store's own number, never on the wire);
    `id` is its UUID; `owner` is `user:<id>` or `session:<id>`; times are aware datetimes in UTC."""

    seq: int
    id: str
    owner: str
    session_id: str
    kind: str
    role: str
    content: str
    created_at: datetime
    updated_at: datetime
    lang: str | None = None
    name: str | None = None
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """The item as every answer gives it (docs/bus-messages.md, Items)."""
        return {
            "id": self.id,
            "agent_id": self.agent_id,
            "graph_id": self.graph_id,
            "task_id": self.task_id,
            "session_id": self.session_id,
            "kind": self.kind,
            "role": self.role,
            "content": self.content,
            "lang": self.lang,
            "name": self.name,
            "metadata": dict(self.metadata),
            "created_at": to_wire_time(self.created_at),
            "updated_at": to_wire_time(self.updated_at),
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled item: `score` is a probability of relevance in [0, 1], `fusion_score` the fusion's own scale,
    `backends` the names of those that found it."""

    item: Item
    score: float
    fusion_score: float
    backends: tuple[str, ...]

    def to_data(self) -> dict[str, Any]:
        """The hit as `memory.context.request` answers it."""
        item = self.item
        return {
            "id": item.id,
            "content": item.content,
            "role": item.role,
            "kind": item.kind,
            "name": item.name,
            "score": self.score,
            "fusion_score": self.fusion_score,
            "backends": list(self.backends),
            "session_id": item.session_id,
            "created_at": to_wire_time(item.created_at),
            "metadata": dict(item.metadata),
        }

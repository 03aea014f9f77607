"""What the client's methods return: one frozen dataclass an answer; keys it does not know are ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from ovos_memory_bus.records import ChatMessage, from_wire_time


def read_time(text: Any) -> datetime | None:
    """An aware datetime in UTC from a time on the wire, or None when there is none."""
    return from_wire_time(text) if isinstance(text, str) and text else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _vector(value: Any) -> tuple[float, ...] | None:
    return tuple(float(x) for x in value) if isinstance(value, Sequence) and not isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Memory:
    """One item remembered. `id` is a UUID; times are aware, in UTC; `score` and `similarity` (0 to 1) come with the
    search that computes them, `embedding` only when it was asked for."""

    id: str
    content: str
    kind: str = "note"
    role: str = "user"
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    session_id: str | None = None
    lang: str | None = None
    name: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
    updated_at: datetime | None = None
    embedding: tuple[float, ...] | None = None
    score: float | None = None
    similarity: float | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Memory:
        return cls(
            id=data["id"],
            content=data["content"],
            kind=data.get("kind") or "note",
            role=data.get("role") or "user",
            agent_id=data.get("agent_id"),
            graph_id=data.get("graph_id"),
            task_id=data.get("task_id"),
            session_id=data.get("session_id"),
            lang=data.get("lang"),
            name=data.get("name"),
            metadata=data.get("metadata") or {},
            created_at=read_time(data.get("created_at")),
            updated_at=read_time(data.get("updated_at")),
            embedding=_vector(data.get("embedding")),
            score=_number(data.get("score")),
            similarity=_number(data.get("similarity")),
        )


def memories(items: Any) -> tuple[Memory, ...]:
    """The items of an answer, in its order."""
    return tuple(Memory.from_data(item) for item in items or ())


@dataclass(frozen=True, slots=True)
class MemoryPage(Sequence[Memory]):
    """The items of one list answer, to be used as a sequence; `total` counts all that match, on other pages too."""

    items: tuple[Memory, ...]
    total: int

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> MemoryPage:
        items = memories(data.get("items"))
        return cls(items, int(data.get("total", len(items))))

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Memory, ...]: ...
    def __getitem__(self, index: int | slice) -> Memory | tuple[Memory, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """Whether a memory's embedding was made; `message` says why not."""

    success: bool
    message: str
    embedding: tuple[float, ...] | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> EmbeddingResult:
        return cls(bool(data.get("success")), str(data.get("message", "")), _vector(data.get("embedding")))


@dataclass(frozen=True, slots=True)
class RecalledHit:
    """One recalled memory of a context, with the backends that found it."""

    id: str
    content: str
    role: str
    kind: str
    score: float
    fusion_score: float
    backends: tuple[str, ...]
    session_id: str | None = None
    created_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> RecalledHit:
        return cls(
            id=data["id"],
            content=data["content"],
            role=data.get("role") or "user",
            kind=data.get("kind") or "turn",
            score=_number(data.get("score")) or 0.0,
            fusion_score=_number(data.get("fusion_score")) or 0.0,
            backends=tuple(data.get("backends") or ()),
            session_id=data.get("session_id"),
            created_at=read_time(data.get("created_at")),
            metadata=data.get("metadata") or {},
            name=data.get("name"),
        )


@dataclass(frozen=True, slots=True)
class BackendReport:
    """How one backend did in a recall: `status` is `ok`, `timeout`, `error` or `skipped`, `took` is in seconds."""

    status: str
    took: float | None = None
    hits: int = 0
    error: str | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> BackendReport:
        error = data.get("error")
        return cls(
            status=str(data.get("status", "")),
            took=_number(data.get("took")),
            hits=int(data.get("hits") or 0),
            error=None if error is None else str(error),
        )


def chat_message(data: Mapping[str, Any]) -> ChatMessage:
    """One message of an answer's context."""
    return ChatMessage(
        role=data["role"],
        content=data.get("content") or "",
        name=data.get("name"),
        tool_calls=tuple(data.get("tool_calls") or ()),
        tool_call_id=data.get("tool_call_id"),
    )


def chat_messages(items: Any) -> tuple[ChatMessage, ...]:
    return tuple(chat_message(item) for item in items or ())


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """What is worth knowing now: `messages` for a chat model (the utterance last), and where they came from.
    `partial` means that a backend was late or failed; `took` is in seconds; `request_id` names it to `explain`."""

    messages: tuple[ChatMessage, ...]
    hits: tuple[RecalledHit, ...]
    facts: tuple[Memory, ...]
    summary: str | None
    backends: Mapping[str, BackendReport]
    partial: bool
    took: float | None
    request_id: str | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ContextAnswer:
        return cls(
            messages=chat_messages(data.get("messages")),
            hits=tuple(RecalledHit.from_data(hit) for hit in data.get("hits") or ()),
            facts=memories(data.get("facts")),
            summary=data.get("summary"),
            backends={name: BackendReport.from_data(report) for name, report in (data.get("backends") or {}).items()},
            partial=bool(data.get("partial")),
            took=_number(data.get("took")),
            request_id=data.get("request_id"),
        )


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or with `dry_run` what would be: then the first `named` ids are what was asked for, the rest
    was drawn from it, and `items` shows as many of them as an answer holds."""

    deleted: int
    ids: tuple[str, ...]
    items: tuple[Memory, ...] = ()
    named: int = 0

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Forgotten:
        ids = tuple(data.get("ids") or ())
        named = int(data.get("named", len(ids)))
        return cls(int(data.get("deleted", len(ids))), ids, memories(data.get("items")), named)


@dataclass(frozen=True, slots=True)
class PauseState:
    """Whether this session is being remembered; `until` is when remembering starts again by itself."""

    paused: bool
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class QueueState:
    """Background work of the service: `pending` is 0 exactly when none is left, `waiting` is for a part that is not
    there, `oldest` is the age in seconds of the oldest that is pending."""

    pending: int
    failed: int
    oldest: float | None = None
    waiting: int = 0

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> QueueState:
        pending, failed, waiting = (int(data.get(key) or 0) for key in ("pending", "failed", "waiting"))
        return cls(pending, failed, _number(data.get("oldest")), waiting)


@dataclass(frozen=True, slots=True)
class Status:
    """How the service is: `uptime` in seconds; the rest as `memory.status` gives it."""

    version: str
    ready: bool
    uptime: float | None
    queue: QueueState
    backends: Any = None
    model: Any = None
    counts: Mapping[str, Any] = field(default_factory=dict)
    paths: Mapping[str, Any] | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Status:
        return cls(
            version=str(data.get("version", "")),
            ready=bool(data.get("ready")),
            uptime=_number(data.get("uptime")),
            queue=QueueState.from_data(data.get("queue") or {}),
            backends=data.get("backends"),
            model=data.get("model"),
            counts=data.get("counts") or {},
            paths=data.get("paths"),
        )


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """One backend of the service; `details` holds every other key of its entry."""

    name: str
    kind: str
    status: str
    remote: bool
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> BackendInfo:
        known = ("name", "kind", "status", "remote")
        return cls(
            name=str(data["name"]),
            kind=str(data.get("kind", "")),
            status=str(data.get("status", "")),
            remote=bool(data.get("remote")),
            details={key: value for key, value in data.items() if key not in known},
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of a recent recall as `memory.explain` gives it (docs/bus-messages.md): ranked hits, scores and times a
    backend, and what fusion did."""

    data: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

"""A request not yet sent, and what its arguments have in common: filters, options, times, names on the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Generic, TypedDict, TypeVar

from ovos_memory_bus.records import to_wire_time

R = TypeVar("R")
When = datetime | date | str


@dataclass(frozen=True)
class Call(Generic[R]):
    """A request not yet sent. `agent` tells whether the client's own `agent_id` applies when none is given;
    `session_id` is the session it is made in, where that is not the client's own; `takes` is how long the service may
    take by the request's own word, in seconds."""

    topic: str
    data: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], R]
    agent: bool = False
    session_id: str | None = None
    takes: float = 0.0


class ItemFilter(TypedDict, total=False):
    """Which items a call is about; what is left out does not restrict."""

    agent_id: str | None
    graph_id: str | None
    task_id: str | None
    session_id: str | None
    kind: str | None
    metadata: Mapping[str, Any] | None
    start_date: When | None
    end_date: When | None


class ContextOptions(TypedDict, total=False):
    """The settings of one context request; see `memory.context.request` in docs/bus-messages.md."""

    lang: str | None
    max_results: int | None
    min_score: float | None
    backends: Sequence[str] | None
    scope: str | None
    inject_mode: str | None
    header: str | None
    facts_header: str | None
    summary_header: str | None
    chunk_prefix: str | None
    chunk_separator: str | None
    include_sources: bool | None
    tool_name: str | None
    system_prompt: str | None
    system_prompt_template: str | None
    user_template: str | None
    max_history: int | None
    query_mode: str | None
    query_history_turns: int | None
    fusion: str | None
    rrf_k: float | None
    weights: Mapping[str, float] | None
    members: Sequence[Any] | None
    primary: str | None
    dedup: bool | None
    member_fetch_k: int | None
    since: When | None
    until: When | None
    now: When | None
    agent_id: str | None
    graph_id: str | None
    task_id: str | None


SPELLINGS = {"createdAt": "created_at", "updatedAt": "updated_at"}
FILTER_KEYS = {name: name for name in ItemFilter.__annotations__} | {"start_date": "since", "end_date": "until"}
CONTEXT_KEYS = {name: name for name in ContextOptions.__annotations__}


def when(value: Any) -> Any:
    """A time as the wire has it; a datetime without a zone is local time, a date its first moment."""
    if isinstance(value, datetime):
        return to_wire_time(value)
    if isinstance(value, date):
        return to_wire_time(datetime.combine(value, time.min))
    return value


def given(**values: Any) -> dict[str, Any]:
    """The values that are not None, times as the wire has them."""
    return {key: when(value) for key, value in values.items() if value is not None}


def renamed(options: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The options under their names on the wire. Raises TypeError for one that `keys` does not know."""
    unknown = sorted(set(options) - set(keys))
    if unknown:
        raise TypeError(f"unknown argument {unknown[0]!r}; known are {', '.join(keys)}")
    return given(**{keys[name]: value for name, value in options.items()})


def filtered(topic: str, data: dict[str, Any], filters: Mapping[str, Any], read: Callable[[Any], R]) -> Call[R]:
    """A call about the items that `filters` let through, made in the session they name."""
    session_id = filters.get("session_id")
    return Call(topic, data | renamed(filters, FILTER_KEYS), read, agent=True, session_id=session_id)

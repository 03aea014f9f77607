"""One function a topic: its arguments become a `Call`, that is the topic, its data and how the answer is read.

Both clients offer each of these functions as a method, so their docstrings are those methods' documentation. Every
method raises the errors of `ovos_memory_bus.errors` by their code: `DeadlineExceeded` when no answer came in time,
`BusUnavailable` without a bus, `InvalidRequest`, `NotFound`, `Busy`, … as the service answers. Arguments left out
(None) are not sent; the service's defaults stand in docs/bus-messages.md.

A `session_id` argument makes the call in that session. Whoever is known by a `user_id` has one memory in all sessions;
for everybody else each session has its own, and what was added in one is only found there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar

from ovos_memory_bus.client.results import (
    BackendInfo,
    ContextAnswer,
    EmbeddingResult,
    Forgotten,
    Memory,
    MemoryPage,
    PauseState,
    Status,
    Trace,
    chat_messages,
    memories,
    read_time,
)
from ovos_memory_bus.records import ChatMessage, to_wire_time

if TYPE_CHECKING:
    from typing_extensions import Unpack

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


_SPELLINGS = {"createdAt": "created_at", "updatedAt": "updated_at"}
_FILTER_KEYS = {name: name for name in ItemFilter.__annotations__} | {"start_date": "since", "end_date": "until"}
_CONTEXT_KEYS = {name: name for name in ContextOptions.__annotations__}


def _when(value: Any) -> Any:
    """A time as the wire has it; a datetime without a zone is local time, a date its first moment."""
    if isinstance(value, datetime):
        return to_wire_time(value)
    if isinstance(value, date):
        return to_wire_time(datetime.combine(value, time.min))
    return value


def _given(**values: Any) -> dict[str, Any]:
    return {key: _when(value) for key, value in values.items() if value is not None}


def _renamed(options: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    unknown = sorted(set(options) - set(keys))
    if unknown:
        raise TypeError(f"unknown argument {unknown[0]!r}; known are {', '.join(keys)}")
    return _given(**{keys[name]: value for name, value in options.items()})


def _filtered(topic: str, data: dict[str, Any], filters: Mapping[str, Any], read: Callable[[Any], R]) -> Call[R]:
    """A call about the items that `filters` let through, made in the session they name."""
    session_id = filters.get("session_id")
    return Call(topic, data | _renamed(filters, _FILTER_KEYS), read, agent=True, session_id=session_id)


def _item(data: Mapping[str, Any]) -> Memory:
    return Memory.from_data(data["item"])


def _items(data: Mapping[str, Any]) -> list[Memory]:
    return list(memories(data.get("items")))


def _deleted(data: Mapping[str, Any]) -> int:
    return int(data["deleted"])


def add_memory(
    content: str,
    metadata: Mapping[str, Any] | None = None,
    *,
    graph_id: str | None = None,
    task_id: str | None = None,
    session_id: str | None = None,
    agent_id: str | None = None,
    kind: str | None = None,
    lang: str | None = None,
) -> Call[Memory]:
    """Remember `content`, with metadata of your own, in a graph, task or session that later searches can name."""
    data = _given(
        content=content,
        metadata=metadata,
        graph_id=graph_id,
        task_id=task_id,
        agent_id=agent_id,
        kind=kind,
        lang=lang,
    )
    return Call("memory.item.add", data, _item, agent=True, session_id=session_id)


def remember_conversation(
    content: str, role: str = "user", *, session_id: str | None = None, lang: str | None = None
) -> Call[Memory]:
    """Remember one conversation turn by hand; `role` is `user` or `assistant`."""
    data = _given(content=content, role=role, lang=lang)
    return Call("memory.item.remember", data, _item, agent=True, session_id=session_id)


def get_memory(id: str, *, session_id: str | None = None, include_embedding: bool | None = None) -> Call[Memory]:
    """The memory of that id; raises `NotFound`."""
    return Call("memory.item.get", _given(id=id, include_embedding=include_embedding), _item, session_id=session_id)


def search_memories(
    query: str,
    *,
    limit: int | None = None,
    offset: int | None = None,
    similarity_threshold: float | None = None,
    use_embedding: bool | None = None,
    lang: str | None = None,
    order_by: str | None = None,
    order: str | None = None,
    include_embedding: bool | None = None,
    **filters: Unpack[ItemFilter],
) -> Call[list[Memory]]:
    """What matches `query` by words and by meaning, best first, each with its `score`; `use_embedding=False`: by words
    alone. At most 10 unless `limit` says otherwise."""
    data = _given(
        query=query,
        limit=limit,
        offset=offset,
        similarity_threshold=similarity_threshold,
        use_embedding=use_embedding,
        lang=lang,
        order_by=_SPELLINGS.get(order_by or "", order_by),
        order=order,
        include_embedding=include_embedding,
    )
    return _filtered("memory.item.search", data, filters, _items)


def search_memories_by_similarity(
    query: str | Sequence[float],
    *,
    similarity_threshold: float | None = None,
    limit: int | None = None,
    offset: int | None = None,
    metric: str | None = None,
    include_embedding: bool | None = None,
    **filters: Unpack[ItemFilter],
) -> Call[list[Memory]]:
    """What is as similar to a text, or to an embedding, as the threshold (0.7) at least, with its `similarity`: by
    `metric` `cosine` q·m / (‖q‖‖m‖) clipped to [0, 1], or `euclidean` 1 / (1 + d)."""
    data = _given(
        query=query if isinstance(query, str) else None,
        embedding=None if isinstance(query, str) else [float(x) for x in query],
        similarity_threshold=similarity_threshold,
        limit=limit,
        offset=offset,
        metric=metric,
        include_embedding=include_embedding,
    )
    return _filtered("memory.item.similar", data, filters, _items)


def list_memories(
    *,
    limit: int | None = None,
    offset: int | None = None,
    page_size: int | None = None,
    order_by: str | None = None,
    order: str | None = None,
    include_embedding: bool | None = None,
    **filters: Unpack[ItemFilter],
) -> Call[MemoryPage]:
    """The memories of this owner, newest first; at most 100 unless `limit` says otherwise."""
    data = _given(
        limit=limit,
        offset=offset,
        page_size=page_size,
        order_by=_SPELLINGS.get(order_by or "", order_by),
        order=order,
        include_embedding=include_embedding,
    )
    return _filtered("memory.item.list", data, filters, MemoryPage.from_data)


def update_memory(
    id: str,
    *,
    content: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    graph_id: str | None = None,
    task_id: str | None = None,
    agent_id: str | None = None,
    session_id: str | None = None,
    lang: str | None = None,
) -> Call[Memory]:
    """Change a memory; what is left out stays as it is, also inside of its metadata. Raises `NotFound`."""
    data = _given(
        id=id, content=content, metadata=metadata, graph_id=graph_id, task_id=task_id, agent_id=agent_id, lang=lang
    )
    return Call("memory.item.update", data, _item, session_id=session_id)


def delete_memory(id: str, *, session_id: str | None = None) -> Call[bool]:
    """Forget one memory; False when there was none of that id."""
    return Call("memory.item.delete", {"id": id}, lambda data: bool(data["deleted"]), session_id=session_id)


def generate_embedding_for_memory(
    id: str, *, force: bool | None = None, session_id: str | None = None
) -> Call[EmbeddingResult]:
    """Make a memory's embedding, again with `force`; failure is told in the result, not raised."""
    return Call("memory.item.embed", _given(id=id, force=force), EmbeddingResult.from_data, session_id=session_id)


def clear_memories(*, sync_with_context: bool | None = None, **filters: Unpack[ItemFilter]) -> Call[int]:
    """Forget all memories of this owner, or those that the filters name; returns how many. With
    `sync_with_context=False` the running session's history is left alone."""
    data = _given(sync_context=sync_with_context)
    return _filtered("memory.item.clear", data, filters, _deleted)


def context(
    utterance: str, *, timeout: float | None = None, request_id: str | None = None, **options: Unpack[ContextOptions]
) -> Call[ContextAnswer]:
    """What is worth knowing before `utterance` is answered. The service answers within `timeout` seconds (1.0 at
    first, at most 30) with what its backends have found by then; `explain` tells how, by the answer's `request_id`."""
    data = _given(utterance=utterance, timeout=timeout, request_id=request_id) | _renamed(options, _CONTEXT_KEYS)
    return Call("memory.context.request", data, ContextAnswer.from_data, agent=True, takes=timeout or 0.0)


def update(
    messages: Iterable[ChatMessage | Mapping[str, Any]],
    *,
    lang: str | None = None,
    agent_id: str | None = None,
    graph_id: str | None = None,
    task_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    request_id: str | None = None,
) -> Call[tuple[str, ...]]:
    """Record turns `{role, content, created_at?, name?, metadata?}`; returns their ids once they are on disk. Sent
    twice with the same `request_id` they are stored once."""
    turns = [message.to_data() if isinstance(message, ChatMessage) else _given(**message) for message in messages]
    data = _given(
        messages=turns,
        lang=lang,
        agent_id=agent_id,
        graph_id=graph_id,
        task_id=task_id,
        metadata=metadata,
        request_id=request_id,
    )
    return Call("memory.update", data, lambda answer: tuple(answer.get("ids") or ()), agent=True)


def history(*, limit: int | None = None) -> Call[tuple[ChatMessage, ...]]:
    """This session's history, oldest first, after the history rules."""
    return Call("memory.history.get", _given(limit=limit), lambda data: chat_messages(data.get("messages")), agent=True)


def forget(
    what: str,
    *,
    query: str | None = None,
    ids: Sequence[str] | None = None,
    dry_run: bool | None = None,
    reason: str | None = None,
    lang: str | None = None,
) -> Call[Forgotten]:
    """Forget for good: `what` is `last`, `query`, `ids`, `session`, `owner` or `all`; `dry_run` tells what would go."""
    listed = None if ids is None else list(ids)
    data = _given(what=what, query=query, ids=listed, dry_run=dry_run, reason=reason, lang=lang)
    return Call("memory.forget", data, Forgotten.from_data)


def pause(*, duration: float | None = None) -> Call[PauseState]:
    """Store nothing of this session until `resume`, or for `duration` seconds."""
    return Call("memory.pause", _given(duration=duration), lambda data: _pause_state(data, True, duration))


def resume() -> Call[PauseState]:
    """Remember this session again."""
    return Call("memory.resume", {}, lambda data: _pause_state(data, False, None))


def _pause_state(data: Mapping[str, Any], paused: bool, duration: float | None) -> PauseState:
    until = read_time(data.get("until"))
    if until is None and duration is not None:
        until = datetime.now(timezone.utc) + timedelta(seconds=duration)
    return PauseState(bool(data.get("paused", paused)), until)


def status() -> Call[Status]:
    """How the service is: ready or not, its backends, model, counts and background work."""
    return Call("memory.status", {}, Status.from_data)


def backends() -> Call[tuple[BackendInfo, ...]]:
    """The backends of the service, local and remote."""
    return Call(
        "memory.backends", {}, lambda data: tuple(BackendInfo.from_data(entry) for entry in data.get("backends") or ())
    )


def explain(request_id: str | None = None) -> Call[Trace]:
    """The trace of the recall with that `request_id`, of the latest one without."""
    return Call("memory.explain", _given(recall_id=request_id), Trace)

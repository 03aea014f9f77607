"""One function a topic: its arguments become a `Call`, that is the topic, its data and how the answer is read.

Both clients offer each of these functions as a method, so their docstrings are those methods' documentation. Every
method raises the errors of `ovos_memory_bus.errors` by their code: `DeadlineExceeded` when no answer came in time,
`BusUnavailable` without a bus, `InvalidRequest`, `NotFound`, `Busy`, … as the service answers. Arguments left out
(None) are not sent; the service's defaults stand in docs/bus-messages.md.

A `session_id` argument makes the call in that session. Whoever is known by a `user_id` has one memory in all sessions;
for everybody else each session has its own, and what was added in one is only found there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from ovos_memory_bus.client.call import (
    CONTEXT_KEYS,
    SPELLINGS,
    Call,
    ContextOptions,
    ItemFilter,
    filtered,
    given,
    renamed,
)
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
from ovos_memory_bus.records import ChatMessage

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
    data = given(
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
    content: str,
    role: str = "user",
    *,
    metadata: Mapping[str, Any] | None = None,
    graph_id: str | None = None,
    task_id: str | None = None,
    session_id: str | None = None,
    agent_id: str | None = None,
    lang: str | None = None,
) -> Call[Memory]:
    """Remember one conversation turn by hand; `role` is `user`, `assistant`, `system`, `developer` or `tool`."""
    data = given(
        content=content, role=role, metadata=metadata, graph_id=graph_id, task_id=task_id, agent_id=agent_id, lang=lang
    )
    return Call("memory.item.remember", data, _item, agent=True, session_id=session_id)


def get_memory(id: str, *, session_id: str | None = None, include_embedding: bool | None = None) -> Call[Memory]:
    """The memory of that id; raises `NotFound`."""
    return Call("memory.item.get", given(id=id, include_embedding=include_embedding), _item, session_id=session_id)


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
    data = given(
        query=query,
        limit=limit,
        offset=offset,
        similarity_threshold=similarity_threshold,
        use_embedding=use_embedding,
        lang=lang,
        order_by=SPELLINGS.get(order_by or "", order_by),
        order=order,
        include_embedding=include_embedding,
    )
    return filtered("memory.item.search", data, filters, _items)


def search_memories_by_similarity(
    query: str | Sequence[float],
    *,
    similarity_threshold: float | None = None,
    limit: int | None = None,
    offset: int | None = None,
    metric: str | None = None,
    order_by: str | None = None,
    order: str | None = None,
    include_embedding: bool | None = None,
    **filters: Unpack[ItemFilter],
) -> Call[list[Memory]]:
    """What is as similar to a text, or to an embedding, as the threshold (0.7) at least, with its `similarity`: by
    `metric` `cosine` q·m / (‖q‖‖m‖) clipped to [0, 1], or `euclidean` 1 / (1 + d)."""
    data = given(
        query=query if isinstance(query, str) else None,
        embedding=None if isinstance(query, str) else [float(x) for x in query],
        similarity_threshold=similarity_threshold,
        limit=limit,
        offset=offset,
        metric=metric,
        order_by=SPELLINGS.get(order_by or "", order_by),
        order=order,
        include_embedding=include_embedding,
    )
    return filtered("memory.item.similar", data, filters, _items)


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
    data = given(
        limit=limit,
        offset=offset,
        page_size=page_size,
        order_by=SPELLINGS.get(order_by or "", order_by),
        order=order,
        include_embedding=include_embedding,
    )
    return filtered("memory.item.list", data, filters, MemoryPage.from_data)


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
    data = given(
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
    return Call("memory.item.embed", given(id=id, force=force), EmbeddingResult.from_data, session_id=session_id)


def clear_memories(*, sync_with_context: bool | None = None, **filters: Unpack[ItemFilter]) -> Call[int]:
    """Forget all memories of this owner, or those that the filters name; returns how many. With
    `sync_with_context=False` the running session's history is left alone."""
    data = given(sync_context=sync_with_context)
    return filtered("memory.item.clear", data, filters, _deleted)


def context(
    utterance: str, *, timeout: float | None = None, request_id: str | None = None, **options: Unpack[ContextOptions]
) -> Call[ContextAnswer]:
    """What is worth knowing before `utterance` is answered. The service answers within `timeout` seconds (1.0 at
    first, at most 30) with what its backends have found by then; `explain` tells how, by the answer's `request_id`."""
    data = given(utterance=utterance, timeout=timeout, request_id=request_id) | renamed(options, CONTEXT_KEYS)
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
    turns = [message.to_data() if isinstance(message, ChatMessage) else given(**message) for message in messages]
    data = given(
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
    return Call("memory.history.get", given(limit=limit), lambda data: chat_messages(data.get("messages")), agent=True)


def forget(
    what: str,
    *,
    query: str | None = None,
    ids: Sequence[str] | None = None,
    sources: bool | None = None,
    dry_run: bool | None = None,
    reason: str | None = None,
    lang: str | None = None,
) -> Call[Forgotten]:
    """Forget for good: `what` is `last`, `query`, `ids`, `session`, `owner` or `all`; `dry_run` tells what would go.

    With `sources`, the turns that a named fact was drawn from go with it; otherwise they stay, and the fact is not
    drawn from them again."""
    listed = None if ids is None else list(ids)
    data = given(what=what, query=query, ids=listed, sources=sources, dry_run=dry_run, reason=reason, lang=lang)
    return Call("memory.forget", data, Forgotten.from_data)


def pause(*, duration: float | None = None) -> Call[PauseState]:
    """Store nothing of this session until `resume`, or for `duration` seconds."""
    return Call("memory.pause", given(duration=duration), lambda data: _pause_state(data, True, duration))


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
    return Call("memory.explain", given(recall_id=request_id), Trace)

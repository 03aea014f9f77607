"""Both clients against the real service: everything that the two of them offer, in the order a program would."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from daemon import Daemon, needs_model
from rig import Bus

from ovos_memory_bus import errors
from ovos_memory_bus.client import AsyncMemoryClient, MemoryClient

JOHN = {"session_id": "default", "user_id": "john", "auth_level": 3}


class _Waited:
    """An asynchronous client used from synchronous tests."""

    def __init__(self, portal: Any, client: AsyncMemoryClient) -> None:
        self._portal, self._client = portal, client

    def on_behalf_of(self, session: Any) -> _Waited:
        return _Waited(self._portal, self._client.on_behalf_of(session))

    def iter_memories(self, **options: Any) -> list[Any]:
        async def collect() -> list[Any]:
            return [memory async for memory in self._client.iter_memories(**options)]

        return self._portal.call(collect)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        return lambda *args, **kwargs: self._portal.call(functools.partial(method, *args, **kwargs))


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, memory: Daemon, shared_bus: Bus) -> Iterator[Any]:
    """Each test has a user of its own, so that what others stored is not there."""
    user = {**JOHN, "user_id": request.node.name}
    with ExitStack() as stack:
        if request.param == "sync":
            bus = stack.enter_context(shared_bus.client())
            yield MemoryClient(bus, timeout=60, session=user)
        else:
            portal = stack.enter_context(start_blocking_portal())
            asynchronous = AsyncMemoryClient(shared_bus.url, timeout=60, session=user)
            stack.enter_context(portal.wrap_async_context_manager(asynchronous))
            yield _Waited(portal, asynchronous)


def test_an_item_through_its_life(client: Any) -> None:
    memory = client.add_memory(
        "Important project information: Budget is $50k",
        {"type": "project", "category": "budget"},
        graph_id="project-123",
        task_id="task-456",
        session_id="session-789",
    )
    assert (memory.graph_id, memory.task_id, memory.session_id) == ("project-123", "task-456", "session-789")
    assert client.get_memory(memory.id) == memory

    found = client.search_memories("budget", limit=5, start_date=datetime(2024, 1, 1))
    assert [entry.id for entry in found] == [memory.id]
    assert 0 < found[0].score <= 1
    assert client.search_memories("budget", use_embedding=False, graph_id="project-123")[0].id == memory.id
    assert client.search_memories("budget", graph_id="another") == []
    assert client.search_memories("budget", end_date=datetime.now(timezone.utc) - timedelta(days=1)) == []

    listed = client.list_memories(limit=20, order_by="createdAt", order="desc", session_id="session-789")
    assert ([entry.id for entry in listed], listed.total) == ([memory.id], 1)

    changed = client.update_memory(memory.id, content="Updated budget: $75k", metadata={"updated": True})
    assert (changed.content, changed.metadata["category"], changed.metadata["updated"]) == (
        "Updated budget: $75k",
        "budget",
        True,
    )
    assert changed.updated_at > memory.updated_at
    assert changed.created_at == memory.created_at

    assert client.delete_memory(memory.id) is True
    assert client.delete_memory(memory.id) is False
    with pytest.raises(errors.NotFound):
        client.get_memory(memory.id)


def test_a_turn_by_hand_and_clearing(client: Any) -> None:
    turn = client.remember_conversation("I prefer TypeScript over JavaScript", "user")
    assert (turn.kind, turn.role) == ("turn", "user")
    client.add_memory("one note", agent_id="butler")
    client.add_memory("another note")
    assert client.clear_memories(agent_id="butler") == 1
    assert client.clear_memories(sync_with_context=False) == 2
    assert len(client.list_memories()) == 0


def test_a_long_list_pages_by_itself(client: Any) -> None:
    for number in range(23):
        client.add_memory(f"note number {number}")
    oldest_first = [memory.content for memory in client.iter_memories(page_size=5, order="asc")]
    assert oldest_first == [f"note number {number}" for number in range(23)]
    assert len(list(client.iter_memories(page_size=5, limit=12))) == 12


def test_a_conversation_is_recorded_recalled_explained_and_forgotten(client: Any) -> None:
    key = "the spare key lies under the blue pot"
    said = [{"role": "user", "content": key}, {"role": "assistant", "content": "noted"}]
    ids = client.update(said, request_id="once")
    assert client.update(said, request_id="once") == ids
    assert [message.content for message in client.history()] == [turn["content"] for turn in said]

    answer = client.context("where is the spare key?", timeout=20, system_prompt="You are helpful.")
    assert answer.messages[0].role == "system"
    assert answer.messages[-1].content == "where is the spare key?"
    assert ids[0] in [hit.id for hit in answer.hits]
    assert answer.backends["lexical"].status == "ok"
    trace = client.explain(answer.request_id)
    assert (trace["recall_id"], trace["utterance"]) == (answer.request_id, "where is the spare key?")

    would_go = client.forget("query", query="spare key", dry_run=True)
    assert ids[0] in [item.id for item in would_go.items]
    assert set(client.forget("ids", ids=ids).ids) == set(ids)
    assert "blue pot" not in str(client.context("where is the spare key?", timeout=20).messages)


def test_a_pause_keeps_nothing(client: Any) -> None:
    assert client.pause(duration=60).paused
    client.update([{"role": "user", "content": "this stays between us"}])
    assert not client.resume().paused
    assert client.history() == ()


def test_sessions_without_a_user_are_apart(client: Any) -> None:
    hall, cellar = client.on_behalf_of("hall of " + __name__), client.on_behalf_of("cellar of " + __name__)
    memory = hall.add_memory("the wine is on the left")
    assert hall.get_memory(memory.id).id == memory.id
    with pytest.raises(errors.NotFound):
        cellar.get_memory(memory.id)
    assert cellar.get_memory(memory.id, session_id=memory.session_id) == memory
    hall.clear_memories()


def test_errors_come_with_their_code_and_field(client: Any) -> None:
    with pytest.raises(errors.InvalidRequest) as blank:
        client.add_memory("   ")
    assert blank.value.field == "content"
    with pytest.raises(errors.InvalidRequest):
        client.search_memories_by_similarity("x", similarity_threshold=2)
    with pytest.raises(errors.Forbidden):
        client.forget("all")


def test_the_service_tells_how_it_is(client: Any) -> None:
    status = client.status()
    assert status.ready
    assert status.version
    assert {backend.name for backend in client.backends()} >= {"recency", "lexical"}


@needs_model
def test_similar_memories_and_embeddings(client: Any) -> None:
    joy = client.add_memory("We laughed all afternoon at the beach")
    client.add_memory("The invoice number is 4711")
    result = client.generate_embedding_for_memory(joy.id, force=True)
    assert (result.success, result.message) == (True, "Embedding generated successfully")
    assert client.get_memory(joy.id, include_embedding=True).embedding == pytest.approx(result.embedding)
    nearest = client.search_memories_by_similarity("We laughed all afternoon at the beach", similarity_threshold=0.9)
    assert [memory.id for memory in nearest] == [joy.id]
    assert nearest[0].similarity == pytest.approx(1.0, abs=0.01)
    by_vector = client.search_memories_by_similarity(result.embedding, similarity_threshold=0.9)
    assert [memory.id for memory in by_vector] == [joy.id]
    assert client.generate_embedding_for_memory("unknown").message == "Memory not found"

"""`MemoryClient` over a bus in this process: whose answer goes where, on whose behalf, and what is left behind."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ovos_bus_client.message import Message
from ovos_utils.fakebus import FakeBus

from ovos_memory_bus import errors
from ovos_memory_bus.client import MemoryClient


def item(content: str, number: int = 0) -> dict[str, Any]:
    return {"id": f"id-{number}", "content": content}


def serve(bus: FakeBus, topic: str, answer: Callable[[Message], dict[str, Any]]) -> list[Message]:
    """Answer `topic` and note what was asked."""
    asked: list[Message] = []

    def handle(message: Message) -> None:
        asked.append(message)
        data = {"request_id": message.data["request_id"], **answer(message)}
        bus.emit(Message(f"{topic}.response", data, {"session": message.context.get("session", {})}))

    bus.on(topic, handle)
    return asked


def listeners(bus: FakeBus) -> int:
    return sum(len(handlers) for handlers in bus.ee._events.values())


def test_a_call_returns_the_typed_answer() -> None:
    bus = FakeBus()
    asked = serve(bus, "memory.item.add", lambda message: {"item": item(message.data["content"])})
    memory = MemoryClient(bus).add_memory("the bin goes out on Tuesday", {"type": "chore"})
    assert (memory.id, memory.content) == ("id-0", "the bin goes out on Tuesday")
    assert asked[0].data["metadata"] == {"type": "chore"}


def test_an_answered_error_is_raised_by_its_code() -> None:
    bus = FakeBus()
    serve(bus, "memory.item.get", lambda _: {"error": {"code": "not_found", "message": "no such item"}})
    with pytest.raises(errors.NotFound, match="no such item"):
        MemoryClient(bus).get_memory("unknown")


def test_without_an_answer_the_deadline_is_exceeded() -> None:
    with pytest.raises(errors.DeadlineExceeded, match=r"memory\.status"):
        MemoryClient(FakeBus(), timeout=0.05).status()


def test_the_answer_to_somebody_else_is_not_taken() -> None:
    bus = FakeBus()

    def answer_another(message: Message) -> None:
        bus.emit(Message("memory.item.delete.response", {"request_id": "somebody else's", "deleted": True}))
        bus.emit(Message("memory.item.delete.response", {"deleted": True}))
        bus.emit(Message("memory.item.delete.response", {"request_id": message.data["request_id"], "deleted": False}))

    bus.on("memory.item.delete", answer_another)
    assert MemoryClient(bus).delete_memory("x") is False


def test_threads_that_ask_at_once_each_get_their_own_answer() -> None:
    bus = FakeBus()
    count, waiting, lock = 16, [], threading.Lock()

    def collect(message: Message) -> None:
        with lock:
            waiting.append(message)
            complete = len(waiting) == count
        if complete:  # answer all of them, the last one first
            for asked in reversed(waiting):
                data = {"request_id": asked.data["request_id"], "item": item(asked.data["content"])}
                bus.emit(Message("memory.item.add.response", data))

    bus.on("memory.item.add", collect)
    client = MemoryClient(bus, timeout=20)
    with ThreadPoolExecutor(count) as pool:
        texts = [f"text {number}" for number in range(count)]
        assert [memory.content for memory in pool.map(client.add_memory, texts)] == texts


def test_calls_and_clients_leave_no_handlers_behind() -> None:
    bus = FakeBus()
    serve(bus, "memory.item.delete", lambda _: {"deleted": True})
    MemoryClient(bus).delete_memory("x")
    before = listeners(bus)
    for number in range(20):
        assert MemoryClient(bus).delete_memory(f"id-{number}") is True
    assert listeners(bus) == before


def test_a_bus_can_be_collected_when_its_client_is_gone() -> None:
    bus = FakeBus()
    client = MemoryClient(bus)
    gone = weakref.ref(bus)
    del bus, client
    gc.collect()
    assert gone() is None


def test_a_handler_asks_on_behalf_of_the_message_it_handles() -> None:
    bus = FakeBus()
    asked = serve(bus, "memory.item.delete", lambda _: {"deleted": True})
    client = MemoryClient(bus)
    session = {"session_id": "hall", "user_id": "alice", "auth_level": 3, "lang": "nl-nl"}

    def handle_intent(message: Message) -> None:
        client.delete_memory("x")

    handle_intent(Message("some.intent", {}, {"session": session}))
    assert asked[0].context["session"] == session


def test_a_given_session_rules_over_the_message() -> None:
    bus = FakeBus()
    asked = serve(bus, "memory.item.delete", lambda _: {"deleted": True})
    client = MemoryClient(bus, session={"session_id": "cellar"})

    def handle_intent(message: Message) -> None:
        client.delete_memory("x")
        client.on_behalf_of(message).delete_memory("y")
        client.on_behalf_of("attic").delete_memory("z")

    handle_intent(Message("some.intent", {}, {"session": {"session_id": "hall"}}))
    assert [message.context["session"]["session_id"] for message in asked] == ["cellar", "hall", "attic"]


def test_a_session_of_a_wrong_type_is_refused() -> None:
    with pytest.raises(TypeError, match="int"):
        MemoryClient(FakeBus(), session=7)


def test_a_long_list_is_paged_and_bounded() -> None:
    bus = FakeBus()
    everything = [item(f"memory {number}", number) for number in range(25)]

    def page(message: Message) -> dict[str, Any]:
        offset, limit = message.data.get("offset", 0), message.data["limit"]
        return {"items": everything[offset : offset + limit], "total": len(everything)}

    asked = serve(bus, "memory.item.list", page)
    client = MemoryClient(bus)
    assert [memory.id for memory in client.iter_memories(page_size=10)] == [entry["id"] for entry in everything]
    assert len(asked) == 3
    assert len(list(client.iter_memories(page_size=10, limit=12, graph_id="g"))) == 12
    assert asked[-1].data["graph_id"] == "g"
    assert list(client.iter_memories(limit=0)) == []


def test_a_page_size_below_what_was_asked_for_is_no_end() -> None:
    bus = FakeBus()
    everything = [item(f"memory {number}", number) for number in range(7)]
    serve(
        bus,
        "memory.item.list",
        lambda message: {"items": everything[message.data["offset"] :][:2], "total": len(everything)},
    )
    assert len(list(MemoryClient(bus).iter_memories(page_size=5))) == 7

"""Both clients over a real messagebus: answers find their caller, connections come back, nothing blocks for good."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from ovos_bus_client import MessageBusClient
from ovos_bus_client.message import Message
from rig import Bus, ScriptedMemory

from ovos_memory_bus import errors
from ovos_memory_bus.client import AsyncMemoryClient, MemoryClient


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bus]:
    bus = Bus(tmp_path_factory.mktemp("bus"))
    bus.start()
    yield bus
    bus.stop()


def echo(message: Message) -> dict[str, Any]:
    return {"item": {"id": message.data["request_id"], "content": message.data["content"]}}


@pytest.fixture
def memory(bus: Bus) -> Iterator[ScriptedMemory]:
    with ScriptedMemory(bus.url, {"memory.item.add": echo, "memory.status": lambda _: {"ready": True}}) as memory:
        yield memory


def test_many_threads_over_one_bus_client(bus: Bus, memory: ScriptedMemory) -> None:
    texts = [f"text {number}" for number in range(60)]
    with bus.client() as mine, ThreadPoolExecutor(20) as pool:
        client = MemoryClient(mine, timeout=30)
        assert [answer.content for answer in pool.map(client.add_memory, texts)] == texts


def test_the_session_arrives_whole(bus: Bus, memory: ScriptedMemory) -> None:
    session = {"session_id": "hall", "user_id": "alice", "auth_level": 3, "lang": "nl-nl"}
    with bus.client() as mine:
        MemoryClient(mine, session=session, timeout=30).add_memory("x")
    assert memory.asked[-1].context["session"] == session


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="an option of Linux")
def test_a_bus_client_acknowledges_at_once(bus: Bus, memory: ScriptedMemory) -> None:
    with bus.client() as mine:
        client = MemoryClient(mine, timeout=30)
        client.add_memory("one")
        client.add_memory("two")
        raw = mine.client.sock.sock
        assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK) == 1


def test_a_bus_client_that_never_ran_is_told_and_not_waited_for(bus: Bus) -> None:
    idle = MessageBusClient(host="127.0.0.1", port=bus.port, route="/core")
    with pytest.raises(errors.BusUnavailable):
        MemoryClient(idle, timeout=0.1).status()


@pytest.mark.anyio
async def test_the_asynchronous_client_asks_in_parallel(bus: Bus, memory: ScriptedMemory) -> None:
    answers: dict[str, str] = {}

    async with AsyncMemoryClient(bus.url, timeout=30) as client:

        async def add(text: str) -> None:
            answers[text] = (await client.add_memory(text)).content

        async with anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(add, f"text {number}")
    assert answers == {f"text {number}": f"text {number}" for number in range(40)}


@pytest.mark.anyio
async def test_an_error_leaves_the_block_as_it_is(bus: Bus, memory: ScriptedMemory) -> None:
    memory.script["memory.item.add"] = lambda _: {"error": {"code": "storage_full", "message": "no space"}}
    with pytest.raises(errors.StorageFull, match="no space"):
        async with AsyncMemoryClient(bus.url, timeout=30) as client:
            await client.add_memory("x")


@pytest.mark.anyio
async def test_silence_and_no_bus_are_two_errors(bus: Bus, memory: ScriptedMemory) -> None:
    memory.script["memory.item.add"] = lambda _: None
    async with AsyncMemoryClient(bus.url, timeout=30) as client:
        assert (await client.status()).ready
        client.timeout = 0.1
        with pytest.raises(errors.DeadlineExceeded):
            await client.add_memory("x")
    async with AsyncMemoryClient("ws://127.0.0.1:1/core", timeout=0.1) as client:
        with pytest.raises(errors.BusUnavailable):
            await client.status()


@pytest.mark.anyio
async def test_malformed_frames_of_others_do_no_harm(bus: Bus, memory: ScriptedMemory) -> None:
    async with AsyncMemoryClient(bus.url, timeout=30) as client:
        assert (await client.status()).ready
        for frame in (
            '{"type": "memory.status.response"',
            '["memory.status.response"]',
            '"memory.status.response"',
            '{"type": "memory.status.response", "data": [], "context": {}}',
            '{"type": "memory.status.response", "data": {"request_id": 7}, "context": {}}',
        ):
            with ScriptedMemory(bus.url, {}) as noisy:  # a bus may show out whoever sends such a thing
                noisy.send_raw(frame)
        assert (await client.status()).ready


@pytest.mark.anyio
async def test_the_connection_comes_back_by_itself(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.start()
    script = {"memory.status": lambda _: {"ready": True}}
    try:
        async with AsyncMemoryClient(bus.url, timeout=60) as client:
            with ScriptedMemory(bus.url, script):
                assert (await client.status()).ready
            bus.stop()
            client.timeout = 1
            with pytest.raises(errors.BusUnavailable):
                await client.status()
            client.timeout = 60
            bus.start()
            with ScriptedMemory(bus.url, script):
                assert (await client.status()).ready
    finally:
        bus.stop()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"

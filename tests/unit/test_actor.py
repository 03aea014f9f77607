"""Actors and mailboxes: one answer to every ask, on time, whatever the backend does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timezone

import anyio
import numpy as np
import pytest

from ovos_memory_bus.actor import ERROR, OK, TIMEOUT, Actor
from ovos_memory_bus.backends.base import BaseBackend, Found, Query
from ovos_memory_bus.errors import Busy, ShuttingDown
from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.mailbox import Mailbox

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def query(seconds: float = 5.0, caller: str = "a") -> Query:
    now = datetime.now(timezone.utc)
    return Query("x", "x", None, "a", "s", ItemFilter(), 5, now, anyio.current_time() + seconds, caller=caller)


class Scripted(BaseBackend):
    """Does what the test says, and counts its lives."""

    name = "scripted"

    def __init__(self, search: Callable[[], Awaitable[None]], open_: Callable[[int], None] = lambda life: None) -> None:
        self._search, self._open = search, open_
        self.lives = 0
        self.work_left = 0
        self.worked = anyio.Event()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        self.lives += 1
        self._open(self.lives)
        yield

    async def search(self, query: Query) -> Found:
        await self._search()
        return Found(seqs=np.array([7]), scores=np.array([1.0]))

    async def work(self) -> bool:
        if self.work_left:
            self.work_left -= 1
            if not self.work_left:
                self.worked.set()
            return True
        return False


async def at_once() -> None:
    """Nothing to wait for."""


async def for_ever() -> None:
    await anyio.sleep_forever()


@asynccontextmanager
async def running(actor: Actor) -> AsyncIterator[Actor]:
    async with anyio.create_task_group() as tasks:
        await tasks.start(actor.run)
        yield actor
        actor.close()


async def test_an_answer_comes_with_its_hits() -> None:
    async with running(Actor(Scripted(at_once))) as actor:
        reply = await actor.ask(query())
    assert reply.status == OK
    assert reply.found.seqs.tolist() == [7]
    assert actor.state == "stopped"


async def test_a_sleeping_backend_costs_its_own_part_and_lives_on() -> None:
    sleepy = [for_ever, at_once]

    async def search() -> None:
        await sleepy.pop(0)()

    async with running(Actor(Scripted(search))) as actor:
        started = anyio.current_time()
        assert (await actor.ask(query(0.1))).status == TIMEOUT
        assert anyio.current_time() - started < 5  # not for ever
        assert (await actor.ask(query())).status == OK
    assert actor.restarts == 0


async def test_a_raising_search_is_an_error_with_its_reason() -> None:
    async def search() -> None:
        raise RuntimeError("no disk")

    async with running(Actor(Scripted(search))) as actor:
        reply = await actor.ask(query())
        assert reply.status == ERROR
        assert reply.error == {"code": "internal", "message": "RuntimeError: no disk"}
        assert actor.state == "running"


async def test_a_backend_that_cannot_start_is_started_again() -> None:
    def fails_twice(life: int) -> None:
        if life <= 2:
            raise OSError("not yet")

    backend = Scripted(at_once, fails_twice)
    async with running(Actor(backend)) as actor:
        reply = await actor.ask(query())
        assert reply.status == ERROR  # told at once, not at the deadline
        with anyio.fail_after(20):
            while (await actor.ask(query())).status != OK:
                await anyio.lowlevel.checkpoint()
    assert backend.lives == 3
    assert actor.restarts == 2


async def test_background_work_is_done_piece_by_piece_when_woken() -> None:
    backend = Scripted(at_once)
    async with running(Actor(backend)) as actor:
        backend.work_left = 5
        actor.wake()
        with anyio.fail_after(20):
            await backend.worked.wait()
        assert (await actor.ask(query())).status == OK


async def test_at_shutdown_every_ask_is_answered() -> None:
    gate = anyio.Event()
    replies = []
    actor = Actor(Scripted(gate.wait))

    async def ask() -> None:
        replies.append((await actor.ask(query())).status)

    async with anyio.create_task_group() as tasks:
        await tasks.start(actor.run)
        for _ in range(3):
            tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        actor.close()
        gate.set()
    assert replies == [OK, OK, OK]
    assert (await actor.ask(query())).status == ERROR


async def test_a_full_mailbox_is_an_answer() -> None:
    mailbox: Mailbox[int] = Mailbox(4)
    for number in range(3):
        mailbox.put("a", number)
    with pytest.raises(Busy):
        mailbox.put("a", 3)  # one sender's share
    mailbox.put("b", 4)
    with pytest.raises(Busy):
        mailbox.put("c", 5)
    mailbox.close()
    with pytest.raises(ShuttingDown):
        mailbox.put("c", 5)


async def test_senders_are_served_in_turn() -> None:
    mailbox: Mailbox[str] = Mailbox(20)
    for number in range(4):
        mailbox.put("loud", f"loud {number}")
    mailbox.put("quiet", "quiet 0")
    mailbox.close()
    served = [envelope async for envelope in mailbox]
    assert served.index("quiet 0") == 1
    assert [one for one in served if one.startswith("loud")] == [f"loud {n}" for n in range(4)]
    assert len(mailbox) == 0

"""Turns on their way to the memory: sent in order, one update at a time, and kept while the memory is away."""

from __future__ import annotations

import random
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import anyio
from ovos_utils.log import LOG

from ovos_memory_bus import errors

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0  # seconds between two attempts
OVERDUE = 0.25  # seconds after which an answer is likely never to come: the service was away when it was asked
MAX_REFUSALS = 5  # times that the service may fail on the same update before the others get their turn
UNSTORABLE = (errors.InvalidRequest, errors.Forbidden)


@dataclass(eq=False)
class Recording:
    """One `memory.update`. Its `request_id` stays the same in every attempt, so the service stores it once.

    `stored` resolves to the ids of the turns, or to the error that says that they can never be stored."""

    session: Mapping[str, Any]
    messages: Sequence[Mapping[str, Any]]
    lang: str | None = None
    request_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    stored: Future[tuple[str, ...]] = field(default_factory=Future)
    refusals: int = 0


class Outbox:
    """A bounded queue of recordings and the task `run()` that sends them; all on one event loop.

    `send` sends one recording and returns the ids. When the queue is full, the oldest recording is lost."""

    def __init__(self, send: Callable[[Recording], Awaitable[tuple[str, ...]]], limit: int) -> None:
        self._send, self._limit = send, limit
        self._queue: deque[Recording] = deque()
        self._filled, self._emptied, self._retry = anyio.Event(), anyio.Event(), anyio.Event()
        self._attempt: anyio.CancelScope | None = None
        self._attempt_at = 0.0

    def __len__(self) -> int:
        return len(self._queue)

    def put(self, recording: Recording) -> None:
        """Queue a recording; an error of its `stored` tells when it was lost."""
        if len(self._queue) >= self._limit:
            LOG.warning(f"the memory is away for long: of the newest {self._limit} exchanges the oldest is given up")
            lost = errors.Busy("too many turns wait for the memory")
            self._done(self._queue[0], lambda stored: stored.set_exception(lost))
        self._queue.append(recording)
        self._filled.set()

    def retry(self) -> None:
        """Try at once what waits for its next attempt, or for an answer that may never come."""
        self._retry.set()
        if self._attempt is not None and anyio.current_time() - self._attempt_at > OVERDUE:
            self._attempt.cancel()

    async def settled(self) -> None:
        """Return when nothing waits."""
        while self._queue:
            await self._emptied.wait()

    async def run(self) -> None:
        """Send what is queued until cancelled."""
        pause = FIRST_PAUSE
        while True:
            while not self._queue:
                self._emptied.set()
                self._filled = anyio.Event()
                await self._filled.wait()
                self._emptied = anyio.Event()
            if await self._try(self._queue[0]):
                pause = FIRST_PAUSE
                continue
            with anyio.move_on_after(pause * random.uniform(0.5, 1.0)):
                await self._retry.wait()
            self._retry = anyio.Event()
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _try(self, recording: Recording) -> bool:
        """Whether `recording` is done with, stored or not."""
        self._attempt_at = anyio.current_time()
        try:
            with anyio.CancelScope() as self._attempt:
                ids = await self._send(recording)
                self._done(recording, lambda stored: stored.set_result(ids))
                return True
            return False  # cancelled by retry()
        except UNSTORABLE as error:
            return self._refused(recording, error)
        except errors.MemoryBusError as error:
            if type(error) is not errors.MemoryBusError:  # away, late, busy, a full disk: it will pass
                return False
            recording.refusals += 1
            return recording.refusals >= MAX_REFUSALS and self._refused(recording, error)
        finally:
            self._attempt = None

    def _refused(self, recording: Recording, error: errors.MemoryBusError) -> bool:
        LOG.error(f"the memory does not take these turns, they are given up: {error}")
        self._done(recording, lambda stored: stored.set_exception(error))
        return True

    def _done(self, recording: Recording, settle: Callable[[Future[tuple[str, ...]]], None]) -> None:
        if recording in self._queue:  # while it was sent it may have been given up, for others to have room
            self._queue.remove(recording)
            settle(recording.stored)

"""One mailbox and one task that hosts any backend: asks answered in turn, each within its deadline; restarted when
it dies; its background work done in between."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.lowlevel

from .backends.base import Backend, Found, Query
from .errors import Busy, DeadlineExceeded, MemoryBusError, ShuttingDown
from .mailbox import Mailbox

LOG = logging.getLogger(__name__)
FIRST_DELAY, LONGEST_DELAY = 0.2, 60.0  # seconds before a restart: doubled each time, with jitter
HEALTHY_AFTER = 30.0  # seconds of life after which a death counts as the first again
IDLE = 30.0  # seconds after which background work looks for jobs without being woken

OK, TIMEOUT, ERROR, SKIPPED = "ok", "timeout", "error", "skipped"


@dataclass(frozen=True, slots=True)
class Reply:
    """A backend's answer to one ask: what it found, or why nothing. `took` in seconds."""

    status: str
    took: float
    found: Found = field(default_factory=Found)
    error: Mapping[str, Any] | None = None

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"status": self.status, "took": round(self.took, 6), "hits": self.found.size}
        if self.error is not None:
            data["error"] = dict(self.error)
        return data


@dataclass(slots=True)
class _Envelope:
    """A query, and where its reply goes. The deadline is inside the query: the worker honours it."""

    query: Query
    sent: float
    done: anyio.Event = field(default_factory=anyio.Event)
    reply: Reply | None = None

    def answer(self, status: str, found: Found | None = None, error: Exception | None = None) -> None:
        described = None
        if isinstance(error, MemoryBusError):
            described = error.to_data()
        elif error is not None:
            described = {"code": "internal", "message": f"{type(error).__name__}: {error}"[:300]}
        self.reply = Reply(status, anyio.current_time() - self.sent, found or Found(), described)
        self.done.set()


class Actor:
    """Hosts one backend. `run()` lives in the service's task group; `ask()` and `wake()` may be called by anybody."""

    def __init__(self, backend: Backend, mailbox: int = 64) -> None:
        self.backend = backend
        self.restarts = 0
        self._mailbox: Mailbox[_Envelope] = Mailbox(mailbox)
        self._wake = anyio.Event()
        self._state = "starting"
        self._closed = False
        self._idle = True
        self.took = 0.0  # seconds for the last answer

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def state(self) -> str:
        """`starting`, `running`, `restarting` or `stopped`."""
        return self._state

    @property
    def idle(self) -> bool:
        """Whether no background work is under way."""
        return self._idle

    def status(self) -> dict[str, Any]:
        figures = dict(self.backend.status()) if self._state == "running" else {}
        return {"kind": self.backend.kind, "status": self._state, "restarts": self.restarts, **figures}

    async def ask(self, query: Query) -> Reply:
        """The backend's reply; always one, and never later than the query's deadline by more than a moment."""
        envelope = _Envelope(query, anyio.current_time())
        if self._state != "running":
            envelope.answer(ERROR, error=Busy(f"{self.name} is {self._state}"))
        else:
            try:
                self._mailbox.put(query.caller, envelope)
            except (Busy, ShuttingDown) as error:
                envelope.answer(ERROR, error=error)
        with anyio.CancelScope(deadline=query.deadline):
            await envelope.done.wait()
        reply = envelope.reply or Reply(TIMEOUT, anyio.current_time() - envelope.sent)
        self.took = reply.took
        return reply

    def wake(self) -> None:
        """There may be background work."""
        self._wake.set()

    def close(self) -> None:
        """Take no more asks; those waiting are still answered."""
        self._closed = True
        self._mailbox.close()
        self._wake.set()

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Host the backend until `close()`; a backend that dies is opened again after a growing delay."""
        started, delay = False, FIRST_DELAY
        while not self._closed:
            born = anyio.current_time()
            try:
                async with self.backend.opened():
                    self._state = "running"
                    if not started:
                        started = True
                        task_status.started()
                    await self._live()
            except Exception as error:
                self.restarts += 1
                self._state = "restarting"
                LOG.error("memory backend %s died and is restarted: %s", self.name, _reason(error))
                if not started:
                    started = True
                    task_status.started()  # one backend that cannot start costs its own part only
                if anyio.current_time() - born > HEALTHY_AFTER:
                    delay = FIRST_DELAY
                with anyio.move_on_after(delay * random.uniform(0.75, 1.25)):
                    while not self._closed:
                        await self._wake.wait()
                        self._wake = anyio.Event()
                delay = min(delay * 2, LONGEST_DELAY)
        self._state = "stopped"

    async def _live(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._background)
            async for envelope in self._mailbox:
                await self._answer(envelope)
            tasks.cancel_scope.cancel()

    async def _answer(self, envelope: _Envelope) -> None:
        """Search within the deadline; a failing search costs this answer only."""
        try:
            with anyio.CancelScope(deadline=envelope.query.deadline):
                envelope.answer(OK, await self.backend.search(envelope.query))
        except Exception as error:
            if not isinstance(error, MemoryBusError):
                LOG.warning("memory backend %s could not answer: %s", self.name, _reason(error), exc_info=True)
            envelope.answer(ERROR, error=error)
        finally:
            if envelope.reply is None:
                envelope.answer(TIMEOUT, error=DeadlineExceeded(f"{self.name} was not done before the deadline"))

    async def _background(self) -> None:
        """Piece after piece while there is work; an error waits, and never ends the actor."""
        delay = FIRST_DELAY
        while True:
            self._wake = anyio.Event()
            self._idle = False
            try:
                while await self.backend.work():
                    delay = FIRST_DELAY
                    await anyio.lowlevel.checkpoint()
                wait = IDLE
            except Exception as error:
                LOG.warning("background work of %s failed: %s", self.name, _reason(error), exc_info=True)
                wait, delay = delay, min(delay * 2, LONGEST_DELAY)
            self._idle = True
            with anyio.move_on_after(wait):
                await self._wake.wait()


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"

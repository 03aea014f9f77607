"""The plugin's own thread with the event loop of bus client and outbox; callers wait for it with a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import anyio

from ovos_memory_bus import errors
from ovos_memory_bus.client.aio import AsyncMemoryClient
from ovos_memory_bus.messages.forgetting import FORGOTTEN
from ovos_memory_bus.persona.outbox import Outbox, Recording

R = TypeVar("R")


class Link:
    """A connection to the memory for synchronous callers, made at the first call and kept up by itself.

    `make_client` builds the client in the thread; `forgotten` is told the ids the memory has forgotten, `reopened`
    that something may have been missed before the connection was there."""

    def __init__(
        self,
        make_client: Callable[[], AsyncMemoryClient],
        max_pending: int,
        forgotten: Callable[[Collection[str]], None],
        reopened: Callable[[], None],
    ) -> None:
        self._make_client, self._max_pending = make_client, max_pending
        self._forgotten, self._reopened = forgotten, reopened
        self._lock = Lock()
        self._thread: Thread | None = None
        self._live: _Live | None = None

    def call(self, work: Callable[[AsyncMemoryClient, Outbox], Coroutine[Any, Any, R]], timeout: float) -> R:
        """The result of `work` on the loop. Raises its error, and `DeadlineExceeded` after `timeout` seconds."""
        live = self._connect()
        future = asyncio.run_coroutine_threadsafe(work(live.client, live.outbox), live.loop)
        try:
            return future.result(timeout)
        except FutureTimeout:
            future.cancel()
            raise errors.DeadlineExceeded(f"no answer within {timeout:g} s") from None
        except CancelledError:
            raise errors.BusUnavailable("disconnected") from None

    def record(self, recording: Recording) -> None:
        """Send a recording as soon as the memory takes it; returns at once."""
        live = self._connect()
        live.loop.call_soon_threadsafe(live.outbox.put, recording)

    def close(self) -> None:
        """End the thread; what waits in the outbox is lost."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive() and self._live is not None:
                self._live.loop.call_soon_threadsafe(self._live.stop.set)
                self._thread.join()
            self._thread = self._live = None

    def _connect(self) -> _Live:
        with self._lock:
            if self._thread is None or not self._thread.is_alive() or self._live is None:
                started = Event()
                # a daemon: a persona has no shutdown hook, and must not keep its process from ending
                self._thread = Thread(target=self._run, args=(started,), name="ovos-memory-bus", daemon=True)
                self._thread.start()
                started.wait()
            if self._live is None:
                raise errors.BusUnavailable("the thread that talks to the memory could not start")
            return self._live

    def _run(self, started: Event) -> None:
        try:
            with suppress(errors.MemoryBusError):
                anyio.run(self._serve, started)
        finally:
            self._live = None
            started.set()

    async def _serve(self, started: Event) -> None:
        async with self._make_client() as client:

            async def send(recording: Recording) -> tuple[str, ...]:
                subject = client.on_behalf_of(recording.session)
                return await subject.update(recording.messages, lang=recording.lang, request_id=recording.request_id)

            outbox = Outbox(send, self._max_pending)
            client.connection.on(FORGOTTEN, lambda message: self._forgotten(_ids(message)))
            client.connection.on_open(self._reopened)
            client.connection.on_open(outbox.retry)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(outbox.run, name="outbox")
                self._live = _Live(asyncio.get_running_loop(), client, outbox, anyio.Event())
                started.set()
                await self._live.stop.wait()
                tasks.cancel_scope.cancel()


class _Live:
    """What runs in the thread."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, client: AsyncMemoryClient, outbox: Outbox, stop: anyio.Event
    ) -> None:
        self.loop, self.client, self.outbox, self.stop = loop, client, outbox, stop


def _ids(message: Any) -> Collection[str]:
    data = message.get("data")
    ids = data.get("ids") if isinstance(data, dict) else None
    return [id for id in ids if isinstance(id, str)] if isinstance(ids, list) else []

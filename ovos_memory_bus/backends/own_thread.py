"""A thread of its own for code that blocks and cannot be interrupted: one call after the other, callers may leave."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from ..errors import BackendAway

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "Future[Any]"]


class OwnThread:
    """Runs calls in order. One that its caller has left still runs to its end; until then others are refused."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._abandoned = False
        # a daemon: code that never returns must not keep the service from ending
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def call(self, function: Callable[[], T]) -> T:
        """What `function` returns or raises. Raises `BackendAway` while an abandoned call runs."""
        if self._abandoned:
            raise BackendAway(f"{self._name} is still at work on an earlier question")
        future: Future[T] = Future()
        self._jobs.put((function, future))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self._abandoned = not future.cancel() and future.running()
            raise

    def close(self, last: Callable[[], Any] | None = None) -> None:
        """End the thread after what it is at and, where there is one, a `last` call, whose outcome nobody hears."""
        if last is not None:
            self._jobs.put((last, Future()))
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            function, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except Exception as error:  # told to whoever waits
                future.set_exception(error)
            except BaseException as error:  # an exit of foreign code is not to be ours
                future.set_exception(BackendAway(f"{self._name} ended with {type(error).__name__}"))
            self._abandoned = False

"""Watches an event loop: for how long does it not get to a task that is ready?

A thread, not a task, keeps the time: a blocked loop could not tell of itself. The thread asks the loop to call it
back and measures how long that takes, which on an idle loop is well under a millisecond.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio.to_thread

LONG = 0.02  # seconds from which a block is recorded: what a recall can spare
GROSS = 0.25  # seconds that no busy machine explains: somebody computes or waits on the event loop
PULSE = 0.005  # seconds between two looks


@dataclass(slots=True)
class LoopWatch:
    """The blocks of at least `LONG` seen so far, in seconds, and where the loop stood in the longest of them.

    A machine that is busy with something else blocks a loop as well, so tests assert `gross` alone and report the
    rest."""

    blocks: list[float] = field(default_factory=list)
    longest: float = 0.0
    where: str = ""

    @property
    def gross(self) -> list[float]:
        """Blocks that are a fault of the code."""
        return [seconds for seconds in self.blocks if seconds >= GROSS]

    def report(self) -> str:
        """One line, and for a long block the place."""
        return f"{len(self.blocks)} blocks from {LONG * 1000:.0f} ms on, the longest {self.longest:.3f} s{self.where}"

    def record(self, seconds: float, where: str) -> None:
        if seconds >= LONG:
            self.blocks.append(seconds)
        if seconds > self.longest:
            self.longest, self.where = seconds, f"\n{where}" if where else ""


@asynccontextmanager
async def watched_loop() -> AsyncIterator[LoopWatch]:
    """Watch the running event loop until the block ends."""
    watch, done = LoopWatch(), threading.Event()
    loop, its_thread = asyncio.get_running_loop(), threading.get_ident()
    thread = threading.Thread(target=_pulse, args=(watch, loop, its_thread, done), name="loop-watch", daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        done.set()
        await anyio.to_thread.run_sync(thread.join)  # not here: it may wait for this loop


def _pulse(watch: LoopWatch, loop: asyncio.AbstractEventLoop, its_thread: int, done: threading.Event) -> None:
    while not done.wait(PULSE):
        answered, where = threading.Event(), ""
        sent = time.monotonic()
        loop.call_soon_threadsafe(answered.set)
        if not answered.wait(LONG):
            where = _place(its_thread)
            answered.wait()
        watch.record(time.monotonic() - sent, where)


def _place(thread: int) -> str:
    """Where a thread stands."""
    frame = sys._current_frames().get(thread)
    return "".join(traceback.format_stack(frame, limit=6)) if frame else ""

"""The bus and the service on it: reachable, ready, how fast, and whether its background work gets done."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...errors import BusUnavailable, DeadlineExceeded, MemoryBusError
from ..options import Asker
from .finding import Finding, fail, ok, warn

if TYPE_CHECKING:
    from ...client import AsyncMemoryClient, Status

RECALLS = 10
OLD = 3_600.0  # seconds that background work may wait
QUESTION = "What did I say about the colour of the garden gate?"


def service(asker: Asker, timeout: float) -> list[Finding]:
    """`timeout` is a recall's own, in seconds."""
    try:
        return asker.ask(lambda memory: _service(memory, asker.url, timeout))
    except BusUnavailable:
        return [fail("bus", f"no messagebus answers at {asker.url}", "start ovos-messagebus, or correct the address")]
    except DeadlineExceeded:
        mend = "start it: ovos-memory-bus run, or systemctl --user start ovos-memory-bus"
        return [ok("bus", asker.url), fail("service", "no memory service answers on the bus", mend)]


async def _service(memory: AsyncMemoryClient, url: str, timeout: float) -> list[Finding]:
    status = await memory.status()
    found = [ok("bus", url), _readiness(status), *_backends(status), _queue(status)]
    times = []
    try:
        for _ in range(RECALLS):
            began = time.perf_counter()
            answer = await memory.context(QUESTION, max_history=1)
            times.append(time.perf_counter() - began)
    except MemoryBusError as error:
        return [*found, fail("recall", str(error), "look at the service's log")]
    text = f"{median(times) * 1e3:.1f} ms a recall"
    late = [name for name, report in answer.backends.items() if report.status in ("timeout", "error")]
    if late:
        return [*found, warn("recall", f"{text}, without {', '.join(late)}", "look at the service's log")]
    if median(times) > timeout / 2:
        return [*found, warn("recall", f"{text} of {timeout:g} s allowed", "raise `recall.timeout`, or see embedding")]
    return [*found, ok("recall", text)]


def _readiness(status: Status) -> Finding:
    if not status.ready:
        return warn("service", "it is stopping", "start it again")
    if status.version != __version__:
        text = f"it runs version {status.version}, this command is {__version__}"
        return warn("service", text, "restart the service after an update")
    return ok("service", f"version {status.version}, up for {status.uptime or 0:.0f} s")


def _backends(status: Status) -> list[Finding]:
    """One finding for all that run, one for each that has a problem."""
    held: dict[str, dict[str, Any]] = status.backends or {}
    found = []
    for name, entry in held.items():
        problem = entry.get("problem") or {}
        if problem:
            found.append(warn("backend", f"{name}: {problem.get('message')}", "see model above, then wait a minute"))
        elif entry.get("status") != "running":
            found.append(warn("backend", f"{name} is {entry.get('status')}", "look at the service's log"))
    well = [name for name in held if not any(finding.text.startswith(name) for finding in found)]
    return [ok("backends", ", ".join(well)), *found]


def _queue(status: Status) -> Finding:
    queue = status.queue
    text = f"{queue.pending} pending, {queue.failed} failed"
    if queue.failed:
        return warn("queue", text, "look at the service's log for why, then restart it")
    if isinstance(queue.oldest, (int, float)) and queue.oldest > OLD:
        return warn("queue", f"{text}, the oldest for {queue.oldest / 3600:.1f} h", "look at the service's log")
    return ok("queue", text)

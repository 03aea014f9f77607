"""Kind 17, a model loaded again and again: one model in memory, and a size that stays, however much is asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from daemon import Daemon, needs_model
from wire import Wire

ALLOWED = 16  # MiB of growth after the first round: allocators round up


def resident(daemon: Daemon) -> int:
    """MiB of a service's memory."""
    assert daemon.process is not None
    pages = int(Path(f"/proc/{daemon.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def round_of(wire: Wire, first: int) -> None:
    """100 recalls and 250 notes of somebody, of which nothing stays."""
    somebody = {"session_id": "growth"}
    notes = ({"content": f"note {first + number}: the gate of garden {number} is painted"} for number in range(250))
    wire.ask_all(("memory.item.add", note, somebody) for note in notes)
    questions = ({"utterance": f"which gate is painted, {first + n}?", "timeout": 30} for n in range(100))
    wire.ask_all((("memory.context.request", question, somebody) for question in questions), together=8)
    wire.settle()
    assert wire.do("memory.item.clear", {}, somebody)["deleted"] == 250
    wire.settle()


@needs_model
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the size of a process is read from /proc")
def test_case_17_the_size_of_the_service_stays(memory: Daemon, wire: Wire) -> None:
    round_of(wire, 0)
    before = resident(memory)
    for number in (1, 2):
        round_of(wire, number * 1_000)
    assert resident(memory) - before <= ALLOWED

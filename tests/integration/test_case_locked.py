"""Kind 15, "database is locked": a service under load, with exports, imports and a reader's transaction beside it."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

from command_line import WITHOUT_MODEL, on_folder
from daemon import StartService
from wire import Wire


def test_case_15_all_succeed_at_once(service: StartService, wire: Wire, tmp_path: Path) -> None:
    elsewhere = service(config=WITHOUT_MODEL)
    wire.say(*(f"said elsewhere, number {number}" for number in range(300)), session={"session_id": "elsewhere"})
    wire.settle()  # a summary may come to the turns
    counts = wire.do("memory.status")["counts"]
    on_folder(elsewhere, "export", "-o", tmp_path / "elsewhere.jsonl")
    elsewhere.stop()

    memory = service(config=WITHOUT_MODEL)
    wire.say("the first of all")
    over = Event()

    def talk() -> int:
        """Store and recall without a pause until the others are done; how many turns."""
        said = 0
        while not over.is_set():
            said += len(wire.say(*(f"said here, number {said + number}" for number in range(5))))
            assert wire.recall("what was the first of all?")["hits"]
        return said

    with (
        closing(sqlite3.connect(memory.data / "memory.db", isolation_level=None)) as shell,
        ThreadPoolExecutor() as threads,
    ):
        shell.execute("BEGIN")
        (seen,) = shell.execute("SELECT count(*) FROM items").fetchone()
        talking = threads.submit(talk)
        try:
            for number in range(3):
                on_folder(memory, "export", "-o", tmp_path / f"{number}.jsonl")
            imported = on_folder(memory, "import", tmp_path / "elsewhere.jsonl")
            on_folder(memory, "import", tmp_path / "2.jsonl")
            (gone,) = wire.say("this goes again")
            assert wire.do("memory.item.delete", {"id": gone})["deleted"]
        finally:
            over.set()
        said = talking.result()
        assert shell.execute("SELECT count(*) FROM items").fetchone() == (seen,)  # it was one transaction all along
        shell.execute("ROLLBACK")
    wire.settle()
    assert imported["added"] == counts["turn"] + counts.get("summary", 0) >= 300
    total = wire.do("memory.item.list", {"kind": "turn", "limit": 1})["total"]
    assert (total, said > 0) == (said + 1, True)
    assert "locked" not in memory.logged()

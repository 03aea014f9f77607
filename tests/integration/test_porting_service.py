"""Export and import on the data folder, beside the running service and without one."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from command_line import WITHOUT_MODEL, on_folder
from daemon import Daemon, StartService
from wire import Data, Wire

HALL = {"session_id": "hall"}


def exchange(wire: Wire, *texts: str) -> list[str]:
    """Say things and have each answered; the ids."""
    turns = [{"role": role, "content": text} for text in texts for role in ("user", "assistant")]
    ids: list[str] = wire.do("memory.update", {"lang": "en", "messages": turns})["ids"]
    return ids


def listed(wire: Wire, session: Any = None) -> list[Data]:
    items: list[Data] = wire.do("memory.item.list", {"limit": 1000, "order": "asc"}, session)["items"]
    return items


def facts(wire: Wire) -> list[Data]:
    return [item for item in listed(wire) if item["kind"] == "fact"]


def exported(daemon: Daemon, file: Path, *options: str) -> list[Data]:
    on_folder(daemon, "export", "-o", file, *options)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_what_was_exported_is_all_there_in_a_new_place(service: StartService, wire: Wire, tmp_path: Path) -> None:
    first = service(config=WITHOUT_MODEL)
    exchange(wire, "my name is Ada", "the blue heron came back to the pond")
    wire.add("café 100% \u2028 \u0000 “x”", HALL, metadata={"a": [1, {"b": None}]}, agent_id="p")
    wire.settle()
    items = listed(wire) + listed(wire, HALL)
    lines = exported(first, tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600
    assert lines[0]["format"] == "ovos-memory-bus"
    assert {line["id"] for line in lines[1:]} == {item["id"] for item in items}
    first.stop()

    second = service(config=WITHOUT_MODEL)
    assert on_folder(second, "import", tmp_path / "all.jsonl")["added"] == len(items)
    wire.settle()
    assert listed(wire) + listed(wire, HALL) == items
    assert exported(second, tmp_path / "again.jsonl")[1:] == lines[1:]


def test_a_running_service_finds_what_was_imported_beside_it(service: StartService, wire: Wire, tmp_path: Path) -> None:
    word = "zq" + uuid.uuid4().hex
    first = service(config=WITHOUT_MODEL)
    exchange(wire, f"the walled garden is called {word}")
    exported(first, tmp_path / "all.jsonl")
    first.stop()

    second = service(config=WITHOUT_MODEL)
    assert wire.do("memory.item.search", {"query": word})["items"] == []
    assert on_folder(second, "import", tmp_path / "all.jsonl")["added"] == 2
    wire.until(lambda: wire.do("memory.item.search", {"query": word})["items"], "the import was never noticed")
    wire.settle()
    assert word in wire.recalled(f"what is {word}?")[0]


def test_import_never_duplicates(service: StartService, wire: Wire, tmp_path: Path) -> None:
    memory = service(config=WITHOUT_MODEL)
    exchange(wire, "my name is Ada", "we had tea with the neighbours")
    wire.settle()
    before = listed(wire)
    exported(memory, tmp_path / "all.jsonl")
    dry = on_folder(memory, "import", "--dry-run", tmp_path / "all.jsonl")
    assert dry["added"] == 0
    for _ in range(2):
        assert on_folder(memory, "import", tmp_path / "all.jsonl") == {**dry, "dry_run": False}
    wire.settle()
    assert listed(wire) == before


def test_the_forgotten_comes_back_only_when_restored(service: StartService, wire: Wire, tmp_path: Path) -> None:
    memory = service(config=WITHOUT_MODEL)
    secret = exchange(wire, "my name is Ada and the safe is behind the clock")
    exchange(wire, "the neighbours came by for tea")
    wire.settle()
    before = {item["id"] for item in listed(wire)}
    exported(memory, tmp_path / "old.jsonl")
    gone = set(wire.do("memory.forget", {"what": "ids", "ids": secret})["ids"])
    assert gone > set(secret)  # the fact drawn from it too
    stones = [line for line in exported(memory, tmp_path / "new.jsonl") if line.get("type") == "tombstone"]
    assert {stone["id"] for stone in stones} == gone
    for dry in (["--dry-run"], []):
        counts = on_folder(memory, "import", *dry, tmp_path / "old.jsonl")
        assert (counts["added"], counts["forgotten"]) == (0, len(gone))
    assert {item["id"] for item in listed(wire)} == before - gone
    for dry in (["--dry-run"], []):
        counts = on_folder(memory, "import", "--restore", *dry, tmp_path / "old.jsonl")
        assert (counts["added"], counts["present"]) == (len(gone), len(before - gone))
    assert {item["id"] for item in listed(wire)} == before


def test_tombstones_travel(service: StartService, wire: Wire, tmp_path: Path) -> None:
    first = service(config=WITHOUT_MODEL)
    secret = exchange(wire, "the safe is behind the clock")
    exchange(wire, "the neighbours came by for tea")
    exported(first, tmp_path / "old.jsonl")
    wire.do("memory.forget", {"what": "ids", "ids": secret})
    exported(first, tmp_path / "new.jsonl")
    first.stop()
    second = service(config=WITHOUT_MODEL)
    assert on_folder(second, "import", "--dry-run", tmp_path / "new.jsonl")["tombstones"] == 2
    assert on_folder(second, "import", tmp_path / "new.jsonl")["tombstones"] == 2
    counts = on_folder(second, "import", tmp_path / "old.jsonl")
    assert (counts["added"], counts["present"], counts["forgotten"]) == (0, 2, 2)


def test_a_fact_is_not_drawn_twice_and_goes_with_its_turn(service: StartService, wire: Wire, tmp_path: Path) -> None:
    first = service(config=WITHOUT_MODEL)
    (turn, _) = exchange(wire, "my name is Ada")
    wire.settle()
    drawn = facts(wire)
    assert drawn
    exported(first, tmp_path / "all.jsonl")
    first.stop()
    second = service(config=WITHOUT_MODEL)
    on_folder(second, "import", tmp_path / "all.jsonl")
    wire.settle()
    assert facts(wire) == drawn
    wire.do("memory.item.delete", {"id": turn})
    assert facts(wire) == []


def test_hidden_turns_stay_in_their_history(service: StartService, wire: Wire, tmp_path: Path) -> None:
    first = service(config=WITHOUT_MODEL)
    exchange(wire, "the blue heron came back")
    wire.do("memory.item.clear", {"sync_context": False})
    history = wire.do("memory.history.get")["messages"]
    assert history
    exported(first, tmp_path / "all.jsonl")
    first.stop()
    second = service(config=WITHOUT_MODEL)
    on_folder(second, "import", tmp_path / "all.jsonl")
    assert listed(wire) == []
    assert wire.do("memory.history.get")["messages"] == history
    assert wire.do("memory.item.search", {"query": "blue heron"})["items"] == []


def test_a_service_that_starts_later_catches_up(service: StartService, wire: Wire, tmp_path: Path) -> None:
    first = service(config=WITHOUT_MODEL)
    exchange(wire, "the blue heron came back to the pond")
    exported(first, tmp_path / "all.jsonl")
    first.stop()
    stopped = Daemon(first.bus, tmp_path / "fresh")
    on_folder(stopped, "import", tmp_path / "all.jsonl")
    service(tmp_path / "fresh", config=WITHOUT_MODEL)
    wire.settle()
    assert "heron" in wire.recalled("where is the heron?")[0]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "no JSON"),
        ('{"type":"item","id":"x"}', "created_at is missing"),
        ("[" * 100_000, "no JSON"),
        ('{"type":"item","id":7,"created_at":"2026-01-01T00:00:00Z"}', "id must be text"),
    ],
)
def test_a_faulty_line_is_named_and_the_rest_can_follow(
    service: StartService, wire: Wire, tmp_path: Path, line: str, says: str
) -> None:
    first = service(config=WITHOUT_MODEL)
    ids = exchange(wire, "one", "two")
    exported(first, tmp_path / "all.jsonl")
    first.stop()
    second = Daemon(first.bus, tmp_path / "second")
    header, *rest = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "bad.jsonl").write_text("\n".join([header, *rest[:2], line, *rest[2:]]))
    error = on_folder(second, "import", tmp_path / "bad.jsonl", code=2)["error"]
    assert "line 4 of bad.jsonl" in error["message"]
    assert says in error["message"]
    counts = on_folder(second, "import", tmp_path / "all.jsonl")
    assert (counts["present"], counts["added"]) == (2, len(ids) - 2)


def test_a_command_beside_the_service_does_not_take_its_log_away(
    service: StartService, wire: Wire, tmp_path: Path
) -> None:
    memory = service(config=WITHOUT_MODEL)
    secret = exchange(wire, "the safe is behind the clock")
    wire.do("memory.forget", {"what": "ids", "ids": secret})  # looks into the files, after which locks could be gone
    exported(memory, tmp_path / "all.jsonl")  # closes its connections, the last ones if it sees no locks
    kept = exchange(wire, "the neighbours came by for tea")
    memory.kill()
    memory.start()
    assert [item["id"] for item in listed(wire)] == kept


def test_a_forgotten_fact_stays_away_after_a_restart_and_in_another_place(
    service: StartService, wire: Wire, tmp_path: Path
) -> None:
    text = "I am allergic to hazelnuts"
    first = service(config=WITHOUT_MODEL)
    turn, _ = exchange(wire, text)
    wire.settle()
    (fact,) = facts(wire)
    exported(first, tmp_path / "before.jsonl")
    wire.do("memory.forget", {"what": "ids", "ids": [fact["id"]]})
    on_folder(first, "import", tmp_path / "before.jsonl")
    wire.settle()
    assert facts(wire) == []
    first.stop()
    first.start()
    wire.do("memory.item.update", {"id": turn, "content": f"{text}."})
    wire.settle()
    assert facts(wire) == []
    exported(first, tmp_path / "after.jsonl")
    first.stop()

    second = service(config=WITHOUT_MODEL)
    assert on_folder(second, "import", tmp_path / "after.jsonl")["added"] == 2
    wire.settle()
    wire.do("memory.item.update", {"id": turn, "content": f"Mind that {text}"})
    wire.settle()
    assert facts(wire) == []


def test_older_turns_that_are_imported_do_not_come_last(service: StartService, wire: Wire, tmp_path: Path) -> None:
    first = service(config=WITHOUT_MODEL)
    early = {"role": "user", "content": "what was that", "created_at": "2024-05-01T10:00:00Z"}
    late = {"role": "assistant", "content": "a heron", "created_at": "2024-05-01T10:00:00Z"}  # of one moment
    wire.do("memory.update", {"messages": [early, late]})
    exported(first, tmp_path / "old.jsonl")
    first.stop()

    second = service(config=WITHOUT_MODEL)
    exchange(wire, "the owl is back")
    on_folder(second, "import", tmp_path / "old.jsonl")
    said = ["what was that", "a heron", "the owl is back", "the owl is back"]
    wire.until(lambda: wire.do("memory.item.list")["total"] == 4, "the import was never noticed")
    assert [message["content"] for message in wire.do("memory.history.get")["messages"]] == said
    assert [message["content"] for message in wire.do("memory.history.get", {"limit": 2})["messages"]] == said[2:]
    assert [message["content"] for message in wire.recall("and now?", max_history=2)["messages"]][-3:-1] == said[2:]
    gone = wire.do("memory.forget", {"what": "last", "dry_run": True})["items"]
    assert [item["content"] for item in gone][:2] == said[2:]

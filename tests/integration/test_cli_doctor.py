"""`ovos-memory-bus doctor` on a well and on a broken installation."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from command_line import WITHOUT_MODEL, Done, run, run_here
from daemon import StartService
from rig import Bus
from wire import Wire

States = Mapping[str, list[str]]


def doctor(bus: Bus, data: Path, *options: Any) -> tuple[States, Done]:
    """The states of each part, and all else."""
    config = data.parent / "doctor.json"
    config.write_text(json.dumps(WITHOUT_MODEL))
    done = run_here("doctor", "--json", "--config", config, "--data-dir", data, "--bus", bus.url, *options)
    states: dict[str, list[str]] = {}
    for finding in done.data["findings"]:
        states.setdefault(finding["part"], []).append(finding["state"])
        assert finding["mend"] or finding["state"] == "ok", finding
    assert (done.code == 0) == done.data["ok"]
    return states, done


def written(data: Path, *statements: str) -> None:
    with closing(sqlite3.connect(data / "memory.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_well_installation(service: StartService, shared_bus: Bus, wire: Wire) -> None:
    memory = service(config=WITHOUT_MODEL)
    wire.say("the blue heron came back")
    wire.settle()
    states, done = doctor(shared_bus, memory.data)
    assert done.code == 0
    for part in (
        "python",
        "packages",
        "sqlite",
        "data folder",
        "database",
        "rows",
        "index",
        "clock",
        "bus",
        "service",
        "recall",
    ):
        assert states[part] == ["ok"], done.out
    piped = run("doctor", "--data-dir", memory.data, env=shared_bus.env)
    assert "\x1b" not in piped.out


def test_without_a_bus_it_says_so_and_fails(shared_bus: Bus, tmp_path: Path) -> None:
    states, done = doctor(shared_bus, tmp_path / "data", "--bus", "ws://127.0.0.1:1/core", "--timeout", "0.2")
    assert states["bus"] == ["fail"]
    assert done.code == 1


def test_file_modes_are_found_and_mended(service: StartService, shared_bus: Bus) -> None:
    memory = service(config=WITHOUT_MODEL)
    (memory.data / "memory.db").chmod(0o644)
    memory.data.chmod(0o755)
    assert doctor(shared_bus, memory.data)[0]["data folder"] == ["warn"]
    assert doctor(shared_bus, memory.data, "--repair")[0]["data folder"] == ["ok"]
    assert (memory.data / "memory.db").stat().st_mode & 0o777 == 0o600


def test_rows_that_must_not_be_are_found_and_mended(service: StartService, shared_bus: Bus, wire: Wire) -> None:
    memory = service(config=WITHOUT_MODEL)
    word = "zq" + uuid.uuid4().hex
    wire.do("memory.update", {"lang": "en", "messages": [{"role": "user", "content": "my name is Ada"}]})
    wire.say("the neighbours came by for tea")
    (forgotten,) = wire.say(f"the safe is behind the clock {word}")
    wire.settle()
    memory.stop()
    written(
        memory.data,
        "INSERT INTO terms VALUES (900, 1, x'00')",
        "INSERT INTO jobs (kind, seq, created_at) VALUES ('terms', 901, 0)",
        "INSERT INTO sources VALUES ((SELECT seq FROM items WHERE kind = 'fact'), 902)",
        "DELETE FROM sources WHERE source < 902",
        f"INSERT INTO tombstones VALUES ('{forgotten}', 1, 'x', 0, 0)",
    )
    states, done = doctor(shared_bus, memory.data)
    assert states["rows"] == ["fail"]
    assert "1 forgotten items" in done.out
    memory.start()
    states, done = doctor(shared_bus, memory.data, "--repair")
    assert (states["repair"], states["rows"]) == (["ok"], ["ok"])
    assert word.encode() not in b"".join(file.read_bytes() for file in memory.data.iterdir())
    left = wire.do("memory.item.list", {"limit": 100})["items"]
    assert [item["kind"] for item in left] == ["turn", "turn"]


def test_a_damaged_file_is_named(service: StartService, shared_bus: Bus, wire: Wire) -> None:
    memory = service(config=WITHOUT_MODEL)
    for number in range(20):
        wire.say(f"sentence {number} " + "that is long enough to fill pages " * 40)
    memory.stop()
    content = bytearray((memory.data / "memory.db").read_bytes())
    content[8192:40960] = b"\xff" * 32768
    (memory.data / "memory.db").write_bytes(content)
    states, done = doctor(shared_bus, memory.data)
    assert states["database"] == ["fail"]
    assert "import your newest export" in done.out


def test_a_wrong_configuration_does_not_end_the_examination(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"scope": "galaxy", "backends": 7}')
    done = run_here(
        "doctor", "--json", "--config", tmp_path / "bad.json", "--data-dir", tmp_path / "d", "--timeout", "0.2"
    )
    states = {finding["part"]: finding["state"] for finding in done.data["findings"]}
    assert states["configuration"] == "fail"
    assert states["python"] == "ok"
    assert done.code == 1

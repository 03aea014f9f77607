"""`ovos-memory-bus run`: what it cannot start on it says in one sentence, and what need not stop it does not."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import WITHOUT_MODEL, Done, run
from daemon import StartService
from rig import Bus
from wire import Wire


def starting(bus: Bus, data: Path, *options: str) -> Done:
    """A service that does not get as far as the bus."""
    return run("run", "--bus", bus.url, "--data-dir", data, "--log-level", "error", *options, env=bus.env)


def sentence(done: Done) -> str:
    (line,) = done.err.splitlines()
    assert line.startswith("ovos-memory-bus: ")
    return line


def test_a_second_service_on_the_folder_is_refused(service: StartService, shared_bus: Bus, wire: Wire) -> None:
    first = service(config=WITHOUT_MODEL)
    refused = starting(shared_bus, first.data)
    assert refused.code == 4
    assert "another ovos-memory-bus service works on" in sentence(refused)
    assert wire.do("memory.status")["ready"]


def test_a_folder_that_cannot_be_is_refused(shared_bus: Bus, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = starting(shared_bus, tmp_path / "file" / "folder")
    assert refused.code == 4
    assert "cannot be prepared" in sentence(refused)


def test_a_newer_database_is_left_alone(shared_bus: Bus, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    refused = starting(shared_bus, tmp_path)
    assert refused.code == 4
    assert "update ovos-memory-bus" in sentence(refused)


def test_what_is_no_database_is_left_alone(shared_bus: Bus, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("not a database at all, but long enough to be looked at " * 40)
    before = (tmp_path / "memory.db").read_bytes()
    refused = starting(shared_bus, tmp_path)
    assert refused.code == 4
    assert "is no database" in sentence(refused)
    assert (tmp_path / "memory.db").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no JSON"),
        ("[]", "must be an object"),
        ('{"recall": {"timeout": "soon"}}', "recall.timeout must be a number"),
        ('{"backends": [{"weight": 1}]}', "backends needs a name"),
    ],
)
def test_a_wrong_configuration_is_named(shared_bus: Bus, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "memory.json").write_text(text)
    refused = starting(shared_bus, tmp_path / "data", "--config", str(tmp_path / "memory.json"))
    assert refused.code == 2
    assert says in sentence(refused)
    assert not (tmp_path / "data").exists()


def test_a_hang_up_is_survived_and_a_stop_is_clean(service: StartService, wire: Wire) -> None:
    memory = service(config=WITHOUT_MODEL)
    assert memory.process is not None
    memory.process.send_signal(signal.SIGHUP)
    wire.say("the blue heron came back")
    assert wire.do("memory.status")["ready"]
    assert memory.stop() == 0


def test_the_service_waits_for_a_bus_that_comes_later(tmp_path: Path, service: StartService) -> None:
    bus = Bus(tmp_path / "late")
    memory = service(config=WITHOUT_MODEL, on=bus, wait=False)
    memory.wait_for_line("no messagebus at")
    bus.start()
    try:
        memory.wait_until_ready()
        with Wire(bus.url) as wire:
            assert json.loads(json.dumps(wire.do("memory.status")))["ready"]
    finally:
        memory.stop()
        bus.stop()

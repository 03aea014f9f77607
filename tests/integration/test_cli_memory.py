"""The command over a real bus: asking, keeping, changing and forgetting."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import uuid
from typing import Any

import pytest
from command_line import WITHOUT_MODEL, Done, ask, run, run_here
from daemon import PROGRAM, Daemon
from rig import Bus

CONFIG = WITHOUT_MODEL


@pytest.fixture
def session() -> str:
    """A session of the test's own."""
    return f"cli-{uuid.uuid4().hex}"


def shown(bus: Bus, *arguments: str, stdin: str | None = None) -> Done:
    """What people see of a command over the bus."""
    return run_here(*arguments, "--bus", bus.url, "--timeout", "60", stdin=stdin)


def test_status_of_a_running_service(memory: Daemon, shared_bus: Bus) -> None:
    found = ask(shared_bus, "status")
    assert found["ready"]
    assert set(found["backends"]) == set(WITHOUT_MODEL["backends"])
    piped = run("status", env=shared_bus.env)  # the bus is that of the configuration here
    assert piped.code == 0
    assert "lexical" in piped.out
    assert "\x1b" not in piped.out


def test_what_is_remembered_is_recalled_and_explained(memory: Daemon, shared_bus: Bus, session: str) -> None:
    here = ("--session", session)
    kept = ask(shared_bus, "remember", "the spare key hangs behind the blue cupboard", *here)
    assert (kept["kind"], kept["role"], kept["session_id"]) == ("turn", "user", session)
    answer = ask(shared_bus, "recall", "where is the spare key?", "--deadline", "20", "--explain", *here)
    assert [hit["id"] for hit in answer["hits"]] == [kept["id"]]
    assert kept["id"] in [candidate["id"] for candidate in answer["explain"]["candidates"]]
    only = ask(shared_bus, "recall", "where is the spare key?", "--backends", "recency", *here)
    assert [name for name, report in only["backends"].items() if report["status"] != "skipped"] == ["recency"]
    told = shown(shared_bus, "recall", "where is the spare key?", "--deadline", "20", "--explain", "--messages", *here)
    assert "blue cupboard" in told.out
    assert "Ranked by backend" in told.out


def test_another_user_sees_nothing(memory: Daemon, shared_bus: Bus) -> None:
    ada = ("--user", uuid.uuid4().hex, "--auth-level", "3")
    kept = ask(shared_bus, "add", "the safe is behind the clock", *ada)
    assert [item["id"] for item in ask(shared_bus, "list", *ada)] == [kept["id"]]
    assert ask(shared_bus, "list", "--user", "somebody-else") == []
    denied = shown(shared_bus, "show", kept["id"], "--user", "somebody-else", "--json")
    assert (denied.code, denied.data["error"]["code"]) == (6, "not_found")


def test_items_are_kept_found_changed_and_shown(memory: Daemon, shared_bus: Bus, session: str) -> None:
    here = ("--session", session)
    about = json.dumps({"about": "bins", "day": "Tuesday"})
    item = ask(shared_bus, "add", "the bins go out on Tuesday", "--metadata", about, "--lang", "en", *here)
    other = ask(shared_bus, "add", "the gas man came", "--kind", "document", *here)
    assert [i["id"] for i in ask(shared_bus, "list", *here)] == [other["id"], item["id"]]
    assert [i["id"] for i in ask(shared_bus, "list", "--oldest-first", "--limit", "1", *here)] == [item["id"]]
    assert [i["id"] for i in ask(shared_bus, "list", "--kind", "document", *here)] == [other["id"]]
    assert [i["id"] for i in ask(shared_bus, "list", "--metadata", '{"about": "bins"}', *here)] == [item["id"]]
    assert ask(shared_bus, "list", "--until", "2020-01-01", *here) == []
    found = ask(shared_bus, "search", "bins", "--words-only", "--lang", "en", *here)
    assert [i["id"] for i in found] == [item["id"]]
    changed = ask(shared_bus, "edit", item["id"], "--content", "the bins go out on Friday", *here)
    assert changed["content"] == "the bins go out on Friday"
    changed = ask(shared_bus, "edit", item["id"], "--metadata", '{"day": "Friday"}', *here)
    assert changed["metadata"] == {"about": "bins", "day": "Friday"}
    assert ask(shared_bus, "show", item["id"], *here) == changed
    assert "Friday" in shown(shared_bus, "show", item["id"], *here).out


def test_text_can_come_from_standard_input(memory: Daemon, shared_bus: Bus, session: str) -> None:
    done = shown(shared_bus, "add", "-", "--session", session, "--json", stdin="a long letter\nof two lines")
    assert done.data["content"] == "a long letter\nof two lines"


def test_hostile_text_is_shown_as_text(memory: Daemon, shared_bus: Bus, session: str) -> None:
    ask(shared_bus, "add", "\x1b]0;owned\x07 [bold]x[/bold]", "--session", session)
    listed = shown(shared_bus, "list", "--session", session)
    assert "\x1b" not in listed.out
    assert "[bold]x[/bold]" in listed.out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("show", "no-such-id"), 6, "no such item"),
        (("edit", "no-such-id", "--content", "x"), 6, "no such item"),
        (("edit", "no-such-id"), 6, "no such item"),
        (("add", "   "), 2, "blank"),
        (("search", "x", "--since", "tomorrow"), 2, "ISO 8601"),
        (("forget", "last"), 2, "--yes"),
        (("forget", "all", "--yes"), 1, "allow_forget_all"),
    ],
)
def test_refusals_are_one_sentence(
    memory: Daemon, shared_bus: Bus, session: str, words: tuple[str, ...], code: int, says: str
) -> None:
    if words == ("forget", "last"):
        ask(shared_bus, "remember", "something to forget", "--session", session)
    done = shown(shared_bus, *words, "--session", session)
    assert done.code == code, done.err
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_forget_shows_first_and_takes_what_it_showed(memory: Daemon, shared_bus: Bus, session: str) -> None:
    here = ("--session", session)
    keep = ask(shared_bus, "add", "the neighbours came by for tea", *here)
    gone = ask(shared_bus, "add", "the safe is behind the clock", *here)
    assert ask(shared_bus, "forget", "ids", gone["id"], "--dry-run", *here)["ids"] == [gone["id"]]
    assert len(ask(shared_bus, "list", *here)) == 2
    assert ask(shared_bus, "forget", "ids", gone["id"], "--yes", *here)["deleted"] == 1
    assert ask(shared_bus, "forget", "ids", gone["id"], "--yes", *here)["deleted"] == 0
    assert [item["id"] for item in ask(shared_bus, "list", *here)] == [keep["id"]]
    assert ask(shared_bus, "forget", "session", "--yes", *here)["deleted"] == 1
    assert ask(shared_bus, "list", *here) == []


@pytest.mark.parametrize(("answer", "left"), [("n", 1), ("y", 0)])
def test_a_person_is_asked(memory: Daemon, shared_bus: Bus, session: str, answer: str, left: int) -> None:
    ask(shared_bus, "remember", "the safe is behind the clock", "--session", session)
    seen, code = at_terminal(shared_bus, answer, "forget", "last", "--session", session)
    assert "the safe is behind the clock" in seen
    assert "Forget this for good?" in seen
    assert code == (0 if answer == "y" else 1)
    assert len(ask(shared_bus, "list", "--session", session)) == left


def at_terminal(bus: Bus, answer: str, *arguments: str) -> tuple[str, int]:
    """Run a command at a terminal and answer its question; what was shown, and the exit code."""
    ours, theirs = pty.openpty()
    env = {**bus.env, "COLUMNS": "80"}
    process = subprocess.Popen([PROGRAM, *arguments], env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    answered = False
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not read:
            break
        seen += read
        if not answered and b"good?" in seen:
            os.write(ours, answer.encode() + b"\n")
            answered = True
    os.close(ours)
    return seen.decode(errors="replace"), process.wait(60)


def test_a_bus_without_a_service_is_told_from_no_bus(tmp_path_factory: pytest.TempPathFactory) -> None:
    bus = Bus(tmp_path_factory.mktemp("lonely-bus"))
    bus.start()
    try:
        done = run_here("status", "--timeout", "1", "--json", "--bus", bus.url)
    finally:
        bus.stop()
    data: dict[str, Any] = done.data
    assert (done.code, data["error"]["code"]) == (3, "timeout")
    assert "is the memory service running?" in done.err

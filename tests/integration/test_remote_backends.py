"""Backends in other processes, which use nothing but ovos-bus-client: a good one, and those that have bad days."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from daemon import Daemon
from rig import Bus
from wire import Wire, contents, user

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "remote_backend.py"
HOSTILE = HERE / "hostile_backend.py"
CONFIG = {"backends": ["recency", "lexical"], "remote_backends": ["notebook", "stranger"]}
Start = Callable[..., "subprocess.Popen[bytes]"]
HANDLING = "memory.query.handling"
PROBE = {"query": "", "lang": None, "owner": "nobody", "scope": "owner", "session_id": "", "limit": 1}


@pytest.fixture
def process(shared_bus: Bus, memory: Daemon, wire: Wire) -> Iterator[Start]:
    """Starts a backend in a process of its own, and waits until it acknowledges a query."""
    with ExitStack() as stack:

        def start(script: Path, *arguments: str) -> subprocess.Popen[bytes]:
            started = subprocess.Popen([sys.executable, str(script), *arguments], env=shared_bus.env)
            stack.callback(started.wait)
            stack.callback(started.kill)
            wire.until(lambda: _acknowledged(wire), "the backend never answered")
            return started

        yield start


def _acknowledged(wire: Wire) -> bool:
    """Whether a collect of our own is answered by somebody."""
    wire.send("memory.query", PROBE, {"__collect_id__": "probe"})
    return any(frame["data"].get("query") == "probe" for frame in wire.frames if frame["type"] == HANDLING)


def until_found(wire: Wire, utterance: str, text: str, session: Any = None) -> dict[str, Any]:
    """The recall in which the other process finds `text`: it is told after the commit."""

    def look() -> dict[str, Any] | None:
        answer = wire.recall(utterance, session, backends=["notebook"])
        return answer if text in contents(answer["hits"]) else None

    return wire.until(look, f"{text!r} was not found by the other process")  # type: ignore[no-any-return]


def until_heard(wire: Wire, utterance: str, session: Any) -> dict[str, Any]:
    """The recall for which `stranger` is waited: after a silence it is asked once before."""

    def look() -> dict[str, Any] | None:
        answer = wire.recall(utterance, session, backends=["stranger"])
        return answer if answer["backends"]["stranger"]["status"] == "ok" else None

    return wire.until(look, "the other process is not heard")  # type: ignore[no-any-return]


def test_a_process_that_knows_nothing_of_ours_is_a_backend(process: Start, wire: Wire) -> None:
    process(EXAMPLE, "notebook")
    ana, ben = user("ana"), user("ben")
    (id_,) = wire.say("the spare key hangs behind the barometer", session=ana)
    wire.say("the spare key is in the shed", session=ben)
    answer = until_found(wire, "where is the spare key", "the spare key hangs behind the barometer", ana)
    (hit,) = answer["hits"]
    assert (hit["id"], hit["backends"], hit["kind"]) == (id_, ["notebook"], "turn")
    assert 0 < hit["score"] <= 1
    assert answer["backends"]["notebook"]["status"] == "ok"
    together = wire.recall("where is the spare key", ana)
    assert [hit["id"] for hit in together["hits"]] == [id_]
    assert set(together["hits"][0]["backends"]) == {"lexical", "notebook"}
    assert "barometer" in together["messages"][0]["content"]
    wire.do("memory.item.update", {"id": id_, "content": "the spare key lies under the doormat"}, ana)
    until_found(wire, "who has the doormat", "the spare key lies under the doormat", ana)
    assert wire.recall("barometer", ana, backends=["notebook"])["hits"] == []
    wire.do("memory.forget", {"what": "ids", "ids": [id_]}, ana)
    assert wire.recall("where is the spare key", ana, backends=["notebook"])["hits"] == []
    backends = {one["name"]: one for one in wire.do("memory.backends")["backends"]}
    assert backends["notebook"]["remote"]
    assert not backends["lexical"]["remote"]


def test_scope_and_sessions_are_told(process: Start, wire: Wire) -> None:
    process(EXAMPLE, "notebook")
    here, there = user("cleo", session_id="here"), user("cleo", session_id="there")
    wire.say("the ladder leans on the north wall", session=here)
    until_found(wire, "where is the ladder", "the ladder leans on the north wall", there)
    assert wire.recall("where is the ladder", there, scope="session", backends=["notebook"])["hits"] == []
    asked = [frame["data"] for frame in wire.frames if frame["type"] == "memory.query"]
    assert asked[-1].keys() == {*PROBE, "deadline", "now"}
    assert (asked[-1]["owner"], asked[-1]["scope"], asked[-1]["session_id"]) == ("user:cleo", "session", "there")


@pytest.mark.parametrize("manner", ["hangs", "dies", "confuses", "floods"])
def test_one_that_fails_costs_its_own_part_only(process: Start, wire: Wire, memory: Daemon, manner: str) -> None:
    bad = process(HOSTILE, manner, "stranger") if manner != "dies" else None
    session = {"session_id": f"pond-{manner}"}
    wire.say("a heron stands in the pond", session=session)
    if manner == "dies":
        bad = subprocess.Popen([sys.executable, str(HOSTILE), manner, "stranger"], env=memory.bus.env)
    for _ in range(4):
        answer = wire.do("memory.context.request", {"utterance": "where is the heron", "timeout": 2.0}, session)
        assert contents(answer["hits"]) == ["a heron stands in the pond"]
        told = answer["backends"]["stranger"]
        assert answer["partial"] == (told["status"] != "ok" or answer["backends"]["notebook"]["status"] != "ok")
        if manner in ("hangs", "floods"):
            assert told["status"] in ("timeout", "error")
        assert told["hits"] == 0
    assert wire.do("memory.status")["backends"]["stranger"]["status"] == "running"
    if bad is not None and manner == "dies":
        bad.kill()
        bad.wait()


def test_one_that_lies_is_believed_only_what_can_be(process: Start, wire: Wire) -> None:
    process(HOSTILE, "lies", "stranger")
    answer = until_heard(wire, "where do herons nest", {"session_id": "lies"})
    hits = {hit["content"]: hit for hit in answer["hits"]}
    assert hits.keys() == {"the heron nested here", "a strange heron"}
    assert all(0 <= hit["score"] <= 1 and hit["kind"] == "document" for hit in hits.values())
    assert hits["the heron nested here"]["metadata"] == {}


def test_one_that_gives_away_what_is_not_the_askers_is_not_believed(process: Start, wire: Wire) -> None:
    process(HOSTILE, "betrays", "stranger")
    eve, fay = user("eve"), user("fay")
    wire.say("my pin hint is blue heron", session=eve)
    (kept, gone) = wire.say("my pin hint is red fox", "my old pin hint was grey mouse", session=fay)
    wire.do("memory.forget", {"what": "ids", "ids": [gone]}, fay)

    def look() -> list[str]:
        found = wire.recall("what is the pin hint", fay, backends=["stranger"])["hits"]
        return [hit["id"] for hit in found]

    wire.until(lambda: look() == [kept], "the one hit that is the asker's own did not come")
    elsewhere = user("fay", session_id="elsewhere")
    assert wire.recall("what is the pin hint", elsewhere, scope="session", backends=["stranger"])["hits"] == []
    assert wire.recall("what is the pin hint", user("gus"), backends=["stranger"])["hits"] == []


def test_a_search_by_hand_asks_our_own_store_alone(process: Start, wire: Wire) -> None:
    process(HOSTILE, "lies", "stranger")
    wire.add("herons eat frogs", {"session_id": "hand"})
    assert contents(wire.do("memory.item.search", {"query": "herons"}, {"session_id": "hand"})["items"]) == [
        "herons eat frogs"
    ]

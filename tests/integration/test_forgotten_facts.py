"""A fact that was forgotten by itself: its turn stays as it was said, and the fact never comes back from it."""

from __future__ import annotations

import pytest
from command_line import WITHOUT_MODEL
from daemon import Daemon
from wire import Data, Wire, contents

CONFIG = WITHOUT_MODEL
STATED = "I am allergic to hazelnuts"


def session(name: str) -> Data:
    return {"session_id": name}


def facts(wire: Wire, here: Data) -> list[Data]:
    wire.settle()
    items: list[Data] = wire.do("memory.item.list", {"kind": "fact"}, here)["items"]
    return items


def drawn(wire: Wire, here: Data, *texts: str) -> tuple[list[str], Data]:
    """Say texts that all state one fact; the turns' ids and the fact."""
    ids = wire.say(*texts, session=here, lang="en")
    (fact,) = facts(wire, here)
    return ids, fact


WAYS = {
    "ids": lambda fact: ("memory.forget", {"what": "ids", "ids": [fact["id"]]}),
    "delete": lambda fact: ("memory.item.delete", {"id": fact["id"]}),
    "clear": lambda fact: ("memory.item.clear", {"kind": "fact"}),
    "clear without the context": lambda fact: ("memory.item.clear", {"kind": "fact", "sync_context": False}),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_does_not_come_back_when_its_turn_is_edited(memory: Daemon, wire: Wire, way: str) -> None:
    here = session(f"edited {way}")
    (turn,), fact = drawn(wire, here, STATED)
    topic, data = WAYS[way](fact)
    wire.do(topic, data, here)
    assert facts(wire, here) == []
    for content in (f"As I said, {STATED}", f"{STATED}!"):
        wire.do("memory.item.update", {"id": turn, "content": content}, here)
        assert facts(wire, here) == []
    assert wire.recall("what am I allergic to", here)["facts"] == []
    assert wire.do("memory.item.get", {"id": turn}, here)["item"]["content"] == f"{STATED}!"


def test_it_comes_back_from_none_of_its_sources(memory: Daemon, wire: Wire) -> None:
    here = session("several sources")
    ids, fact = drawn(wire, here, STATED, f"As I said, {STATED}")
    wire.do("memory.forget", {"what": "ids", "ids": [fact["id"]]}, here)
    wire.do("memory.forget", {"what": "ids", "ids": ids[:1]}, here)
    wire.do("memory.item.update", {"id": ids[1], "content": f"Remember, {STATED}"}, here)
    assert facts(wire, here) == []


def test_what_else_its_turn_says_is_drawn_again(memory: Daemon, wire: Wire) -> None:
    here = session("the rest")
    (turn,) = wire.say(f"My name is Ottilie. {STATED}.", session=here, lang="en")
    named, allergy = sorted(facts(wire, here), key=lambda fact: "hazelnuts" in fact["content"])
    wire.do("memory.item.delete", {"id": allergy["id"]}, here)
    wire.do("memory.item.update", {"id": turn, "content": f"My name is Ottilie, and {STATED}."}, here)
    assert contents(facts(wire, here)) == [named["content"]]


def test_said_anew_it_is_known_anew(memory: Daemon, wire: Wire) -> None:
    here = session("anew")
    _, fact = drawn(wire, here, STATED)
    wire.do("memory.item.delete", {"id": fact["id"]}, here)
    wire.say(STATED, session=here, lang="en")
    assert contents(facts(wire, here)) == [fact["content"]]


def test_with_its_sources_nothing_of_it_is_recalled(memory: Daemon, wire: Wire) -> None:
    here = session("with sources")
    ids, fact = drawn(wire, here, STATED, f"As I said, {STATED}")
    (other,) = wire.say("The bus leaves at nine", session=here)
    request = {"what": "ids", "ids": [fact["id"]], "sources": True}
    would = wire.do("memory.forget", {**request, "dry_run": True}, here)
    assert set(would["ids"]) == {*ids, fact["id"]}
    assert set(wire.do("memory.forget", request, here)["ids"]) == {*ids, fact["id"]}
    assert [item["id"] for item in wire.do("memory.item.list", {}, here)["items"]] == [other]


def test_a_fact_that_goes_with_its_turns_comes_back_from_others(memory: Daemon, wire: Wire) -> None:
    known = {"user_id": "otto", "auth_level": 3}
    kitchen, garden = {**known, "session_id": "kitchen"}, {**known, "session_id": "garden"}
    wire.say(STATED, session=kitchen, lang="en")
    (fact,) = facts(wire, kitchen)
    wire.say(STATED, session=garden, lang="en")
    wire.settle()
    assert fact["id"] in wire.do("memory.forget", {"what": "session"}, kitchen)["ids"]
    assert contents(facts(wire, garden)) == [fact["content"]]

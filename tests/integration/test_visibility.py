"""Who sees what: nobody learns anything about somebody else's memory, by no topic and by no difference of answers."""

from __future__ import annotations

import random
import re
import string
import uuid
from typing import Any

import pytest
from daemon import Daemon
from wire import Data, Wire, contents, said, user

READING = ("memory.item.list", "memory.item.search", "memory.item.similar", "memory.history.get", "memory.explain")


def word(chance: random.Random) -> str:
    """A word that nobody has used."""
    return "".join(chance.choice(string.ascii_lowercase) for _ in range(9))


def pairs(chance: random.Random) -> tuple[Data, Data]:
    """Sessions of two different owners, of any sorts, with names that resemble each other."""
    name = word(chance)
    sessions: list[Data] = [
        {"session_id": name},
        {"session_id": f"{name}x"},
        {"session_id": f"user:{name}"},
        {"session_id": f"session:{name}"},
        {"session_id": name.upper()},
        user(name, session_id=name),
        user(name.upper(), session_id=name),
        user(f"{name}%", session_id=name),
        {"session_id": f"{name}y", "user_id": name, "auth_level": 1},
        {"session_id": f"{name}z", "user_id": name},
    ]
    first, second = chance.sample(sessions, 2)
    return first, second


def probes(secret: str, foreign: str, session_id: str) -> list[tuple[str, Data]]:
    """A request of every reading topic that would show the secret, or the item with the id `foreign`, if it could."""
    asked = f"what is the passcode of the {secret}"
    told = f"The passcode of the {secret} is {secret[::-1]}"
    fixed: Data = {"now": "2026-06-01T12:00:00Z", "timeout": 30, "request_id": f"about {secret}"}
    recall = {"utterance": asked, **fixed}
    return [
        *(("memory.context.request", {**recall, "scope": scope}) for scope in ("owner", "session", "global")),
        ("memory.context.request", {**recall, "min_score": 0, "max_results": 50, "fusion": "rrf", "max_history": 0}),
        ("memory.context.request", {**recall, "utterance": told, "inject_mode": "tool", "query_mode": "history"}),
        ("memory.explain", {"recall_id": f"about {secret}"}),
        ("memory.history.get", {"limit": 0}),
        ("memory.item.list", {"limit": 1_000, "order": "asc"}),
        ("memory.item.list", {"session_id": session_id}),
        ("memory.item.list", {"metadata": {"secret": secret}}),
        ("memory.item.list", {"agent_id": secret}),
        ("memory.item.search", {"query": asked, "limit": 100}),
        ("memory.item.search", {"query": secret, "use_embedding": False}),
        ("memory.item.search", {"query": told, "session_id": session_id}),
        ("memory.item.similar", {"query": told, "similarity_threshold": 0, "limit": 100}),
        ("memory.item.similar", {"query": told, "similarity_threshold": 0, "agent_id": secret}),
        ("memory.forget", {"what": "query", "query": told, "dry_run": True}),
        ("memory.forget", {"what": "ids", "ids": [foreign], "dry_run": True}),
        ("memory.forget", {"what": "session", "dry_run": True}),
        ("memory.forget", {"what": "owner", "dry_run": True}),
        ("memory.item.get", {"id": foreign, "include_embedding": True}),
        ("memory.item.embed", {"id": foreign, "force": True}),
        ("memory.item.update", {"id": foreign, "content": "mine now"}),
        ("memory.item.delete", {"id": foreign}),
        ("memory.forget", {"what": "ids", "ids": [foreign]}),
    ]


def untimed(value: Any) -> Any:
    """An answer without what differs from one time to the next: durations, moments, ids of requests."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k not in ("took", "at", "request_id", "tool_call_id")}
    if isinstance(value, list):
        return [untimed(entry) for entry in value]
    if isinstance(value, str):
        return re.sub(r"wire-\d+|memory-\w+", "", value)
    return round(value, 6) if isinstance(value, float) else value


@pytest.mark.parametrize("seed", range(8))
def test_what_another_owner_stores_changes_no_answer(memory: Daemon, wire: Wire, seed: int) -> None:
    chance = random.Random(seed)
    mine, theirs = pairs(chance)
    secret, ghost, twin = word(chance), word(chance), word(chance)
    wire.say(f"The passcode of the {twin} is {twin[::-1]}", session=mine)
    wire.say("I will remember that.", session=mine, role="assistant")
    wire.add("The bicycle is in the shed", mine)
    wire.settle()
    unknown = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    asked = probes(secret, unknown, theirs["session_id"])
    before = [untimed(wire.ask(topic, data, mine)) for topic, data in asked]

    told = f"The passcode of the {secret} is {secret[::-1]}"
    (turn,) = wire.say(told, session=theirs, metadata={"secret": secret}, agent_id=secret)
    wire.say(f"My name is {secret.title()} and I live in {secret.title()}", session=theirs)
    note = wire.add(f"Note: {told}", theirs, metadata={"secret": secret}, agent_id=secret)["id"]
    wire.recall(f"what is the passcode of the {secret}", theirs, request_id="theirs")
    wire.settle()

    for foreign in (turn, note):
        asked = probes(secret, foreign, theirs["session_id"])
        after = [untimed(wire.ask(topic, data, mine)) for topic, data in asked]
        for (topic, data), was, now in zip(asked, before, after, strict=True):
            assert now == was, f"{topic} {data}"
    trace = wire.ask("memory.explain", {"recall_id": "theirs"}, mine)
    assert untimed(trace) == untimed(wire.ask("memory.explain", {"recall_id": ghost}, mine))

    assert f"The passcode of the {twin} is {twin[::-1]}" in wire.recalled(f"what is the passcode of the {twin}", mine)
    assert told in wire.recalled(f"what is the passcode of the {secret}", theirs)
    assert {turn, note} <= {item["id"] for item in wire.do("memory.item.list", {}, theirs)["items"]}


def test_nothing_in_the_data_widens_what_is_seen(memory: Daemon, wire: Wire) -> None:
    theirs, mine = user("widen-anna"), {"session_id": "widen-bert"}
    secret = "The tulip bulbs are under the third stair"
    wire.say(secret, session=theirs)
    wire.settle()
    wider: list[Data] = [
        {"owner": "user:widen-anna"},
        {"user_id": "widen-anna", "auth_level": 5},
        {"session": theirs},
        {"session_id": theirs["session_id"]},
        {"context": {"session": theirs}},
        {"scope": "global"},
        {"scope": "session", "session_id": "default"},
        {"min_auth_level": 0},
    ]
    for data in wider:
        for topic in ("memory.context.request", *READING):
            question = {"utterance": "where are the tulip bulbs", "query": secret, "similarity_threshold": 0, **data}
            assert secret not in str(wire.ask(topic, question, mine)), f"{topic} {data}"
    stored = wire.do("memory.item.add", {"content": "Whose is this?", **wider[1], **wider[0]}, mine)["item"]
    assert wire.ask("memory.item.get", {"id": stored["id"]}, theirs)["error"]["code"] == "not_found"


@pytest.mark.parametrize("context", [{}, {"session": None}, {"session": {}}, {"session": {"session_id": None}}])
def test_without_a_session_it_is_the_default_one(memory: Daemon, wire: Wire, context: Data) -> None:
    marker = f"Said on the device itself, {len(str(context))}"
    wire.begin("memory.update", said(marker), **context).result(60)
    assert marker in contents(wire.do("memory.item.list", {}, {"session_id": "default"})["items"])
    answer = wire.begin("memory.item.list", {}, **context).result(60)
    assert marker in contents(answer["items"])
    assert {item["session_id"] for item in answer["items"]} == {"default"}


@pytest.mark.parametrize(
    ("claim", "believed"),
    [
        ({"user_id": "carla", "auth_level": 2}, True),
        ({"user_id": "carla", "auth_level": 5}, True),
        ({"user_id": "carla", "auth_level": 1}, False),
        ({"user_id": "carla", "auth_level": 0}, False),
        ({"user_id": "carla"}, False),
        ({"user_id": "carla", "auth_level": "5"}, False),
        ({"user_id": "carla", "auth_level": True}, False),
        ({"user_id": "carla", "auth_level": None}, False),
        ({"user_id": "", "auth_level": 5}, False),
        ({"user_id": None, "auth_level": 5}, False),
    ],
)
def test_a_user_is_believed_from_level_two_on(memory: Daemon, wire: Wire, claim: Data, believed: bool) -> None:
    wire.say("Carla is allergic to walnuts", session=user("carla", session_id="kitchen"))
    seen = wire.do("memory.item.list", {}, {"session_id": f"claim {claim}", **claim})["items"]
    assert ("Carla is allergic to walnuts" in contents(seen)) is believed


def test_a_user_has_one_memory_in_all_sessions_and_a_history_in_each(memory: Daemon, wire: Wire) -> None:
    kitchen, garden = user("dora", session_id="dora-kitchen"), user("dora", session_id="dora-garden")
    wire.say("The yeast is in the freezer", session=kitchen)
    wire.say("The hose has a leak", session=garden)
    assert "The yeast is in the freezer" in wire.recalled("where is the yeast", garden)
    assert "The yeast is in the freezer" not in wire.recalled("where is the yeast", garden, scope="session")
    assert contents(wire.do("memory.history.get", {}, garden)["messages"]) == ["The hose has a leak"]
    assert wire.do("memory.forget", {"what": "session"}, garden)["deleted"] == 1
    assert contents(wire.do("memory.item.list", {}, garden)["items"]) == ["The yeast is in the freezer"]


def test_the_same_request_id_of_two_owners_is_two_requests(memory: Daemon, wire: Wire) -> None:
    request = {**said("Mine and mine alone"), "request_id": "the same"}
    first = wire.do("memory.update", request, user("emil"))["ids"]
    second = wire.do("memory.update", request, user("frida"))["ids"]
    assert first != second
    assert wire.do("memory.update", request, user("emil"))["ids"] == first
    assert wire.do("memory.item.list", {}, user("frida"))["total"] == 1


def test_a_pause_is_of_one_session_of_one_owner(memory: Daemon, wire: Wire) -> None:
    hall = user("gustav", session_id="hall")
    wire.do("memory.pause", {}, hall)
    assert wire.say("not stored", session=hall) == []
    assert len(wire.say("stored", session=user("gustav", session_id="study"))) == 1
    assert len(wire.say("stored", session=user("hanna", session_id="hall"))) == 1
    assert len(wire.say("stored", session={"session_id": "hall"})) == 1
    wire.do("memory.resume", {}, hall)


def test_sixteen_callers_at_once_each_get_their_own_answer(memory: Daemon, wire: Wire) -> None:
    callers = [{"session_id": f"caller {number}"} for number in range(16)]
    for number, caller in enumerate(callers):
        wire.say(f"Locker number {number} is mine", session=caller)
    question = {"utterance": "which locker number is mine", "timeout": 30, "min_score": 0}
    for _ in range(5):
        begun = [wire.begin("memory.context.request", question, caller) for caller in callers]
        for number, future in enumerate(begun):
            assert contents(future.result(60)["hits"]) == [f"Locker number {number} is mine"]

"""What is forgotten is gone from every surface: topics, command, export, files, and what was drawn from it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from daemon import PROGRAM, Daemon, needs_model
from wire import Data, Wire, contents, user

QUESTION = "what is the passcode of the boathouse"


def session(name: str) -> Data:
    return {"session_id": name}


def surfaces(wire: Wire, here: Data, text: str, question: str) -> dict[str, str]:
    """What every topic that reads shows of a text, as one text each."""
    shown: dict[str, Any] = {
        f"recall {mode}": wire.recall(question, here, inject_mode=mode, min_score=0, max_results=50)["messages"][:-1]
        for mode in ("system", "developer", "system_prompt", "user", "tool")
    }
    answer = wire.recall(question, here, min_score=0, max_results=1_000, request_id=f"residue {question}")
    shown |= {key: answer[key] for key in ("hits", "facts", "summary")}
    shown["explain"] = wire.do("memory.explain", {"recall_id": f"residue {question}"}, here)["candidates"]
    shown["history"] = wire.do("memory.history.get", {"limit": 0}, here)["messages"]
    shown["list"] = wire.do("memory.item.list", {"limit": 10_000}, here)["items"]
    shown["search"] = wire.do("memory.item.search", {"query": text, "limit": 1_000}, here)["items"]
    similar = wire.ask("memory.item.similar", {"query": text, "similarity_threshold": 0, "limit": 1_000}, here)
    shown["similar"] = similar.get("items", [])
    for what in ("last", "session", "owner"):
        shown[f"forget {what}"] = wire.do("memory.forget", {"what": what, "dry_run": True}, here)["items"]
    named = {"what": "query", "query": text, "dry_run": True}
    shown["forget query"] = wire.do("memory.forget", named, here)["items"]
    return {name: json.dumps(value, ensure_ascii=False) for name, value in shown.items()}


def command(daemon: Daemon, *arguments: str) -> str:
    """What the command prints, with `--bus` of this service."""
    done = subprocess.run([PROGRAM, *arguments], env=daemon.bus.env, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def holding(daemon: Daemon, text: str) -> list[str]:
    """The files of the data folder in which the bytes of a text stand."""
    files = [path for path in daemon.data.rglob("*") if path.is_file()]
    return [path.name for path in files if text.encode() in path.read_bytes()]


def test_case_04_what_is_forgotten_shows_nowhere(memory: Daemon, wire: Wire, tmp_path: Path) -> None:
    here = session("case-4")
    marker = "quokka-4711-zephyr"
    wire.recall(f"My name is Quintus and the passcode of the boathouse is {marker}", here)  # as a persona does first
    ids = wire.say(f"My name is Quintus and the passcode of the boathouse is {marker}", session=here)
    wire.say("I will remember that.", session=here, role="assistant")
    for number in range(24):
        wire.say(f"Row {number} of the garden has beans, and {marker} is none of them", session=here)
        wire.say(f"Beans in row {number}.", session=here, role="assistant")
    ids += [wire.add(f"Note on {marker}", here, metadata={"about": marker})["id"]]
    wire.settle()
    before = surfaces(wire, here, marker, QUESTION)
    assert {"list", "history", "search", "hits"} <= {name for name, text in before.items() if marker in text}
    assert "Quintus" in before["facts"]

    everything = [item["id"] for item in wire.do("memory.item.list", {"limit": 1_000}, here)["items"]]
    told = [item for item in wire.do("memory.item.list", {"limit": 1_000}, here)["items"] if marker in str(item)]
    gone = wire.do("memory.forget", {"what": "ids", "ids": [item["id"] for item in told]}, here)["ids"]
    assert set(ids) <= set(gone) <= set(everything)
    wire.settle()

    after = surfaces(wire, here, marker, QUESTION)
    assert [name for name, text in after.items() if marker in text or "Quintus" in text] == []
    assert "error" in wire.ask("memory.item.get", {"id": ids[0]}, here)
    assert holding(memory, marker) == []
    bus = ("--bus", memory.bus.url, "--session", "case-4")
    for arguments in (("list", *bus), ("search", "passcode", *bus), ("recall", QUESTION, *bus), ("show", ids[0], *bus)):
        assert marker not in command(memory, *arguments)
    target = tmp_path / "export.jsonl"
    command(memory, "export", "--data-dir", str(memory.data), "-o", str(target))
    exported = target.read_text(encoding="utf-8")
    assert "Beans in row 3." in exported
    assert marker not in exported
    assert marker not in memory.logged()


def test_a_trace_from_before_the_turn_was_stored_goes_with_it(memory: Daemon, wire: Wire) -> None:
    here = session("trace")
    text = "My locker number is 31415"
    wire.recall(text, here, request_id="before")
    assert wire.do("memory.explain", {"recall_id": "before"}, here)["utterance"] == text
    (id_,) = wire.say(text, session=here)
    wire.do("memory.forget", {"what": "ids", "ids": [id_]}, here)
    assert wire.ask("memory.explain", {"recall_id": "before"}, here)["error"]["code"] == "not_found"
    assert wire.ask("memory.explain", {}, here)["error"]["code"] == "not_found"


def test_the_last_exchange(memory: Daemon, wire: Wire) -> None:
    here = session("last")
    for number in range(3):
        wire.say(f"Question {number}", session=here)
        wire.say(f"Answer {number}", f"and more {number}", session=here, role="assistant")
    would = wire.do("memory.forget", {"what": "last", "dry_run": True}, here)
    assert contents(would["items"]) == ["Question 2", "Answer 2", "and more 2"]
    assert would["deleted"] == 0
    done = wire.do("memory.forget", {"what": "last"}, here)
    assert (done["deleted"], set(done["ids"])) == (3, set(would["ids"]))
    assert contents(wire.do("memory.history.get", {}, here)["messages"])[-1] == "Answer 1\nand more 1"
    wire.do("memory.forget", {"what": "last"}, here)
    wire.do("memory.forget", {"what": "last"}, here)
    assert wire.do("memory.forget", {"what": "last"}, here)["deleted"] == 0


def test_what_was_recalled_last_where_nothing_was_said(memory: Daemon, wire: Wire) -> None:
    anna = user("last-anna", session_id="last-anna-1")
    elsewhere = user("last-anna", session_id="last-anna-2")
    wire.say("The umbrella is in the red car", session=anna)
    wire.say("The raincoat hangs in the hall", session=anna)
    assert wire.recalled("where is the umbrella", elsewhere)[0] == "The umbrella is in the red car"
    assert wire.do("memory.forget", {"what": "last"}, elsewhere)["deleted"] >= 1
    assert contents(wire.do("memory.item.list", {"kind": "turn"}, anna)["items"]) == ["The raincoat hangs in the hall"]


def test_what_a_query_names(memory: Daemon, wire: Wire) -> None:
    here = session("query")
    for text in (
        "The plumber comes on Thursday",
        "The cat is called Mimi",
        "Rye bread is in the bin",
        "The cat Mimi was vaccinated in April",
        "We fly to Porto in May",
    ):
        wire.say(text, session=here)
    wire.settle()
    would = wire.do("memory.forget", {"what": "query", "query": "the cat Mimi", "dry_run": True}, here)
    assert "The cat is called Mimi" in contents(would["items"])
    assert all("Mimi" in text for text in contents(would["items"]))
    wire.do("memory.forget", {"what": "query", "query": "the cat Mimi"}, here)
    assert "The cat is called Mimi" not in contents(wire.do("memory.item.list", {}, here)["items"])
    assert "The plumber comes on Thursday" in contents(wire.do("memory.item.list", {}, here)["items"])


@pytest.mark.parametrize("what", ["session", "owner"])
def test_a_session_or_an_owner(memory: Daemon, wire: Wire, what: str) -> None:
    kitchen, garden = user(f"all-{what}", session_id="kitchen"), user(f"all-{what}", session_id="garden")
    neighbour = user(f"all-{what}-2", session_id="kitchen")
    for here in (kitchen, garden, neighbour):
        wire.say("I live in Antwerp", session=here)
        wire.add("A note", here)
    wire.settle()
    wire.do("memory.forget", {"what": what}, kitchen)
    left = wire.do("memory.item.list", {"session_id": "garden"}, garden)["items"]
    assert wire.do("memory.item.list", {"session_id": "kitchen"}, kitchen)["total"] == 0
    assert bool(left) is (what == "session")
    assert "I live in Antwerp" in contents(wire.do("memory.item.list", {}, neighbour)["items"])


def test_all_needs_the_configuration(memory: Daemon, wire: Wire) -> None:
    here = session("all")
    wire.say("Still here", session=here)
    for dry_run in (True, False):
        error = wire.ask("memory.forget", {"what": "all", "dry_run": dry_run}, here)["error"]
        assert error["code"] == "forbidden"
        assert "allow_forget_all" in error["message"]
    assert contents(wire.do("memory.item.list", {}, here)["items"]) == ["Still here"]


def test_forgetting_reaches_what_was_cleared_from_the_items_alone(memory: Daemon, wire: Wire) -> None:
    here = session("cleared-before")
    marker = "xylophone-2718"
    wire.say(f"The {marker} is in the loft", session=here)
    assert wire.do("memory.item.clear", {"sync_context": False}, here)["deleted"] == 1
    assert marker in str(wire.do("memory.history.get", {}, here)["messages"])
    assert wire.do("memory.item.list", {}, here)["total"] == 0
    assert wire.do("memory.forget", {"what": "session"}, here)["deleted"] == 1
    assert wire.do("memory.history.get", {}, here)["messages"] == []
    assert holding(memory, marker) == []


def test_clearing_with_the_context_takes_the_history_along(memory: Daemon, wire: Wire) -> None:
    here = session("cleared")
    wire.say("One", session=here, agent_id="butler")
    wire.say("Two", session=here, role="assistant")
    wire.do("memory.item.clear", {"sync_context": False, "agent_id": "butler"}, here)
    wire.do("memory.item.clear", {}, here)
    assert wire.do("memory.history.get", {}, here)["messages"] == []


def test_facts_and_summaries_go_with_their_turns_and_are_drawn_anew(memory: Daemon, wire: Wire) -> None:
    here = session("provenance")
    (first,) = wire.say("I am allergic to hazelnuts", session=here)
    (second,) = wire.say("As I said, I am allergic to hazelnuts", session=here)
    wire.settle()
    (fact,) = wire.do("memory.item.list", {"kind": "fact"}, here)["items"]
    assert "hazelnuts" in fact["content"]
    assert fact["id"] in wire.do("memory.forget", {"what": "ids", "ids": [first]}, here)["ids"]
    wire.settle()
    drawn = wire.do("memory.item.list", {"kind": "fact"}, here)["items"]
    assert ["hazelnuts" in item["content"] for item in drawn] == [True]
    wire.do("memory.forget", {"what": "ids", "ids": [second]}, here)
    wire.settle()
    assert wire.do("memory.item.list", {}, here)["total"] == 0


@needs_model
def test_new_content_leaves_nothing_of_the_old(memory: Daemon, wire: Wire) -> None:
    here = session("changed")
    old, new = "The regatta-1618 starts in Kiel", "The jam is made of quinces"
    item = wire.add(old, here)
    wire.settle()
    assert wire.recalled("where does the regatta-1618 start", here, request_id="old") == [old]
    wire.do("memory.item.update", {"id": item["id"], "content": new}, here)
    wire.settle()
    after = surfaces(wire, here, old, "where does it start")
    assert [name for name, text in after.items() if "regatta" in text] == []
    similar = wire.do("memory.item.similar", {"query": new, "similarity_threshold": 0.99}, here)["items"]
    assert [found["id"] for found in similar] == [item["id"]]
    assert holding(memory, "regatta-1618") == []


def test_forgetting_is_told_to_everybody(memory: Daemon, wire: Wire) -> None:
    here = session("told")
    first, second, third, fourth = (wire.add(f"Number {number}", here)["id"] for number in range(4))
    with Wire(memory.bus.url) as listener:
        wire.do("memory.forget", {"what": "ids", "ids": [first]}, here)
        wire.do("memory.item.delete", {"id": second}, here)
        wire.do("memory.forget", {"what": "ids", "ids": [third], "dry_run": True}, here)
        wire.do("memory.forget", {"what": "ids", "ids": [first]}, here)
        wire.do("memory.item.clear", {"sync_context": False}, here)
        told = listener.seen("memory.forgotten", 3)
    assert told[:2] == [{"ids": [first]}, {"ids": [second]}]
    assert set(told[2]["ids"]) == {third, fourth}


def test_forgetting_twice_is_fine(memory: Daemon, wire: Wire) -> None:
    here = session("twice")
    item = wire.add("Once is enough", here)
    request = {"what": "ids", "ids": [item["id"], item["id"], "no such id"]}
    assert wire.do("memory.forget", request, here)["ids"] == [item["id"]]
    assert wire.do("memory.forget", request, here)["deleted"] == 0
    assert wire.do("memory.item.delete", {"id": item["id"]}, here)["deleted"] is False


def test_an_import_brings_nothing_forgotten_back_unless_told_to(memory: Daemon, wire: Wire, tmp_path: Path) -> None:
    here = session("tombstone")
    wire.say("Keep this", "Forget this", session=here)
    target, folder = str(tmp_path / "export.jsonl"), ("--data-dir", str(memory.data))
    command(memory, "export", *folder, "-o", target)
    forgotten = wire.do("memory.item.list", {"limit": 1, "order": "desc"}, here)["items"][0]
    wire.do("memory.forget", {"what": "ids", "ids": [forgotten["id"]]}, here)
    command(memory, "import", *folder, target)
    assert contents(wire.do("memory.item.list", {}, here)["items"]) == ["Keep this"]
    command(memory, "import", *folder, target, "--restore")
    assert sorted(contents(wire.do("memory.item.list", {}, here)["items"])) == ["Forget this", "Keep this"]


def test_a_pause_stores_nothing_and_ends_by_itself(memory: Daemon, wire: Wire) -> None:
    here = session("pause")
    wire.say("Before the pause", session=here)
    assert wire.do("memory.pause", {"duration": 60}, here)["until"] is not None
    assert wire.say("My secret is safe", session=here) == []
    refused = wire.ask("memory.item.add", {"content": "My secret is safe"}, here)["error"]
    assert refused["code"] == "forbidden"
    assert wire.recalled("what was before the pause", here, min_score=0) == ["Before the pause"]
    assert wire.do("memory.resume", {}, here)["paused"] is False
    assert len(wire.say("After the pause", session=here)) == 1
    wire.do("memory.pause", {"duration": 0.3}, here)
    assert wire.until(lambda: wire.say("It ended by itself", session=here), "the pause did not end")
    wire.settle()
    stored = contents(wire.do("memory.item.list", {}, here)["items"])
    assert stored == ["It ended by itself", "After the pause", "Before the pause"]
    assert holding(memory, "My secret is safe") == []


def test_while_ten_thousand_items_are_cleared_recalls_are_answered(memory: Daemon, wire: Wire) -> None:
    crowded, other = session("crowded"), session("calm")
    wire.say("The anchor weighs forty kilos", session=other)
    note = {"messages": [{"role": "user", "content": f"Barrel {number}"} for number in range(1_000)]}
    wire.ask_all([("memory.update", note, crowded)] * 10)
    clearing = wire.begin("memory.item.clear", {}, crowded)
    answered = 0
    while not clearing.done() or not answered:
        assert wire.recalled("how heavy is the anchor", other, backends=["lexical"]) == [
            "The anchor weighs forty kilos"
        ]
        answered += 1
    assert clearing.result()["deleted"] == 10_000
    assert wire.do("memory.item.list", {}, crowded)["total"] == 0

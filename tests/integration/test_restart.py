"""The memory across its own end: what was acknowledged is there, no id comes twice, every request has its answer."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from daemon import KEYWORDS_ONLY, Daemon, StartService, needs_model
from wire import Data, Wire, contents, said

HERE = {"session_id": "restart"}


def session(name: str) -> dict[str, str]:
    return {"session_id": name}


def everything(wire: Wire, here: dict[str, str] = HERE) -> list[Data]:
    """All items of a session, page by page."""
    items: list[Data] = []
    while True:
        page = wire.do("memory.item.list", {"limit": 10_000, "offset": len(items), "page_size": 1_000}, here)
        items += page["items"]
        if len(items) >= page["total"]:
            return items


@needs_model
def test_case_05_deleted_means_no_vector_finds_it(service: StartService, wire: Wire) -> None:
    here = session("case-5")
    daemon = service()
    item = wire.add("The cellar smells of old apples", here)
    kept = wire.add("The attic smells of cedar wood", here)
    wire.settle()
    probe = {"query": item["content"], "similarity_threshold": 0.0}
    assert wire.do("memory.item.similar", probe, here)["items"][0]["id"] == item["id"]
    assert wire.do("memory.item.delete", {"id": item["id"]}, here)["deleted"] is True
    assert [found["id"] for found in wire.do("memory.item.similar", probe, here)["items"]] == [kept["id"]]
    daemon.stop()
    daemon.start()
    assert [found["id"] for found in wire.do("memory.item.similar", probe, here)["items"]] == [kept["id"]]
    daemon.stop()


def test_case_23_all_is_there_after_a_restart(service: StartService, wire: Wire) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    wire.say("The boiler was serviced in June", session=HERE, metadata={"room": "cellar"}, agent_id="butler")
    wire.say("Good to know.", session=HERE, role="assistant")
    wire.add("Boiler model: Vaillant", HERE, metadata={"nested": {"list": [1, "zwei", None]}})
    before = everything(wire)
    history = wire.do("memory.history.get", {}, HERE)["messages"]
    assert daemon.stop() == 0
    daemon.start()
    assert everything(wire) == before
    assert wire.do("memory.history.get", {}, HERE)["messages"] == history
    found = wire.do("memory.item.search", {"query": "boiler serviced"}, HERE)["items"]
    assert contents(found)[0] == "The boiler was serviced in June"


def test_case_23_a_second_service_says_that_the_folder_is_in_use(service: StartService, wire: Wire) -> None:
    first = service(config=KEYWORDS_ONLY)
    wire.say("Only one may write here", session=HERE)
    second = Daemon(first.bus, first.data, KEYWORDS_ONLY)
    second.log = first.data.parent / "second.log"
    second.start(wait=False)
    assert second.finish() == 4
    assert f"another ovos-memory-bus service works on {first.data}" in second.logged()
    assert "Traceback" not in second.logged()
    assert wire.recalled("who may write here", HERE) == ["Only one may write here"]


def test_case_24_no_id_and_nothing_stored_is_ever_overwritten(service: StartService, wire: Wire) -> None:
    here = session("case-24")
    daemon = service(config=KEYWORDS_ONLY)
    ids: list[str] = []
    for life in range(3):
        ids += wire.say(*(f"life {life} thing {number}" for number in range(20)), session=here)
        ids.append(wire.add(f"life {life} note", here)["id"])
        daemon.kill() if life == 1 else daemon.stop()
        daemon.start()
    items = wire.do("memory.item.list", {"limit": 1_000}, here)["items"]
    assert len(set(ids)) == len(ids) == 63
    assert {item["id"] for item in items} == set(ids)
    assert len({item["content"] for item in items}) == 63


def test_what_was_acknowledged_survives_a_kill_in_mid_stream(service: StartService, wire: Wire) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    begun = [wire.begin("memory.update", said(f"stream {number}"), HERE) for number in range(300)]
    begun[60].result(60)
    daemon.kill()
    acknowledged = [future.result()["ids"][0] for future in begun if future.done() and "ids" in future.result()]
    daemon.start()
    stored = [item["id"] for item in everything(wire)]
    assert len(acknowledged) >= 60
    assert set(acknowledged) <= set(stored)
    assert len(set(stored)) == len(stored) == len({item["content"] for item in everything(wire)})


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_request_sent_again_after_a_restart_is_stored_once(service: StartService, wire: Wire, end: str) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    request = {**said("Said once"), "request_id": "again"}
    first = wire.do("memory.update", request, HERE)
    getattr(daemon, end)()
    daemon.start()
    assert wire.do("memory.update", request, HERE) == first
    assert wire.do("memory.update", request, session("somebody else"))["ids"] != first["ids"]
    assert contents(everything(wire)) == ["Said once"]


def test_every_request_has_its_answer_when_the_service_is_asked_to_stop(service: StartService, wire: Wire) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    wire.say("The ferry leaves at ten", session=HERE)
    requests = [
        ("memory.update", said("one more")),
        ("memory.context.request", {"utterance": "when does the ferry leave"}),
        ("memory.item.list", {}),
    ]
    begun = [wire.begin(*requests[number % 3], HERE) for number in range(240)]
    begun[0].result(60)
    assert daemon.stop() == 0
    answers = [future.result(60) for future in begun]
    codes = {answer["error"]["code"] for answer in answers if "error" in answer}
    assert codes <= {"shutting_down", "busy"}
    acknowledged = [answer["ids"][0] for answer in answers if "ids" in answer]
    daemon.start()
    assert set(acknowledged) <= {item["id"] for item in everything(wire)}


def test_recall_in_the_middle_of_a_restart_is_answered_afterwards(service: StartService, wire: Wire) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    wire.say("My hiking boots are at the cobbler", session=HERE)
    daemon.kill()
    restarted = threading.Thread(target=daemon.start)
    restarted.start()
    try:
        lost = wire.begin("memory.context.request", {"utterance": "where are my boots"}, HERE)
    finally:
        restarted.join()
    assert wire.recalled("where are my hiking boots", HERE) == ["My hiking boots are at the cobbler"]
    assert not lost.done() or "error" not in lost.result()


def test_a_pause_and_a_tombstone_outlive_the_service(service: StartService, wire: Wire) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    item = wire.add("To be forgotten", HERE)
    assert wire.do("memory.forget", {"what": "ids", "ids": [item["id"]]}, HERE)["ids"] == [item["id"]]
    wire.do("memory.pause", {}, HERE)
    daemon.stop()
    daemon.start()
    assert wire.say("Not to be stored", session=HERE) == []
    assert wire.ask("memory.item.get", {"id": item["id"]}, HERE)["error"]["code"] == "not_found"
    wire.do("memory.resume", {}, HERE)
    wire.say("Stored again", session=HERE)
    assert contents(everything(wire)) == ["Stored again"]


def test_a_database_of_a_newer_version_is_left_alone(service: StartService, wire: Wire) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    wire.say("From the future", session=HERE)
    daemon.stop()
    with closing(sqlite3.connect(daemon.data / "memory.db")) as connection:
        connection.execute("PRAGMA user_version = 4711")
    before = (daemon.data / "memory.db").read_bytes()
    daemon.start(wait=False)
    assert daemon.finish() == 4
    assert "update ovos-memory-bus, or give another --data-dir" in daemon.logged()
    assert "Traceback" not in daemon.logged()
    assert (daemon.data / "memory.db").read_bytes() == before


def test_a_file_that_is_no_database_is_said_to_be_none(service: StartService, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "memory.db").write_text("these are not the bytes of a database, and there are enough of them " * 20)
    daemon = service(folder, config=KEYWORDS_ONLY, wait=False)
    assert daemon.finish() == 4
    assert "memory.db is no database" in daemon.logged()
    assert "Traceback" not in daemon.logged()

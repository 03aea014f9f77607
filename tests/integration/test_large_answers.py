"""Answers that would be larger than the bus passes: bounded, or refused with a word, and the connection stays."""

from __future__ import annotations

from daemon import KEYWORDS_ONLY, Daemon
from wire import Data, Wire

from ovos_memory_bus.client.pages import Pages
from ovos_memory_bus.client.results import MemoryPage
from ovos_memory_bus.messages.frames import MAX_SENT, ROOM, fitting, size

CONFIG = KEYWORDS_ONLY
LONG = "…" * 800_000  # 4.8 MB as JSON, and no word


def session(name: str) -> Data:
    return {"session_id": name}


def filled(wire: Wire, name: str, count: int) -> tuple[Data, list[str]]:
    """A session with so many long notes; their ids."""
    here = session(name)
    return here, [wire.add(f"pumpkin {number} {LONG}", here)["id"] for number in range(count)]


def connected_once(memory: Daemon) -> bool:
    return memory.logged().count("connected to the messagebus") == 1


def test_a_dry_run_names_all_and_shows_what_fits(memory: Daemon, wire: Wire) -> None:
    here, ids = filled(wire, "dry", 3)
    for request in ({"what": "session"}, {"what": "ids", "ids": ids}):
        would = wire.do("memory.forget", {**request, "dry_run": True}, here)
        assert would["ids"] == ids
        assert (would["deleted"], would["named"]) == (0, 3)
        assert [item["id"] for item in would["items"]] == ids[: len(would["items"])]
        assert 1 <= len(would["items"]) < 3
    assert wire.do("memory.forget", {"what": "session"}, here)["deleted"] == 3
    assert connected_once(memory)


def test_a_dry_run_of_very_many_names_every_one(memory: Daemon, wire: Wire) -> None:
    here = session("many")
    text = "barrel " * 300
    turns = {"messages": [{"role": "user", "content": f"{number} {text}"} for number in range(1_000)]}
    ids = [id_ for answer in wire.ask_all([("memory.update", turns, here)] * 10, 2) for id_ in answer["ids"]]
    would = wire.do("memory.forget", {"what": "owner", "dry_run": True}, here)
    assert set(would["ids"]) == set(ids)
    assert 1_000 < len(would["items"]) < len(ids)
    with Wire(memory.bus.url) as listener:
        assert wire.do("memory.forget", {"what": "owner"}, here)["deleted"] == 10_000
        assert set(listener.seen("memory.forgotten")[0]["ids"]) == set(ids)
    assert connected_once(memory)


def test_a_list_is_cut_and_goes_on_where_it_ended(memory: Daemon, wire: Wire) -> None:
    here, ids = filled(wire, "list", 4)
    pages, seen = Pages(page_size=100, order="asc"), []
    while pages.more:
        call = pages.call()
        answer = wire.do(call.topic, call.data, here)
        assert answer["total"] == 4
        seen += [memory.id for memory in pages.take(MemoryPage.from_data(answer))]
    assert seen == ids
    assert connected_once(memory)


def test_what_cannot_be_cut_is_refused_with_a_word(memory: Daemon, wire: Wire) -> None:
    here, ids = filled(wire, "search", 6)
    error = wire.ask("memory.item.search", {"query": "pumpkin"}, here)["error"]
    assert (error["code"], error["field"]) == ("invalid_request", "limit")
    found = wire.do("memory.item.search", {"query": "pumpkin 3", "limit": 1}, here)["items"]
    assert [item["id"] for item in found] == [ids[3]]
    assert connected_once(memory)


def test_what_fits_is_the_first_part_and_never_nothing() -> None:
    items = [{"content": "x" * 1_000, "number": number} for number in range(100)]
    part = fitting(items, 10_000)
    assert part == items[: len(part)]
    assert sum(map(size, part)) <= 10_000 < sum(map(size, items[: len(part) + 1]))
    assert fitting(items, 10) == items[:1]
    assert fitting([], 10) == []
    assert ROOM < MAX_SENT < 25 * 2**20

"""Facts that no longer hold, and what was drawn from forgotten turns, are not recalled."""

from __future__ import annotations

import json

from daemon import Daemon
from wire import Wire

CONFIG = {"backends": ["recency", "lexical", "facts", "summary"]}


def test_a_correction_ends_the_old_fact_everywhere_in_a_context(memory: Daemon, wire: Wire) -> None:
    here = {"session_id": "moved"}
    for text in ("i live in leith", "the weather is fine", "we moved house and now i live in dundee"):
        wire.do("memory.update", {"lang": "en", "messages": [{"role": "user", "content": text}]}, here)
    wire.settle()
    answer = wire.recall("where do i live", here, lang="en", max_history=1, min_score=0.0)
    assert [fact["metadata"]["value"] for fact in answer["facts"]] == ["dundee"]
    assert "leith" not in json.dumps({**answer, "request_id": None})
    ended = [i for i in wire.do("memory.item.list", {"kind": "fact"}, here)["items"] if i["metadata"]["valid_to"]]
    assert [item["metadata"]["value"] for item in ended] == ["leith"]


def test_a_forgotten_turn_takes_its_fact_along(memory: Daemon, wire: Wire) -> None:
    here = {"session_id": "fact-gone"}
    (turn,) = wire.do(
        "memory.update", {"lang": "en", "messages": [{"role": "user", "content": "my name is ottoline"}]}, here
    )["ids"]
    wire.settle()
    assert [f["metadata"]["value"] for f in wire.recall("hello", here)["facts"]] == ["ottoline"]
    wire.do("memory.forget", {"what": "ids", "ids": [turn]}, here)
    assert wire.recall("hello", here)["facts"] == []
    assert wire.do("memory.item.list", {}, here)["items"] == []


def test_case_22_what_the_assistant_says_is_no_fact(memory: Daemon, wire: Wire) -> None:
    here = {"session_id": "case-22"}
    words = {"role": "assistant", "content": "I love jazz too, my name is Echo"}
    wire.do("memory.update", {"lang": "en", "messages": [words]}, here)
    wire.settle()
    assert wire.do("memory.item.list", {"kind": "fact"}, here)["items"] == []

"""Facts over a real service: what was corrected or taken back is in no later context, and languages share a value."""

from __future__ import annotations

from typing import Any

import pytest
from daemon import StartService, needs_model
from wire import Wire, contents, user

WORDS = {"backends": ["recency", "lexical", "facts", "summary"], "summary": {"recent_window": 2, "summarize_every": 4}}

CHANGES = [
    ("en", "i live in leith with my dog", "we have moved from leith to dundee", "where do i live", "leith"),
    ("en", "my name is kelly", "no my name isn't kelly it's kayleigh", "what is my name", "kelly"),
    ("en", "i'm vegetarian", "i'm not vegetarian any longer", "what do i eat", "vegetarian"),
    ("de", "ich wohne in fürth", "wir sind von fürth nach ansbach gezogen", "wo wohne ich", "fürth"),
    ("es", "mi perra se llama luna", "mi perra no se llama luna se llama lula", "cómo se llama mi perra", "luna"),
    ("fr", "je suis allergique aux fraises", "je suis plus allergique aux fraises", "suis-je allergique", "fraises"),
    ("it", "lavoro alle poste", "non lavoro più alle poste", "dove lavoro", "poste"),
    ("nl", "mijn zoon heet lucas", "mijn zoon heet niet lucas hij heet luuk", "hoe heet mijn zoon", "lucas"),
]


def say(wire: Wire, session: dict[str, Any], lang: str, *texts: str) -> None:
    for text in texts:
        wire.do("memory.update", {"lang": lang, "messages": [{"role": "user", "content": text}]}, session)


def test_what_was_corrected_or_taken_back_is_in_no_later_context(service: StartService, wire: Wire) -> None:
    service(config=WORDS)
    for number, (lang, before, change, question, old) in enumerate(CHANGES):
        there = user(f"changed-{number}", session_id=f"then-{number}")
        say(wire, there, lang, before)
        wire.settle()
        assert old in str(wire.recall(question, there, lang=lang, max_history=0)["facts"])
        say(wire, there, lang, change)
        wire.settle()
        later = user(f"changed-{number}", session_id=f"later-{number}")
        answer = wire.recall(question, later, lang=lang, min_score=0.0)
        assert old not in " ".join(contents(answer["hits"]) + contents(answer["facts"])).lower(), answer


def test_a_summary_is_made_anew_without_what_was_corrected(service: StartService, wire: Wire) -> None:
    service(config=WORDS)
    here = {"session_id": "summed"}
    say(wire, here, "en", "i live in leith near the harbour", *(f"the garden has {n} apple trees" for n in range(2, 9)))
    wire.settle()
    assert "leith" in wire.recall("hello", here)["summary"]
    say(wire, here, "en", "we have moved from leith to dundee")
    wire.settle()
    say(wire, here, "en", *(f"the pond has {n} goldfish" for n in range(2, 9)))
    wire.settle()
    summary = wire.recall("hello", here)["summary"]
    assert "apple trees" in summary
    assert "leith" not in summary


@needs_model
@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (("en", "i love classical music"), ("de", "ich liebe klassische musik"), ["classical music"]),
        (("en", "i love football"), ("es", "me encanta el baloncesto"), ["baloncesto", "football"]),
    ],
)
def test_a_value_said_in_two_languages_is_kept_once(
    service: StartService, wire: Wire, first: tuple[str, str], second: tuple[str, str], kept: list[str]
) -> None:
    service()
    here = {"session_id": f"polyglot-{len(kept)}"}
    for lang, text in (first, second):
        say(wire, here, lang, text)
        wire.settle()
    facts = wire.do("memory.item.list", {"kind": "fact"}, here)["items"]
    assert sorted(item["metadata"]["value"] for item in facts) == kept

"""The parts of the voice skill: what it keeps of a conversation, how it words memories, and its languages' files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ovos_bus_client.message import Message
from padacioso import IntentContainer

import ovos_memory_bus
from ovos_memory_bus.client import Memory
from ovos_memory_bus.skill.conversations import MAX_SESSIONS, Conversations
from ovos_memory_bus.skill.wording import SPOKEN, enumerated, slot_text, spoken_facts, worth_telling

LOCALE = Path(ovos_memory_bus.__file__).parent / "skill" / "locale"
LANGUAGES = sorted(folder.name for folder in LOCALE.iterdir())
ENGLISH = LOCALE / "en-US"
NOW = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)


def memory(content: str, kind: str = "note", role: str = "user", age: int = 0, **metadata: Any) -> Memory:
    created = NOW - timedelta(hours=age)
    return Memory(f"{content}-{age}", content, kind=kind, role=role, metadata=metadata, created_at=created)


def entry(session: dict[str, Any], *words: str, topic: str = "recognizer_loop:utterance") -> str:
    return Message(topic, {"utterances": list(words)}, {"session": session}).serialize()


def further(session_id: str) -> Message:
    """An intent's message: the session has lost its user."""
    return Message("skill:intent", {}, {"session": {"session_id": session_id}})


def test_who_speaks_is_known_from_the_utterance_and_only_for_that_session() -> None:
    talks = Conversations()
    talks.hear(entry({"session_id": "hall", "user_id": "anna", "auth_level": 3}, "hello"))
    assert talks.session(further("hall")) == {"session_id": "hall", "user_id": "anna", "auth_level": 3}
    assert talks.session(further("attic")) == {"session_id": "attic"}
    talks.hear(entry({"session_id": "hall"}, "hello again"))
    assert talks.session(further("hall")) == {"session_id": "hall"}


def test_a_session_that_says_nothing_is_the_default_one() -> None:
    talks = Conversations()
    talks.hear(entry({"user_id": "anna", "auth_level": 3}, "hello"))
    assert talks.session(Message("skill:intent"))["user_id"] == "anna"


@pytest.mark.parametrize(
    "frame", ['{"type": "recognizer_loop:utterance"}', '{"type": "speak", "data": {"a": "ovos.utterance.handle"}}']
)
def test_frames_of_another_kind_or_shape_are_left_alone(frame: str) -> None:
    talks = Conversations()
    talks.hear(frame)
    assert talks.just_about(further("default")) == ()


def test_that_is_what_the_utterance_before_was_about_whichever_spellings_it_came_in() -> None:
    talks, hall = Conversations(), {"session_id": "hall"}
    talks.hear(entry(hall, "remember the milk"))
    talks.about(further("hall"), ["1"])
    for topic in ("recognizer_loop:utterance", "ovos.utterance.handle"):
        talks.hear(entry(hall, "forget that", topic=topic))
    assert talks.just_about(further("hall")) == ("1",)
    talks.hear(entry(hall, "what time is it"))
    assert talks.just_about(further("hall")) == ()


def test_only_so_many_sessions_are_kept() -> None:
    talks = Conversations()
    for number in range(MAX_SESSIONS + 1):
        talks.hear(entry({"session_id": str(number), "user_id": "anna"}, "hello"))
    assert "user_id" not in talks.session(further("0"))
    assert "user_id" in talks.session(further(str(MAX_SESSIONS)))


def test_a_slot_gets_its_capitals_back() -> None:
    assert slot_text("anna likes tea", "Remember that Anna likes Tea.") == "Anna likes Tea"
    assert slot_text(" anna? ", "something else") == "anna"
    assert slot_text(None, None) == ""


@given(st.text(), st.text())
def test_a_slot_is_part_of_what_was_said(before: str, thing: str) -> None:
    said = before + thing
    assert slot_text(thing.lower(), said).lower() in said.lower()


def test_notes_come_before_turns_and_questions_tell_nothing() -> None:
    turns = [memory("I like tea", "turn"), memory("do I like tea?", "turn"), memory("yes", "turn", "assistant")]
    assert [m.content for m in worth_telling(turns)] == ["I like tea"]
    assert [m.content for m in worth_telling([*turns, memory("tea at five")])] == ["tea at five"]


def test_the_newest_are_told_each_once() -> None:
    many = [memory(f"note {age}", age=age) for age in range(9, -1, -1)]
    assert [m.content for m in worth_telling(many)] == [f"note {age}" for age in range(SPOKEN)]
    assert [m.id for m in worth_telling([memory("Tea!", age=2), memory("tea", age=1)])] == ["tea-1"]
    assert enumerated(["one.", " two "]) == "one; two"


def test_facts_are_told_one_sentence_a_category() -> None:
    facts = [
        memory("The user likes tea.", "fact", category="like", value="tea"),
        memory("The user likes jazz.", "fact", category="like", value="jazz"),
        memory("The user is tall.", "fact", category="build", value="tall"),
        memory("The user's name is Anna.", "fact", category="name", value="Anna"),
    ]
    sentences = {"name": "your name is {value}", "like": "you like {value}"}
    assert spoken_facts(facts, sentences) == ["your name is Anna", "you like tea, jazz", "The user is tall."]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_has_every_file_with_the_same_fields(lang: str) -> None:
    assert {path.name for path in (LOCALE / lang).iterdir()} == {path.name for path in ENGLISH.iterdir()}
    for path in ENGLISH.iterdir():
        wanted = fields(path.read_text().splitlines()[0]) if path.suffix != ".json" else set()
        for line in (LOCALE / lang / path.name).read_text().splitlines() if wanted else ():
            assert fields(line) == wanted, (lang, path.name, line)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_has_a_sentence_for_every_category_of_facts(lang: str) -> None:
    sentences = json.loads((LOCALE / lang / "facts.json").read_text())
    assert list(sentences) == list(json.loads((ENGLISH / "facts.json").read_text()))
    assert all(fields(sentence) == {"value"} for sentence in sentences.values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_wording_means_two_things(lang: str) -> None:
    """The best match of each wording is its own intent: an exact one beats one with a slot."""
    container = IntentContainer(n_workers=1)
    for path in sorted((LOCALE / lang).glob("*.intent")):
        container.add_intent(path.stem, path.read_text().splitlines())
    match: Callable[..., Any] = container._match
    for name, wordings in container.intent_samples.items():
        for wording in wordings:
            said = re.sub(r"\{\w+\}", "the blue car", wording)
            found = [match(said, other, samples) for other, samples in container.intent_samples.items()]
            best = max((one for one in found if one), key=lambda one: one["conf"])
            rivals = {one["name"] for one in found if one and one["conf"] == best["conf"]}
            assert rivals == {name}, (said, rivals)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_wording_that_forgets_at_once_has_a_word_for_it(lang: str) -> None:
    words = (LOCALE / lang / "forget.voc").read_text().splitlines()
    container = IntentContainer(n_workers=1)
    container.add_intent("forget.last", (LOCALE / lang / "forget.last.intent").read_text().splitlines())
    for wording in container.intent_samples["forget.last"]:
        assert any(re.search(rf"\b{re.escape(word)}\b", wording) for word in words), wording

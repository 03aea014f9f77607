"""What the observer makes of the frames of a bus: each turn once, in whatever spellings its frames come."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.observing import (
    ANSWER,
    CANCELLED,
    CHARACTERS,
    ENTRIES,
    GRACE,
    HANDLED,
    HELD,
    MATCHED,
    PARTS,
    SESSIONS,
    SILENCE,
    SPEAKS,
    TOPICS,
    Observed,
    Observer,
)

T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)
NEW, OLD = (ENTRIES[0], SPEAKS[0]), (ENTRIES[1], SPEAKS[1])


class Talk:
    """Frames of a bus on its way to an observer, one a second."""

    def __init__(self, *barred: str) -> None:
        self.observer = Observer(2, barred)
        self.now = 0.0

    def see(self, topic: str, data: Any = None, session: Any = None, wait: float = 1.0, **context: Any) -> None:
        self.now += wait
        at = T0 + timedelta(seconds=self.now)
        self.observer.see(topic, data or {}, {"session": session or {}, **context}, self.now, at)

    def enter(self, text: str, *topics: str, session: Any = None, **more: Any) -> None:
        for topic in topics or ENTRIES[1:]:
            self.see(topic, {"utterances": [text, "a worse guess"], "lang": "en-US"}, session, **more)

    def speak(self, text: str, *topics: str, session: Any = None, **context: Any) -> None:
        for topic in topics or SPEAKS[1:]:
            self.see(topic, {"utterance": text}, session, **context)

    def turn(self, text: str, *answers: str, session: Any = None) -> None:
        self.enter(text, session=session)
        for answer in answers:
            self.speak(answer, session=session)
        self.see(HANDLED, session=session)

    def taken(self, *, later: float = 0.0) -> list[Observed]:
        self.now += later
        found = []
        while observed := self.observer.take(self.now):
            found.append(observed)
        return found

    def told(self, **more: Any) -> list[list[tuple[str, str]]]:
        return [[(m.role, m.content) for m in one.request.messages] for one in self.taken(**more)]


def test_a_turn_is_the_utterance_and_all_that_is_spoken_until_it_is_handled() -> None:
    talk = Talk()
    talk.speak("before anything was said")
    talk.turn("what time is it", "it is nine", "and a quarter")
    talk.speak("a timer that rings later")
    (observed,) = talk.taken()
    assert [(m.role, m.content) for m in observed.request.messages] == [
        ("user", "what time is it"),
        ("assistant", "it is nine"),
        ("assistant", "and a quarter"),
    ]
    assert observed.request.lang == "en-US"
    assert [m.created_at for m in observed.request.messages] == [T0 + timedelta(seconds=s) for s in (2, 3, 4)]
    assert talk.taken() == []


@pytest.mark.parametrize("spellings", [NEW, OLD])
def test_either_spelling_is_a_turn(spellings: tuple[str, str]) -> None:
    talk = Talk()
    talk.enter("hello", spellings[0])
    talk.speak("hi", spellings[1])
    talk.see(HANDLED)
    assert talk.told() == [[("user", "hello"), ("assistant", "hi")]]


@pytest.mark.parametrize("order", [1, -1])
def test_both_spellings_of_one_event_are_one(order: int) -> None:
    talk = Talk()
    talk.enter("hello", *ENTRIES[::order])
    talk.speak("hi", *SPEAKS[::order])
    talk.speak("hi", *SPEAKS[::order])
    for topic in SPEAKS[::order]:  # one kind first, then the other
        talk.speak("how are", topic)
        talk.speak("you", topic)
    talk.see(HANDLED)
    talk.see(HANDLED)
    words = ["hi", "hi", "how are", "you"]
    assert talk.told() == [[("user", "hello"), *(("assistant", word) for word in words)]]


def test_the_same_words_said_again_are_another_turn() -> None:
    talk = Talk()
    for _ in range(2):
        talk.enter("next song", *ENTRIES)
        talk.speak("ok", *SPEAKS)
        talk.see(HANDLED)
    assert talk.told() == [[("user", "next song"), ("assistant", "ok")]] * 2


def test_an_utterance_that_needs_no_answer_is_a_turn() -> None:
    talk = Talk()
    talk.turn("I parked on level three")
    assert talk.told() == [[("user", "I parked on level three")]]


def test_sessions_are_kept_apart() -> None:
    talk = Talk()
    kitchen, hall = {"session_id": "kitchen"}, {"session_id": "hall", "user_id": "ana", "auth_level": 3}
    talk.enter("one", session=kitchen)
    talk.enter("two", session=hall)
    talk.speak("answer one", session=kitchen)
    talk.speak("answer two", session={"session_id": "hall"})  # the library drops the user on the way
    talk.see(HANDLED, session={"session_id": "hall"})
    talk.see(HANDLED, session=kitchen)
    hall_turn, kitchen_turn = talk.taken()
    assert (hall_turn.caller.owner, hall_turn.caller.session_id) == ("user:ana", "hall")
    assert [m.content for m in hall_turn.request.messages] == ["two", "answer two"]
    assert kitchen_turn.caller.owner == "session:kitchen"
    assert [m.content for m in kitchen_turn.request.messages] == ["one", "answer one"]


def test_a_cancelled_turn_is_none() -> None:
    talk = Talk()
    talk.enter("call the bank no never mind", *ENTRIES)
    talk.see(CANCELLED)
    talk.see(HANDLED)
    talk.turn("what time is it", "nine")
    assert talk.told() == [[("user", "what time is it"), ("assistant", "nine")]]


def test_a_question_of_a_skill_and_its_answer_are_recorded_in_order() -> None:
    talk = Talk()
    talk.enter("make a list")
    talk.speak("what shall I call it?")
    talk.turn("groceries")  # taken by the skill that asked
    talk.speak("made the list groceries")
    talk.see(HANDLED)
    assert talk.told() == [
        [("user", "make a list"), ("assistant", "what shall I call it?"), ("user", "groceries")],
        [("assistant", "made the list groceries")],
    ]


def test_an_utterance_that_nobody_handled_is_none() -> None:
    talk = Talk()
    talk.enter("is anybody there")
    talk.turn("hello", "hi")
    assert talk.told() == [[("user", "hello"), ("assistant", "hi")]]
    talk.enter("is anybody there")
    talk.enter("hello again", wait=ANSWER + 1)
    talk.see(HANDLED)
    assert talk.told() == [[("user", "hello again")]]
    talk.enter("still nobody")
    talk.speak("late", session={"session_id": "other"}, wait=SILENCE + 1)
    talk.see(HANDLED)
    assert talk.told() == []


PERSONA = {"skill_id": "persona.openvoiceos"}


def update(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


@pytest.mark.parametrize("when", ["while it is open", "after its end"])
@pytest.mark.parametrize("text", ["tell me a joke", "Tell me a joke!"])
def test_a_turn_that_a_plugin_records_is_left_to_it(when: str, text: str) -> None:
    talk = Talk()
    talk.enter("tell me a joke")
    talk.speak("knock knock", **PERSONA)
    if when == "while it is open":
        talk.see("memory.update", update(text))
    talk.see(HANDLED)
    assert talk.told() == []
    if when == "after its end":
        talk.see("memory.update", update(text))
    assert talk.told(later=GRACE) == []


def test_a_persona_with_another_memory_is_recorded_after_a_while() -> None:
    talk = Talk()
    talk.enter("tell me a joke")
    talk.speak("knock knock", **PERSONA)
    talk.see(HANDLED)
    talk.see("memory.update", update("something else", "!!!"))
    talk.see("memory.update", update("tell me a joke"), session={"session_id": "other"})
    assert talk.told() == []
    assert talk.told(later=GRACE) == [[("user", "tell me a joke"), ("assistant", "knock knock")]]


@pytest.mark.parametrize("name", ["skill-bank.acme", "skill-bank.acme:balance.intent", "skill-bank.acme:balance"])
@pytest.mark.parametrize("sign", ["dispatch", "matched"])
def test_what_is_on_the_block_list_is_not_recorded(name: str, sign: str) -> None:
    talk = Talk(name)
    talk.enter("how much money do I have")
    if sign == "matched":
        talk.see(MATCHED, {"skill_id": "skill-bank.acme", "intent_name": "balance"})
    elif "skill-bank.acme:balance.intent" in talk.observer.topics:
        talk.see("skill-bank.acme:balance.intent", {"utterance": "how much money do I have"})
    talk.speak("your pin please", skill_id="skill-bank.acme" if ":" not in name else "other")
    talk.turn("one two three four")
    talk.speak("ten thousand")
    talk.see(HANDLED)
    talk.turn("what time is it", "nine")
    assert talk.told() == [[("user", "what time is it"), ("assistant", "nine")]]


def test_sessions_that_never_end_cost_no_memory() -> None:
    talk = Talk()
    for number in range(3 * SESSIONS):
        talk.enter("x" * 2 * CHARACTERS, session={"session_id": str(number)}, wait=0)
    assert len(talk.observer._open) == SESSIONS
    for number in range(3 * PARTS):
        talk.speak(f"word {number}", session={"session_id": str(3 * SESSIONS - 1)}, wait=0)
    (newest,) = [turn for turn in talk.observer._open.values() if len(turn.parts) > 1]
    assert len(newest.parts) == PARTS
    assert len(newest.parts[0].turn.content) == CHARACTERS
    for number in range(HELD + 10):
        talk.turn(f"turn {number}")
    assert talk.observer.held == HELD
    assert talk.told()[-1] == [("user", f"turn {HELD + 9}")]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
keyed = st.dictionaries(
    st.sampled_from(["utterances", "utterance", "lang", "meta", "messages", "skill_id", "intent_name"]), anything
)
contexts = st.fixed_dictionaries({}, optional={"session": st.none() | st.dictionaries(
    st.sampled_from(["session_id", "user_id", "auth_level", "lang"]), anything
), "skill_id": anything})  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from([*TOPICS, "memory.update"]), keyed, contexts), max_size=12))
def test_any_frame_is_survived_and_nothing_empty_is_recorded(frames: list[Any]) -> None:
    talk = Talk("a", "a:b")
    for topic, data, context in frames:
        talk.now += 1
        talk.observer.see(topic, data, context, talk.now, T0)
    for observed in talk.taken(later=GRACE):
        assert observed.request.messages
        assert all(message.content.strip() for message in observed.request.messages)

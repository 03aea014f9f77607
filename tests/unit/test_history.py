"""The history rules, by example, by property, and beside ovos-persona's own short-term memory."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ovos_persona.memory import BasicShortTermMemory
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

from ovos_memory_bus.history import as_message, context_history, cut, normalise, recall_query, visible_items
from ovos_memory_bus.records import ROLES, ChatMessage, Item

contents = st.text(max_size=12)
messages = st.lists(st.builds(ChatMessage, role=st.sampled_from(ROLES), content=contents), max_size=30)
talk = st.lists(st.builds(ChatMessage, role=st.sampled_from(["user", "assistant"]), content=contents), max_size=30)
limits = st.integers(min_value=0, max_value=8)


def say(*turns: str) -> list[ChatMessage]:
    """`"u: hello"` stands for a message of the user, `a`, `s` and `t` for assistant, system and tool."""
    roles = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}
    return [ChatMessage(roles[turn[0]], turn[3:]) for turn in turns]


def stored(spoken: list[ChatMessage]) -> list[Item]:
    moment = datetime(2026, 11, 30, 9, 0, tzinfo=timezone.utc)
    return [
        Item(
            seq=seq,
            id=f"id-{seq}",
            owner="session:kitchen",
            session_id="kitchen",
            kind="turn",
            role=message.role,
            content=message.content,
            created_at=moment,
            updated_at=moment,
            name=message.name,
        )
        for seq, message in enumerate(spoken)
    ]


def test_unanswered_utterance_gives_way_to_the_next() -> None:
    assert normalise(say("u: hello?", "u: are you there", "a: yes")) == say("u: are you there", "a: yes")


def test_answer_in_parts_reads_as_one() -> None:
    assert normalise(say("u: recipe", "a: flour", "a: eggs", "a: milk")) == say("u: recipe", "a: flour\neggs\nmilk")


@pytest.mark.parametrize("between", ["s: rules", "t: 21 degrees"])
def test_other_roles_stay_and_separate(between: str) -> None:
    spoken = say("u: one", between, "u: two", "a: x", between, "a: y")
    assert normalise(spoken) == spoken


def test_cut_keeps_the_newest_and_zero_keeps_all() -> None:
    spoken = say("u: 1", "a: 2", "u: 3", "a: 4")
    assert cut(spoken, 3) == spoken[1:]
    assert cut(spoken, 0) == spoken
    assert cut(spoken, 9) == spoken


def test_context_starts_with_a_question_and_ends_with_an_answer() -> None:
    spoken = say("u: 2+2?", "a: 4", "u: 3+3?", "a: 6", "u: and then")
    assert context_history(spoken, 4) == say("u: 3+3?", "a: 6")
    assert context_history(spoken, 0) == spoken[:4]
    assert context_history(spoken, 2) == []


def test_documented_example() -> None:
    assert context_history(say("u: what is 2+2?", "a: 4"), 10) == say("u: what is 2+2?", "a: 4")


def test_visible_items_are_those_whose_words_are_in_the_context() -> None:
    items = stored(say("u: 1", "a: 2", "u: lost", "u: 3", "a: 4", "a: 5", "u: open"))
    assert visible_items(items, 0) == {"id-0", "id-1", "id-3", "id-4", "id-5"}
    assert visible_items(items, 3) == {"id-3", "id-4", "id-5"}


def test_message_of_a_turn_carries_its_speaker() -> None:
    [item] = stored([ChatMessage("user", "hi", name="Ana")])
    assert as_message(item) == ChatMessage("user", "hi", name="Ana")


def test_query_takes_the_last_things_the_user_said_along() -> None:
    spoken = say("u: who wrote Dune", "a: Herbert", "u: and Emma", "a: Austen")
    assert recall_query(" when? ", spoken, 1) == "and Emma when?"
    assert recall_query(" when? ", spoken, 5) == "who wrote Dune and Emma when?"
    assert recall_query(" when? ", spoken, 0) == "when?"


@given(messages)
def test_normalising_at_once_equals_appending_one_by_one(spoken: list[ChatMessage]) -> None:
    grown: list[ChatMessage] = []
    for message in spoken:
        grown = normalise([*grown, message])
    assert normalise(spoken) == grown


@given(messages, limits)
def test_cutting_after_every_turn_changes_nothing(spoken: list[ChatMessage], limit: int) -> None:
    grown: list[ChatMessage] = []
    for message in spoken:
        grown = cut(normalise([*grown, message]), limit)
    assert cut(normalise(spoken), limit) == grown


@given(messages, st.integers(min_value=1, max_value=8), st.integers(min_value=0, max_value=30))
def test_newest_turns_are_enough(spoken: list[ChatMessage], limit: int, start: int) -> None:
    newest = spoken[start:]
    if len(normalise(newest)) > limit:
        assert context_history(newest, limit) == context_history(spoken, limit)


@given(messages, limits)
def test_context_is_part_of_the_normalised_history(spoken: list[ChatMessage], limit: int) -> None:
    context = context_history(spoken, limit)
    whole = normalise(spoken)
    assert context == [] or any(whole[i : i + len(context)] == context for i in range(len(whole)))
    assert not context or (context[0].role != "assistant" and context[-1].role != "user")
    assert limit == 0 or len(context) <= limit


@given(talk)
def test_a_normalised_talk_alternates(spoken: list[ChatMessage]) -> None:
    roles = [message.role for message in normalise(spoken)]
    assert all(first != second for first, second in pairwise(roles))


@given(messages, limits)
def test_visible_words_and_context_agree(spoken: list[ChatMessage], limit: int) -> None:
    items = stored(spoken)
    seen = visible_items(items, limit)
    words = [item.content for item in items if item.id in seen]
    assert "\n".join(words) == "\n".join(message.content for message in context_history(spoken, limit))


def agent_message(message: ChatMessage) -> AgentMessage:
    return AgentMessage(role=MessageRole(message.role), content=message.content)


def persona_context(spoken: list[ChatMessage], limit: int, batch: int) -> tuple[list, list]:
    """What ovos-persona keeps and shows after being told `spoken` in batches of `batch` messages."""
    memory = BasicShortTermMemory({"max_history": limit})
    for start in range(0, len(spoken), batch):
        memory.update_history([agent_message(message) for message in spoken[start : start + batch]], "kitchen")
    plain = [(message.role.value, message.content) for message in memory.get_history("kitchen")]
    context = [(message.role.value, message.content) for message in memory.build_conversation_context("x", "kitchen")]
    while context and context[0][0] == "assistant":
        context.pop(0)  # older releases leave the orphaned answer in
    return plain, context[:-1]


def pairs(history: list[ChatMessage]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in history]


@given(messages, limits)
def test_same_as_ovos_persona_turn_by_turn(spoken: list[ChatMessage], limit: int) -> None:
    kept, shown = persona_context(spoken, limit, batch=1)
    assert pairs(cut(normalise(spoken), limit)) == kept
    assert pairs(context_history(spoken, limit)) == shown


@given(st.lists(st.tuples(contents, contents), max_size=10), limits)
def test_same_as_ovos_persona_exchange_by_exchange(exchanges: list[tuple[str, str]], limit: int) -> None:
    spoken = [
        ChatMessage(role, text)
        for exchange in exchanges
        for role, text in zip(("user", "assistant"), exchange, strict=True)
    ]
    kept, shown = persona_context(spoken, limit, batch=2)
    assert pairs(cut(normalise(spoken), limit)) == kept
    assert pairs(context_history(spoken, limit)) == shown

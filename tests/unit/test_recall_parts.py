"""The pure parts of a recall: the default fusion, questions about a time, summaries in a talk's own words."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.index.columns import Columns
from ovos_memory_bus.relevance import FEATURES, Evidence, candidate_features, rank, speaker_match
from ovos_memory_bus.rendering import approximate_tokens
from ovos_memory_bus.store.base import Changes, Outline
from ovos_memory_bus.store.rows import to_micros
from ovos_memory_bus.summarising import Statement, summarise
from ovos_memory_bus.timeline import conversations, plan, told

NOW = datetime(2026, 5, 20, 18, tzinfo=timezone.utc)  # a Wednesday
UTC = timezone.utc


def memory(moments: list[datetime], names: list[str | None] | None = None) -> Columns:
    made = Columns()
    made.apply(
        Changes(
            1,
            tuple(
                Outline(
                    n,
                    to_micros(at),
                    "s",
                    "turn",
                    "user",
                    None,
                    None,
                    None,
                    (names or [None] * len(moments))[n - 1],
                    40,
                    False,
                )
                for n, at in enumerate(moments, 1)
            ),
            (),
        )
    )
    return made


def words(docs: list[int], coverage: list[float]) -> Evidence:
    values = np.array(coverage, np.float32)
    return Evidence(np.array(docs), {"coverage": values, "own": values}, {"known": 1.0})


def meaning(docs: list[int], near: list[float]) -> Evidence:
    values = np.array(near, np.float32)
    return Evidence(np.array(docs), {"distinct": values, "near": values, "own": values}, {})


def test_what_both_backends_are_sure_of_is_first_and_answers() -> None:
    held = memory([NOW + timedelta(seconds=n) for n in range(6)])
    ranking = rank(held, words([1, 3], [0.9, 0.2]), meaning([0, 1, 2, 3], [0.02, 0.6, 0.05, 0.1]), "a question")
    assert ranking.docs[0] == 1
    assert ranking.answers
    assert np.all(np.diff(ranking.relevance) <= 0)
    assert np.all(np.diff(ranking.probability) <= 0)
    assert 0 <= ranking.probability.min() <= ranking.probability.max() <= 1


def test_weak_candidates_alone_are_silence() -> None:
    held = memory([NOW + timedelta(seconds=n) for n in range(300)])
    rng = np.random.default_rng(3)
    everything = list(range(300))
    near = rng.normal(0, 0.05, 300).tolist()
    assert not rank(held, words([5], [0.05]), meaning(everything, near), "turn on the light").answers


def test_any_combination_of_backends_ranks() -> None:
    held = memory([NOW, NOW])
    for lexical, semantic in ((words([0, 1], [0.5, 0.9]), None), (None, meaning([0, 1], [0.1, 0.5]))):
        assert rank(held, lexical, semantic, "x").docs.tolist() == [1, 0]
    empty = rank(held, None, None, "x")
    assert len(empty.docs) == 0
    assert not empty.answers


@given(
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.lists(st.floats(-1, 1), min_size=4, max_size=4),
    st.text(max_size=20),
)
def test_features_are_finite_whatever_comes(coverage: list[float], near: list[float], asked: str) -> None:
    held = memory([NOW] * 4, ["Ana", None, "Ben", "Ana"])
    docs, matrix = candidate_features(held, words([0, 1, 2, 3], coverage), meaning([0, 1, 2, 3], near), asked)
    assert matrix.shape == (4, len(FEATURES))
    assert np.isfinite(matrix).all()
    assert docs.tolist() == [0, 1, 2, 3]


def test_the_speaker_a_question_names_counts() -> None:
    held = memory([NOW] * 3, ["Ana", "Ben", None])
    docs = np.arange(3)
    assert speaker_match(held, docs, "what did ana buy").tolist() == [1, -1, 0]
    assert speaker_match(held, docs, "what did Ana and Ben buy").tolist() == [0, 0, 0]
    assert speaker_match(held, docs, "what was bought").tolist() == [0, 0, 0]


DAYS = [NOW - timedelta(days=8), NOW - timedelta(days=8) + timedelta(minutes=1), NOW - timedelta(days=1), NOW]


def test_conversations_are_parted_by_silence() -> None:
    found = conversations(memory(DAYS), None)
    assert [one.start for one in found] == [DAYS[0], DAYS[2], DAYS[3]]
    assert found[0].end > DAYS[1]


def test_what_was_said_at_a_time_is_restricted_to_it() -> None:
    held = memory(DAYS)
    asked = plan("what did we talk about yesterday", "en", NOW, UTC, held, None, ItemFilter())
    assert asked.restricts
    assert asked.text == ""
    assert told(held, held.mask(asked.where), asked.order, 10) == [3]


def test_a_time_at_which_nothing_was_said_is_silence() -> None:
    held = memory(DAYS)
    asked = plan("what did we talk about three days ago", "en", NOW, UTC, held, None, ItemFilter())
    assert asked.restricts
    assert told(held, held.mask(asked.where), None, 10) == []


def test_when_something_happened_restricts_nothing() -> None:
    held = memory(DAYS)
    asked = plan("where did I go in March", "en", NOW, UTC, held, None, ItemFilter(session_id="s"))
    assert not asked.restricts
    assert asked.where == ItemFilter(session_id="s")
    assert asked.preferred
    plain = plan("where does my sister live", "en", NOW, UTC, held, None, ItemFilter())
    assert (plain.text, plain.preferred) == ("where does my sister live", ())


def test_turns_of_a_time_come_first_last_or_spread() -> None:
    held = memory([NOW + timedelta(seconds=n) for n in range(10)])
    assert told(held, None, "first", 2) == [1, 2]
    assert told(held, None, "last", 2) == [10, 9]
    assert told(held, None, None, 3)[0] == 1
    assert told(held, None, None, 3)[-1] == 10


TALK = [
    Statement("We want to sail to Norway in June.", "user"),
    Statement("Norway in June is a good idea.", "assistant"),
    Statement("Nice weather.", "user"),
    Statement("The ferry to Norway leaves Hirtshals on the 12th.", "user", stated_fact=True),
    Statement("Is the ferry booked?", "assistant"),
    Statement("We want to sail to Norway in June.", "user"),
]


def test_a_summary_is_made_of_the_talks_own_sentences_in_order() -> None:
    summary = summarise(TALK, 40)
    lines = summary.splitlines()
    assert "user: The ferry to Norway leaves Hirtshals on the 12th." in lines
    assert len(lines) == len(set(lines))
    said = [f"{turn.speaker}: {turn.text}" for turn in TALK]
    assert [said.index(line) for line in lines] == sorted(said.index(line) for line in lines)


@given(st.lists(st.text(max_size=80), max_size=8), st.integers(0, 60))
def test_a_summary_keeps_to_its_bound(texts: list[str], bound: int) -> None:
    summary = summarise([Statement(text, "user") for text in texts], bound)
    assert not summary or approximate_tokens(summary) <= bound


def test_the_only_doc_far_from_the_question_has_a_score_like_any_other() -> None:
    ranking = rank(memory([NOW]), words([0], [0.0]), meaning([0], [-0.3]), "a question")
    assert abs(float(ranking.relevance[0])) < 100

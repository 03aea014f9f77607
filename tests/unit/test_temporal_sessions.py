"""Conversations: cut from times, named by number, and chosen by a time question."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.temporal import (
    SessionRef,
    TimeIntent,
    TimeRange,
    describe,
    parse,
    resolve,
    resolve_sessions,
    split_sessions,
    spread,
)

NOW = datetime(2024, 5, 15, 14, 30, tzinfo=timezone.utc)  # a Wednesday


def talk(day: int, hour: int, minutes: int = 20, month: int = 5) -> list[datetime]:
    """A turn a minute."""
    start = datetime(2024, month, day, hour, tzinfo=timezone.utc)
    return [start + timedelta(minutes=minute) for minute in range(minutes)]


HISTORY = split_sessions([*talk(3, 20), *talk(4, 9), *talk(14, 8), *talk(15, 9), *talk(15, 14, 26)])
"""Friday evening, Saturday, Tuesday, this morning, and one that ended five minutes ago."""


def asked(utterance: str) -> TimeIntent:
    intent = parse(utterance, "en", NOW, timezone.utc)
    assert intent is not None
    return intent


def starts(ranges: tuple[TimeRange, ...]) -> list[str]:
    return [f"{one.start:%d %H}" for one in ranges]


@given(st.lists(st.integers(0, 10_000), max_size=50))
def test_sessions_cover_every_turn_once_with_gaps_between(minutes: list[int]) -> None:
    times = [NOW + timedelta(minutes=minute) for minute in minutes]
    sessions = split_sessions(times)
    assert all(sum(one.start <= moment < one.end for one in sessions) == 1 for moment in times)
    assert all(two.start - one.end > timedelta(minutes=29) for one, two in pairwise(sessions))


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (SessionRef(1, 1), ["03 20"]),
        (SessionRef(2, 3), ["04 09", "14 08"]),
        (SessionRef(6, 6), []),
        (SessionRef(-1, -1), ["15 14"]),
        (SessionRef(-2, -2), ["15 09"]),
        (SessionRef(-2, -1), ["15 09", "15 14"]),
        (SessionRef(-9, -1), ["03 20", "04 09", "14 08", "15 09", "15 14"]),
        (SessionRef(-9, -9), []),
    ],
)
def test_conversations_are_counted_from_either_end(reference: SessionRef, expected: list[str]) -> None:
    assert starts(resolve_sessions(reference, HISTORY, NOW)) == expected


def test_conversation_going_on_is_not_the_last_one() -> None:
    during = HISTORY[-1].end + timedelta(seconds=20)
    assert starts(resolve_sessions(SessionRef(-1, -1), HISTORY, during)) == ["15 09"]
    assert starts(resolve_sessions(SessionRef(-1, -1, closed=False), HISTORY, during)) == ["15 14"]


@pytest.mark.parametrize(
    ("utterance", "expected"),
    [
        ("what did we talk about in our first conversation", ["03 20"]),
        ("what did we discuss 2 sessions ago", ["15 09"]),
        ("what did we chat about from the second through third sessions", ["04 09", "14 08"]),
        ("what did we talk about in our last conversation yesterday", ["14 08"]),
        ("what did we talk about today", ["15 09", "15 14"]),
        ("what did we talk about earlier today", ["15 09"]),
        ("what did we talk about last friday", ["03 20"]),  # nothing was said on the latest one
        ("what did we discuss this afternoon", ["15 14"]),
        ("what did we discuss in june", []),
    ],
)
def test_question_selects_what_was_said(utterance: str, expected: list[str]) -> None:
    assert starts(resolve(asked(utterance), HISTORY, NOW)) == expected


def test_earlier_is_all_there_is_when_only_this_conversation_exists() -> None:
    only = HISTORY[-1:]
    assert starts(resolve(asked("what did we talk about earlier today"), only, NOW)) == ["15 14"]


@given(st.integers(0, 500), st.integers(0, 20))
def test_spread_is_even_and_in_order(count: int, limit: int) -> None:
    places = spread(count, limit)
    assert len(places) == min(count, limit)
    assert places == sorted(set(places))
    assert all(0 <= place < count for place in places)
    steps = [two - one for one, two in pairwise(places)]
    assert not steps or max(steps) - min(steps) <= 1


@pytest.mark.parametrize(
    ("days", "lang", "expected"),
    [
        (0, "en", "today, 14:30"),
        (1, "en", "yesterday, 14 May 2024"),
        (5, "en", "last Friday, 10 May 2024"),
        (12, "en", "3 May 2024"),
        (5, "de-de", "letzten Freitag, 10. Mai 2024"),
        (5, "es", "el viernes pasado, 10 de mayo de 2024"),
        (5, "pt-br", "sexta-feira passada, 10 de maio de 2024"),
        (5, "it", "venerdì scorso, 10 maggio 2024"),
        (5, "fr", "vendredi dernier, 10 mai 2024"),
        (5, "nl", "afgelopen vrijdag, 10 mei 2024"),
        (30, "ca", "15 d'abril de 2024"),
        (5, "tlh", "2024-05-10"),
        (5, None, "2024-05-10"),
    ],
)
def test_dates_are_said_relative_to_now(days: int, lang: str | None, expected: str) -> None:
    assert describe(NOW - timedelta(days=days), NOW, timezone.utc, lang) == expected

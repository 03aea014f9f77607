"""What holds for any text, moment and zone."""

from __future__ import annotations

import json
import unicodedata
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.temporal import TimeIntent, describe, parse
from ovos_memory_bus.temporal.locales import languages

PHRASES = json.loads(Path(__file__).with_name("test_temporal_phrases.json").read_text(encoding="utf-8"))
ASKED = [(lang, utterance) for lang, rows in PHRASES.items() for utterance, _ in rows]
NOW = datetime(2024, 5, 15, 14, 30, tzinfo=timezone.utc)
ZONES = st.sampled_from([ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia")])
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)).map(lambda when: when.replace(tzinfo=timezone.utc))
# fmt: off
TIME_WORDS = [
    "what did we say", "on", "the", "3rd", "31", "february", "monday", "last", "29", "week", "weeks", "ago", "first",
    "between", "and", "may", "march", "yesterday", "9999", "2023-02-30", "years", "conversations", "our", "to", "at",
    "8", "25:99", "in", "1900", "three", "before", "since", "month", "half", "day", "easter", "5/6/2024", "night",
]
# fmt: on
WORDS = st.sampled_from(TIME_WORDS)


def sound(intent: TimeIntent | None) -> bool:
    """Every list of ranges is in order and in UTC, and none of them is empty."""
    if intent is None:
        return True
    every = (intent.ranges, *intent.fallbacks)
    ordered = all(one.end <= two.start for ranges in every for one, two in pairwise(ranges))
    return ordered and all(one.start < one.end and one.start.tzinfo is timezone.utc for r in every for one in r)


@given(st.text(max_size=200), st.sampled_from(languages()), MOMENTS, ZONES)
def test_any_text_is_read_without_error(text: str, lang: str, now: datetime, zone: ZoneInfo) -> None:
    assert sound(parse(text, lang, now, zone))


@given(st.lists(WORDS, max_size=14), MOMENTS, ZONES)
def test_any_mixture_of_time_words_gives_sound_ranges(words: list[str], now: datetime, zone: ZoneInfo) -> None:
    assert sound(parse(" ".join(words), "en", now, zone))


@given(st.sampled_from(ASKED), MOMENTS, ZONES)
def test_questions_give_sound_ranges_at_any_time(asked: tuple[str, str], now: datetime, zone: ZoneInfo) -> None:
    lang, utterance = asked
    assert sound(parse(utterance, lang, now, zone))


@given(st.sampled_from(ASKED), st.sampled_from([str.upper, str.title, str.lower]))
def test_case_does_not_matter(asked: tuple[str, str], change: object) -> None:
    lang, utterance = asked
    assert callable(change)
    one, two = parse(utterance, lang, NOW, timezone.utc), parse(change(utterance), lang, NOW, timezone.utc)
    assert ranges_of(one) == ranges_of(two)


@given(st.sampled_from(ASKED))
def test_composition_and_accents_do_not_matter(asked: tuple[str, str]) -> None:
    lang, utterance = asked
    decomposed = unicodedata.normalize("NFD", utterance)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    expected = ranges_of(parse(utterance, lang, NOW, timezone.utc))
    assert ranges_of(parse(decomposed, lang, NOW, timezone.utc)) == expected
    assert ranges_of(parse(plain, lang, NOW, timezone.utc)) == expected


def ranges_of(intent: TimeIntent | None) -> object:
    return intent and (intent.ranges, intent.sessions, intent.order, intent.strength, intent.earlier)


@pytest.mark.parametrize(
    ("zone", "now", "start", "end"),
    [
        ("Europe/Berlin", "2024-04-01T10:00Z", "2024-03-30T23:00", "2024-03-31T22:00"),  # a day of 23 hours
        ("Europe/Berlin", "2024-10-28T10:00Z", "2024-10-26T22:00", "2024-10-27T23:00"),  # a day of 25 hours
        ("Asia/Tokyo", "2024-05-15T16:00Z", "2024-05-14T15:00", "2024-05-15T15:00"),  # already the 16th there
        ("America/New_York", "2024-05-15T03:00Z", "2024-05-13T04:00", "2024-05-14T04:00"),  # still the 14th there
    ],
)
def test_days_are_those_of_the_users_zone(zone: str, now: str, start: str, end: str) -> None:
    asked_at = datetime.fromisoformat(now.replace("Z", "+00:00"))
    intent = parse("what did i say yesterday", "en", asked_at, ZoneInfo(zone))
    assert intent is not None
    (one,) = intent.ranges
    assert (one.start.isoformat()[:16], one.end.isoformat()[:16]) == (start, end)


def test_hour_that_the_clock_skips_is_still_a_range() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    intent = parse("what did i say between 2 and 3", "en", datetime(2024, 3, 31, 3, 30, tzinfo=berlin), berlin)
    assert sound(intent)


@given(MOMENTS, st.timedeltas(timedelta(days=-400), timedelta(days=400)), ZONES, st.sampled_from([*languages(), "tlh"]))
def test_any_moment_is_described(now: datetime, ago: timedelta, zone: ZoneInfo, lang: str) -> None:
    assert describe(now - ago, now, zone, lang)

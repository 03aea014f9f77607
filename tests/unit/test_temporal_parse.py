"""Which time an English question asks about."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from ovos_memory_bus.temporal import TimeIntent, parse

NOW = datetime(2024, 5, 15, 14, 30, tzinfo=timezone.utc)  # a Wednesday


def asked(utterance: str) -> TimeIntent:
    intent = parse(utterance, "en-us", NOW, timezone.utc)
    assert intent is not None, utterance
    return intent


def days(intent: TimeIntent) -> list[tuple[str, str]]:
    """The ranges as first and last day."""
    return [(f"{one.start:%Y-%m-%d}", f"{one.end:%Y-%m-%d}") for one in intent.ranges]


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("today", "2024-05-15", "2024-05-16"),
        ("yesterday", "2024-05-14", "2024-05-15"),
        ("the day before yesterday", "2024-05-13", "2024-05-14"),
        ("three days ago", "2024-05-12", "2024-05-13"),
        ("last friday", "2024-05-10", "2024-05-11"),
        ("last wednesday", "2024-05-08", "2024-05-09"),
        ("on friday before last", "2024-05-03", "2024-05-04"),
        ("tuesday last week", "2024-05-07", "2024-05-08"),
        ("this week", "2024-05-13", "2024-05-20"),
        ("last week", "2024-05-06", "2024-05-13"),
        ("two weeks ago", "2024-04-29", "2024-05-06"),
        ("a fortnight ago", "2024-04-29", "2024-05-06"),
        ("over the last three days", "2024-05-12", "2024-05-16"),
        ("over this previous week", "2024-05-08", "2024-05-16"),
        ("at the weekend", "2024-05-11", "2024-05-13"),
        ("in march", "2024-03-01", "2024-04-01"),
        ("in may", "2024-05-01", "2024-06-01"),
        ("in august", "2023-08-01", "2023-09-01"),
        ("in march last year", "2023-03-01", "2023-04-01"),
        ("in march 2022", "2022-03-01", "2022-04-01"),
        ("in twenty twenty two", "2022-01-01", "2023-01-01"),
        ("last month", "2024-04-01", "2024-05-01"),
        ("five months ago", "2023-12-01", "2024-01-01"),
        ("last year", "2023-01-01", "2024-01-01"),
        ("on the 17th", "2024-04-17", "2024-04-18"),
        ("on the third of may", "2024-05-03", "2024-05-04"),
        ("on may twenty first", "2023-05-21", "2023-05-22"),
        ("on 2024-02-29", "2024-02-29", "2024-03-01"),
        ("on 2/3/2024", "2024-02-03", "2024-02-04"),
        ("between 3 and 5 may", "2024-05-03", "2024-05-06"),
        ("from december seventeenth to january first", "2023-12-17", "2024-01-02"),
        ("from november to february", "2023-11-01", "2024-03-01"),
        ("between monday and wednesday", "2024-05-06", "2024-05-09"),
        ("since monday", "2024-05-13", "2024-05-16"),
        ("in the second week of april", "2024-04-08", "2024-04-15"),
        ("the week before the first of may", "2024-04-24", "2024-05-01"),
    ],
)
def test_question_for_what_was_said_restricts_to_the_days_named(words: str, start: str, end: str) -> None:
    intent = asked(f"what did we talk about {words}")
    assert days(intent) == [(start, end)]
    assert intent.strength == "restrict"
    assert intent.topic == ""


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("this morning", "05-15 04:00", "05-15 12:00"),
        ("last night", "05-14 18:00", "05-15 05:00"),
        ("yesterday evening", "05-14 17:00", "05-15 00:00"),
        ("yesterday at 8 in the evening", "05-14 20:00", "05-14 21:00"),
        ("last friday afternoon", "05-10 12:00", "05-10 18:00"),
        ("at 8", "05-15 08:00", "05-15 09:00"),
        ("between 8 and 9 this morning", "05-15 08:00", "05-15 09:00"),
        ("two hours ago", "05-15 12:00", "05-15 13:00"),
    ],
)
def test_hours_of_a_day(words: str, start: str, end: str) -> None:
    (one,) = asked(f"what did i ask {words}").ranges
    assert (f"{one.start:%m-%d %H:%M}", f"{one.end:%m-%d %H:%M}") == (start, end)


def test_words_beside_the_time_are_the_topic() -> None:
    intent = asked("what did i tell you about the garden fence last week")
    assert intent.topic == "garden fence"
    assert intent.rest == "what did i tell you about the garden fence"


def test_of_two_times_the_one_beside_the_verb_counts() -> None:
    intent = asked("what did we discuss yesterday about the trip in march")
    assert days(intent) == [("2024-05-14", "2024-05-15")]
    assert "march" in intent.topic


@pytest.mark.parametrize("utterance", ["what did i do in march", "when did anna go to ghent last year"])
def test_time_of_an_event_only_prefers(utterance: str) -> None:
    assert asked(utterance).strength == "prefer"


@pytest.mark.parametrize(
    "utterance",
    [
        "",
        "turn on the light",
        "what is on next friday",
        "wake me at seven",
        "remind me tomorrow to call mum",
        "what is the weather today",
        "what did i say about the lights on the second floor",
        "what may i do in the march of time",
        "book a table for friday",
    ],
)
def test_no_question_about_the_past_is_none(utterance: str) -> None:
    assert parse(utterance, "en", NOW, timezone.utc) is None


def test_language_without_a_file_is_none() -> None:
    assert parse("what did we say yesterday", "tlh", NOW, timezone.utc) is None

"""Months, weekdays and times of day: one term for each, however a language spells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from .folding import unaccent
from .languages import ClockPattern, Language

MARK = "№"
"""Begins the terms of months, weekdays and times of day. NFKC writes it `No`, so no word of a text has it."""

CLOCK = re.compile(r"([01]?\d|2[0-4])[:h]([0-5]\d)(?::[0-5]\d)?([ap]m)?")
"""A time as clocks show it."""

ISO_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d{2})(?:t[\d:.]+)?")
"""A date as logs write it; what follows `t` is its time."""


def month(number: int) -> str:
    """The term of a month, 1 to 12."""
    return f"{MARK}m{number:02}"


def weekday(number: int) -> str:
    """The term of a weekday, 1 (Monday) to 7."""
    return f"{MARK}w{number}"


def clock(hour: int, minute: int) -> str:
    """The term of a time of day."""
    return f"{MARK}t{hour:02}{minute:02}"


def calendar_term(word: str, lang: Language) -> str | None:
    """The term of a month's or weekday's name."""
    name = word if word in lang.months or word in lang.weekdays else unaccent(word)
    if name in lang.months:
        return month(lang.months[name])
    return weekday(lang.weekdays[name]) if name in lang.weekdays else None


def cued_months(words: Sequence[str], numbers: Set[int], lang: Language) -> Iterator[tuple[int, str]]:
    """Names that are also words of their own and mean a month only beside a number (`9 jan`, `may fifth`) or after a
    word that says so (`in may`), as (position, term). `numbers` are the positions of words that count."""
    for position, word in enumerate(words):
        number = lang.month_abbreviations.get(word)
        if number and (
            position - 1 in numbers
            or position + 1 in numbers
            or (position > 0 and words[position - 1] in lang.month_cues)
        ):
            yield position, month(number)


@dataclass(frozen=True, slots=True)
class Item:
    """A word, or the words of one number, as times of day are made of them. `text` has no accents; `value` is the
    number, or the hour when `minute` tells what a clock shows (`8:30`); it is the sentence's words from `start` up to
    `end`."""

    text: str
    start: int
    end: int
    value: int | None = None
    minute: int | None = None


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day in a sentence: its words from `start` up to `end`, minutes since midnight, the half of the day if
    it is said (0 or 1). `sure` unless the words may as well be two numbers (`five to ten`): it then is the hour's."""

    start: int
    end: int
    minutes: int
    half: int | None
    sure: bool = True

    def terms(self) -> tuple[str, ...]:
        """One term, or two where the half of the day is open: `8:30` may be in the evening, `20:30` not."""
        hour, minute = divmod(self.minutes % 1440, 60)
        if self.half is not None:
            return (clock(hour % 12 + 12 * self.half if hour <= 12 else hour, minute),)
        return (clock(hour, minute), clock(hour + 12, minute)) if 0 < hour < 12 else (clock(hour, minute),)


def times(items: Sequence[Item], lang: Language) -> Iterator[Time]:
    """The times of day in a sentence, none of them twice."""
    for position, item in enumerate(items):
        if item.value is None or not 0 <= item.value <= 24:
            continue
        if item.minute is not None:
            half = _day_half(items, position + 1, lang)
            yield Time(item.start, item.end, item.value * 60 + item.minute, half)
            continue
        found = _by_pattern(items, position, item.value, lang) or _by_day_half(items, position, item.value, lang)
        if found:
            yield found


def _by_pattern(items: Sequence[Item], position: int, hour: int, lang: Language) -> Time | None:
    """The time that the words around an hour make of it: `half past eight`."""
    for pattern in lang.clock:
        start, end = position - len(pattern.before), position + 1 + len(pattern.after)
        if start < 0 or end > len(items):
            continue
        beside = (*items[start:position], *items[position + 1 : end])
        around = list(zip((*pattern.before, *pattern.after), beside, strict=True))
        if all(_fits(word, item, pattern) for word, item in around):
            spoken = next((item.value or 0 for word, item in around if word == "M"), 0)
            minutes = hour * 60 + pattern.minutes + pattern.sign * spoken
            sure = pattern.sign >= 0
            first, last = (items[start], items[end - 1]) if sure else (items[position], items[position])
            return Time(first.start, last.end, minutes, _day_half(items, end, lang), sure)
    return None


def _by_day_half(items: Sequence[Item], position: int, hour: int, lang: Language) -> Time | None:
    """An hour, with or without minutes, that only the half of the day makes a time: `eight thirty pm`."""
    item = items[position]
    half = _day_half(items, position + 1, lang)
    if half is not None:
        return Time(item.start, item.end, hour * 60, half)
    half = _day_half(items, position + 2, lang)
    after = items[position + 1] if half is not None else None
    if after and after.value is not None and after.minute is None and after.value < 60:
        return Time(item.start, after.end, hour * 60 + after.value, half)
    return None


def _fits(word: str, item: Item, pattern: ClockPattern) -> bool:
    """Whether an item stands where a pattern has a word. Minutes before or after the hour are told in fives: `nine to
    five` is no time of day."""
    if word != "M":
        return item.text == word
    return item.value is not None and 0 < item.value < 60 and (pattern.sign > 0 or item.value % 5 == 0)


def _day_half(items: Sequence[Item], position: int, lang: Language) -> int | None:
    for length in (1, 2, 3):
        half = lang.day_halves.get(tuple(item.text for item in items[position : position + length]))
        if half is not None:
            return half
    return None

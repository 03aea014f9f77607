"""Months, weekdays and times of day: one term for each, however a language spells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


def abbreviated_months(words: Sequence[str], lang: Language) -> Iterator[tuple[int, str]]:
    """Months' short names that stand beside a number (`9 jan`, `mar 3`), as (position, term): elsewhere most of them
    are words of their own."""
    for position, word in enumerate(words):
        number = lang.month_abbreviations.get(word)
        beside = (*words[max(0, position - 1) : position], *words[position + 1 : position + 2])
        if number and any(other.isdecimal() for other in beside):
            yield position, month(number)


@dataclass(frozen=True, slots=True)
class Item:
    """A word, or the words of one number, as times of day are made of them. `text` has no accents; `value` is the
    number, or the hour when `minute` tells what a clock shows (`8:30`); `end` is the position past its last word."""

    text: str
    end: int
    value: int | None = None
    minute: int | None = None


def clock_times(items: Sequence[Item], lang: Language) -> Iterator[tuple[Item, int, tuple[str, ...]]]:
    """Times of day, as (the hour's item, the minute, terms)."""
    for position, item in enumerate(items):
        if item.value is None or not 0 <= item.value <= 24:
            continue
        found = _shown(items, position, lang) if item.minute is not None else _spoken(items, position, lang)
        if found:
            minutes, half = found
            yield item, minutes % 60, _terms(minutes, half)


def _shown(items: Sequence[Item], position: int, lang: Language) -> tuple[int, int | None]:
    item = items[position]
    return (item.value or 0) * 60 + (item.minute or 0), _day_half(items, position + 1, lang)


def _spoken(items: Sequence[Item], position: int, lang: Language) -> tuple[int, int | None] | None:
    """Minutes since midnight as the words around an hour say, and the half of the day if they do."""
    hour = (items[position].value or 0) * 60
    for pattern in lang.clock:
        start, end = position - len(pattern.before), position + 1 + len(pattern.after)
        if start < 0 or end > len(items):
            continue
        beside = (*items[start:position], *items[position + 1 : end])
        around = list(zip((*pattern.before, *pattern.after), beside, strict=True))
        if all(_fits(word, item, pattern) for word, item in around):
            spoken = next((item.value or 0 for word, item in around if word == "M"), 0)
            return hour + pattern.minutes + pattern.sign * spoken, _day_half(items, end, lang)
    half = _day_half(items, position + 1, lang)
    if half is not None:
        return hour, half
    after = items[position + 1] if position + 1 < len(items) else None
    half = _day_half(items, position + 2, lang)
    if after and half is not None and after.value is not None and after.minute is None and after.value < 60:
        return hour + after.value, half
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


def _terms(minutes: int, half: int | None) -> tuple[str, ...]:
    """`8:30` may be in the morning or in the evening, `20:30` may not."""
    hour, minute = divmod(minutes % 1440, 60)
    if half is not None:
        return (clock(hour % 12 + 12 * half if hour <= 12 else hour, minute),)
    return (clock(hour, minute), clock(hour + 12, minute)) if 0 < hour < 12 else (clock(hour, minute),)

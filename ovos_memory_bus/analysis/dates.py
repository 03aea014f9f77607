"""Months, weekdays and times of day: one term for each, however a language spells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .folding import unaccent
from .languages import Language

MARK = "№"
"""Begins the terms of months, weekdays and times of day. NFKC writes it `No`, so no word of a text has it."""

CLOCK = re.compile(r"(\d{1,2})(?::|h)(\d{2})(?::\d{2})?")
ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:t[\d:.]+)?")


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


def any_half_of_day(hour: int, minute: int) -> tuple[str, ...]:
    """The terms of a time as a clock shows it: `8:30` may be in the morning or in the evening, `20:30` may not."""
    if not (0 <= hour < 24 and 0 <= minute < 60):
        return (f"{hour}{minute:02}",)
    return (clock(hour, minute), clock(hour + 12, minute)) if 0 < hour < 12 else (clock(hour, minute),)

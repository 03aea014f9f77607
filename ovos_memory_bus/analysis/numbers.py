"""Numbers in words and digits: where they stand in a sentence and what they count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .folding import unaccent
from .languages import Language, Number, language

_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+")
_DECIMAL = re.compile(r"(\d+)[.,](\d+)")
_LONGEST = 18
"""Digits of a number that is read as one; longer ones are codes and stay as they are written."""

_LONGEST_GLUED = 48
"""Characters of a number written as one word."""


def digits(text: str) -> str:
    """A run of digits in the one spelling of the index: ASCII, no zero in front of a number below ten.

    More zeros, or a zero before more digits, make a code (0192) and stay.
    """
    ascii_digits = "".join(str(int(char)) for char in text) if not text.isascii() else text
    return ascii_digits[1:] if len(ascii_digits) == 2 and ascii_digits[0] == "0" else ascii_digits


def numeral(chunk: str, lang: Language) -> str | None:
    """The number a chunk with digits is, whatever separates its groups: `1,000`, `1.000` → `1000`; `3,5` → `3·5`;
    `9th` → `9`. None when it is something else."""
    if _GROUPED.fullmatch(chunk):
        return digits(re.sub(r"[.,]", "", chunk))
    decimal = _DECIMAL.fullmatch(chunk)
    if decimal:
        return f"{digits(decimal[1])}·{digits(decimal[2])}"
    ordinal = lang.ordinal.fullmatch(chunk) if lang.ordinal else None
    return digits(ordinal[1]) if ordinal else None


@lru_cache(maxsize=16384)
def number_word(word: str, code: str) -> Number | None:
    """What a normalised word counts in a language, be it several written as one (`zweihundertdreißig`)."""
    lang = language(code)
    found = lang.numbers.get(word) or lang.numbers.get(unaccent(word))
    if found or not lang.glued or len(word) > _LONGEST_GLUED:
        return found
    value = _glued(unaccent(word), lang)
    return None if value is None else Number(value)


def _glued(word: str, lang: Language) -> int | None:
    for name, factor in lang.multipliers:
        head, found, tail = word.partition(name)
        if not found:
            continue
        many = 1 if not head else _plain(head, lang)
        rest = 0 if not tail else _plain(tail.removeprefix("und"), lang)
        if many is None or rest is None or rest >= factor:
            return None
        return many * factor + rest
    return None


def _plain(word: str, lang: Language) -> int | None:
    number = lang.numbers.get(word)
    if number and not number.multiplies:
        return number.value
    return _glued(word, lang)


@dataclass(frozen=True, slots=True)
class Span:
    """Words from `start` up to `end` say the number `value`; `alone` as in `Number`."""

    start: int
    end: int
    value: int
    alone: bool


def spans(words: Sequence[str], lang: Language) -> Iterator[Span]:
    """Numbers that the words say: `two thousand and five` is one of 2005.

    Words are normalised pieces; runs of digits take part (`2 million`).
    """
    start = 0
    while start < len(words):
        number = _number(words[start], lang)
        if number is None:
            start += 1
            continue
        end, value = _compose(words, start, number, lang)
        yield Span(start, end, value, number.alone or end - start > 1)
        start = end


def _number(word: str, lang: Language) -> Number | None:
    if word.isdecimal():
        return Number(int(word)) if len(word) <= _LONGEST else None
    return number_word(word, lang.code)


def _compose(words: Sequence[str], start: int, first: Number, lang: Language) -> tuple[int, int]:
    """Reads on from a number's first word for as long as the words add up or multiply to one number."""
    total, current = (first.value, 0) if first.multiplies and first.value >= 1000 else (0, first.value)
    position, ordinal = start + 1, first.ordinal
    in_digits = words[start].isdecimal()
    while position < len(words) and not ordinal:
        floor = lang.joiners.get(words[position])
        after = position + 1 if floor and position + 1 < len(words) else position
        number = _number(words[after], lang)
        if number is None or words[after].isdecimal():
            break
        if number.multiplies and after == position and (total == 0 or number.value < 1000) and current < number.value:
            current *= number.value
            if number.value >= 1000:
                total, current = total + current, 0
        elif in_digits or not (sum_ := _added(total, current, number.value, floor if after > position else None, lang)):
            break
        else:
            current = sum_ - total
        ordinal, position, in_digits = number.ordinal, after + 1, False
    return position, total + current


def _added(total: int, current: int, value: int, floor: int | None, lang: Language) -> int | None:
    """The sum if the value can follow what was read so far, else None. `floor` is the least round number that the
    joining word between them may follow (`and` follows hundreds), None without such a word."""
    so_far = total + current
    step = 10 ** (len(str(so_far)) - len(str(so_far).rstrip("0")))
    if floor is not None and step < floor:
        return None
    if so_far >= 20 and so_far % 100 != 10 and 0 < value < step:
        return so_far + value
    if lang.vigesimal:
        return _added_by_twenties(so_far, value)
    if lang.years_in_pairs and 16 <= so_far <= 21 and 10 <= value < 100:
        return so_far * 100 + value
    return None


def _added_by_twenties(so_far: int, value: int) -> int | None:
    """French: `soixante-dix`, `quatre-vingt-onze`, `dix-sept`, and four times twenty."""
    last = so_far % 100
    if (last in (60, 80) and 10 <= value < 20) or (last == 10 and 7 <= value <= 9):
        return so_far + value
    return so_far + 76 if last == 4 and value == 20 else None

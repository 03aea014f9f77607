"""The words of a text: chunks cut into pieces, each with the terms the index holds for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from . import dates
from .folding import normalise, unaccent
from .languages import Language, language
from .numbers import digits, number_word, numeral
from .tokens import LONGEST_TERM, chunks, pieces, syllables

_LONGEST_WHOLE = 8
"""Pieces of a chunk that is also kept whole; a longer one (a path, a list) is kept in pieces only."""

_LONGEST_CACHED = 256
"""Characters of a chunk whose words are kept."""


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is normalised, `terms` what the index holds for it; `whole` the terms of the compound it is a piece of
    (`wlan-passwort` → `wlanpasswort`), `last` on that compound's last piece; `counts` when it may be part of a number
    or a date, `is_stop` when it carries no meaning of its own; `stems` when other languages may stem it."""

    text: str
    terms: tuple[str, ...]
    whole: tuple[str, ...] = ()
    last: bool = False
    counts: bool = False
    is_stop: bool = False
    stems: bool = False


def words(text: str, lang: Language) -> list[Word]:
    """All words of a text, in order."""
    found: list[Word] = []
    for chunk in chunks(normalise(text)):
        found.extend(_cached(chunk, lang.code) if len(chunk) <= _LONGEST_CACHED else _chunk(chunk, lang))
    return found


@lru_cache(maxsize=16384)
def stems(word: str, code: str) -> tuple[str, ...]:
    """A normalised word's terms in a language: its stem without accents, and the stem of the word without accents
    where that is another one, so that both spellings meet."""
    lang = language(code)
    word = word[:LONGEST_TERM]
    plain = unaccent(word)
    if not plain.isalpha():
        return (plain[:LONGEST_TERM],) if plain else ()
    found = (unaccent(lang.stem(word)), unaccent(lang.stem(plain)))
    return tuple(dict.fromkeys(stem[:LONGEST_TERM] for stem in found if stem)) or (plain[:LONGEST_TERM],)


@lru_cache(maxsize=32768)
def _cached(chunk: str, code: str) -> tuple[Word, ...]:
    return tuple(_chunk(chunk, language(code)))


def _chunk(chunk: str, lang: Language) -> list[Word]:
    """The words of a chunk: a number, a time or a date; else its pieces, without elided articles and endings after
    an apostrophe, and the whole."""
    if chunk[0].isdecimal():
        found = _numeric(chunk, lang)
        if found:
            return found
    parts = pieces(_without_apostrophes(chunk, lang) if "'" in chunk else chunk)
    is_compound = 1 < len(parts) <= _LONGEST_WHOLE and any(part.isalpha() for part in parts)
    whole = stems("".join(parts), lang.code) if is_compound else ()
    found = [word for part in parts for word in _piece(part, lang)]
    if not whole or len(found) < 2:
        return found
    return [replace(word, whole=whole, last=i == len(found) - 1) for i, word in enumerate(found)]


def _numeric(chunk: str, lang: Language) -> list[Word]:
    value = numeral(chunk, lang)
    if value is not None:
        value = value[:LONGEST_TERM]
        return [Word(value, (value,), counts=True)]
    if dates.CLOCK.fullmatch(chunk):
        return [Word(chunk, (), counts=True)]
    date = dates.ISO_DATE.fullmatch(chunk)
    if not date:
        return []
    year, day = digits(date[1]), digits(date[3])
    return [Word(year, (year,)), Word(date[2], (dates.month(int(date[2])),)), Word(day, (day,))]


def _without_apostrophes(chunk: str, lang: Language) -> str:
    """`l'hôtel` → `hôtel` and `anna's` → `anna` by the language's lists; other apostrophes part names (`o'brien`)."""
    parts = chunk.split("'")
    joined = "".join(parts) if len(parts) < _LONGEST_WHOLE else ""
    if joined in lang.stop_words:
        return joined
    first, last = 0, len(parts)
    while first < last - 1 and parts[first] in lang.elisions:
        first += 1
    if first < last - 1 and parts[-1] in lang.enclitics:
        last -= 1
    return "'".join(parts[first:last])


def _piece(piece: str, lang: Language) -> Iterator[Word]:
    if piece.isdecimal():
        value = digits(piece)[:LONGEST_TERM]
        yield Word(value, (value,), counts=True)
        return
    parts = syllables(piece)
    if parts is not None:
        yield from (Word(part, (part,), is_stop=part in lang.stop_words) for part in parts)
        return
    date = dates.calendar_term(piece, lang)
    terms = (*stems(piece, lang.code), *((date,) if date else ()))
    if terms:
        counts = piece in lang.month_abbreviations or number_word(piece, lang.code) is not None
        is_stop = piece in lang.stop_words
        yield Word(piece[:LONGEST_TERM], terms, counts=counts, is_stop=is_stop, stems=unaccent(piece).isalpha())

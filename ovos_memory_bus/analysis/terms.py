"""From a text to the index's terms, and from a query to what it looks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from . import dates
from .folding import normalise, unaccent
from .languages import Language, described, language
from .numbers import digits, number_word, numeral, spans
from .tokens import LONGEST_TERM, chunks, has_words, pieces, syllables

_LONGEST_WHOLE = 8
"""Pieces of a chunk that is also kept whole; a longer one (a path, a list) is kept in pieces only."""

_LONGEST_CACHED = 256
"""Characters of a chunk whose analysis is kept."""

_SHORTEST_FOREIGN = 3
"""Characters of a stem under another language's rules for it to be looked for: shorter ones hit anything."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing a query asks for: any of the index terms `variants` is a match, and a text that has several of
    them matches once (its term frequency is the greatest of theirs)."""

    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: `text` normalised, `terms` what the index holds for it; `whole` the terms of the compound it
    is a piece of (`wlan-passwort` → `wlanpasswort`), `last` on that compound's last piece; `counts` when it may be
    part of a number or a date."""

    text: str
    terms: tuple[str, ...]
    whole: tuple[str, ...] = ()
    last: bool = False
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """Words from `start` up to `end` say a number, a month or a time, for which the index holds `terms`."""

    start: int
    end: int
    terms: tuple[str, ...]


def is_blank(text: str) -> bool:
    """Whether there is nothing to store or search for: no letter, no digit and no emoji."""
    return not has_words(normalise(text))


def analyse(text: str, lang: str | None) -> list[str]:
    """The index's terms of a stored text, in order and as often as they occur.

    Terms are not empty, at most `LONGEST_TERM` characters, and hold no white space, no ASCII punctuation and no
    upper case: joined by spaces, any tokeniser that parts at ASCII separators gives them back.
    """
    known = language(lang)
    words = _words(text, known)
    ends: dict[int, tuple[str, ...]] = {reading.end - 1: reading.terms for reading in _readings(words, known)}
    terms: list[str] = []
    for position, word in enumerate(words):
        terms.extend(word.terms)
        if word.last:
            terms.extend(word.whole)
        if position in ends:
            terms.extend(term for term in ends[position] if term not in word.terms)
    return terms


def query_terms(text: str, lang: str | None, languages: Iterable[str] | None = None) -> list[QueryTerm]:
    """What a query looks for, one entry a word, without the language's stop words unless there are no others.

    `languages` are those the texts may be in, whose stems count as well; by default all that have a data file.
    """
    known = language(lang)
    others = tuple(language(code) for code in (described() if languages is None else languages))
    words = _words(text, known)
    asked = [word for word in words if not _is_stop(word, known)] or words
    kept = set(map(id, asked))
    found = []
    readings = {reading.start: reading for reading in _readings(words, known)}
    position = 0
    while position < len(words):
        word, reading = words[position], readings.get(position)
        if reading and reading.end - position > 1:
            found.append(QueryTerm(reading.terms))
            position = reading.end
            continue
        if reading or id(word) in kept:
            terms = (*word.terms, *word.whole, *(reading.terms if reading else ()), *_foreign(word.text, others))
            found.append(QueryTerm(tuple(dict.fromkeys(terms))))
        position += 1
    return list(dict.fromkeys(found))


def _is_stop(word: Word, lang: Language) -> bool:
    return word.text in lang.stop_words or (bool(word.whole) and len(word.text) == 1 and word.text.isalpha())


@lru_cache(maxsize=16384)
def _stems(word: str, code: str) -> tuple[str, ...]:
    """A word's terms in a language: its stem without accents, and the stem of the word without accents where that is
    another one, so that both spellings meet."""
    lang = language(code)
    plain = unaccent(word[:LONGEST_TERM])
    stems = (unaccent(lang.stem(word[:LONGEST_TERM])), lang.stem(plain)) if word.isalpha() else (plain,)
    return tuple(dict.fromkeys(stem[:LONGEST_TERM] for stem in stems if stem)) or ((plain,) if plain else ())


def _foreign(word: str, others: Sequence[Language]) -> Iterator[str]:
    """The word itself and its stems in other languages, for texts stored in those."""
    if syllables(word) is None and word.isalpha():
        yield unaccent(word)[:LONGEST_TERM]
        for lang in others:
            yield from (stem for stem in _stems(word, lang.code) if len(stem) >= _SHORTEST_FOREIGN)


def _words(text: str, lang: Language) -> list[Word]:
    found: list[Word] = []
    for chunk in chunks(normalise(text)):
        found.extend(_cached_chunk(chunk, lang.code) if len(chunk) <= _LONGEST_CACHED else _chunk(chunk, lang))
    return found


@lru_cache(maxsize=32768)
def _cached_chunk(chunk: str, code: str) -> tuple[Word, ...]:
    return tuple(_chunk(chunk, language(code)))


def _chunk(chunk: str, lang: Language) -> list[Word]:
    """The words of a chunk: pieces, without elided articles and endings after an apostrophe, and the whole."""
    value = numeral(chunk, lang)
    if value is not None:
        return [Word(chunk if "·" in value else value, (value,), counts=True)]
    time = dates.CLOCK.fullmatch(chunk)
    if time:
        return [Word(chunk, dates.any_half_of_day(int(time[1]), int(time[2])), counts=True)]
    date = dates.ISO_DATE.fullmatch(chunk)
    if date and 1 <= int(date[2]) <= 12:
        year, day = digits(date[1]), digits(date[3])
        return [Word(year, (year,)), Word(date[2], (dates.month(int(date[2])),)), Word(day, (day,))]
    parts = pieces(_without_apostrophes(chunk, lang))
    whole: tuple[str, ...] = ()
    joined = "".join(parts)
    if 1 < len(parts) <= _LONGEST_WHOLE and "," not in chunk and any(p.isalpha() and p.isascii() for p in parts):
        whole = _stems(joined, lang.code)
    words = [word for part in parts for word in _piece(part, lang, whole)]
    if words and whole:
        words[-1] = Word(words[-1].text, words[-1].terms, whole, last=True, counts=words[-1].counts)
    return words


def _without_apostrophes(chunk: str, lang: Language) -> str:
    """`l'hôtel` → `hôtel` and `anna's` → `anna` by the language's lists; other apostrophes part names (`o'brien`)."""
    if "'" not in chunk:
        return chunk
    if chunk.replace("'", "") in lang.stop_words:
        return chunk.replace("'", "")
    head, _, tail = chunk.partition("'")
    if tail and head in lang.elisions:
        return _without_apostrophes(tail, lang)
    head, _, tail = chunk.rpartition("'")
    return head if head and tail in lang.enclitics else chunk


def _piece(piece: str, lang: Language, whole: tuple[str, ...]) -> Iterator[Word]:
    if piece.isdecimal():
        value = digits(piece)[:LONGEST_TERM]
        yield Word(value, (value,), whole, counts=True)
        return
    parts = syllables(piece)
    if parts is not None:
        yield from (Word(part, (unaccent(part),), whole) for part in parts)
        return
    date = dates.calendar_term(piece, lang)
    terms = (*_stems(piece, lang.code), *((date,) if date else ()))
    if terms:
        counts = piece in lang.month_abbreviations or number_word(piece, lang.code) is not None
        yield Word(piece[:LONGEST_TERM], terms, whole, counts=counts)


def _readings(words: Sequence[Word], lang: Language) -> Iterator[Reading]:
    """Numbers in words and abbreviated months."""
    if not any(word.counts for word in words):
        return
    texts = [word.text for word in words]
    for start, end, value in spans(texts, lang):
        if end - start > 1 or not texts[start].isdecimal():
            yield Reading(start, end, (str(value),))
    for position, term in dates.abbreviated_months(texts, lang):
        yield Reading(position, position + 1, (term,))

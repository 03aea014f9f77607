"""From a text to the index's terms, and from a query to what it looks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from . import dates
from .folding import normalise, unaccent
from .languages import Language, described, language
from .numbers import Span, spans
from .tokens import LONGEST_TERM, has_words
from .words import Word, stems, words

_SHORTEST_FOREIGN = 3
"""Characters of a stem under another language's rules for it to be looked for: shorter ones hit anything."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing a query asks for: any of the index terms `variants` is a match, and a text that has several of
    them matches once (its term frequency is the greatest of theirs)."""

    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What several words say together, or one beyond itself: words from `start` up to `end` are a number, a month or
    an hour, for which the index holds `terms`. `instead` when the words' own terms would say something else."""

    start: int
    end: int
    terms: tuple[str, ...]
    instead: bool = False


def is_blank(text: str) -> bool:
    """Whether there is nothing to store or search for: no letter, no digit and no emoji."""
    return not has_words(normalise(text))


def analyse(text: str, lang: str | None) -> list[str]:
    """The index's terms of a stored text, in order and as often as they occur.

    Terms are not empty, at most `LONGEST_TERM` characters, and hold no white space, no ASCII punctuation and no
    upper case: joined by spaces, any tokeniser that parts at ASCII separators gives them back.
    """
    known = language(lang)
    found = words(text, known)
    said: dict[int, set[str]] = {}
    for reading in _readings(found, known):
        said.setdefault(reading.end - 1, set()).update(reading.terms)
    terms: list[str] = []
    for position, word in enumerate(found):
        terms.extend(word.terms)
        if word.last:
            terms.extend(word.whole)
        if position in said:
            terms.extend(sorted(said[position].difference(word.terms)))
    return terms


def query_terms(text: str, lang: str | None, languages: Iterable[str] | None = None) -> list[QueryTerm]:
    """What a query looks for, one entry a word, without the language's stop words unless there are no others.

    `languages` are those the texts may be in, whose stems count as well; by default all that have a data file.
    """
    known = language(lang)
    others = tuple(sorted(set(described() if languages is None else languages)))
    asked = words(text, known)
    readings = {reading.start: reading for reading in _merged(_readings(asked, known))}
    entries: list[tuple[bool, tuple[str, ...]]] = []
    position = 0
    while position < len(asked):
        word, reading = asked[position], readings.get(position)
        terms = () if reading and reading.instead else _variants(word, others)
        entries.append((reading is None and _is_stop(word), (*terms, *(reading.terms if reading else ()))))
        position = reading.end if reading else position + 1
    content = [variants for stop, variants in entries if not stop] or [variants for _, variants in entries]
    return [QueryTerm(tuple(dict.fromkeys(variants))) for variants in dict.fromkeys(content) if variants]


def _is_stop(word: Word) -> bool:
    """Function words, and single letters of a compound (`e-mail`), which say little without the rest."""
    return word.is_stop or (bool(word.whole) and len(word.text) == 1 and word.stems)


@lru_cache(maxsize=8192)
def _variants(word: Word, others: tuple[str, ...]) -> tuple[str, ...]:
    """The index terms that a query's word meets: its own, its compound's, and for texts stored in other languages
    the word as it is and its stems there."""
    terms = [*word.terms, *word.whole]
    if word.stems:
        terms.append(unaccent(word.text)[:LONGEST_TERM])
        terms.extend(stem for code in others for stem in stems(word.text, code) if len(stem) >= _SHORTEST_FOREIGN)
    return tuple(dict.fromkeys(terms))


def _readings(found: Sequence[Word], lang: Language) -> Iterator[Reading]:
    """Numbers in words, abbreviated months and times of day."""
    if not any(word.counts for word in found):
        return
    texts = [word.text for word in found]
    numbers = list(spans(texts, lang))
    for number in numbers:
        if number.alone and not (number.end - number.start == 1 and texts[number.start].isdecimal()):
            yield Reading(number.start, number.end, (str(number.value),), instead=number.end - number.start > 1)
    for position, term in dates.abbreviated_months(texts, lang):
        yield Reading(position, position + 1, (term,))
    starts = {number.end: number.start for number in numbers}
    for item, minute, terms in dates.clock_times(_items(texts, numbers), lang):
        start = starts.get(item.end, item.end - 1)
        yield Reading(start, item.end, terms, instead=minute != 0)


def _items(texts: Sequence[str], numbers: Sequence[Span]) -> list[dates.Item]:
    """The words with each number's as one, as times of day are read."""
    numbers_at = {number.start: number for number in numbers}
    items: list[dates.Item] = []
    position = 0
    while position < len(texts):
        number, shown = numbers_at.get(position), dates.CLOCK.fullmatch(texts[position])
        if number:
            items.append(dates.Item(unaccent(texts[position]), number.end, number.value))
        elif shown:
            items.append(dates.Item(texts[position], position + 1, int(shown[1]), int(shown[2])))
            if shown[3]:
                items.append(dates.Item(shown[3], position + 1))
        else:
            items.append(dates.Item(unaccent(texts[position]), position + 1))
        position = items[-1].end
    return items


def _merged(readings: Iterable[Reading]) -> Iterator[Reading]:
    """One reading a place: an hour that is also a number is looked for as both, unless minutes make it another."""
    by_start: dict[int, Reading] = {}
    for reading in readings:
        other = by_start.get(reading.start)
        if other and reading.instead and not other.instead:
            by_start[reading.start] = reading
        elif other:
            by_start[reading.start] = Reading(
                reading.start, max(other.end, reading.end), (*other.terms, *reading.terms), other.instead
            )
        else:
            by_start[reading.start] = reading
    yield from by_start.values()

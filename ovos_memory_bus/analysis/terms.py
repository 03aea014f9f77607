"""From a text to the index's terms, and from a query to what it looks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .folding import normalise, unaccent
from .languages import described, language, primary
from .readings import readings, widest
from .tokens import LONGEST_TERM, has_words
from .words import Word, stems, words

_SHORTEST_FOREIGN = 4
"""Characters of a stem under another language's rules for it to be looked for in texts of who knows which language:
shorter ones hit other words (on LoCoMo, R@10 is 0.597 with four, 0.588 with three)."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing a query asks for: any of the index terms `variants` is a match, and a text that has several of
    them matches once (its term frequency is the greatest of theirs)."""

    variants: tuple[str, ...]


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
    for reading in readings(found, known):
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
    others = described() if languages is None else tuple(sorted({primary(tag) for tag in languages}))
    shortest = _SHORTEST_FOREIGN if languages is None else 1
    asked = words(text, known)
    said = {reading.start: reading for reading in widest(readings(asked, known))}
    joined = _joined(asked, known.code)
    entries: list[tuple[bool, tuple[str, ...]]] = []
    position = 0
    while position < len(asked):
        word, reading = asked[position], said.get(position)
        terms = () if reading and reading.instead else _variants(word, others, shortest)
        if reading:
            terms = (*terms, *reading.terms, *reading.also)
        elif position in joined:
            terms = (*terms, *joined[position])
        entries.append((reading is None and _is_stop(word), terms))
        position = reading.end if reading else position + 1
    content = [variants for stop, variants in entries if not stop] or [variants for _, variants in entries]
    return _unrepeated(content)


def _unrepeated(content: Iterable[tuple[str, ...]]) -> list[QueryTerm]:
    """One query term a word: a word said twice is looked for once, with the variants of both places."""
    by_term: dict[str, dict[str, None]] = {}
    for variants in filter(None, content):
        by_term.setdefault(variants[0], {}).update(dict.fromkeys(variants))
    return [QueryTerm(tuple(variants)) for variants in by_term.values()]


def _joined(asked: Sequence[Word], code: str) -> dict[int, tuple[str, ...]]:
    """Terms of each word written as one with its neighbour, by position: `car park` meets `carpark`."""
    found: dict[int, tuple[str, ...]] = {}
    for position, (word, following) in enumerate(pairwise(asked)):
        if word.stems and following.stems and not (word.is_stop or following.is_stop):
            terms = stems(word.text + following.text, code)
            found[position] = (*found.get(position, ()), *terms)
            found[position + 1] = terms
    return found


def _is_stop(word: Word) -> bool:
    """Function words, and single letters of a compound (`e-mail`), which say little without the rest."""
    return word.is_stop or (bool(word.whole) and len(word.text) == 1 and word.stems)


@lru_cache(maxsize=8192)
def _variants(word: Word, others: tuple[str, ...], shortest: int) -> tuple[str, ...]:
    """The index terms that a query's word meets: its own, its compound's, and for texts stored in other languages
    the word as it is and its stems there."""
    terms = [*word.terms, *word.whole]
    if word.stems:
        terms.append(unaccent(word.text)[:LONGEST_TERM])
        terms.extend(stem for code in others for stem in stems(word.text, code) if len(stem) >= shortest)
    return tuple(dict.fromkeys(terms))

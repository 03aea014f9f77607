"""New facts against those that hold: which end, which begin, which were merely said again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from ovos_memory_bus.extraction.model import (
    USER,
    Category,
    Extraction,
    FactCandidate,
    FactChanges,
    Retraction,
    StoredFact,
)
from ovos_memory_bus.extraction.text import norm

Similarity = Callable[[str, str], float]

SINGLE_VALUED: frozenset[Category] = frozenset(
    ("name", "nickname", "birthday", "age", "home", "origin", "job", "workplace")
)
"""One current value an owner; a list of values in one utterance stands together."""

_OPPOSITE: dict[Category, Category] = {"like": "dislike", "dislike": "like"}
_CONTAINED = 0.6
_SIMILAR = 0.94  # above all of 31 pairs of unlike values in two languages, below half of as many like ones
_STEM, _STEM_SHARE = 5, 0.7  # letters that two forms of a word share at least
_STATED_KINDS: frozenset[Category] = frozenset(("family", "pet", "contact"))


def merge(current: Sequence[StoredFact], new: Extraction, now: float, similar: Similarity | None = None) -> FactChanges:
    """Reconcile the facts that hold with one extraction at time `now` (seconds since the epoch).

    A value of a single-valued category ends the one before; a liking ends the dislike of the same thing and the
    other way round; a retraction ends what it names, or all of its category. Equal values are touched, not added.
    `similar(a, b)` in [0, 1], if given, tells values that mean the same in two languages. Pure.
    """
    ends = {fact.id for retraction in new.retractions for fact in _retracted(current, retraction, similar)}
    adds: list[FactCandidate] = []
    touches: list[str] = []
    for fact in new.facts:
        same = [old for old in current if old.category == fact.category and _same(old.value, fact.value, similar)]
        ends.update(old.id for old in current if old not in same and _replaced(old, fact, similar))
        kept = [old for old in same if old.id not in ends]
        better = [old for old in kept if _refines(fact.value, old.value)]
        if kept and not better:
            touches += [old.id for old in kept]
        elif not any(known.category == fact.category and _same(known.value, fact.value, similar) for known in adds):
            ends.update(old.id for old in better)
            adds.append(fact)
    return FactChanges(
        at=now,
        ends=tuple(fact.id for fact in current if fact.id in ends),
        adds=tuple(adds),
        touches=tuple(dict.fromkeys(id_ for id_ in touches if id_ not in ends)),
    )


def _same(one: str, other: str, similar: Similarity | None) -> bool:
    a, b = norm(one), norm(other)
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    if short and f" {short} " in f" {long} " and len(short) >= _CONTAINED * len(long):
        return True
    return similar is not None and bool(short) and similar(one, other) >= _SIMILAR


def _refines(new: str, old: str) -> bool:
    """Whether the new value says the same at more length."""
    return len(norm(new)) > len(norm(old)) and norm(old) in norm(new)


def _replaced(old: StoredFact, fact: FactCandidate, similar: Similarity | None) -> bool:
    if old.category == fact.category:
        if fact.category in SINGLE_VALUED:
            return True
        return fact.correction and fact.category in _STATED_KINDS and fact.subject == old.subject != USER
    return _OPPOSITE.get(fact.category) == old.category and _same(old.value, fact.value, similar)


def _retracted(current: Sequence[StoredFact], retraction: Retraction, similar: Similarity | None) -> list[StoredFact]:
    pool = [fact for fact in current if retraction.category in (None, fact.category)]
    if retraction.subject not in (None, USER):
        pool = [fact for fact in pool if fact.subject in (retraction.subject, USER)]
    if retraction.value is None:
        return pool
    value = norm(retraction.value)
    named = [f for f in pool if _same(f.value, retraction.value, similar) or _holds(norm(f.value), value)]
    if named or retraction.category is None or retraction.category not in SINGLE_VALUED:
        return named
    return pool  # "I don't live in Leeds any more" ends the home however it was spelt


def _holds(one: str, other: str) -> bool:
    """Whether one value contains the other as words, or is another form of it: "vegetarian", "vegetarianism"."""
    if not one or not other:
        return False
    if f" {one} " in f" {other} " or f" {other} " in f" {one} ":
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return shared >= max(_STEM, _STEM_SHARE * max(len(one), len(other)))

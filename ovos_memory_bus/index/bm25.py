"""BM25 over turns with their neighbours: a turn also counts what was said just before and just after it.

The counts of a word in a turn and its neighbours are summed with weights first and saturated afterwards; so an
answer is found by the words of its question, and no window text is stored that would have to be forgotten too.
BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), equation 3.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, GrowingArray
from .columns import NONE, Columns
from .postings import Postings

K1 = 1.2
B = 0.75
OWN, PREVIOUS, SECOND_PREVIOUS, NEXT = 1.0, 0.7, 0.5, 0.3  # weights of a turn's words and of its neighbours'
COMMON = 0.5  # a word in more than this share of the docs is left out where others are left
COMMON_FROM = 200  # docs from which on a share says anything
BUDGET = 60_000  # postings walked a query; further, more frequent words only score docs already found


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The docs that hold a word of the query, in no order.

    `scores` are BM25; `own` the part of a turn's own words. `possible` is the score of a doc that holds every word
    without end, unknown words included, so scores divided by it are the share of the query that is covered;
    `known` is the share of the query's weight that stands in this memory at all."""

    docs: Array
    scores: Array
    own: Array
    possible: float
    known: float


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    docs: Array
    counts: Array
    idf: float


class Neighbourhoods:
    """How much the length of each doc with its neighbours damps a count: BM25's `k1 (1 - b + b l / average)`."""

    def __init__(self) -> None:
        self._damping = GrowingArray(np.float32)
        self._taken_at = 0
        self._average = 1.0

    def damping(self, columns: Columns, postings: Postings) -> Array:
        """One number a doc. The average is taken anew when the index has grown by a fiftieth; in between, new docs and
        those they stand next to are brought up to date."""
        size = len(postings)
        if size > self._taken_at * 1.02 or not self._taken_at:
            lengths = widened_lengths(columns, postings.lengths, np.arange(size))
            living = lengths[columns.alive[:size]]
            self._average = max(float(living.mean()) if len(living) else 1.0, 1e-6)
            self._damping = GrowingArray(np.float32)
            self._damping.extend(self._damped(lengths))
            self._taken_at = size
        elif size > len(self._damping):
            new = np.arange(len(self._damping), size)
            self._damping.extend(self._damped(widened_lengths(columns, postings.lengths, new)))
            before = _step(columns.previous, new, size)
            before = before[before >= 0]
            self._damping.view()[before] = self._damped(widened_lengths(columns, postings.lengths, before))
        return self._damping.view()

    def _damped(self, lengths: Array) -> Array:
        damped: Array = K1 * (1 - B + B * lengths / self._average)
        return damped


def neighbours(columns: Columns, docs: Array, size: int) -> tuple[Array, Array, Array]:
    """The docs one and two before and one after; -1 where there is none among the first `size` docs."""
    previous = _step(columns.previous, docs, size)
    return previous, _step(columns.previous, previous, size), _step(columns.next, docs, size)


def _step(pointers: Array, docs: Array, size: int) -> Array:
    target = np.where(docs >= 0, pointers[docs], NONE)
    return np.where(target < size, target, NONE)


def widened_lengths(columns: Columns, lengths: Array, docs: Array) -> Array:
    """Lengths of `docs` with their neighbours', each by its weight."""
    total = lengths[docs] * OWN
    for weight, others in zip((PREVIOUS, SECOND_PREVIOUS, NEXT), neighbours(columns, docs, len(lengths)), strict=True):
        total = total + weight * np.where(others >= 0, lengths[others], 0)
    return total


def idf(count: int, total: int) -> float:
    """How much a word tells that `count` of `total` docs hold; always positive."""
    return float(np.log1p((total - count + 0.5) / (count + 0.5)))


def match(
    columns: Columns,
    postings: Postings,
    words: Sequence[Sequence[int]],
    damping: Array,
    mask: Array | None,
) -> Matches:
    """Score the docs for a query: `words` holds for each of its words the hashes that count as it."""
    size = len(postings)
    found = [_look_up(columns, postings, variants, mask, size) for variants in words]
    possible = sum(word.idf for word in found) * (K1 + 1)
    known = sum(word.idf for word in found if len(word.docs)) * (K1 + 1)
    accumulator = _Accumulator(columns, damping, size)
    for word in _worth_walking(found, columns.count):
        accumulator.add(word)
    docs = accumulator.docs(mask)
    return Matches(
        docs, accumulator.scores[docs], accumulator.own[docs], possible, known / possible if possible else 0.0
    )


def _look_up(columns: Columns, postings: Postings, variants: Sequence[int], mask: Array | None, size: int) -> _Word:
    """The living docs that hold any variant; counted once where several do."""
    parts = [postings.find(variant) for variant in dict.fromkeys(variants)]
    if len(parts) == 1:
        docs, counts = parts[0]
    else:
        docs = np.concatenate([p[0] for p in parts])
        counts = np.concatenate([p[1] for p in parts])
        order = np.argsort(docs, kind="stable")
        docs, first = np.unique(docs[order], return_index=True)
        counts = np.maximum.reduceat(counts[order], first) if len(first) else counts
    keep = columns.alive[docs]
    docs, counts = docs[keep], counts[keep]
    return _Word(docs, counts, idf(len(docs), max(columns.count, len(docs), 1)))


def _worth_walking(words: Sequence[_Word], total: int) -> list[_Word]:
    """The words that are somewhere, rarest first, without those in most docs."""
    present = sorted((w for w in words if len(w.docs)), key=lambda w: len(w.docs))
    if total < COMMON_FROM:
        return present
    return [w for w in present if len(w.docs) <= COMMON * total] or present[:1]


class _Accumulator:
    """Scores by doc; walks each word's docs with their neighbours."""

    def __init__(self, columns: Columns, damping: Array, size: int) -> None:
        self._columns, self._damping, self._size = columns, damping, size
        self._counts: Array = np.zeros(size, np.float32)
        self._touched: list[Array] = []
        self._walked = 0
        self.scores: Array = np.zeros(size, np.float32)
        self.own: Array = np.zeros(size, np.float32)

    def add(self, word: _Word) -> None:
        """Add one word's part to every doc it or a neighbour of which holds it."""
        previous, _, following = neighbours(self._columns, word.docs, self._size)
        second = _step(self._columns.next, following, self._size)
        # seen from the doc that holds the word: the next doc has it as its previous one, and so on
        spread = ((word.docs, OWN), (following, PREVIOUS), (second, SECOND_PREVIOUS), (previous, NEXT))
        targets = []
        for docs, weight in spread:
            valid = docs >= 0
            self._counts[docs[valid]] += weight * word.counts[valid]
            targets.append(docs[valid])
        touched = np.concatenate(targets)
        if self._walked > BUDGET:
            touched = touched[self.scores[touched] > 0]
        self._walked += len(touched)
        # equal docs in `touched` get equal values, so the last write is right
        self.scores[touched] = self.scores[touched] + word.idf * self._saturated(touched, self._counts[touched])
        self.own[word.docs] += word.idf * self._saturated(word.docs, word.counts)
        self._counts[np.concatenate(targets)] = 0
        self._touched.append(touched)

    def docs(self, mask: Array | None) -> Array:
        """Every doc that scored and passes `mask`."""
        if not self._touched:
            return np.empty(0, np.int64)
        docs = np.unique(np.concatenate(self._touched))
        keep = self._columns.alive[docs]
        if mask is not None:
            inside = np.minimum(docs, len(mask) - 1)
            keep = keep & mask[inside] & (docs < len(mask))
        chosen: Array = docs[keep]
        return chosen

    def _saturated(self, docs: Array, counts: Array) -> Array:
        result: Array = counts * (K1 + 1) / (counts + self._damping[docs])
        return result

"""The vectors of one owner's docs, searched exactly, each with its neighbours' and against this memory's own spread.

Sentence vectors of one model crowd into a narrow cone, and those of one memory around its few subjects. So vectors
are centred on the memory's mean, and a question is turned away from the directions in which the memory varies most:
w = (C + ridge I)^-1 (q - mean), with C the covariance shrunk towards the identity (Ledoit and Wolf 2004, "A
well-conditioned estimator for large-dimensional covariance matrices"). Only the question is transformed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, GrowingArray
from .columns import NONE, Columns

OWN, PREVIOUS, SECOND_PREVIOUS, NEXT = 1.0, 0.5, 0.3, 0.3  # weights of a turn's vector and of its neighbours'
RIDGE = 4.0  # in units of the mean variance
PRIOR = 200.0  # docs that the identity counts for in the covariance
GROWTH = 1.05  # the spread is taken anew when so many times more docs are in it
CHUNK = 8_192  # rows worked on at a time
TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Similarities:
    """For every doc (0 where it has no vector): `distinct`, how near it and its neighbours are along what sets the
    question apart in this memory; `near`, their plain centred cosine; `own`, the doc's alone."""

    distinct: Array
    near: Array
    own: Array


@dataclass(slots=True, eq=False)
class _Spread:
    """How the vectors lie, as of `docs` of them."""

    docs: float
    mean: Array
    inverse: Array


class Vectors:
    """One row a doc (the mean of its pieces), and the pieces of docs that have several."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self._rows = GrowingArray(np.float32, dims)
        self._has = GrowingArray(np.bool_)
        self._pieces: dict[int, Array] = {}
        self._count = 0
        self._sum: Array = np.zeros(dims, np.float64)
        self._outer: Array = np.zeros((dims, dims), np.float64)
        self._spread: _Spread | None = None
        self._lengths = GrowingArray(np.float32)  # of the centred row; NaN: to be computed
        self._widths = GrowingArray(np.float32)  # of the centred row mixed with its neighbours'; NaN likewise

    def __len__(self) -> int:
        """Docs that have a vector."""
        return self._count

    def __contains__(self, doc: int) -> bool:
        return doc < len(self._has) and bool(self._has[doc])

    @property
    def known(self) -> Array:
        """Which docs have a vector."""
        return self._has.view()

    def resize(self, docs: int) -> None:
        """Make room for docs without vectors."""
        missing = docs - len(self._rows)
        if missing > 0:
            self._rows.extend(np.zeros((missing, self.dims), np.float32))
            self._has.extend(np.zeros(missing, np.bool_))
            self._lengths.extend(np.full(missing, np.nan, np.float32))
            self._widths.extend(np.full(missing, np.nan, np.float32))

    def put(self, columns: Columns, docs: Sequence[int], pieces: Sequence[Array]) -> None:
        """Give docs without vectors theirs: `pieces[i]` holds `[n, dims]` unit rows of `docs[i]`."""
        if not docs:
            return
        rows = np.stack([_unit(p.mean(axis=0)) if len(p) > 1 else p[0] for p in pieces]).astype(np.float32)
        places = np.asarray(docs)
        self._rows.view()[places] = rows
        self._has.view()[places] = True
        self._pieces |= {doc: p for doc, p in zip(docs, pieces, strict=True) if len(p) > 1}
        self._weigh(rows, 1)
        self._stale(columns, places)

    def drop(self, columns: Columns, docs: Sequence[int]) -> None:
        """Forget docs' vectors: the numbers themselves are overwritten."""
        held = np.array([doc for doc in docs if doc in self], np.int64)
        if not len(held):
            return
        self._weigh(self._rows.view()[held], -1)
        self._rows.view()[held] = 0.0
        self._has.view()[held] = False
        for doc in held.tolist():
            self._pieces.pop(doc, None)
        self._stale(columns, held)

    def of(self, doc: int) -> Array | None:
        """A doc's vectors `[n, dims]`."""
        return self._pieces.get(doc, self._rows.view()[doc : doc + 1].copy()) if doc in self else None

    def docs(self, columns: Columns, mask: Array | None, pieces: bool = True) -> Array:
        """The living docs with a vector that pass `mask`; with `pieces`, a doc once for each of its pieces."""
        size = len(self._has)
        keep = self._has.view() & columns.alive[:size]
        if mask is not None:
            keep &= mask[:size]
        docs = np.nonzero(keep)[0]
        if not pieces or not self._pieces:
            return docs
        counts = [len(self._pieces[doc]) if doc in self._pieces else 1 for doc in docs.tolist()]
        return np.repeat(docs, counts)

    def centred(self, docs: Array, centre: Array) -> Array:
        """Unit rows of `docs` (as `docs()` gives them, with pieces) taken from `centre`."""
        rows = self._rows.view()[docs].copy()
        for doc in np.unique(docs[[d in self._pieces for d in docs.tolist()]]).tolist() if self._pieces else ():
            rows[docs == doc] = self._pieces[doc]
        rows -= centre
        unit: Array = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + TINY)
        return unit

    @property
    def mean(self) -> Array:
        """The centre of this memory's vectors, as of the last look at their spread."""
        return self._spread.mean if self._spread else np.zeros(self.dims, np.float32)

    def compare(self, columns: Columns, query: Array) -> Similarities:
        """Every doc's similarity to a unit `query` vector `[dims]`."""
        spread = self._current_spread()
        size = len(self._rows)
        self._refresh(columns, spread.mean, size)
        plain = _unit(query - spread.mean)
        distinct = _unit(spread.inverse @ (query - spread.mean))
        directions = np.stack([plain, distinct], axis=1).astype(np.float32)
        has, lengths = self._has.view()[:size], self._lengths.view()[:size]
        raw = (self._rows.view()[:size] @ directions - spread.mean @ directions) / (lengths[:, None] + TINY)
        raw[~has] = 0.0
        mixed = _mix(columns, raw) / (self._widths.view()[:size, None] + TINY)
        mixed[~has] = 0.0
        own = raw[:, 0].copy()
        self._add_pieces(own, mixed, spread.mean, directions)
        return Similarities(mixed[:, 1], mixed[:, 0], own)

    def _add_pieces(self, own: Array, mixed: Array, mean: Array, directions: Array) -> None:
        """A doc of several pieces is as similar as its most similar one."""
        for doc, pieces in self._pieces.items():
            centred = pieces - mean
            best = (centred @ directions / (np.linalg.norm(centred, axis=1, keepdims=True) + TINY)).max(axis=0)
            own[doc] = max(own[doc], best[0])
            mixed[doc] = np.maximum(mixed[doc], best)

    def _weigh(self, rows: Array, sign: int) -> None:
        """Add rows to the sums of the spread, or take them out."""
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK].astype(np.float64)
            self._sum += sign * part.sum(axis=0)
            self._outer += sign * (part.T @ part)
        self._count += sign * len(rows)

    def _current_spread(self) -> _Spread:
        """The spread, taken anew when it has changed by a twentieth."""
        known, docs = self._spread, self._count + PRIOR
        if known is not None and 1 / GROWTH <= docs / known.docs <= GROWTH:
            return known
        mean = self._sum / max(self._count, 1)
        scatter = self._outer - self._count * np.outer(mean, mean)
        variance = max(float(np.trace(scatter)) / self.dims / max(self._count, 1), TINY)
        covariance = (scatter / variance + PRIOR * np.eye(self.dims)) / (self._count + PRIOR)
        inverse = np.linalg.inv(covariance + RIDGE * np.eye(self.dims))
        self._spread = _Spread(docs, mean.astype(np.float32), inverse.astype(np.float32))
        self._lengths.view()[:] = np.nan
        self._widths.view()[:] = np.nan
        return self._spread

    def _refresh(self, columns: Columns, mean: Array, size: int) -> None:
        """Compute the lengths and widths that are not known."""
        stale = np.nonzero(np.isnan(self._widths.view()[:size]))[0]
        for start in range(0, len(stale), CHUNK):
            docs = stale[start : start + CHUNK]
            self._lengths.view()[docs] = np.linalg.norm(self._rows.view()[docs] - mean, axis=1)
            mixed = np.zeros((len(docs), self.dims), np.float32)
            for weight, others in _around(columns, docs):
                valid = (others >= 0) & (others < size)
                valid[valid] = self._has.view()[others[valid]]
                centred = self._rows.view()[others[valid]] - mean
                mixed[valid] += weight * centred / (np.linalg.norm(centred, axis=1, keepdims=True) + TINY)
            self._widths.view()[docs] = np.linalg.norm(mixed, axis=1)

    def _stale(self, columns: Columns, docs: Array) -> None:
        """The widths of docs and of those that mix them in must be computed anew."""
        following = _step(columns.next, docs)
        for others in (docs, following, _step(columns.next, following), _step(columns.previous, docs)):
            near = others[(others >= 0) & (others < len(self._widths))]
            self._widths.view()[near] = np.nan


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _step(pointers: Array, docs: Array) -> Array:
    return np.where(docs >= 0, pointers[docs], NONE)


def _around(columns: Columns, docs: Array) -> list[tuple[float, Array]]:
    """Docs and their neighbours (-1: none), with the weights at which their vectors are mixed."""
    previous = _step(columns.previous, docs)
    second = _step(columns.previous, previous)
    return [(OWN, docs), (PREVIOUS, previous), (SECOND_PREVIOUS, second), (NEXT, _step(columns.next, docs))]


def _mix(columns: Columns, values: Array) -> Array:
    """`values` `[docs, n]` with the neighbours' added at their weights."""
    size = len(values)
    mixed = np.zeros_like(values)
    for weight, others in _around(columns, np.arange(size)):
        valid = (others >= 0) & (others < size)
        mixed[valid] += weight * values[others[valid]]
    return mixed

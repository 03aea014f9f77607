"""The vectors of one owner's docs, each compared with its neighbours' and against this memory's own spread.

Sentence vectors of one model crowd into a narrow cone, and those of one memory around its few subjects. So vectors
are centred on the memory's mean, and a question is turned away from the directions in which the memory varies most
(see spread.py; Ledoit and Wolf 2004, "A well-conditioned estimator for large-dimensional covariance matrices"). Only
the question is transformed. A small memory is compared doc by doc; of a large one a graph names the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, GrowingArray
from .columns import NONE, Columns
from .spread import CHUNK, TINY, SpreadSums, unit

OWN, PREVIOUS, SECOND_PREVIOUS, NEXT = 1.0, 0.5, 0.3, 0.3  # weights of a turn's vector and of its neighbours'

SCANNED = 20_000  # docs up to which a second, faster copy of the rows is kept


@dataclass(frozen=True, slots=True, eq=False)
class Similarities:
    """For each of `docs`: `distinct`, how near it and its neighbours are along what sets the question apart in this
    memory; `near`, their plain centred cosine; `own`, the doc's alone."""

    docs: Array
    distinct: Array
    near: Array
    own: Array


class Vectors:
    """One row a doc (the mean of its pieces) in half precision, and the pieces of docs that have several."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self.spread = SpreadSums(dims)
        self._rows = GrowingArray(np.float16, dims)
        self._exact: Array | None = None  # the rows in single precision, while the memory is small enough to scan
        self._has = GrowingArray(np.bool_)
        self._pieces: dict[int, Array] = {}
        self._lengths = GrowingArray(np.float32)  # of the centred row; NaN: to be computed
        self._widths = GrowingArray(np.float32)  # of the centred row mixed with its neighbours'; NaN likewise

    def __len__(self) -> int:
        """Docs that have a vector."""
        return self.spread.count

    def __contains__(self, doc: int) -> bool:
        return doc < len(self._has) and bool(self._has[doc])

    @property
    def known(self) -> Array:
        """Which docs have a vector."""
        return self._has.view()

    def rows(self, docs: Array) -> Array:
        """The rows of `docs` in single precision."""
        return self._rows.view()[docs].astype(np.float32)

    def resize(self, docs: int) -> None:
        """Make room for docs without vectors."""
        missing = docs - len(self._rows)
        if missing > 0:
            self._rows.extend(np.zeros((missing, self.dims), np.float16))
            self._has.extend(np.zeros(missing, np.bool_))
            self._lengths.extend(np.full(missing, np.nan, np.float32))
            self._widths.extend(np.full(missing, np.nan, np.float32))
            self._exact = None

    def put(self, columns: Columns, docs: Sequence[int], pieces: Sequence[Array]) -> None:
        """Give docs without vectors theirs: `pieces[i]` holds `[n, dims]` unit rows of `docs[i]`."""
        if not docs:
            return
        rows = np.stack([unit(p.mean(axis=0)) if len(p) > 1 else p[0] for p in pieces]).astype(np.float16)
        places = np.asarray(docs)
        self._rows.view()[places] = rows
        self._has.view()[places] = True
        self._pieces |= {doc: p for doc, p in zip(docs, pieces, strict=True) if len(p) > 1}
        self.spread.weigh(rows, 1)
        self._stale(columns, places)

    def drop(self, columns: Columns, docs: Sequence[int]) -> None:
        """Forget docs' vectors: the numbers themselves are overwritten."""
        held = np.array([doc for doc in docs if doc in self], np.int64)
        if not len(held):
            return
        self.spread.weigh(self._rows.view()[held], -1)
        self._rows.view()[held] = 0.0
        self._has.view()[held] = False
        for doc in held.tolist():
            self._pieces.pop(doc, None)
        self._stale(columns, held)

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
        rows = self.rows(docs)
        for doc in np.unique(docs[[d in self._pieces for d in docs.tolist()]]).tolist() if self._pieces else ():
            rows[docs == doc] = self._pieces[doc]
        rows -= centre
        shifted: Array = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + TINY)
        return shifted

    def typical(self, query: Array) -> float:
        """How near a unit `query` is to the mean of all vectors: high for what anybody may talk about."""
        return float(query @ self.spread.mean)

    def compare_all(self, columns: Columns, query: Array) -> Similarities:
        """Every doc's similarity to a unit `query` vector `[dims]`; 0 where a doc has no vector."""
        spread, renewed = self.spread.current()
        size = len(self._rows)
        self._refresh(columns, spread.mean, np.arange(size), renewed)
        directions = spread.directions(query)
        raw = self._products(directions, size) - spread.mean @ directions
        raw /= self._lengths.view()[:size, None] + TINY
        raw[~self._has.view()[:size]] = 0.0
        return self._mixed(columns, np.arange(size), raw, spread.mean, directions)

    def _products(self, directions: Array, size: int) -> Array:
        """All rows times `directions`; a small memory's rows are kept in single precision for that."""
        if size > SCANNED:
            parts = range(0, size, CHUNK)
            return np.concatenate(
                [self.rows(np.arange(start, min(start + CHUNK, size))) @ directions for start in parts]
            )
        if self._exact is None or len(self._exact) != size:
            self._exact = self.rows(np.arange(size))
        products: Array = self._exact @ directions
        return products

    def compare(self, columns: Columns, query: Array, docs: Array) -> Similarities:
        """The similarity of some docs, all of which have a vector, to a unit `query` vector."""
        spread, renewed = self.spread.current()
        self._refresh(columns, spread.mean, docs, renewed)
        directions = spread.directions(query)
        around = np.unique(np.concatenate([near[near >= 0] for _, near in _around(columns, docs)]))
        around = around[around < len(self._rows)]
        rows = self.rows(around) - spread.mean
        raw = np.zeros((int(around[-1]) + 1 if len(around) else 0, 2), np.float32)
        raw[around] = rows @ directions / (np.linalg.norm(rows, axis=1, keepdims=True) + TINY)
        raw[around[~self._has.view()[around]]] = 0.0
        return self._mixed(columns, docs, raw, spread.mean, directions)

    def _mixed(self, columns: Columns, docs: Array, raw: Array, mean: Array, directions: Array) -> Similarities:
        """Cosines `raw` `[all docs, 2]` of docs mixed with their neighbours'."""
        padded = np.zeros((raw.shape[1], len(raw) + 1), np.float32)  # at NONE, the last place, there is nothing
        padded[:, :-1] = raw.T
        mixed = np.zeros((len(docs), raw.shape[1]), np.float32)
        for weight, others in _around(columns, docs):
            others = np.where(others < len(raw), others, NONE)
            for column, values in enumerate(padded):
                mixed[:, column] += weight * values[others]
        mixed /= self._widths.view()[docs, None] + TINY
        mixed[~self._has.view()[docs]] = 0.0
        own = raw[docs, 0]
        self._add_pieces(docs, own, mixed, mean, directions)
        return Similarities(docs, mixed[:, 1], mixed[:, 0], own)

    def _add_pieces(self, docs: Array, own: Array, mixed: Array, mean: Array, directions: Array) -> None:
        """A doc of several pieces is as similar as its most similar one."""
        places = {doc: place for place, doc in enumerate(docs.tolist())} if self._pieces else {}
        for doc, pieces in self._pieces.items():
            place = places.get(doc)
            if place is not None:
                rows = pieces - mean
                best = (rows @ directions / (np.linalg.norm(rows, axis=1, keepdims=True) + TINY)).max(axis=0)
                own[place] = max(own[place], best[0])
                mixed[place] = np.maximum(mixed[place], best)

    def _refresh(self, columns: Columns, mean: Array, docs: Array, renewed: bool) -> None:
        """Compute the lengths and widths of `docs` that are not known; a renewed mean voids all."""
        if renewed:
            self._lengths.view()[:] = np.nan
            self._widths.view()[:] = np.nan
        stale = docs[np.isnan(self._widths.view()[docs])]
        for start in range(0, len(stale), CHUNK):
            part = stale[start : start + CHUNK]
            self._lengths.view()[part] = np.linalg.norm(self.rows(part) - mean, axis=1)
            mixed = np.zeros((len(part), self.dims), np.float32)
            for weight, others in _around(columns, part):
                valid = (others >= 0) & (others < len(self._rows))
                valid[valid] = self._has.view()[others[valid]]
                rows = self.rows(others[valid]) - mean
                mixed[valid] += weight * rows / (np.linalg.norm(rows, axis=1, keepdims=True) + TINY)
            self._widths.view()[part] = np.linalg.norm(mixed, axis=1)

    def _stale(self, columns: Columns, docs: Array) -> None:
        """The widths of docs and of those that mix them in must be computed anew."""
        self._exact = None
        following = _step(columns.next, docs)
        for others in (docs, following, _step(columns.next, following), _step(columns.previous, docs)):
            near = others[(others >= 0) & (others < len(self._widths))]
            self._widths.view()[near] = np.nan


def neighbourhood(columns: Columns, docs: Array, size: int) -> Array:
    """`docs` and the docs next to them, below `size`, each once."""
    near = [docs, _step(columns.previous, docs), _step(columns.next, docs)]
    found = np.unique(np.concatenate(near))
    chosen: Array = found[(found >= 0) & (found < size)]
    return chosen


def _step(pointers: Array, docs: Array) -> Array:
    return np.where(docs >= 0, pointers[docs], NONE)


def _around(columns: Columns, docs: Array) -> list[tuple[float, Array]]:
    """Docs and their neighbours (-1: none), with the weights at which their vectors are mixed."""
    previous = _step(columns.previous, docs)
    second = _step(columns.previous, previous)
    return [(OWN, docs), (PREVIOUS, previous), (SECOND_PREVIOUS, second), (NEXT, _step(columns.next, docs))]

"""Keeps the graph of one large memory: built in the background in short pieces, saved, and erased from when told."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from .arrays import Array
from .columns import Columns
from .graph import Graph, discard
from .vectors import Vectors

LARGE = 20_000  # docs with vectors from which a graph is faster than a scan
PIECE = 256  # items put in at a time
SAVE_EVERY = 0.05  # share of the graph that may be unsaved


class GraphKeeper:
    """The graph that goes with one `Vectors`. All methods but `work` are cheap; `work` runs in a thread."""

    def __init__(self, folder: Path, owner: str | None, model: str) -> None:
        self._key = f"{owner}|{model}"
        self._path = folder / f"{hashlib.sha256(self._key.encode()).hexdigest()[:32]}.hnsw"
        self._graph: Graph | None = None
        self._looked = False
        self._erase: list[int] = []
        self._next = 0  # the first doc not looked at yet

    def pending(self, vectors: Vectors) -> bool:
        """Whether there is something to build, erase or save."""
        if len(vectors) < LARGE:
            return False
        graph = self._graph
        return graph is None or bool(self._erase) or self._next < len(vectors.known) or graph.unsaved > 0

    def erase(self, seqs: list[int]) -> None:
        """Items that went; the file, in which their numbers still stand, goes at once."""
        if seqs:
            self._erase.extend(seqs)
            discard(self._path)
            if self._graph is not None:
                self._graph.unsaved += 1

    def look_again(self, doc: int) -> None:
        """Vectors came for docs from this one on."""
        self._next = min(self._next, doc)

    def candidates(self, columns: Columns, vectors: Vectors, query: Array, limit: int) -> Array | None:
        """Docs to compare, or None while there is no complete graph: then all are."""
        graph = self._graph
        if graph is None or len(vectors) < LARGE or len(vectors) - len(graph) > LARGE:
            return None
        spread, _ = vectors.spread.current()
        labels = graph.search(spread.directions(query)[:, 1], limit)
        docs = columns.docs(labels.tolist())
        missing = np.flatnonzero(vectors.known[self._next :]) + self._next  # not in the graph yet
        return np.unique(np.concatenate([np.array(docs, np.int64), missing[-LARGE:]]))

    def work(self, columns: Columns, vectors: Vectors) -> bool:
        """One piece of what is pending; whether there may be more."""
        if len(vectors) < LARGE:
            return False
        graph = self._opened(vectors)
        if self._erase:
            part, self._erase = self._erase[:PIECE], self._erase[PIECE:]
            graph.erase(part)
            return True
        if self._next < len(vectors.known):
            docs = np.arange(self._next, min(self._next + PIECE, len(vectors.known)))
            docs = docs[vectors.known[docs] & columns.alive[docs]]
            docs = docs[[seq not in graph for seq in columns.seq[docs].tolist()]]
            if len(docs):
                graph.add(columns.seq[docs].tolist(), vectors.rows(docs))
            self._next = min(self._next + PIECE, len(vectors.known))
            return True
        if graph.unsaved:
            graph.save(self._path, self._key)
        return False

    def _opened(self, vectors: Vectors) -> Graph:
        """The graph: the one in memory, else the one on disk, else an empty one."""
        if self._graph is None and not self._looked:
            self._graph = Graph.load(self._path, self._key)
            self._looked = True
        if self._graph is None:
            spread, _ = vectors.spread.current()
            self._graph = Graph.empty(spread, int(len(vectors) * 1.2))
            self._next = 0
        return self._graph

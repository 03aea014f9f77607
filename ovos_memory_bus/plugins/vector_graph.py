"""The graph (hnswlib) of one collection of vectors, brought up to date from its table.

Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using hierarchical navigable small
world graphs"."""

from __future__ import annotations

from threading import Lock
from typing import Any

import hnswlib
import numpy as np

from ovos_memory_bus.plugins.vector_table import Vector, VectorTable

SPACES = ("cosine", "l2", "ip")  # distances: 1 - cos, squared Euclidean, 1 - q·v
LINKS, BUILD_EFFORT, SEARCH_EFFORT = 16, 200, 200
SMALLEST = 1_000  # places at first
GROW = 2


class VectorGraph:
    """Labels are those of the table, which are never used twice: what is new has higher ones. Safe from any thread."""

    def __init__(self, table: VectorTable, name: str, dims: int, space: str) -> None:
        self._table, self._name, self._dims, self._space = table, name, dims, space
        self._lock = Lock()
        self._changes: int | None = None
        self._clear()

    def nearest(self, vector: Vector, limit: int, changes: int) -> list[tuple[int, float]]:
        """Labels and distances of the `limit` nearest as of so many changes of the collection, nearest first."""
        with self._lock:
            if self._changes != changes:
                self._catch_up()
                self._changes = changes
            wanted = min(limit, len(self._held))
            if not wanted:
                return []
            self._index.set_ef(max(SEARCH_EFFORT, 2 * wanted))
            labels, distances = self._index.knn_query(vector[None], k=wanted)
            return [(int(label), float(far)) for label, far in zip(labels[0], distances[0], strict=True)]

    def _clear(self) -> None:
        self._index: Any = hnswlib.Index(space=self._space, dim=self._dims)
        self._index.init_index(SMALLEST, M=LINKS, ef_construction=BUILD_EFFORT)
        self._held: set[int] = set()

    def _catch_up(self) -> None:
        there = self._table.labels(self._name)
        gone = self._held - there
        if self._index.get_current_count() > SMALLEST and len(there) < self._index.get_current_count() / 2:
            self._clear()  # what was taken out still takes its place
        elif gone:
            for label in gone:
                self._index.mark_deleted(label)
            self._held -= gone
        rows = self._table.since(self._name, max(self._held, default=0))
        if not rows:
            return
        needed = self._index.get_current_count() + len(rows)
        if needed > self._index.get_max_elements():
            self._index.resize_index(max(needed, GROW * self._index.get_max_elements()))
        self._index.add_items(np.stack([row.vector for row in rows]), [row.label for row in rows])
        self._held.update(row.label for row in rows)

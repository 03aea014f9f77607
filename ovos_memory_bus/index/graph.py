"""A navigable graph (hnswlib) over the vectors of a large memory: candidates in a millisecond, kept on disk.

It holds the vectors in their main directions only, a third of the numbers; who wants exact similarities computes them
for the candidates. Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using
hierarchical navigable small world graphs". The file is derived: missing, damaged or of another build, it is made anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np

from .arrays import Array
from .spread import TINY, Spread

LOG = logging.getLogger(__name__)
DIMS = 128  # main directions kept
LINKS, BUILD_EFFORT, SEARCH_EFFORT = 16, 100, 400
GROW = 1.5
FORMAT = 1


class Graph:
    """Labels are the seqs of items. Rows are given whole `[n, dims]`; they are centred and projected here."""

    def __init__(self, mean: Array, projection: Array) -> None:
        self._mean, self._projection = mean, projection
        self._index: Any = hnswlib.Index(space="ip", dim=projection.shape[1])
        self._index.set_num_threads(1)
        self._held: set[int] = set()
        self.unsaved = 0

    @classmethod
    def empty(cls, spread: Spread, capacity: int) -> Graph:
        """A graph to be filled, along the main directions of `spread`."""
        values, vectors = np.linalg.eigh(spread.covariance)
        main = vectors[:, np.argsort(-values)[:DIMS]].astype(np.float32)
        graph = cls(spread.mean, main)
        graph._index.init_index(max(capacity, 1_000), M=LINKS, ef_construction=BUILD_EFFORT)
        graph._index.set_ef(SEARCH_EFFORT)
        return graph

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, label: int) -> bool:
        return label in self._held

    def add(self, labels: Sequence[int], rows: Array) -> None:
        """Put items in, in place of what they were."""
        if self._index.get_current_count() + len(labels) > self._index.get_max_elements():
            self._index.resize_index(int(self._index.get_max_elements() * GROW) + len(labels))
        self._index.add_items(self._projected(rows), list(labels))
        self._held.update(labels)
        self.unsaved += len(labels)

    def erase(self, labels: Sequence[int]) -> None:
        """Take items out: their numbers are overwritten, then they are no longer found."""
        known = [label for label in labels if label in self._held]
        if known:
            self._index.add_items(np.zeros((len(known), self._projection.shape[1]), np.float32), known)
            for label in known:
                self._index.mark_deleted(label)
                self._held.discard(label)
            self.unsaved += len(known)

    def search(self, direction: Array, limit: int) -> Array:
        """The labels of about the `limit` items furthest along `direction`, best first."""
        wanted = min(limit, len(self._held))
        if not wanted:
            return np.empty(0, np.int64)
        labels, _ = self._index.knn_query((direction @ self._projection)[None], k=wanted)
        found: Array = labels[0].astype(np.int64)
        return found

    def save(self, path: Path, key: str) -> None:
        """Write the graph and what is needed to trust it; whole or not at all."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        self._index.save_index(str(fresh))
        np.savez(path.with_suffix(".frame.npz"), mean=self._mean, projection=self._projection)
        os.chmod(path.with_suffix(".frame.npz"), 0o600)
        described = {"format": FORMAT, "key": key, "sha256": _digest(fresh), "labels": sorted(self._held)}
        os.chmod(fresh, 0o600)
        _description(path).unlink(missing_ok=True)
        os.replace(fresh, path)
        note = path.with_suffix(".json.new")
        note.write_text(json.dumps(described), encoding="utf-8")
        os.chmod(note, 0o600)
        os.replace(note, _description(path))
        self.unsaved = 0

    @classmethod
    def load(cls, path: Path, key: str) -> Graph | None:
        """The graph of a file, or None where there is none that can be trusted."""
        try:
            described = json.loads(_description(path).read_text(encoding="utf-8"))
            if (described["format"], described["key"]) != (FORMAT, key) or described["sha256"] != _digest(path):
                raise ValueError("its checksum or build does not match")
            frame = np.load(path.with_suffix(".frame.npz"))
            graph = cls(frame["mean"], frame["projection"])
            graph._index.load_index(str(path))
            graph._index.set_ef(SEARCH_EFFORT)
            graph._held = set(described["labels"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            LOG.warning("the vector index %s cannot be used and is built anew: %s", path.name, error)
            return None
        return graph

    def _projected(self, rows: Array) -> Array:
        centred = rows - self._mean
        centred /= np.linalg.norm(centred, axis=1, keepdims=True) + TINY
        return centred @ self._projection


def is_whole(path: Path) -> bool:
    """Whether a graph's file is as it was saved; one that is not is built anew when it is next needed."""
    try:
        described = json.loads(_description(path).read_text(encoding="utf-8"))
        return bool(described["sha256"] == _digest(path)) and path.with_suffix(".frame.npz").exists()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def discard(path: Path) -> None:
    """Remove a graph's files."""
    for file in (path, _description(path), path.with_suffix(".frame.npz"), path.with_suffix(".new")):
        file.unlink(missing_ok=True)


def _description(path: Path) -> Path:
    return path.with_suffix(".json")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while chunk := handle.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()

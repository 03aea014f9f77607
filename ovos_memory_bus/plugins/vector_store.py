"""`MemoryVectorStore`: a store of vectors (`opm.embeddings`), in SQLite and searched by an hnswlib graph."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ovos_plugin_manager.templates.embeddings import EmbeddingsDB

from ovos_memory_bus.errors import ConfigError
from ovos_memory_bus.plugins.vector_graph import SPACES, VectorGraph
from ovos_memory_bus.plugins.vector_table import Collection, Vector, VectorTable

DEFAULT = "default"


class MemoryVectorStore(EmbeddingsDB):  # type: ignore[misc]  # ovos-plugin-manager has no types
    """Config: `path`, a folder (default: `ovos-memory-bus/vectors` in the user's data folder); `space`, `cosine`, `l2`
    or `ip`.

    What a call has stored is on disk when it returns. The graphs are in memory and catch up at the next query, also
    with what other processes stored. Safe from several threads and processes.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__(config)
        self._space = self.config.get("space", "cosine")
        if self._space not in SPACES:
            raise ConfigError(f"space is one of {', '.join(SPACES)}, not {self._space!r}")
        folder = Path(self.config.get("path") or _default_folder()).expanduser()
        self._table = VectorTable(folder / "vectors.db")
        self._graphs: dict[tuple[str, int], VectorGraph] = {}

    def close(self) -> None:
        """Close the database."""
        self._table.close()

    def create_collection(self, name: str, metadata: dict[str, Any] | None = None) -> Collection:
        self._table.create(name, metadata or {})
        return self.get_collection(name)

    def get_collection(self, name: str) -> Collection:
        """Raises ValueError where there is none of that name."""
        collection = self._known(name)
        if collection is None:
            raise ValueError(f"there is no collection {name!r}")
        return collection

    def delete_collection(self, name: str) -> None:
        self._table.drop(name)
        for key in [key for key in self._graphs if key[0] == name]:
            del self._graphs[key]

    def list_collections(self) -> list[Collection]:
        return self._table.collections()

    def add_embeddings(
        self, key: str, embedding: Any, metadata: dict[str, Any] | None = None, collection_name: str | None = None
    ) -> Vector:
        """Store a vector under a key, in place of what was there; the collection is made where it is not there yet.

        Raises ValueError for other dimensions than the collection's, and for numbers that are none."""
        vector = _vector(embedding)
        self._store([(key, vector, metadata or {})], collection_name)
        return vector

    def add_embeddings_batch(
        self,
        keys: list[str],
        embeddings: list[Any],
        metadata: list[dict[str, Any]] | None = None,
        collection_name: str | None = None,
    ) -> None:
        """All of them or, where one is refused, none."""
        described: list[dict[str, Any]] = metadata or [{} for _ in keys]
        rows = zip(keys, embeddings, described, strict=True)
        self._store([(key, _vector(embedding), data or {}) for key, embedding, data in rows], collection_name)

    def get_embeddings(self, key: str, collection_name: str | None = None, return_metadata: bool = False) -> Any:
        row = self._table.get(collection_name or DEFAULT, key)
        if return_metadata:
            return (row.vector, dict(row.metadata)) if row else (None, None)
        return row.vector if row else None

    def delete_embeddings(self, key: str, collection_name: str | None = None) -> None:
        self._table.remove(collection_name or DEFAULT, [key])

    def delete_embeddings_batch(self, keys: list[str], collection_name: str | None = None) -> None:
        self._table.remove(collection_name or DEFAULT, keys)

    def query(
        self, embeddings: Any, top_k: int = 5, return_metadata: bool = False, collection_name: str | None = None
    ) -> list[Any]:
        """The nearest as (key, distance) or (key, distance, metadata), nearest first."""
        name, vector = collection_name or DEFAULT, _vector(embeddings)
        collection = self._known(name)
        if collection is None or collection.dims is None or top_k < 1:
            return []
        if len(vector) != collection.dims:
            raise ValueError(f"the vectors of {name!r} have {collection.dims} dimensions, not {len(vector)}")
        graph = self._graphs.get((name, collection.dims))
        if graph is None:
            fresh = VectorGraph(self._table, name, collection.dims, self._space)
            graph = self._graphs.setdefault((name, collection.dims), fresh)
        near = graph.nearest(vector, top_k, collection.changes)
        rows = self._table.labelled(name, [label for label, _ in near])
        found = [(rows[label], far) for label, far in near if label in rows]
        return [(row.key, far, dict(row.metadata)) if return_metadata else (row.key, far) for row, far in found]

    def count_embeddings_in_collection(self, collection_name: str | None = None) -> int:
        return self._table.count(collection_name or DEFAULT)

    def _store(self, rows: Sequence[tuple[str, Vector, Mapping[str, Any]]], collection_name: str | None) -> None:
        name = collection_name or DEFAULT
        self._table.create(name, {})
        self._table.put(name, rows)

    def _known(self, name: str) -> Collection | None:
        return next((one for one in self._table.collections() if one.name == name), None)


def _vector(numbers: Any) -> Vector:
    """One row of finite numbers. Raises ValueError."""
    vector = np.asarray(numbers, np.float32).reshape(-1)
    if not len(vector) or not np.isfinite(vector).all():
        raise ValueError("an embedding is a row of finite numbers")
    return vector


def _default_folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "ovos-memory-bus" / "vectors"

"""The peers that recall is compared with on the same turns: ovos-memory-plugins, and plain vector search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from offline_memory import CachedEmbedder, Turn

Recall = Callable[[str, int], list[str]]  # a question and how many: ids of turns, best first


class _Vectors:
    """An exact vector database with the interface that local-rag expects, over the model that all share."""

    def __init__(self) -> None:
        self._rows: list[np.ndarray] = []
        self._entries: list[tuple[str, dict[str, Any]]] = []

    def create_collection(self, name: str) -> None:
        """There is one collection only."""

    def add_embeddings(self, key: str, vector: Sequence[float], metadata: dict[str, Any], collection_name: str) -> None:
        self._rows.append(np.asarray(vector, np.float32))
        self._entries.append((key, metadata))

    def query(self, vector: Sequence[float], top_k: int, return_metadata: bool, collection_name: str) -> list[Any]:
        distances = 1.0 - np.stack(self._rows) @ np.asarray(vector, np.float32)
        return [
            (*self._entries[i][:1], float(distances[i]), self._entries[i][1]) for i in np.argsort(distances)[:top_k]
        ]


class _Model:
    """The shared embedding model as local-rag calls it: what is stored is a passage, what is asked a query."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self.asking = False

    def get_embeddings(self, text: str) -> np.ndarray:
        return self._embedder.query(text) if self.asking else self._embedder.passages([text])[0][0]


def plain_vectors(turns: Sequence[Turn], embedder: CachedEmbedder) -> Recall:
    """What a vector database such as Chroma gives: the nearest turns by cosine."""
    rows = np.stack([pieces[0] for pieces in embedder.passages(turn.indexed for turn in turns)])
    return lambda question, k: [turns[i].id for i in np.argsort(-(rows @ embedder.query(question)))[:k]]


def memory_plugins(turns: Sequence[Turn], embedder: CachedEmbedder) -> dict[str, Recall]:
    """ovos-memory-plugins' lexical, local-rag (with the shared model) and composite; {} where it is not installed."""
    try:
        from ovos_memory_plugins.common import fuse
        from ovos_memory_plugins.lexical import LexicalMemory
        from ovos_memory_plugins.local_rag import LocalRAGMemory
    except ImportError:
        return {}
    model = _Model(embedder)
    lexical = LexicalMemory({"db_path": ":memory:"})
    semantic = LocalRAGMemory({"_embedder": model, "_db": _Vectors()})
    ids: dict[str, str] = {}
    for turn in turns:
        ids.setdefault(turn.indexed.strip(), turn.id)
        lexical.store(turn.indexed, "s")
        semantic.store(turn.indexed, "s")
    model.asking = True

    def recall(found: list[Any]) -> list[str]:
        return [ids[hit.content] for hit in found]

    def composite(question: str, k: int) -> list[str]:
        lists = [
            ("lexical", 1.0, lexical.search(question, "s", 2 * k)),
            ("rag", 1.0, semantic.search(question, "s", 2 * k)),
        ]
        return recall(fuse("rrf", lists)[:k])

    return {
        "ovos-memory-plugins lexical": lambda question, k: recall(lexical.search(question, "s", k)),
        "ovos-memory-plugins local-rag, our model": lambda question, k: recall(semantic.search(question, "s", k)),
        "ovos-memory-plugins composite (RRF)": composite,
    }

"""The peers that recall is compared with on the same turns: ovos-memory-plugins, and Chroma."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from offline_memory import CachedEmbedder, Turn

Recall = Callable[[str, int], list[tuple[str, float]]]  # a question and how many: ids of turns and scores, best first


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


def chroma(turns: Sequence[Turn], embedder: CachedEmbedder) -> dict[str, Recall]:
    """Chroma with the shared model, nearest by cosine; {} where it is not installed."""
    try:
        import chromadb
    except ImportError:
        return {}
    client = chromadb.EphemeralClient()
    name = f"talk-{uuid.uuid4()}"
    collection = client.create_collection(name, metadata={"hnsw:space": "cosine"})
    rows = [pieces[0].tolist() for pieces in embedder.passages(turn.indexed for turn in turns)]
    collection.add(ids=[turn.id for turn in turns], embeddings=rows)

    def recall(question: str, k: int) -> list[tuple[str, float]]:
        asked = embedder.query(question).tolist()
        found = collection.query(query_embeddings=[asked], n_results=min(k, len(turns)), include=["distances"])
        return [(id_, 1.0 - distance) for id_, distance in zip(found["ids"][0], found["distances"][0], strict=True)]

    return {"Chroma, our model": recall}


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

    def recall(found: list[Any]) -> list[tuple[str, float]]:
        return [(ids[hit.content], float(hit.score)) for hit in found]

    def composite(question: str, k: int) -> list[tuple[str, float]]:
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

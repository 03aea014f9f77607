"""A memory without a service: the product's own indexes over turns, for measuring and training many questions fast."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from ovos_memory_bus.analysis import analyse, query_terms
from ovos_memory_bus.embedding.base import Vector
from ovos_memory_bus.embedding.onnx import OnnxEmbedder
from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.index import bm25
from ovos_memory_bus.index.columns import Columns
from ovos_memory_bus.index.postings import Postings, term_hash, term_hashes
from ovos_memory_bus.index.vectors import Vectors
from ovos_memory_bus.models import find, manifest
from ovos_memory_bus.relevance import Evidence, personal
from ovos_memory_bus.store.base import Changes, Outline
from ovos_memory_bus.timeline import plan


@dataclass(frozen=True)
class Turn:
    """A turn to remember; `at` in seconds since 1970."""

    id: str
    text: str
    at: float
    name: str | None = None
    role: str = "user"
    lang: str = "en"

    @property
    def indexed(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


class CachedEmbedder:
    """The default model, its vectors kept in a file between runs."""

    def __init__(self, cache: Path, model: str | None = None) -> None:
        chosen = manifest(model)
        self._cache = cache.with_name(f"{cache.name}-{chosen.name}.npz")
        self._embedder = OnnxEmbedder(chosen, find(chosen), 1)
        self.model, self.dims = chosen.build, chosen.dims
        self._known: dict[str, Vector] = dict(np.load(self._cache)) if self._cache.exists() else {}

    def passages(self, texts: Iterable[str]) -> list[Vector]:
        """One `[n, dims]` array a text, a row for each of its pieces."""
        return [
            self._get("p", t, lambda t: np.stack([p.vector for p in self._embedder.embed_passage(t)])) for t in texts
        ]

    def query(self, text: str) -> Vector:
        return self._get("q", text, self._embedder.embed_query)

    def _get(self, kind: str, text: str, make) -> Vector:  # type: ignore[no-untyped-def]
        key = kind + hashlib.sha256(text.encode()).hexdigest()[:24]
        if key not in self._known:
            self._known[key] = make(text)
        return self._known[key]

    def save(self) -> None:
        np.savez(self._cache, **self._known)


class OfflineMemory:
    """Turns in the product's indexes; `evidence()` is what its backends would say of a question."""

    def __init__(self, turns: Sequence[Turn], embedder: CachedEmbedder) -> None:
        self.turns = turns
        self._embedder = embedder
        self.columns = Columns()
        outlines = tuple(_outline(number, turn) for number, turn in enumerate(turns, 1))
        self.columns.apply(Changes(1, outlines, ()))
        self._postings = Postings()
        self._postings.add([term_hashes(analyse(t.indexed, t.lang)) for t in turns], self.columns.alive)
        self._damping = bm25.Neighbourhoods().damping(self.columns, self._postings)
        self._vectors = Vectors(embedder.dims)
        self._vectors.resize(len(turns))
        self._vectors.put(self.columns, range(len(turns)), embedder.passages(t.indexed for t in turns))

    def evidence(self, question: str, lang: str) -> tuple[Evidence, Evidence]:
        """What the lexical and the semantic backend say."""
        return self._lexical(question, lang), self._semantic(question)

    def vector(self, question: str) -> Vector:
        """The vector of a question."""
        return self._embedder.query(question)

    def timely(self, question: str, lang: str) -> np.ndarray | None:  # type: ignore[type-arg]
        """Which docs were told when the answer likely was; None for a question without a time."""
        now = datetime.fromtimestamp(max(turn.at for turn in self.turns) + 300, timezone.utc)
        found = plan(question, lang, now, timezone.utc, self.columns, None, ItemFilter())
        return self.columns.mask(ItemFilter(during=found.preferred)) if found.preferred else None

    def _lexical(self, question: str, lang: str) -> Evidence:
        words = [[term_hash(v) for v in term.variants] for term in query_terms(question, lang)]
        found = bm25.match(self.columns, self._postings, words, self._damping, None)
        possible = max(found.possible, 1e-9)
        features = {"coverage": found.scores / possible, "own": found.own / possible}
        return Evidence(found.docs, features, {"known": found.known, "possible": found.possible, "words": len(words)})

    def _semantic(self, question: str) -> Evidence:
        vector = self._embedder.query(question)
        similar = self._vectors.compare_all(self.columns, vector)
        features = {"distinct": similar.distinct, "near": similar.near, "own": similar.own}
        notes = {"typical": self._vectors.typical(vector), "personal": personal(self._embedder.model, vector)}
        return Evidence(self._vectors.docs(self.columns, None, pieces=False), features, notes)


def _outline(number: int, turn: Turn) -> Outline:
    asks = any(mark in turn.text for mark in "?？¿")
    return Outline(
        number, int(turn.at * 1e6), "s", "turn", turn.role, None, None, None, turn.name, len(turn.text), asks
    )

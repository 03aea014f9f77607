"""An embedder without a model, for tests: hashed character trigrams, so that texts that share words are alike."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterator

import numpy as np

from .base import PieceVector, Vector, normalise
from .pieces import Limits, split

GRAM = 3
WORD_LIMITS = Limits(whole=64, piece=64, overlap=16)


class HashEmbedder:
    """The same vector for the same text on every machine; see `Embedder`."""

    def __init__(self, dims: int = 256) -> None:
        self._dims = dims

    @property
    def name(self) -> str:
        return f"hash-{self._dims}"

    @property
    def dims(self) -> int:
        return self._dims

    def embed_query(self, text: str) -> Vector:
        padded = f"  {unicodedata.normalize('NFKC', text).casefold()} "
        vector = np.zeros(self._dims, np.float32)
        for start in range(len(padded) - GRAM + 1):
            digest = zlib.crc32(padded[start : start + GRAM].encode("utf-8", "replace"))
            vector[digest % self._dims] += 1 if digest & 1 << 31 else -1
        return normalise(vector)

    def embed_passage(self, text: str) -> Iterator[PieceVector]:
        for start, end in split(text, lambda word: 1, WORD_LIMITS):
            yield PieceVector(start, end, self.embed_query(text[start:end]))

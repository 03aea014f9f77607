"""What an embedder is, and the vectors it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PieceVector:
    """The vector of `text[start:end]`, a piece of a stored text."""

    start: int
    end: int
    vector: Vector


class Embedder(Protocol):
    """Turns text into vectors of length 1, `[dims]` float32, whose dot product is their likeness.

    `name` changes with everything that changes the vectors, so vectors of different names are never compared.
    Calls are synchronous and come from one thread at a time; none of them touches the network. They raise ModelError.
    """

    @property
    def name(self) -> str: ...

    @property
    def dims(self) -> int: ...

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, cut at the model's limit."""

    def embed_passage(self, text: str) -> Iterator[PieceVector]:
        """The vectors of a stored text, each computed when it is asked for.

        A text that fits gives one; a longer one is split into overlapping pieces, so that each part of it is found.
        A blank text gives none; of a very long one at most `MAX_PIECES` are made (see `embedding.pieces`).
        """


def normalise(vector: Vector) -> Vector:
    """The vector at length 1; a zero vector stays as it is."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else vector.astype(np.float32)

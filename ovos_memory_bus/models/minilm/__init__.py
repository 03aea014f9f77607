"""all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): English in 384 dimensions, for the smallest devices.

Wang et al. 2020, "MiniLM: Deep Self-Attention Distillation for Task-Agnostic Compression of Pre-Trained Transformers".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..encoder_graph import FORMS, WORD_TABLE, Bytes, EncoderGraph, EncoderShape, Floats
from .safetensors import Tensors, read_tensors

SHAPE = EncoderShape(hidden=384, layers=6, heads=12, feed_forward=1536, epsilon=1e-12)
PRODUCER = "ovos-memory-bus"

# the encoder's short names of a layer's parts, and the publisher's
PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
SUFFIXES = {"w": "weight", "b": "bias"}


@dataclass(frozen=True, slots=True)
class DenseMatrix:
    """A matrix in float32; it has no 4-bit form."""

    weights: Floats

    def dense(self) -> Floats:
        return self.weights

    def blocks(self) -> tuple[Bytes, Floats]:
        raise TypeError("all-MiniLM-L6-v2 is built in the form int8 only")


@dataclass(frozen=True, slots=True)
class MiniLM:
    """The publisher's tensors by the encoder's names."""

    tensors: Tensors

    def matrix(self, names: Sequence[str]) -> DenseMatrix:
        return DenseMatrix(self.vector(names))

    def vector(self, names: Sequence[str]) -> Floats:
        return np.concatenate([self.tensors.get(_published(name)) for name in names])

    def positions(self) -> Floats:
        first_type = self.tensors.get("embeddings.token_type_embeddings.weight")[0]
        table: Floats = self.tensors.get("embeddings.position_embeddings.weight") + first_type
        return table


def build(sources: Mapping[str, bytes], options: Mapping[str, str], folder: Path) -> None:
    """Write `model.onnx` and `tokenizer.json` into `folder`.

    `sources` holds `weights` and `tokenizer`; the one option is `form`, `int8`. Raises ModelBroken when the source is
    not what it should be.
    """
    (folder / "tokenizer.json").write_bytes(sources["tokenizer"])
    weights = MiniLM(read_tensors(sources["weights"]))
    EncoderGraph("all-MiniLM-L6-v2", SHAPE, weights, FORMS[options["form"]]).save(folder / "model.onnx", PRODUCER)


def _published(name: str) -> str:
    """`l3.fi.w` → `encoder.layer.3.intermediate.dense.weight`"""
    if name == WORD_TABLE:
        return "embeddings.word_embeddings.weight"
    owner, part, suffix = name.split(".")
    if owner == "emb":
        return f"embeddings.LayerNorm.{SUFFIXES[suffix]}"
    return f"encoder.layer.{owner[1:]}.{PARTS[part]}.{SUFFIXES[suffix]}"

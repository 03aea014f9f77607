"""The BERT family's encoder as an ONNX graph, in the quantised forms that run well on small processors.

Forms of a linear layer:

`q4`    4-bit blocks of 32 weights with a scale each, multiplied in float32 (`MatMulNBits`).
`int8`  8-bit weights with a scale a column, the input quantised on the fly (`MatMulInteger`). Weights stay within
        ±63: processors without a dot-product instruction add two products in 16 bits, which 127 · 255 · 2 overflows.

Architecture: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers", section 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .onnx_file import FLOAT, INT64, UINT4, Attribute, Graph, TensorInfo

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

BLOCK = 32  # weights that share a scale
INT8_LINEAR_LIMIT = 63
INT8_TABLE_LIMIT = 127
MASKED = -1e4  # added to an attention score that must not count
WORD_TABLE = "emb.word"
MICROSOFT = "com.microsoft"


class Matrix(Protocol):
    """A weight matrix of `rows` outputs and `columns` inputs, from whichever source."""

    def dense(self) -> Floats:
        """All weights, `[rows, columns]`."""

    def blocks(self) -> tuple[Bytes, Floats]:
        """4-bit form: `[rows, columns / 32, 16]` bytes, the earlier weight in the low nibble, zero at 8;
        and the scales `[rows, columns / 32]`."""


class Weights(Protocol):
    """Where the encoder takes its numbers from; names are those of `EncoderGraph`."""

    def matrix(self, names: Sequence[str]) -> Matrix:
        """The named matrices, one under the other."""

    def vector(self, names: Sequence[str]) -> Floats:
        """The named vectors, one after the other."""

    def positions(self) -> Floats:
        """Position embeddings with the first token type's added, `[window, hidden]`."""


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """Sizes of an encoder; `epsilon` is the layer norm's."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Form:
    """How weights are stored: the word table, linear layers, and layers that deviate (by their short name)."""

    table: str
    linear: str
    exceptions: Mapping[str, str]

    def of(self, layer: str) -> str:
        return self.exceptions.get(layer, self.linear)


FORMS = {
    "q4": Form(table="q4", linear="q4", exceptions={}),
    # 8 bits cost accuracy in the outputs of the feed-forward layers alone
    "int8m": Form(table="q4", linear="int8", exceptions={"fo": "q4"}),
    "int8": Form(table="int8", linear="int8", exceptions={}),
}


class EncoderGraph:
    """Builds one graph: `input_ids` and `attention_mask` `[batch, sequence]` int64 to `last_hidden_state`
    `[batch, sequence, hidden]` float32."""

    def __init__(self, name: str, shape: EncoderShape, weights: Weights, form: Form) -> None:
        self._shape, self._weights, self._form = shape, weights, form
        self._quantised: dict[str, tuple[str, ...]] = {}
        free: tuple[int | str, ...] = ("batch", "sequence")
        self._graph = Graph(
            name,
            inputs=(TensorInfo("input_ids", INT64, free), TensorInfo("attention_mask", INT64, free)),
            outputs=(TensorInfo("last_hidden_state", FLOAT, (*free, shape.hidden)),),
        )

    def save(self, path: Path, producer: str) -> None:
        """Build the graph and write it to `path`."""
        state = self._embeddings()
        bias = self._attention_bias()
        self._attention_constants()
        for layer in range(self._shape.layers):
            state = self._layer(layer, state, bias, last=layer == self._shape.layers - 1)
        self._graph.save(path, producer)

    def _op(self, operator: str, *inputs: str, domain: str = "", **attributes: Attribute) -> str:
        return self._graph.node(operator, inputs, attributes, domain=domain)[0]

    def _ints(self, name: str, *values: int) -> str:
        return self._graph.weight(name, np.array(values, np.int64))

    def _embeddings(self) -> str:
        words = self._word_table_q4() if self._form.table == "q4" else self._word_table_int8()
        table = self._weights.positions()
        size = self._op("Shape", "input_ids")
        length = self._op("Gather", size, self._ints("c1", 1))
        table_name = self._graph.weight("pos", table)
        positions = self._op("Slice", table_name, self._ints("c0", 0), length, self._ints("ax0", 0))
        return self._norm(self._op("Add", words, positions), "emb.ln", "eln")

    def _word_table_q4(self) -> str:
        packed, scales = self._weights.matrix([WORD_TABLE]).blocks()
        rows, hidden = len(packed), self._shape.hidden
        self._graph.raw_weight("word.q", UINT4, (rows, hidden), packed)
        zeros = np.full(rows * (hidden // BLOCK) // 2, 0x88, np.uint8)
        self._graph.raw_weight("word.z", UINT4, (rows, hidden // BLOCK), zeros)
        inputs = ("word.q", "input_ids", self._graph.weight("word.s", scales), "word.z")
        return self._op(
            "GatherBlockQuantized", *inputs, domain=MICROSOFT, gather_axis=0, quantize_axis=1, block_size=BLOCK
        )

    def _word_table_int8(self) -> str:
        table = self._weights.matrix([WORD_TABLE]).dense()
        scales = _scales(np.abs(table).max(1, keepdims=True), INT8_TABLE_LIMIT)
        rows = self._op("Gather", self._graph.weight("word.q", _to_int8(table, scales, INT8_TABLE_LIMIT)), "input_ids")
        as_floats = self._op("Cast", rows, to=FLOAT)
        return self._op("Mul", as_floats, self._op("Gather", self._graph.weight("word.s", scales), "input_ids"))

    def _attention_bias(self) -> str:
        mask = self._op("Cast", "attention_mask", to=FLOAT)
        spread = self._op("Unsqueeze", mask, self._ints("ax12", 1, 2))
        hidden = self._op("Sub", self._graph.weight("one", np.array(1, np.float32)), spread)
        return self._op("Mul", hidden, self._graph.weight("neg", np.array(MASKED, np.float32)))

    def _attention_constants(self) -> None:
        hidden, heads = self._shape.hidden, self._shape.heads
        self._ints("rs_in", 0, 0, heads, hidden // heads)
        self._ints("rs_out", 0, 0, hidden)
        self._ints("split", hidden, hidden, hidden)
        self._graph.weight("scale", np.array(1 / math.sqrt(hidden // heads), np.float32))

    def _layer(self, layer: int, state: str, bias: str, *, last: bool) -> str:
        context = self._attention(layer, state, bias)
        attended = self._linear(context, layer, "ao")
        state = self._norm(self._op("Add", attended, state), f"l{layer}.aln", f"l{layer}.aln")
        inner = self._op("Gelu", self._linear(state, layer, "fi"), approximate="none")
        added = self._op("Add", self._linear(inner, layer, "fo"), state)
        if last:
            return self._norm(added, f"l{layer}.oln", "fin", result="last_hidden_state")
        return self._norm(added, f"l{layer}.oln", f"l{layer}.oln")

    def _attention(self, layer: int, state: str, bias: str) -> str:
        joined = self._linear(state, layer, "qkv", sources=("q", "k", "v"))
        query, key, value = self._graph.node("Split", [joined, "split"], {"axis": 2}, outputs=3)
        query, value = (
            self._op("Transpose", self._op("Reshape", part, "rs_in"), perm=(0, 2, 1, 3)) for part in (query, value)
        )
        key = self._op("Transpose", self._op("Reshape", key, "rs_in"), perm=(0, 2, 3, 1))
        scores = self._op("Add", self._op("Mul", self._op("MatMul", query, key), "scale"), bias)
        context = self._op("MatMul", self._op("Softmax", scores, axis=-1), value)
        return self._op("Reshape", self._op("Transpose", context, perm=(0, 2, 1, 3)), "rs_out")

    def _norm(self, value: str, weights: str, name: str, result: str | None = None) -> str:
        gain = self._graph.weight(f"{name}.g", self._weights.vector([f"{weights}.w"]))
        bias = self._graph.weight(f"{name}.b", self._weights.vector([f"{weights}.b"]))
        attributes = {"axis": -1, "epsilon": self._shape.epsilon}
        return self._graph.node("LayerNormalization", (value, gain, bias), attributes, name=result)[0]

    def _linear(self, value: str, layer: int, short: str, sources: Sequence[str] = ()) -> str:
        """`value` times the matrices of `sources` (the layer itself unless given) side by side, plus their bias."""
        tag = f"l{layer}.{short}"
        names = [f"l{layer}.{source}" for source in sources or (short,)]
        matrix = self._weights.matrix([f"{name}.w" for name in names])
        multiply = self._multiply_q4 if self._form.of(short) == "q4" else self._multiply_int8
        product = multiply(value, matrix, tag)
        bias = self._weights.vector([f"{name}.b" for name in names])
        return self._op("Add", product, self._graph.weight(f"{tag}.b", bias))

    def _multiply_q4(self, value: str, matrix: Matrix, tag: str) -> str:
        packed, scales = matrix.blocks()
        rows, blocks, _ = packed.shape
        inputs = (value, self._graph.weight(f"{tag}.q", packed), self._graph.weight(f"{tag}.s", scales.reshape(-1)))
        sizes = {"K": blocks * BLOCK, "N": rows, "bits": 4, "block_size": BLOCK}
        return self._op("MatMulNBits", *inputs, domain=MICROSOFT, accuracy_level=1, **sizes)  # 1: computes in float32

    def _multiply_int8(self, value: str, matrix: Matrix, tag: str) -> str:
        weights = matrix.dense().T
        scales = _scales(np.abs(weights).max(0), INT8_LINEAR_LIMIT)
        if value not in self._quantised:
            self._quantised[value] = self._graph.node("DynamicQuantizeLinear", [value], outputs=3)
        quantised, input_scale, zero = self._quantised[value]
        packed = self._graph.weight(f"{tag}.q", _to_int8(weights, scales, INT8_LINEAR_LIMIT))
        as_floats = self._op("Cast", self._op("MatMulInteger", quantised, packed, zero), to=FLOAT)
        return self._op("Mul", as_floats, self._op("Mul", input_scale, self._graph.weight(f"{tag}.s", scales)))


def _scales(largest: Floats, limit: int) -> Floats:
    scales = (largest / limit).astype(np.float32)
    scales[scales == 0] = 1
    return scales


def _to_int8(weights: Floats, scales: Floats, limit: int) -> npt.NDArray[np.int8]:
    quantised: npt.NDArray[np.int8] = np.clip(np.rint(weights / scales), -limit, limit).astype(np.int8)
    return quantised

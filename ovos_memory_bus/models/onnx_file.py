"""Writes ONNX files: the few protobuf messages that an encoder needs, so that no user has to install `onnx`.

Field numbers are those of onnx.proto (ONNX IR version 10). Fields are written in the order of their numbers and
nothing depends on the time, the platform or a library's version: the same graph is the same file, byte for byte.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

FLOAT, UINT8, INT8, INT32, INT64, UINT4 = 1, 2, 3, 6, 7, 21  # TensorProto.DataType

IR_VERSION = 10
OPSETS = (("", 21), ("com.microsoft", 1))

_ELEMENT_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5  # protobuf wire types

Attribute = int | float | str | tuple[int, ...]


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3 | _VARINT) + _varint(value)


def _block(tag: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return _varint(tag << 3 | _BYTES) + _varint(len(data)) + data


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        kind, body = 1, _varint(2 << 3 | _FIXED32) + struct.pack("<f", value)
    elif isinstance(value, int):
        kind, body = 2, _number(3, value)
    elif isinstance(value, str):
        kind, body = 3, _block(4, value)
    else:
        kind, body = 7, b"".join(_number(8, item) for item in value)
    return _block(1, name) + body + _number(20, kind)


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """An input or output of a graph; a dimension is a size or the name of a free size."""

    name: str
    element_type: int
    shape: tuple[int | str, ...]

    def encode(self) -> bytes:
        dims = b"".join(_block(1, _block(2, d) if isinstance(d, str) else _number(1, d)) for d in self.shape)
        tensor = _number(1, self.element_type) + _block(2, dims)
        return _block(1, self.name) + _block(2, _block(1, tensor))


@dataclass(slots=True)
class Graph:
    """An ONNX graph under construction: nodes and weights in the order in which they are added."""

    name: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    _nodes: list[bytes] = field(default_factory=list)
    _weights: list[bytes] = field(default_factory=list)

    def weight(self, name: str, array: npt.NDArray[Any]) -> str:
        """Add a constant; returns its name."""
        array = np.ascontiguousarray(array)
        return self.raw_weight(name, _ELEMENT_TYPES[array.dtype.name], array.shape, array)

    def raw_weight(self, name: str, element_type: int, shape: Iterable[int], data: npt.NDArray[Any]) -> str:
        """Add a constant whose element type numpy does not have, from its bytes; returns its name."""
        little_endian = data.astype(data.dtype.newbyteorder("<"), copy=False)
        dims = b"".join(_number(1, size) for size in shape)
        self._weights.append(dims + _number(2, element_type) + _block(8, name) + _block(9, little_endian.tobytes()))
        return name

    def node(
        self,
        operator: str,
        inputs: Iterable[str],
        attributes: Mapping[str, Attribute] = MappingProxyType({}),
        *,
        outputs: int = 1,
        name: str | None = None,
        domain: str = "",
    ) -> tuple[str, ...]:
        """Add an operator; returns the names of its outputs (`name` for a single one that has to have it)."""
        number = len(self._nodes) + 1
        if outputs == 1:
            results: tuple[str, ...] = (name or f"t{number}",)
        else:
            results = tuple(f"t{number}_{i}" for i in range(outputs))
        parts = [_block(1, source) for source in inputs]
        parts += [_block(2, result) for result in results]
        parts += [_block(3, f"{operator}_{number}"), _block(4, operator)]
        parts += [_block(5, _attribute(key, attributes[key])) for key in sorted(attributes)]
        parts.append(_block(7, domain))
        self._nodes.append(b"".join(parts))
        return results

    def save(self, path: Path, producer: str) -> None:
        """Write the model. Weights are streamed: a second copy of them is never held."""
        parts = [_block(1, node) for node in self._nodes] + [_block(2, self.name)]
        for weight in self._weights:
            parts += [_varint(5 << 3 | _BYTES) + _varint(len(weight)), weight]
        parts += [_block(11, info.encode()) for info in self.inputs]
        parts += [_block(12, info.encode()) for info in self.outputs]
        head = _number(1, IR_VERSION) + _block(2, producer)
        head += _varint(7 << 3 | _BYTES) + _varint(sum(map(len, parts)))
        opsets = b"".join(_block(8, _block(1, domain) + _number(2, version)) for domain, version in OPSETS)
        with path.open("wb") as file:
            file.write(head)
            file.writelines(parts)
            file.write(opsets)

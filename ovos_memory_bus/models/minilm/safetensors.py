"""Reads float32 tensors from a safetensors file: a length, a JSON directory, the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelBroken
from ..encoder_graph import Floats


@dataclass(frozen=True, slots=True)
class Tensors:
    """The file, opened; tensors are read when asked for."""

    data: bytes
    start: int
    directory: Mapping[str, Mapping[str, Any]]

    def get(self, name: str) -> Floats:
        """A tensor in its shape. Raises ModelBroken when it is not there or not of float32."""
        entry = self.directory.get(name, {})
        if entry.get("dtype") != "F32":
            raise ModelBroken(f"the weights hold no float32 tensor {name}")
        first, last = entry["data_offsets"]
        numbers = np.frombuffer(self.data, "<f4", (last - first) // 4, self.start + first)
        tensor: Floats = numbers.reshape(entry["shape"])
        return tensor


def read_tensors(data: bytes) -> Tensors:
    """Open the file's content. Raises ModelBroken if it is no safetensors file."""
    start = 8 + int.from_bytes(data[:8], "little")
    try:
        directory = json.loads(data[8:start])
    except ValueError as error:
        raise ModelBroken(f"the weights are not in the safetensors format: {error}") from error
    return Tensors(data, start, directory)

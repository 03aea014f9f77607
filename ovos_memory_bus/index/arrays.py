"""A numpy array that grows at its end."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class GrowingArray:
    """Values of one dtype, appended at amortised constant cost. `view()` is a slice that later appends leave alone."""

    def __init__(self, dtype: Any, width: int | None = None) -> None:
        self._data: Array = np.zeros((16,) if width is None else (16, width), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, value: Any) -> None:
        self._reserve(self._size + 1)
        self._data[self._size] = value
        self._size += 1

    def extend(self, values: Any) -> None:
        self._reserve(self._size + len(values))
        self._data[self._size : self._size + len(values)] = values
        self._size += len(values)

    def view(self) -> Array:
        return self._data[: self._size]

    def __getitem__(self, position: int) -> Any:
        return self._data[position]

    def __setitem__(self, position: int, value: Any) -> None:
        self._data[position] = value

    def _reserve(self, size: int) -> None:
        if size > len(self._data):
            grown = np.zeros((max(size, len(self._data) * 3 // 2 + 16), *self._data.shape[1:]), self._data.dtype)
            grown[: self._size] = self._data[: self._size]
            self._data = grown


def foremost(scores: Array, limit: int) -> Array:
    """Places of the `limit` highest scores, highest first, equal ones in order."""
    if len(scores) > 4 * limit:
        chosen = np.sort(np.argpartition(-scores, limit)[:limit])
        return chosen[np.argsort(-scores[chosen], kind="stable")]
    return np.argsort(-scores, kind="stable")[:limit]

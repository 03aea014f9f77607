"""How one memory's vectors lie: their mean and covariance, kept up to date as vectors come and go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Array

RIDGE = 4.0  # in units of the mean variance
PRIOR = 200.0  # docs that the identity counts for in the covariance
GROWTH = 1.05  # taken anew when so many times more docs are in it
CHUNK = 8_192  # rows worked on at a time
TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The mean `[dims]`, and the matrix `[dims, dims]` that turns a question away from where the memory varies most:
    (C + ridge I)^-1, with C the covariance shrunk towards the identity."""

    docs: float
    mean: Array
    inverse: Array
    covariance: Array

    def directions(self, query: Array) -> Array:
        """The unit vectors `[dims, 2]` along which a unit query is compared: plainly centred, and turned away."""
        centred = query - self.mean
        return np.stack([unit(centred), unit(self.inverse @ centred)], axis=1).astype(np.float32)


class SpreadSums:
    """Sums from which the spread is taken: O(dims²) memory, whatever the number of vectors."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self.count = 0
        self._sum: Array = np.zeros(dims, np.float64)
        self._outer: Array = np.zeros((dims, dims), np.float64)
        self._known: Spread | None = None

    def weigh(self, rows: Array, sign: int) -> None:
        """Add unit rows `[n, dims]` (`sign` 1), or take them out (-1)."""
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK].astype(np.float64)
            self._sum += sign * part.sum(axis=0)
            self._outer += sign * (part.T @ part)
        self.count += sign * len(rows)

    @property
    def mean(self) -> Array:
        """The mean of all vectors `[dims]` as of now."""
        mean: Array = self._sum / max(self.count, 1)
        return mean

    def current(self) -> tuple[Spread, bool]:
        """The spread, and whether it was just taken anew because it had changed by a twentieth."""
        docs = self.count + PRIOR
        if self._known is not None and 1 / GROWTH <= docs / self._known.docs <= GROWTH:
            return self._known, False
        mean = self.mean
        scatter = self._outer - self.count * np.outer(mean, mean)
        variance = max(float(np.trace(scatter)) / self._dims / max(self.count, 1), TINY)
        covariance = (scatter / variance + PRIOR * np.eye(self._dims)) / (self.count + PRIOR)
        inverse = np.linalg.inv(covariance + RIDGE * np.eye(self._dims))
        self._known = Spread(docs, mean.astype(np.float32), inverse.astype(np.float32), covariance)
        return self._known, True


def unit(vector: Array) -> Array:
    """The vector at length 1; a zero vector stays as it is."""
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector

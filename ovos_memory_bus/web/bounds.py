"""How many requests are taken: a token bucket for each who asks."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

ASKERS = 1_024  # buckets kept; the least recently used is let go


@dataclass(slots=True)
class Rate:
    """At most `burst` at once and `per_second` in the long run, for each key."""

    per_second: float
    burst: int
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, key: str) -> float:
        """0 where one more may pass, else the seconds until it may."""
        now = self.clock()
        left, since = self._left.pop(key, (float(self.burst), now))
        left = min(float(self.burst), left + (now - since) * self.per_second)
        wait = 0.0 if left >= 1 else (1 - left) / self.per_second
        self._left[key] = (left if wait else left - 1, now)
        while len(self._left) > ASKERS:
            self._left.popitem(last=False)
        return wait

    def is_spent(self, key: str) -> bool:
        """Whether nothing is left for a key now; takes nothing."""
        left, since = self._left.get(key, (float(self.burst), 0.0))
        return left + (self.clock() - since) * self.per_second < 1

"""Which background work a new item means: the one place that asks every backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .backends.base import Backend
from .store.base import NewItem


class Planner:
    """Knows the backends once they are built; `wake` tells their actors that there is work."""

    def __init__(self) -> None:
        self._backends: list[Backend] = []
        self._wake: Callable[[], None] | None = None

    def connect(self, backends: list[Backend], wake: Callable[[], None]) -> None:
        self._backends, self._wake = backends, wake

    def planned(self, item: NewItem) -> NewItem:
        """The item with the kinds of job that the backends want done on it."""
        kinds = dict.fromkeys(kind for backend in self._backends for kind in backend.wants(item))
        return replace(item, jobs=tuple(kinds))

    def wake(self) -> None:
        if self._wake is not None:
            self._wake()

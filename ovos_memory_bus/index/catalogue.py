"""The owners whose items are in memory: loaded when first asked for, brought up to date before every search, the
least recently used let go."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import anyio
import numpy as np

from ..filters import ItemFilter
from ..store.base import Store
from .arrays import Array
from .columns import Columns


@dataclass(slots=True, eq=False)
class Partition:
    """One owner's columns and what indexes keep beside them, each under its own name."""

    owner: str | None
    columns: Columns = field(default_factory=Columns)
    indexes: dict[str, Any] = field(default_factory=dict)
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    died: dict[str, list[int]] = field(default_factory=dict)

    def take_died(self, index: str) -> list[int]:
        """The docs that died since this index asked last."""
        return self.died.pop(index, [])


class Catalogue:
    """Partitions by owner; `None` is everybody."""

    def __init__(self, store: Store, size: int) -> None:
        self._store = store
        self._size = max(1, size)
        self._partitions: OrderedDict[str | None, Partition] = OrderedDict()

    async def partition(self, owner: str | None) -> Partition:
        """The up-to-date partition of an owner. Raises `StorageError`s."""
        partition = self._partitions.get(owner)
        if partition is None:
            partition = self._partitions[owner] = Partition(owner)
        self._partitions.move_to_end(owner)
        while len(self._partitions) > self._size:
            self._partitions.popitem(last=False)
        await self._catch_up(partition)
        return partition

    def loaded(self) -> list[Partition]:
        """The partitions in memory, least recently used first."""
        return list(self._partitions.values())

    async def mask(self, partition: Partition, where: ItemFilter) -> Array | None:
        """Which docs of a partition pass `where`; None when all do."""
        mask = partition.columns.mask(where)
        if where.metadata:
            docs = partition.columns.docs(await self._store.matching(partition.owner, where))
            chosen = np.zeros(len(partition.columns), np.bool_)
            chosen[docs] = True
            mask = chosen if mask is None else mask[: len(chosen)] & chosen[: len(mask)]
        return mask

    async def _catch_up(self, partition: Partition) -> None:
        if partition.columns.change >= self._store.change:
            return
        async with partition.lock:
            if partition.columns.change >= self._store.change:
                return
            changes = await self._store.changes(partition.owner, partition.columns.change)
            died = partition.columns.apply(changes)
            if died:
                for name in partition.indexes:
                    partition.died.setdefault(name, []).extend(died)

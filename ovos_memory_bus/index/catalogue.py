"""The owners whose items are in memory: loaded when first asked for, brought up to date before every search, the
least recently used let go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.abc
import anyio.lowlevel
import numpy as np

from ..errors import ShuttingDown
from ..filters import ItemFilter
from ..store.base import Changes, Store
from .arrays import Array
from .columns import Columns

PIECE = 500  # items taken in at a time: some milliseconds


@dataclass(slots=True, eq=False)
class Partition:
    """One owner's columns and what indexes keep beside them, each under its own name."""

    owner: str | None
    columns: Columns = field(default_factory=Columns)
    indexes: dict[str, Any] = field(default_factory=dict)
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    died: dict[str, list[int]] = field(default_factory=dict)
    loading: anyio.Event | None = None
    failure: Exception | None = None

    def take_died(self, index: str) -> list[int]:
        """The docs that died since this index asked last."""
        return self.died.pop(index, [])


class Catalogue:
    """Partitions by owner; `None` is everybody. Open it as a context: what is being loaded goes on in its own task
    when who asked for it gives up, so that a large memory gets loaded however short the deadlines are."""

    def __init__(self, store: Store, size: int) -> None:
        self._store = store
        self._size = max(1, size)
        self._partitions: OrderedDict[str | None, Partition] = OrderedDict()
        self._tasks: anyio.abc.TaskGroup | None = None

    async def __aenter__(self) -> Catalogue:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> bool | None:
        tasks, self._tasks = self._tasks, None
        if tasks is None:
            return None
        tasks.cancel_scope.cancel()
        return await tasks.__aexit__(*exc_info)

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
        wanted = self._store.change
        while partition.columns.change < wanted:
            if partition.loading is None:
                partition.loading = anyio.Event()
                if self._tasks is None:
                    raise ShuttingDown("the service is stopping")
                self._tasks.start_soon(self._load, partition)
            await partition.loading.wait()
            if partition.failure is not None:
                raise partition.failure

    async def _load(self, partition: Partition) -> None:
        """Bring the columns up to date, in pieces short enough for the event loop."""
        loaded = partition.loading
        partition.failure = None
        try:
            changes = await self._store.changes(partition.owner, partition.columns.change)
            columns = partition.columns
            for part in _pieces(changes, columns.change):
                died = columns.apply(part)
                for name in partition.indexes if died else ():
                    partition.died.setdefault(name, []).extend(died)
                await anyio.lowlevel.checkpoint()
            columns.change = changes.change
        except Exception as error:  # told to whoever waits
            partition.failure = error
        finally:
            partition.loading = None
            if loaded is not None:
                loaded.set()


def _pieces(changes: Changes, point: int) -> Iterator[Changes]:
    """The same changes a few items at a time, what went before what came; each leaves an index at `point`."""
    for start in range(0, len(changes.gone), PIECE):
        yield Changes(point, (), changes.gone[start : start + PIECE])
    for start in range(0, len(changes.present), PIECE):
        yield Changes(point, changes.present[start : start + PIECE], ())

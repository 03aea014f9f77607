"""Import: what an export holds and this memory has not, whether a service runs beside it or not.

Every batch is stored before the next is read: an import that was interrupted is simply run again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from ..errors import InvalidRequest, StorageLocked
from ..store.base import Added, NewItem, Store, Tombstone
from .exporting import Progress
from .jobs import Planned, arrived
from .lines import Arrival
from .moving import batches
from .reading import BATCH, Entry, Reading

COURTESY = 0.1  # seconds between two batches at most
PATIENCE = 6  # times that a database held by another process for long is waited for


@dataclass(slots=True)
class Imported:
    """What an import did: items `added`; items left out because they are here (`present`), were `forgotten` here, or
    were drawn from something that is not here (`groundless`); `tombstones` that are new here."""

    added: int = 0
    present: int = 0
    forgotten: int = 0
    groundless: int = 0
    tombstones: int = 0


async def import_from(
    store: Store,
    file: Path,
    planned: Planned,
    *,
    model: tuple[str, int] | None = None,
    restore: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Store what `file` holds, or with `dry_run` only count it; `restore` brings back what was forgotten here.

    `model` is the name and the dimensions of the one in use: items that bring vectors of it are not embedded again.

    Raises `InvalidRequest` at the first line that cannot be read (what stands before it is stored), `StorageError`s."""
    importer = _Importer(store, planned, model, restore, dry_run)
    with Reading(file) as reading:
        while batch := await anyio.to_thread.run_sync(reading.batch):
            await importer.take(batch)
            if progress is not None:
                progress(reading.done, reading.size)
    return importer.counts


async def import_arrivals(
    store: Store,
    entries: Sequence[Arrival],
    planned: Planned,
    *,
    restore: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """The same with items that are in memory already."""
    importer = _Importer(store, planned, None, restore, dry_run)
    done = 0
    for batch in batches(entries, BATCH):
        await importer.take(batch)
        done += len(batch)
        if progress is not None:
            progress(done, len(entries))
    return importer.counts


class _Importer:
    """Takes batches of what was read."""

    def __init__(
        self, store: Store, planned: Planned, model: tuple[str, int] | None, restore: bool, dry_run: bool
    ) -> None:
        self._store, self._planned, self._in_use = store, planned, model
        self._restore, self._dry_run = restore, dry_run
        self._dims: dict[str, int] = {}
        self.counts = Imported()

    async def take(self, batch: Sequence[Entry]) -> None:
        arrivals = {entry.item.id: entry for entry in batch if isinstance(entry, Arrival)}
        began = time.monotonic()
        await self._items(list(arrivals.values()))
        stones = [entry for entry in batch if isinstance(entry, Tombstone)]
        if stones and not self._dry_run:
            self.counts.tombstones += await self._store.entomb(stones)
        elif stones:
            known = await self._store.known([stone.id for stone in stones])
            self.counts.tombstones += len({stone.id for stone in stones} - known.present - known.forgotten)
        if not self._dry_run:
            await anyio.sleep(min(time.monotonic() - began, COURTESY))  # a service beside us gets its turn to write

    async def _items(self, arrivals: Sequence[Arrival]) -> None:
        known = await self._store.known([arrival.item.id for arrival in arrivals])
        forgotten = frozenset[str]() if self._restore else known.forgotten - known.present
        absent = [a for a in arrivals if a.item.id not in known.present | forgotten]
        self.counts.present += len(known.present)
        self.counts.forgotten += len(forgotten)
        added = await self._grounded(absent) if self._dry_run else len((await self._merge(absent)).ids)
        self.counts.added += added
        self.counts.groundless += len(absent) - added

    async def _grounded(self, arrivals: Sequence[Arrival]) -> int:
        """How many of these would be stored: their sources are in the same file, unless they were forgotten here."""
        known = await self._store.known(sorted({id_ for arrival in arrivals for id_ in arrival.item.drawn_from}))
        gone = frozenset[str]() if self._restore else known.forgotten - known.present
        count = 0
        for item in (arrival.item for arrival in arrivals):
            if item.drawn_from and gone.issuperset(item.drawn_from):
                continue
            count += item.kind != "summary" or not await self._summed(item.drawn_from)
        return count

    async def _summed(self, ids: Sequence[str]) -> bool:
        turns = await self._store.get(ids, None)
        return any(item.kind == "summary" for item in await self._store.drawn_from([turn.seq for turn in turns]))

    async def _merge(self, arrivals: Sequence[Arrival]) -> Added:
        await self._check({arrival.item.id: arrival.vectors for arrival in arrivals if arrival.vectors})
        model = self._in_use[0] if self._in_use else None
        return await self._stored([arrived(arrival, self._planned, model) for arrival in arrivals])

    async def _check(self, vectors: Mapping[str, Mapping[str, Sequence[bytes]]]) -> None:
        """Vectors of one model have one length, in the file and here. Raises `InvalidRequest`."""
        if vectors and not self._dims:
            self._dims = await self._store.models() | dict([self._in_use] if self._in_use else [])
        for id_, by_model in vectors.items():
            for model, pieces in by_model.items():
                dims = len(pieces[0]) // 2
                if self._dims.setdefault(model, dims) != dims:
                    raise InvalidRequest(f"item {id_} has a vector of {dims} numbers, {model} has {self._dims[model]}")

    async def _stored(self, items: Sequence[NewItem]) -> Added:
        """Merge, however long another process holds the database."""
        for _ in range(PATIENCE):
            try:
                return await self._store.merge(items, revive=self._restore)
            except StorageLocked:
                await anyio.sleep(1)
        return await self._store.merge(items, revive=self._restore)

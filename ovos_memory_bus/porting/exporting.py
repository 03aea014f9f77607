"""Export: everything of everybody in one file, whole or not at all, while a service may go on writing."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import mkstemp

import anyio
import anyio.to_thread

from ..errors import StorageError, StorageFull, StorageReadOnly
from ..records import KINDS
from ..store.base import Record, Store
from .jobs import DRAWING
from .lines import header_line, item_line, tombstone_line

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is, of items or of bytes."""
PAGE = 200  # items read at a time: no read lasts so long that it would keep a forgetting from cleaning up
SLACK = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Exported:
    """How much went into the file."""

    items: int
    tombstones: int


async def export_to(store: Store, file: Path, *, vectors: bool = False, progress: Progress | None = None) -> Exported:
    """Write all items and tombstones to `file`, which its owner alone can read. It is there when it is whole.

    What is forgotten while this runs does not stay in the file. Raises `StorageError`s."""
    partial: Path | None = None
    try:
        handle, name = mkstemp(prefix=f".{file.name}.", suffix=".partial", dir=file.parent)
        partial = Path(name)
        started = datetime.now(timezone.utc)
        async with await anyio.open_file(handle, "w", encoding="utf-8", newline="\n") as target:
            await target.write(header_line(started))
            items = await _write_items(store, target, vectors, progress)
            stones, late = await _write_tombstones(store, target, started - SLACK)
        if late:
            items -= await anyio.to_thread.run_sync(_take_out, partial, late)
        await anyio.to_thread.run_sync(_put_in_place, partial, file)
    except OSError as error:
        raise _refused(error, file) from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
    return Exported(items, stones)


async def lines_of(store: Store, owner: str) -> AsyncIterator[str]:
    """One owner's items and tombstones as lines of an export, for who may read no one else's."""
    yield header_line(datetime.now(timezone.utc))
    async for page in _pages(store, False):
        yield "".join(item_line(record) for record in page if record.item.owner == owner)
    after = ""
    while stones := await store.tombstones(after, PAGE):
        yield "".join(tombstone_line(stone) for stone in stones if stone.owner == owner)
        after = stones[-1].id


async def _write_items(store: Store, target: anyio.AsyncFile[str], vectors: bool, progress: Progress | None) -> int:
    counts = await store.counts()
    total = sum(counts.get(kind, 0) for kind in KINDS)
    done = 0
    async for page in _pages(store, vectors):
        await target.write("".join(map(item_line, page)))
        done += len(page)
        if progress is not None:
            progress(done, max(done, total))
    return done


async def _pages(store: Store, vectors: bool) -> AsyncIterator[list[Record]]:
    """All items; what was drawn from others comes last, so that a reader knows its sources by then."""
    for derived in (False, True):
        after = 0
        while page := await store.records(after, PAGE, derived=derived, jobs=DRAWING, vectors=vectors):
            yield page
            after = page[-1].item.seq


async def _write_tombstones(store: Store, target: anyio.AsyncFile[str], since: datetime) -> tuple[int, set[str]]:
    """How many there are, and the ids of those younger than `since`."""
    count, late, after = 0, set[str](), ""
    while page := await store.tombstones(after, PAGE):
        await target.write("".join(map(tombstone_line, page)))
        count += len(page)
        late |= {stone.id for stone in page if stone.forgotten_at >= since}
        after = page[-1].id
    return count, late


def _take_out(file: Path, ids: Collection[str]) -> int:
    """Write the file anew without these items; how many it held."""
    taken = 0
    handle, name = mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with file.open("rb") as source, open(handle, "wb") as target:
            for line in source:
                data = json.loads(line)
                if data.get("type") == "item" and data["id"] in ids:
                    taken += 1
                else:
                    target.write(line)
        os.replace(name, file)
    finally:
        Path(name).unlink(missing_ok=True)
    return taken


def _put_in_place(partial: Path, file: Path) -> None:
    _sync(partial)
    os.replace(partial, file)
    _sync(file.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(error: OSError, file: Path) -> StorageError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(f"the disk of {file.parent} is full: make room, or write the export elsewhere")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
        return StorageReadOnly(f"the export cannot be written to {file.parent}: {error.strerror}")
    return StorageError(f"the export could not be written to {file}: {error.strerror}")

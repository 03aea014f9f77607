"""Looking for what should be gone: are the bytes of a text still in the files?

`secure_delete` zeroes what is deleted, but SQLite may have copied a cell to a neighbouring page before; the copy left
behind lies in no cell and would stay. Only a look at the bytes tells, and only then is the file written anew.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import anyio.to_thread

NEEDLES = 64  # texts searched for one by one; for more, the longest stand for all
LENGTH = 48  # bytes of a text that are searched for: cells are split over pages at larger sizes
SHORTEST = 4  # a shorter text cannot be told from chance
CHUNK = 4 * 2**20  # bytes read at a time


class Residue:
    """Searches the bytes of a database file and of its write-ahead log.

    The database file stays open until `close()`, to be called when SQLite's connections are closed: the kernel drops
    all locks that a process has on a file as soon as it closes any descriptor of it (sqlite.org/howtocorrupt.html,
    2.2), and the next process to come and go would take itself for the last and delete the log under us.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    async def holds(self, wanted: Sequence[bytes]) -> bool:
        """Whether any of the `needles` can be found."""
        return bool(wanted) and await anyio.to_thread.run_sync(self._search, wanted)

    def _search(self, needles: Sequence[bytes]) -> bool:
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDONLY)
        if _found(self._descriptor, needles):
            return True
        try:
            log = os.open(self._path.with_name(self._path.name + "-wal"), os.O_RDONLY)  # SQLite locks nothing on it
        except FileNotFoundError:
            return False
        try:
            return _found(log, needles)
        finally:
            os.close(log)


def needles(texts: Sequence[str], living: Collection[str] = ()) -> list[bytes]:
    """What to search for to find any of `texts`, and what is not in the `living` ones that begin as they do.

    A text that somebody else has said too stands in the file by right: nothing can tell it from a copy left behind."""
    chosen = sorted(set(texts).difference(living), key=len, reverse=True)[:NEEDLES]
    others = [text.encode() for text in living]
    return [needle for needle in {_apart(text.encode(), others) for text in chosen} if len(needle) >= SHORTEST]


def _apart(text: bytes, others: Sequence[bytes]) -> bytes:
    """The beginning of a text, or where that is others' too, the place where it goes on otherwise."""
    shared = max((_shared(text, other) for other in others), default=0)
    if shared == len(text):
        return b""
    start = 0 if shared < LENGTH else shared - LENGTH // 2
    return text[start : start + LENGTH]


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two texts have in common at their beginning."""
    shortest = min(len(one), len(other))
    return next((place for place in range(shortest) if one[place] != other[place]), shortest)


def _found(descriptor: int, needles: Sequence[bytes]) -> bool:
    return any(part.find(needle) >= 0 for part in _parts(descriptor) for needle in needles)


def _parts(descriptor: int) -> Iterator[bytes]:
    """The bytes of a file, each part beginning with the end of the one before."""
    place, tail = 0, b""
    while chunk := os.pread(descriptor, CHUNK, place):
        yield tail + chunk
        place += len(chunk)
        tail = chunk[-LENGTH:]

"""Looking for what should be gone: are the bytes of a text still in the files?

`secure_delete` zeroes what is deleted, but SQLite may have copied a cell to a neighbouring page before; the copy left
behind lies in no cell and would stay. Only a look at the bytes tells, and only then is the file written anew.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

import anyio.to_thread

NEEDLES = 64  # texts searched for one by one; for more, the longest stand for all
LENGTH = 48  # bytes of a text that are searched for: cells are split over pages at larger sizes
SHORTEST = 4  # a shorter text cannot be told from chance


async def holds(path: Path, texts: Sequence[str]) -> bool:
    """Whether any of `texts` can be found in the bytes of the database file or of its write-ahead log."""
    needles = {text.encode()[:LENGTH] for text in sorted(set(texts), key=len, reverse=True)[:NEEDLES]}
    wanted = [needle for needle in needles if len(needle) >= SHORTEST]
    files = [path, path.with_name(path.name + "-wal")]
    return bool(wanted) and await anyio.to_thread.run_sync(_search, files, wanted)


def _search(files: Sequence[Path], needles: Sequence[bytes]) -> bool:
    for file in files:
        if not file.exists() or not file.stat().st_size:
            continue
        with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if any(content.find(needle) >= 0 for needle in needles):
                return True
    return False

"""Whether a database is sound: the file itself, and rows that no operation would have left. For `doctor`."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import aiosqlite

from . import writes
from .database import FILE, open_database
from .failures import storage_error
from .rows import to_micros
from .sqlite import SqliteStore

PROBLEMS = 10  # of a damaged file, more need not be read

# rows that must not be, each with the condition under which one is wrong
_STRAYS: Mapping[str, tuple[str, str]] = {
    "terms": ("terms", "seq NOT IN (SELECT seq FROM items)"),
    "vectors": ("vectors", "seq NOT IN (SELECT seq FROM items)"),
    "jobs": ("jobs", "seq NOT IN (SELECT seq FROM items)"),
    "sources": (
        "sources",
        "derived NOT IN (SELECT seq FROM items) OR source NOT IN (SELECT seq FROM items)",
    ),
    "misshapen vectors": (
        "vectors",
        "length(vector) != 2 * (SELECT dims FROM models WHERE models.id = vectors.model)",
    ),
}
_FORGOTTEN = "SELECT seq, content FROM items WHERE id IN (SELECT id FROM tombstones)"
_UNGROUNDED = (
    "SELECT seq, content FROM items WHERE kind IN ('fact', 'summary') AND NOT EXISTS "
    "(SELECT 1 FROM sources JOIN items AS said ON said.seq = source WHERE derived = items.seq)"
)


def damage(folder: Path) -> list[str]:
    """What SQLite finds wrong with the file, at most `PROBLEMS` sentences; empty for a sound one."""
    try:
        with closing(_reader(folder)) as connection:
            found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({PROBLEMS})")]
    except sqlite3.Error as error:
        return [str(storage_error(error))]
    return [] if found == ["ok"] else found


def strays(folder: Path) -> dict[str, int]:
    """How many rows there are that must not be, by what they are: without their item, of the wrong size, of a
    forgotten item that is here all the same, drawn from nothing that is here. Raises `StorageError`s."""
    counts = {name: f"SELECT count(*) FROM {table} WHERE {wrong}" for name, (table, wrong) in _STRAYS.items()}
    counts["forgotten items"] = f"SELECT count(*) FROM ({_FORGOTTEN})"
    counts["ungrounded items"] = f"SELECT count(*) FROM ({_UNGROUNDED})"
    try:
        with closing(_reader(folder)) as connection:
            found = {name: int(connection.execute(sql).fetchone()[0]) for name, sql in counts.items()}
    except sqlite3.Error as error:
        raise storage_error(error) from error
    return {name: count for name, count in found.items() if count}


def newest(folder: Path) -> datetime | None:
    """When the newest item was said or stored. Raises `StorageError`s."""
    try:
        with closing(_reader(folder)) as connection:
            (micros,) = connection.execute("SELECT max(created_at) FROM items").fetchone()
    except sqlite3.Error as error:
        raise storage_error(error) from error
    return None if micros is None else datetime.fromtimestamp(micros / 1e6, timezone.utc)


async def mend(folder: Path) -> None:
    """Remove the rows that must not be, and build the database's own indexes anew.

    What was forgotten goes, and what was drawn from nothing that is here. Raises `StorageError`s."""
    now = to_micros(datetime.now(timezone.utc))
    texts: list[str] = []

    async def work(connection: aiosqlite.Connection) -> None:
        for table, wrong in _STRAYS.values():
            await connection.execute(f"DELETE FROM {table} WHERE {wrong}")
        doomed = []
        for sql in (_FORGOTTEN, _UNGROUNDED):
            async with connection.execute(sql) as cursor:
                doomed += [(row[0], row[1]) for row in await cursor.fetchall()]
        await writes.remove(connection, [seq for seq, _ in doomed], True, now)
        texts.extend(text for _, text in doomed)
        await connection.execute("REINDEX")

    async with open_database(folder, exclusive=False) as database:
        await database.write(work)
        if texts:
            await SqliteStore(database).purge(texts)


def _reader(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{(folder / FILE).absolute().as_uri()}?mode=ro", uri=True, timeout=10)
    connection.execute("PRAGMA query_only = ON")
    return connection

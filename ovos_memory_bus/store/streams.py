"""Everything in the store a page at a time, and what comes from another store: the SQL behind export and import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import aiosqlite

from .base import Holding, Known, Record, Tombstone
from .rows import ITEM_COLUMNS, from_micros, to_item, to_micros
from .writes import marks, select_in, withheld

_SOURCES = (
    "SELECT derived, id FROM sources JOIN items ON seq = source WHERE derived BETWEEN ? AND ? ORDER BY derived, source"
)
_VECTORS = (
    "SELECT seq, name, vector FROM vectors JOIN models ON id = model "
    "WHERE seq BETWEEN ? AND ? ORDER BY seq, name, piece"
)
_SESSIONS = (
    "SELECT owner, session_id, sum(NOT history_only), max(created_at), (SELECT count(*) FROM pauses AS p "
    "WHERE p.owner = i.owner AND p.session_id = i.session_id AND (until IS NULL OR until > ?)) "
    "FROM items AS i GROUP BY owner, session_id ORDER BY max(created_at) DESC"
)


async def holdings(connection: aiosqlite.Connection, now: int) -> list[Holding]:
    """What each owner has, the newest first."""
    owners: dict[str, list[Any]] = {}
    for row in await _rows(connection, _SESSIONS, (now,)):
        owners.setdefault(row[0], []).append(row)
    return [
        Holding(
            owner=owner,
            items=sum(row[2] for row in rows),
            newest=from_micros(rows[0][3]),
            sessions=tuple(row[1] for row in rows),
            paused=tuple(row[1] for row in rows if row[4]),
        )
        for owner, rows in owners.items()
    ]


async def known(connection: aiosqlite.Connection, ids: Sequence[str]) -> Known:
    """Which of `ids` are items, and which tombstones name."""
    present = await select_in(connection, "SELECT id FROM items WHERE id IN ({})", ids)
    forgotten = await select_in(connection, "SELECT id FROM tombstones WHERE id IN ({})", ids)
    return Known(frozenset(row[0] for row in present), frozenset(row[0] for row in forgotten))


async def records(
    connection: aiosqlite.Connection, after: int, limit: int, derived: bool, jobs: Sequence[str], vectors: bool
) -> list[Record]:
    """The next items by seq, all of them derived or none."""
    whether = "EXISTS" if derived else "NOT EXISTS"
    rows = await _rows(
        connection,
        f"SELECT {ITEM_COLUMNS}, history_only FROM items WHERE seq > ? "
        f"AND {whether} (SELECT 1 FROM sources WHERE derived = items.seq) ORDER BY seq LIMIT ?",
        (after, limit),
    )
    if not rows:
        return []
    span = (rows[0][0], rows[-1][0])
    sources: dict[int, list[str]] = {}
    for seq, id_ in await _rows(connection, _SOURCES, span) if derived else ():
        sources.setdefault(seq, []).append(id_)
    waiting: dict[int, list[str]] = {}
    sql = f"SELECT seq, kind FROM jobs WHERE kind IN ({marks(jobs)}) AND failed = 0 AND seq BETWEEN ? AND ?"
    for seq, kind in await _rows(connection, sql, (*jobs, *span)):
        waiting.setdefault(seq, []).append(kind)
    pieces: dict[int, dict[str, tuple[bytes, ...]]] = {}
    for seq, model, vector in await _rows(connection, _VECTORS, span) if vectors else ():
        held = pieces.setdefault(seq, {})
        held[model] = (*held.get(model, ()), vector)
    marked = await withheld(connection, [row[0] for row in rows])
    return [
        Record(
            item=to_item(row[:-1]),
            history_only=bool(row[-1]),
            sources=tuple(sources.get(row[0], ())),
            jobs=tuple(waiting.get(row[0], ())),
            vectors=pieces.get(row[0], {}),
            withheld=tuple(sorted(marked[row[0]])),
        )
        for row in rows
    ]


async def tombstones(connection: aiosqlite.Connection, after: str, limit: int) -> list[Tombstone]:
    """The next tombstones by id."""
    sql = "SELECT id, owner, forgotten_at FROM tombstones WHERE id > ? ORDER BY id LIMIT ?"
    rows = await _rows(connection, sql, (after, limit))
    return [Tombstone(id_, owner, from_micros(at)) for id_, owner, at in rows]


async def entomb(connection: aiosqlite.Connection, stones: Sequence[Tombstone]) -> int:
    """Insert tombstones of items that are not here.

    They name nothing that an index of this place can hold, so they take no seq and no change that one would see."""
    cursor = await connection.executemany(
        "INSERT OR IGNORE INTO tombstones (id, seq, owner, change, forgotten_at) "
        "SELECT ?1, 0, ?2, 0, ?3 WHERE NOT EXISTS (SELECT 1 FROM items WHERE id = ?1)",
        [(stone.id, stone.owner, to_micros(stone.forgotten_at)) for stone in stones],
    )
    return cursor.rowcount


async def models(connection: aiosqlite.Connection) -> dict[str, int]:
    """Dimensions by the model's name."""
    return {name: dims for name, dims in await _rows(connection, "SELECT name, dims FROM models", ())}


async def _rows(connection: aiosqlite.Connection, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    async with connection.execute(sql, values) as cursor:
        return [tuple(row) for row in await cursor.fetchall()]

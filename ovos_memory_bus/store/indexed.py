"""Words and vectors of items as they are stored, and the jobs that made them: run inside one transaction of the writer.

What was made of an item that has changed meanwhile is not stored; its job stays and does it anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import aiosqlite

from . import writes
from .base import Added, NewItem
from .rows import to_micros
from .writes import one, select_in

BYTES = 2  # of one number of a vector


async def merge(connection: aiosqlite.Connection, items: Sequence[NewItem], revive: bool, now: int) -> Added:
    """Store items that come from elsewhere, with the vectors they bring."""
    added = await writes.merge(connection, items, revive, now)
    vectors = {item.id: item.vectors for item in items}
    rows: dict[str, dict[int, tuple[bytes, ...]]] = {}
    for id_, seq in zip(added.ids, added.seqs, strict=True):
        for model, pieces in vectors[id_].items():
            rows.setdefault(model, {})[seq] = pieces
    for model, by_seq in rows.items():
        dims = len(next(iter(by_seq.values()))[0]) // BYTES
        await save_vectors(connection, model, dims, by_seq, None, {})
    return added


async def save_terms(
    connection: aiosqlite.Connection,
    rows: Mapping[int, bytes],
    scheme: int,
    done: str | None,
    seen: Mapping[int, datetime],
) -> None:
    """Term hashes in place of earlier ones."""
    kept = await _still(connection, rows, seen)
    await connection.executemany(
        "INSERT OR REPLACE INTO terms (seq, scheme, hashes) VALUES (?, ?, ?)",
        [(seq, scheme, rows[seq]) for seq in kept],
    )
    await finish(connection, done, kept)


async def save_vectors(
    connection: aiosqlite.Connection,
    model: str,
    dims: int,
    rows: Mapping[int, Sequence[bytes]],
    done: str | None,
    seen: Mapping[int, datetime],
) -> frozenset[int]:
    """A model's vectors in place of its earlier ones; whose they are."""
    kept = await _still(connection, rows, seen)
    await connection.execute("INSERT OR IGNORE INTO models (name, dims) VALUES (?, ?)", (model, dims))
    number = await one(connection, "SELECT id FROM models WHERE name = ?", (model,))
    await connection.executemany("DELETE FROM vectors WHERE model = ? AND seq = ?", [(number, seq) for seq in kept])
    await connection.executemany(
        "INSERT INTO vectors (model, seq, piece, vector) VALUES (?, ?, ?, ?)",
        [(number, seq, piece, vector) for seq in kept for piece, vector in enumerate(rows[seq])],
    )
    await finish(connection, done, kept)
    return frozenset(kept)


async def without_vectors(connection: aiosqlite.Connection, model: str, job: str, now: int) -> int:
    """Queue a job for every item that has no vector of the model; how many."""
    number = await one(connection, "SELECT id FROM models WHERE name = ?", (model,)) or -1
    cursor = await connection.execute(
        "INSERT OR IGNORE INTO jobs (kind, seq, created_at) SELECT ?, seq, ? FROM items WHERE history_only = 0 "
        "AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.seq = items.seq AND model = ?)",
        (job, now, number),
    )
    return cursor.rowcount


async def finish(connection: aiosqlite.Connection, kind: str | None, seqs: Sequence[int]) -> None:
    """End the jobs of a kind; None is no job."""
    if kind is not None:
        await connection.executemany("DELETE FROM jobs WHERE kind = ? AND seq = ?", [(kind, seq) for seq in seqs])


async def _still(connection: aiosqlite.Connection, seqs: Iterable[int], seen: Mapping[int, datetime]) -> list[int]:
    """Those of `seqs` that can be found and, where they are in `seen`, have not changed since."""
    sql = "SELECT seq, updated_at FROM items WHERE history_only = 0 AND seq IN ({})"
    rows = await select_in(connection, sql, list(seqs))
    return [seq for seq, updated in rows if seq not in seen or to_micros(seen[seq]) == updated]

"""The writing side of the SQLite store: functions that run whole inside one transaction of the writer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import aiosqlite

from ..errors import InvalidRequest
from ..messages.fields import MAX_METADATA
from ..records import Item
from .base import Added, Drawn, NewItem, Removed
from .rows import ITEM_COLUMNS, PARAMETERS, to_item, to_json, to_micros

READ = ("content", "lang", "name")  # what an item's words, vectors, facts and summaries are made from
# Where rows of a page go, SQLite moves their neighbours to another page and leaves copies behind; a text overwritten in
# place by as many zeros cannot be copied any more when its row goes in turn.
_BLANK = (
    "UPDATE items SET content = zeroblob(length(CAST(content AS BLOB))), "
    "metadata = zeroblob(length(CAST(metadata AS BLOB)))"
)
REQUESTS_KEPT = 7 * 86_400_000_000  # µs that a request id is remembered


def chunks(values: Sequence[Any], size: int = PARAMETERS) -> Iterable[Sequence[Any]]:
    """`values` in parts of at most `size`, as many as one statement may bind."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def marks(values: Sequence[Any]) -> str:
    """`?, ?, …` for an IN list."""
    return ", ".join("?" * len(values))


async def one(connection: aiosqlite.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, or None."""
    async with connection.execute(sql, values) as cursor:
        row = await cursor.fetchone()
    return row[0] if row else None


async def select_in(connection: aiosqlite.Connection, sql: str, values: Sequence[Any], *before: Any) -> list[Any]:
    """All rows of `sql` with `{}` standing for an IN list of any length, and what is bound `before` it."""
    rows: list[Any] = []
    for part in chunks(values, PARAMETERS - len(before)):
        async with connection.execute(sql.format(marks(part)), (*before, *part)) as cursor:
            rows.extend(await cursor.fetchall())
    return rows


async def take_numbers(connection: aiosqlite.Connection, count: int) -> int:
    """The first of `count` new numbers of the clock: they order changes, never repeat and serve as seqs."""
    last: int = await one(connection, "UPDATE clock SET change = change + ? RETURNING change", (count,))
    return last - count + 1


async def add(connection: aiosqlite.Connection, items: Sequence[NewItem], request: str | None, now: int) -> Added:
    """Insert `items` and their jobs, unless `request` was stored before."""
    digest = hashlib.sha256((request or "").encode()).digest()
    owner = items[0].owner if items else ""
    if request:
        ids = await one(connection, "SELECT ids FROM requests WHERE owner = ? AND digest = ?", (owner, digest))
        if ids is not None:
            return Added(tuple(json.loads(ids)), repeated=True)
    seqs = await _insert(connection, items, now)
    if request:
        row = (owner, digest, json.dumps([item.id for item in items]), now)
        await connection.execute("INSERT INTO requests VALUES (?, ?, ?, ?)", row)
        await connection.execute("DELETE FROM requests WHERE at < ?", (now - REQUESTS_KEPT,))
    return Added(tuple(item.id for item in items), seqs)


async def merge(connection: aiosqlite.Connection, items: Sequence[NewItem], revive: bool, now: int) -> Added:
    """Insert those of `items` that are not here, not forgotten and not without a source."""
    ids = [item.id for item in items]
    known = {row[0] for row in await select_in(connection, "SELECT id FROM items WHERE id IN ({})", ids)}
    if revive:
        for part in chunks(ids):
            await connection.execute(f"DELETE FROM tombstones WHERE id IN ({marks(part)})", part)
    else:
        known |= {row[0] for row in await select_in(connection, "SELECT id FROM tombstones WHERE id IN ({})", ids)}
    absent = [item for item in {item.id: item for item in items}.values() if item.id not in known]
    fresh = [item for item in absent if not item.drawn_from]
    seqs = await _insert(connection, fresh, now)
    grounded = await _with_sources(connection, [item for item in absent if item.drawn_from])
    seqs += await _insert(connection, grounded, now)
    fresh += grounded
    hidden = [(seq,) for seq, item in zip(seqs, fresh, strict=True) if item.history_only]
    await connection.executemany("UPDATE items SET history_only = 1 WHERE seq = ?", hidden)
    held = [(seq, mark) for seq, item in zip(seqs, fresh, strict=True) for mark in item.withheld]
    await connection.executemany("INSERT OR IGNORE INTO withheld VALUES (?, ?)", held)
    return Added(tuple(item.id for item in fresh), seqs)


async def _with_sources(connection: aiosqlite.Connection, items: Sequence[NewItem]) -> list[NewItem]:
    """The items that may stand here, the seqs of what they were drawn from found by id.

    What was drawn from turns that are not here has no ground here. A summary stands for its turns alone: where one of
    this place covers them, an older one must not come beside it."""
    named = sorted({id_ for item in items for id_ in item.drawn_from})
    seqs = dict(await select_in(connection, "SELECT id, seq FROM items WHERE id IN ({})", named))
    sql = (
        "SELECT s.source FROM sources s JOIN items i ON i.seq = s.derived AND i.kind = 'summary' WHERE s.source IN ({})"
    )
    summed = {row[0] for row in await select_in(connection, sql, list(seqs.values()))}
    found = []
    for item in items:
        sources = tuple(seqs[id_] for id_ in item.drawn_from if id_ in seqs)
        if sources and not (item.kind == "summary" and summed.intersection(sources)):
            found.append(replace(item, sources=sources))
    return found


async def _insert(connection: aiosqlite.Connection, items: Sequence[NewItem], now: int) -> tuple[int, ...]:
    if not items:
        return ()
    first = await take_numbers(connection, len(items))
    seqs = tuple(range(first, first + len(items)))
    await connection.executemany(
        f"INSERT INTO items ({ITEM_COLUMNS}, change) VALUES ({marks(range(16))})",
        [_row(seq, item, now) for seq, item in zip(seqs, items, strict=True)],
    )
    sources = [(seq, source) for seq, item in zip(seqs, items, strict=True) for source in item.sources]
    if sources:
        await connection.executemany("INSERT OR IGNORE INTO sources VALUES (?, ?)", sources)
    jobs = [(kind, seq, now) for seq, item in zip(seqs, items, strict=True) for kind in item.jobs]
    if jobs:
        await connection.executemany("INSERT OR IGNORE INTO jobs (kind, seq, created_at) VALUES (?, ?, ?)", jobs)
    return seqs


def _row(seq: int, item: NewItem, now: int) -> tuple[Any, ...]:
    created = to_micros(item.created_at) if item.created_at else now
    updated = to_micros(item.updated_at) if item.updated_at else created
    labels = (item.lang, item.name, item.agent_id, item.graph_id, item.task_id)
    head = (seq, item.id, item.owner, item.session_id, item.kind, item.role, item.content)
    return (*head, *labels, to_json(item.metadata), created, updated, seq)


async def update(
    connection: aiosqlite.Connection,
    id_: str,
    owner: str | None,
    values: Mapping[str, Any],
    jobs: Sequence[str],
    now: int,
) -> Item | None:
    """Change columns of one item; what is read otherwise now voids its words, vectors and what was drawn from it."""
    text = f"SELECT {ITEM_COLUMNS} FROM items WHERE id = ? AND history_only = 0"
    async with connection.execute(
        text + (" AND owner = ?" if owner else ""), (id_, owner) if owner else (id_,)
    ) as cursor:
        row = await cursor.fetchone()
    if row is None:
        return None
    before = to_item(row)
    columns = {**values, "updated_at": now, "change": await take_numbers(connection, 1)}
    if "metadata" in columns:
        columns["metadata"] = to_json({**before.metadata, **columns["metadata"]})
        if len(columns["metadata"]) > max(MAX_METADATA, len(to_json(before.metadata))):
            raise InvalidRequest(f"metadata would be larger than {MAX_METADATA} characters as JSON", "metadata")
    assignments = ", ".join(f"{column} = ?" for column in columns)
    await connection.execute(f"UPDATE items SET {assignments} WHERE seq = ?", (*columns.values(), before.seq))
    if any(values.get(column, getattr(before, column)) != getattr(before, column) for column in READ):
        await connection.execute("DELETE FROM terms WHERE seq = ?", (before.seq,))
        await connection.execute("DELETE FROM vectors WHERE seq = ?", (before.seq,))
        await remove(connection, await derived_from(connection, [before.seq]), True, now)
        rows = [(kind, before.seq, now) for kind in jobs]
        await connection.executemany("INSERT OR REPLACE INTO jobs (kind, seq, created_at) VALUES (?, ?, ?)", rows)
    async with connection.execute(text, (id_,)) as cursor:
        row = await cursor.fetchone()
    return to_item(row) if row else None


async def derived_from(connection: aiosqlite.Connection, seqs: Sequence[int]) -> list[int]:
    """The items drawn from these, and from those in turn."""
    found: set[int] = set()
    frontier = list(seqs)
    while frontier:
        rows = await select_in(connection, "SELECT DISTINCT derived FROM sources WHERE source IN ({})", frontier)
        frontier = [row[0] for row in rows if row[0] not in found]
        found.update(frontier)
    return sorted(found - set(seqs))


async def remove(
    connection: aiosqlite.Connection,
    seqs: Sequence[int],
    tombstones: bool,
    now: int,
    withhold: Mapping[int, Sequence[bytes]] | None = None,
) -> Removed:
    """Delete items and all drawn from them; what other sources of the latter still say is drawn anew."""
    derived = await derived_from(connection, seqs)
    doomed = sorted({*seqs, *derived})
    rows = await select_in(connection, "SELECT seq, id, owner FROM items WHERE seq IN ({})", doomed)
    if not rows:
        return Removed()
    await _withhold(connection, withhold or {})
    await _redraw(connection, set(doomed), now)
    change = await take_numbers(connection, 1)
    if tombstones:
        await connection.executemany(
            "INSERT OR REPLACE INTO tombstones (id, seq, owner, change, forgotten_at) VALUES (?, ?, ?, ?, ?)",
            [(id_, seq, owner, change, now) for seq, id_, owner in rows],
        )
    gone = [row[0] for row in rows]
    await _drop_jobs(connection, gone)
    for part in chunks(gone):
        await connection.execute(f"{_BLANK} WHERE seq IN ({marks(part)})", part)
    for part in chunks(gone):
        await connection.execute(f"DELETE FROM sources WHERE source IN ({marks(part)})", part)
        await connection.execute(f"DELETE FROM items WHERE seq IN ({marks(part)})", part)
    return Removed(tuple(row[1] for row in rows), tuple(gone))


async def _drop_jobs(connection: aiosqlite.Connection, seqs: Sequence[int]) -> None:
    """Nothing is to be done on these items any more. Jobs are found by their kind first."""
    async with connection.execute("SELECT DISTINCT kind FROM jobs") as cursor:
        kinds = [row[0] for row in await cursor.fetchall()]
    for part in chunks(seqs, PARAMETERS - len(kinds)):
        sql = f"DELETE FROM jobs WHERE kind IN ({marks(kinds)}) AND seq IN ({marks(part)})"
        await connection.execute(sql, (*kinds, *part))


async def _redraw(connection: aiosqlite.Connection, doomed: set[int], now: int) -> None:
    """Queue what else the doomed were drawn from again, each for the kind of work that drew it; but for what goes by
    itself, while its sources stay, none are queued."""
    drawn = await select_in(connection, "SELECT DISTINCT derived FROM sources WHERE source IN ({})", sorted(doomed))
    sql = "SELECT DISTINCT s.source, i.kind FROM sources s JOIN items i ON i.seq = s.derived WHERE s.derived IN ({})"
    sources = await select_in(connection, sql, [row[0] for row in drawn])
    rows = [(kind, source, now) for source, kind in sources if source not in doomed]
    if rows:
        await connection.executemany("INSERT OR IGNORE INTO jobs (kind, seq, created_at) VALUES (?, ?, ?)", rows)


async def _withhold(connection: aiosqlite.Connection, marks: Mapping[int, Sequence[bytes]]) -> None:
    """Keep the marks of derived items with their sources."""
    await connection.executemany(
        "INSERT OR IGNORE INTO withheld SELECT source, ? FROM sources JOIN items ON seq = source WHERE derived = ?",
        [(mark, derived) for derived, held in marks.items() for mark in held],
    )


async def withheld(connection: aiosqlite.Connection, seqs: Sequence[int]) -> dict[int, frozenset[bytes]]:
    """The marks kept with items."""
    found: dict[int, set[bytes]] = {seq: set() for seq in seqs}
    for source, mark in await select_in(connection, "SELECT source, mark FROM withheld WHERE source IN ({})", seqs):
        found[source].add(mark)
    return {seq: frozenset(held) for seq, held in found.items()}


async def _in_vain(connection: aiosqlite.Connection, drawn: Drawn) -> bool:
    """Whether something was drawn from what has changed meanwhile, or others did the same work."""
    rows = await select_in(connection, "SELECT seq, updated_at FROM items WHERE seq IN ({})", list(drawn.seen))
    if any(to_micros(drawn.seen[seq]) != updated for seq, updated in rows):
        return True
    if await withheld(connection, list(drawn.withheld)) != drawn.withheld:
        return True
    for kind in {kind for kind, _ in drawn.done}:
        wanted = {seq for other, seq in drawn.done if other == kind}
        sql = "SELECT seq FROM jobs WHERE kind = ? AND seq IN ({})"
        if {row[0] for row in await select_in(connection, sql, list(wanted), kind)} != wanted:
            return True
    return False


async def draw(connection: aiosqlite.Connection, drawn: Drawn, now: int) -> None:
    """Store what was drawn from items, and end the jobs that drew it, unless it was drawn in vain."""
    if await _in_vain(connection, drawn):
        return
    named = sorted({source for item in drawn.adds for source in item.sources})
    present = {row[0] for row in await select_in(connection, "SELECT seq FROM items WHERE seq IN ({})", named)}
    await _insert(connection, [item for item in drawn.adds if present.issuperset(item.sources)], now)
    change = await take_numbers(connection, 1)
    await connection.executemany(
        "UPDATE items SET metadata = ?, updated_at = ?, change = ? WHERE seq = ?",
        [(to_json(metadata), now, change, seq) for seq, metadata in drawn.metadata.items()],
    )
    await connection.executemany(
        "INSERT OR IGNORE INTO sources SELECT ?, seq FROM items WHERE seq = ? "
        "AND EXISTS (SELECT 1 FROM items WHERE seq = ?)",
        [(derived, source, derived) for derived, source in drawn.sources],
    )
    if drawn.removes:
        await remove(connection, drawn.removes, True, now)  # indexes learn of it by the tombstone
    await connection.executemany("DELETE FROM jobs WHERE kind = ? AND seq = ?", drawn.done)


async def hide(connection: aiosqlite.Connection, seqs: Sequence[int], now: int) -> Removed:
    """Take items out of all but their session's history, and remove what was drawn from them."""
    derived = await remove(connection, await derived_from(connection, seqs), True, now)
    change = await take_numbers(connection, 1)
    rows = await select_in(connection, "SELECT seq, id FROM items WHERE history_only = 0 AND seq IN ({})", seqs)
    await _drop_jobs(connection, [row[0] for row in rows])
    for part in chunks([row[0] for row in rows]):
        update_rows = f"UPDATE items SET history_only = 1, change = ? WHERE seq IN ({marks(part)})"
        await connection.execute(update_rows, (change, *part))
        for table in ("terms", "vectors"):
            await connection.execute(f"DELETE FROM {table} WHERE seq IN ({marks(part)})", part)
    return Removed((*(row[1] for row in rows), *derived.ids), (*(row[0] for row in rows), *derived.seqs))

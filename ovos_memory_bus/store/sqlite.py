"""The store on SQLite: the default, which needs no other service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from ..filters import ItemFilter
from ..records import Item
from . import indexed, queue, streams, writes
from .base import Added, Changes, Drawn, Holding, Job, Known, NewItem, Page, Queue, Record, Removed, Tombstone
from .database import Database, Work, open_database
from .residue import LENGTH, needles
from .rows import ITEM_COLUMNS, OUTLINE_COLUMNS, all_of, condition, to_item, to_micros, to_outline
from .writes import one, select_in

T = TypeVar("T")


def _now() -> int:
    return to_micros(datetime.now(timezone.utc))


class SqliteStore:
    """A `Store` (see base.py for the contract) over one `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._change = 0

    @property
    def change(self) -> int:
        return self._change

    async def refresh(self) -> int:
        async with self._database.read() as connection:
            self._change = max(self._change, await one(connection, "SELECT change FROM clock"))
        return self._change

    async def _write(self, work: Work[T]) -> T:
        """Run `work`, then know the change it made."""
        change = 0

        async def counted(connection: aiosqlite.Connection) -> T:
            nonlocal change
            result = await work(connection)
            change = await one(connection, "SELECT change FROM clock")
            return result

        result = await self._database.write(counted)
        self._change = max(self._change, change)
        return result

    # -- items

    async def add(self, items: Sequence[NewItem], request: str | None = None) -> Added:
        return await self._write(lambda connection: writes.add(connection, items, request, _now()))

    async def merge(self, items: Sequence[NewItem], *, revive: bool = False) -> Added:
        return await self._write(lambda writer: indexed.merge(writer, items, revive, _now()))

    async def get(self, ids: Sequence[str], owner: str | None, *, hidden: bool = False) -> list[Item]:
        async with self._database.read() as connection:
            sql = f"SELECT {ITEM_COLUMNS} FROM items WHERE history_only <= {hidden:d} AND id IN ({{}})"
            rows = await select_in(connection, sql, list(ids))
        found = {item.id: item for item in await all_of(rows, to_item)}
        return [found[id_] for id_ in ids if id_ in found and owner in (None, found[id_].owner)]

    async def by_seq(self, seqs: Iterable[int]) -> dict[int, Item]:
        async with self._database.read() as connection:
            sql = f"SELECT {ITEM_COLUMNS} FROM items WHERE history_only = 0 AND seq IN ({{}})"
            rows = await select_in(connection, sql, [*seqs])
        return {item.seq: item for item in await all_of(rows, to_item)}

    async def page(
        self, owner: str | None, where: ItemFilter, *, order_by: str, descending: bool, limit: int, offset: int
    ) -> Page:
        text, values = condition(owner, where)
        direction = "DESC" if descending else "ASC"
        column = {"created_at": "created_at", "updated_at": "updated_at"}[order_by]
        order = f"{column} {direction}, seq {direction}"
        sql = f"SELECT {ITEM_COLUMNS} FROM items WHERE {text} ORDER BY {order} LIMIT ? OFFSET ?"
        async with self._database.read() as connection:
            total = await one(connection, f"SELECT count(*) FROM items WHERE {text}", values)
            rows = await connection.execute_fetchall(sql, (*values, limit, offset))
        return Page(tuple(await all_of(rows, to_item)), total)

    async def matching(self, owner: str | None, where: ItemFilter) -> list[int]:
        text, values = condition(owner, where)
        return await self._column(f"SELECT seq FROM items WHERE {text} ORDER BY seq", values)

    async def everything(self, owner: str | None, where: ItemFilter) -> list[Item]:
        text, values = condition(owner, where, hidden=True)
        sql = f"SELECT {ITEM_COLUMNS} FROM items WHERE {text} ORDER BY seq"
        return await self._items(sql, values)

    async def hidden(self, owner: str | None, where: ItemFilter) -> list[Item]:
        text, values = condition(owner, where, hidden=True)
        return await self._items(f"SELECT {ITEM_COLUMNS} FROM items WHERE history_only = 1 AND {text}", values)

    async def history(
        self, owner: str, session_id: str, agent_id: str | None, limit: int, *, hidden: bool = True
    ) -> list[Item]:
        agent = " AND agent_id = ?" if agent_id else ""
        shown = "" if hidden else " AND history_only = 0"
        sql = (
            f"SELECT {ITEM_COLUMNS} FROM items WHERE session_id = ? AND owner = ? AND kind = 'turn'{agent}{shown} "
            "ORDER BY created_at DESC, seq DESC LIMIT ?"
        )
        values = (session_id, owner, *([agent_id] if agent_id else []), limit)
        return (await self._items(sql, values))[::-1]

    async def update(self, id: str, owner: str | None, values: Mapping[str, Any], jobs: Sequence[str]) -> Item | None:
        return await self._write(lambda connection: writes.update(connection, id, owner, values, jobs, _now()))

    async def draw(self, drawn: Drawn) -> None:
        await self._write(lambda connection: writes.draw(connection, drawn, _now()))

    async def of_kind(self, owner: str | None, kind: str, session_id: str | None = None) -> list[Item]:
        text, values = condition(owner, ItemFilter(kinds=(kind,), session_id=session_id))
        sql = f"SELECT {ITEM_COLUMNS} FROM items WHERE {text} ORDER BY seq"
        return await self._items(sql, values)

    async def sources_of(self, seqs: Sequence[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        async with self._database.read() as connection:
            sql = "SELECT derived, source FROM sources WHERE derived IN ({}) ORDER BY derived, source"
            for derived, source in await select_in(connection, sql, seqs):
                found.setdefault(derived, []).append(source)
        return found

    async def drawn_from(self, seqs: Sequence[int]) -> list[Item]:
        async with self._database.read() as connection:
            derived = await writes.derived_from(connection, seqs)
        return list((await self.by_seq(derived)).values())

    async def remove(
        self, seqs: Sequence[int], *, tombstones: bool = True, withhold: Mapping[int, Sequence[bytes]] | None = None
    ) -> Removed:
        return await self._write(lambda connection: writes.remove(connection, seqs, tombstones, _now(), withhold))

    async def withheld(self, seqs: Sequence[int]) -> dict[int, frozenset[bytes]]:
        async with self._database.read() as connection:
            return await writes.withheld(connection, seqs)

    async def hide(self, seqs: Sequence[int]) -> Removed:
        return await self._write(lambda connection: writes.hide(connection, seqs, _now()))

    async def purge(self, texts: Sequence[str]) -> bool:
        emptied = await self._database.truncate_log()
        residue, wanted = self._database.residue, needles(texts)
        if await residue.holds(wanted) and await residue.holds(needles(texts, await self._alike(wanted))):
            await self._database.vacuum()
            emptied = await self._database.truncate_log()
        return emptied

    async def _alike(self, heads: Sequence[bytes]) -> set[str]:
        """The texts in the store that begin so."""
        found: set[str] = set()
        async with self._database.read() as connection:
            for column in ("content", "metadata"):
                sql = f"SELECT DISTINCT {column} FROM items WHERE substr(CAST({column} AS BLOB), 1, {LENGTH}) IN ({{}})"
                found.update(row[0] for row in await select_in(connection, sql, heads))
        return found

    # -- copies in other places

    async def known(self, ids: Sequence[str]) -> Known:
        async with self._database.read() as connection:
            return await streams.known(connection, ids)

    async def records(
        self, after: int, limit: int, *, derived: bool, jobs: Sequence[str] = (), vectors: bool = False
    ) -> list[Record]:
        async with self._database.read() as connection:
            return await streams.records(connection, after, limit, derived, jobs, vectors)

    async def tombstones(self, after: str, limit: int) -> list[Tombstone]:
        async with self._database.read() as connection:
            return await streams.tombstones(connection, after, limit)

    async def entomb(self, tombstones: Sequence[Tombstone]) -> int:
        return await self._write(lambda connection: streams.entomb(connection, tombstones))

    async def models(self) -> dict[str, int]:
        async with self._database.read() as connection:
            return await streams.models(connection)

    # -- what indexes need

    async def changes(self, owner: str | None, since: int) -> Changes:
        whose, values = ("owner = ? AND ", (owner,)) if owner is not None else ("", ())
        present = f"SELECT {OUTLINE_COLUMNS} FROM items WHERE {whose}change > ? AND history_only = 0 ORDER BY seq"
        gone = (
            f"SELECT seq FROM tombstones WHERE {whose}change > ? UNION "
            f"SELECT seq FROM items WHERE {whose}change > ? AND history_only = 1"
        )
        async with self._database.read() as connection:
            try:
                await connection.execute("BEGIN")  # one snapshot for all three reads
                change = await one(connection, "SELECT change FROM clock")
                rows = await connection.execute_fetchall(present, (*values, since))
                async with connection.execute(gone, (*values, since) * 2) as cursor:
                    removed = tuple(row[0] for row in await cursor.fetchall())
            finally:
                await connection.execute("ROLLBACK")
        return Changes(change, tuple(await all_of(rows, to_outline)), removed)

    async def terms(self, seqs: Sequence[int], scheme: int) -> dict[int, bytes]:
        async with self._database.read() as connection:
            rows = await select_in(
                connection, f"SELECT seq, hashes FROM terms WHERE scheme = {scheme:d} AND seq IN ({{}})", seqs
            )
        return dict(rows)

    async def save_terms(
        self,
        rows: Mapping[int, bytes],
        scheme: int,
        done: str | None = None,
        seen: Mapping[int, datetime] | None = None,
    ) -> None:
        await self._database.write(lambda writer: indexed.save_terms(writer, rows, scheme, done, seen or {}))

    async def vectors(self, model: str, seqs: Sequence[int]) -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {}
        async with self._database.read() as connection:
            number = await one(connection, "SELECT id FROM models WHERE name = ?", (model,))
            if number is None:
                return found
            sql = f"SELECT seq, vector FROM vectors WHERE model = {number:d} AND seq IN ({{}}) ORDER BY seq, piece"
            for seq, vector in await select_in(connection, sql, seqs):
                found.setdefault(seq, []).append(vector)
        return found

    async def save_vectors(
        self,
        model: str,
        dims: int,
        rows: Mapping[int, Sequence[bytes]],
        done: str | None = None,
        seen: Mapping[int, datetime] | None = None,
    ) -> frozenset[int]:
        return await self._database.write(
            lambda writer: indexed.save_vectors(writer, model, dims, rows, done, seen or {})
        )

    async def without_vectors(self, model: str, job: str) -> int:
        return await self._database.write(lambda writer: indexed.without_vectors(writer, model, job, _now()))

    # -- background work

    async def due(self, kind: str, limit: int) -> list[Job]:
        async with self._database.read() as connection:
            return await queue.due(connection, kind, limit, _now())

    async def finish(self, kind: str, seqs: Sequence[int]) -> None:
        await self._database.write(lambda writer: indexed.finish(writer, kind, seqs))

    async def postpone(self, kind: str, seq: int, delay: float | None) -> None:
        await self._database.write(lambda writer: queue.postpone(writer, kind, seq, delay, _now()))

    async def drop_jobs(self, kind: str, keep: int, max_age: float) -> None:
        await self._database.write(lambda writer: queue.drop(writer, kind, keep, max_age, _now()))

    async def queue(self, kinds: Sequence[str]) -> Queue:
        async with self._database.read() as connection:
            return await queue.figures(connection, kinds, _now())

    # -- the service

    async def sessions(self) -> list[tuple[str, str]]:
        sql = "SELECT DISTINCT owner, session_id FROM items"
        async with self._database.read() as connection, connection.execute(sql) as cursor:
            return [(owner, session_id) for owner, session_id in await cursor.fetchall()]

    async def holdings(self) -> list[Holding]:
        async with self._database.read() as connection:
            return await streams.holdings(connection, _now())

    async def counts(self) -> dict[str, int]:
        sql = "SELECT kind, count(*) FROM items WHERE history_only = 0 GROUP BY kind"
        async with self._database.read() as connection:
            async with connection.execute(sql) as cursor:
                found = {kind: count for kind, count in await cursor.fetchall()}
            found["owners"] = await one(connection, "SELECT count(DISTINCT owner) FROM items")
        return found

    async def pause(self, owner: str, session_id: str, until: datetime | None) -> None:
        row = (owner, session_id, to_micros(until) if until else None)

        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute("INSERT OR REPLACE INTO pauses VALUES (?, ?, ?)", row)

        await self._database.write(work)

    async def resume(self, owner: str, session_id: str) -> None:
        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute("DELETE FROM pauses WHERE owner = ? AND session_id = ?", (owner, session_id))

        await self._database.write(work)

    async def paused(self, owner: str, session_id: str) -> bool:
        sql = "SELECT 1 FROM pauses WHERE owner = ? AND session_id = ? AND (until IS NULL OR until > ?)"
        async with self._database.read() as connection:
            return await one(connection, sql, (owner, session_id, _now())) is not None

    async def _items(self, sql: str, values: Sequence[Any]) -> list[Item]:
        async with self._database.read() as connection:
            rows = await connection.execute_fetchall(sql, values)
        return await all_of(rows, to_item)

    async def _column(self, sql: str, values: Sequence[Any]) -> list[Any]:
        async with self._database.read() as connection, connection.execute(sql, values) as cursor:
            return [row[0] for row in await cursor.fetchall()]


@asynccontextmanager
async def open_store(folder: Path, *, queue: int = 256, exclusive: bool = True) -> AsyncIterator[SqliteStore]:
    """The store of `folder`, ready for use; see `open_database` for the errors raised."""
    async with open_database(folder, queue=queue, exclusive=exclusive) as database:
        store = SqliteStore(database)
        await store.refresh()
        yield store

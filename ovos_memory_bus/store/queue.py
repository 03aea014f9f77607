"""The SQL of the jobs that wait to be done: each function runs on a connection it is given. Times in µs since 1970."""

from __future__ import annotations

from collections.abc import Sequence

import aiosqlite

from .base import Job, Queue


async def due(connection: aiosqlite.Connection, kind: str, limit: int, now: int) -> list[Job]:
    """The next jobs of a kind, oldest items first."""
    sql = "SELECT seq, attempts FROM jobs WHERE kind = ? AND failed = 0 AND not_before <= ? ORDER BY seq LIMIT ?"
    async with connection.execute(sql, (kind, now, limit)) as cursor:
        return [Job(kind, seq, attempts) for seq, attempts in await cursor.fetchall()]


async def postpone(connection: aiosqlite.Connection, kind: str, seq: int, delay: float | None, now: int) -> None:
    """Try a job again after `delay` seconds; None gives it up."""
    await connection.execute(
        "UPDATE jobs SET attempts = attempts + 1, not_before = ?, failed = ? WHERE kind = ? AND seq = ?",
        (now + int((delay or 0) * 1e6), delay is None, kind, seq),
    )


async def drop(connection: aiosqlite.Connection, kind: str, keep: int, max_age: float, now: int) -> None:
    """Leave the newest `keep` jobs of a kind, none older than `max_age` seconds."""
    await connection.execute(
        "DELETE FROM jobs WHERE kind = ? AND (created_at < ? OR seq IN "
        "(SELECT seq FROM jobs WHERE kind = ? ORDER BY seq DESC LIMIT -1 OFFSET ?))",
        (kind, now - int(max_age * 1e6), kind, keep),
    )


async def figures(connection: aiosqlite.Connection, kinds: Sequence[str], now: int) -> Queue:
    """How much is left; jobs of other kinds than `kinds` wait."""
    sql = "SELECT kind, failed, count(*), min(created_at) FROM jobs GROUP BY kind, failed"
    async with connection.execute(sql) as cursor:
        rows = list(await cursor.fetchall())
    pending = [(count, born) for kind, failed, count, born in rows if not failed and kind in kinds]
    oldest = min((born for _, born in pending), default=None)
    return Queue(
        pending=sum(count for count, _ in pending),
        failed=sum(count for _, failed, count, _ in rows if failed),
        waiting=sum(count for kind, failed, count, _ in rows if not failed and kind not in kinds),
        oldest=0.0 if oldest is None else max(0.0, (now - oldest) / 1e6),
    )

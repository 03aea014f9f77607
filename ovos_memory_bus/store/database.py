"""SQLite connections: one writer that commits waiting work together, and a few readers that never wait for it."""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from ..errors import Busy, FolderInUse, MemoryBusError, ShuttingDown, StorageReadOnly
from .failures import storage_error
from .migrations import migrate
from .residue import Residue

LOG = logging.getLogger(__name__)
FILE = "memory.db"
BATCH = 128  # pieces of work in one commit at most
BUSY_TIMEOUT = 10.0  # seconds we wait for another process, e.g. an import beside the service
READER_TIMEOUT = 0.1  # seconds that emptying the log waits for one that reads

T = TypeVar("T")
Work = Callable[[aiosqlite.Connection], Awaitable[T]]


@dataclass(slots=True)
class _Job:
    """One piece of work, and where its result or error goes; `alone`: outside any transaction."""

    work: Work[Any]
    alone: bool = False
    done: anyio.Event = field(default_factory=anyio.Event)
    result: Any = None
    error: Exception | None = None


class Database:
    """`write(work)` runs `work(connection)` whole inside a transaction; `read()` lends a read-only connection."""

    def __init__(
        self, writer: aiosqlite.Connection, readers: list[aiosqlite.Connection], residue: Residue, queue: int
    ) -> None:
        self.residue = residue
        self._writer = writer
        self._jobs: MemoryObjectSendStream[_Job]
        self._jobs, self._incoming = anyio.create_memory_object_stream[_Job](queue)
        self._free: MemoryObjectSendStream[aiosqlite.Connection]
        self._taken: MemoryObjectReceiveStream[aiosqlite.Connection]
        self._free, self._taken = anyio.create_memory_object_stream[aiosqlite.Connection](len(readers))
        for reader in readers:
            self._free.send_nowait(reader)

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction and return its result once it is on disk.

        An exception of `work` undoes its own changes only and is raised here. Raises `Busy` when too much waits,
        `ShuttingDown`, and `StorageError`s. A caller cancelled meanwhile does not stop what has begun."""
        result: T = await self._queued(_Job(work))
        return result

    async def _queued(self, job: _Job) -> Any:
        try:
            self._jobs.send_nowait(job)
        except anyio.WouldBlock:
            raise Busy("too many writes are waiting; try again") from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ShuttingDown("the service is stopping") from None
        await job.done.wait()
        if job.error is not None:
            raise job.error
        return job.result

    @asynccontextmanager
    async def read(self) -> AsyncIterator[aiosqlite.Connection]:
        """A read-only connection for a few queries. Raises `StorageError`s."""
        reader = await self._taken.receive()
        try:
            yield reader
        except sqlite3.Error as error:
            raise storage_error(error) from error
        finally:
            self._free.send_nowait(reader)

    async def truncate_log(self, attempts: int = 10) -> bool:
        """Empty the write-ahead log, so that no earlier page is left in it; False while another process reads."""
        for _ in range(attempts):
            if await self._queued(_Job(_checkpoint, alone=True)):
                return True
            await anyio.sleep(0.1)
        return False

    async def vacuum(self) -> None:
        """Write the database anew, without the remains of what was deleted. Readers go on meanwhile."""
        await self._queued(_Job(_vacuum, alone=True))

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """The writer: serves until `close()`, then answers what is left."""
        task_status.started()
        async for job in self._incoming:
            batch = [job]
            while len(batch) < BATCH:
                try:
                    batch.append(self._incoming.receive_nowait())
                except (anyio.WouldBlock, anyio.EndOfStream):
                    break
            with anyio.CancelScope(shield=True):
                await self._commit(batch)

    def close(self) -> None:
        """No further work is taken; what is queued is still done."""
        self._jobs.close()

    async def _commit(self, batch: list[_Job]) -> None:
        """One transaction for all of `batch` but what stands alone; every job is answered."""
        plain = [job for job in batch if not job.alone]
        try:
            if plain:
                await self._together(plain)
            for job in batch:
                if job.alone:
                    await self._alone(job)
        finally:
            for job in batch:
                job.done.set()

    async def _together(self, jobs: list[_Job]) -> None:
        try:
            await self._writer.execute("BEGIN IMMEDIATE")
            for job in jobs:
                await self._apply(job)
            await self._writer.execute("COMMIT")
        except Exception as error:
            await self._abandon()
            failure = storage_error(error) if isinstance(error, sqlite3.Error) else error
            LOG.warning("a write of %d parts was undone: %s", len(jobs), failure)
            for job in jobs:
                job.error = job.error or failure

    async def _alone(self, job: _Job) -> None:
        try:
            job.result = await job.work(self._writer)
        except Exception as error:
            job.error = storage_error(error) if isinstance(error, sqlite3.Error) else error
            LOG.warning("the database could not be tidied: %s", job.error)

    async def _apply(self, job: _Job) -> None:
        """One job inside the open transaction; a failure of its own undoes its own part."""
        await self._writer.execute("SAVEPOINT job")
        try:
            job.result = await job.work(self._writer)
        except Exception as error:
            if isinstance(error, sqlite3.OperationalError) or not self._writer.in_transaction:
                raise  # the disk, not the job: the whole transaction is in doubt
            await self._writer.execute("ROLLBACK TO job")
            job.error = storage_error(error) if isinstance(error, sqlite3.Error) else error
            if not isinstance(error, MemoryBusError):
                LOG.exception("a write failed")
        await self._writer.execute("RELEASE job")

    async def _abandon(self) -> None:
        try:
            if self._writer.in_transaction:
                await self._writer.execute("ROLLBACK")
        except sqlite3.Error as error:
            LOG.error("the failed transaction could not be rolled back: %s", error)


async def _checkpoint(connection: aiosqlite.Connection) -> bool:
    """Whether the log is empty now. A reader in another process is hardly waited for: nothing is written meanwhile."""
    await _be_patient(connection, READER_TIMEOUT)
    try:
        async with connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") as cursor:
            row = await cursor.fetchone()
    finally:
        await _be_patient(connection, BUSY_TIMEOUT)
    return row is not None and row[0] == 0


async def _be_patient(connection: aiosqlite.Connection, seconds: float) -> None:
    """How long other processes are waited for."""
    async with connection.execute(f"PRAGMA busy_timeout = {seconds * 1_000:.0f}"):
        pass  # it answers a row, and a statement left open would keep a VACUUM from running


async def _vacuum(connection: aiosqlite.Connection) -> bool:
    await connection.execute("VACUUM")
    return True


@asynccontextmanager
async def open_database(
    folder: Path, *, readers: int = 2, queue: int = 256, exclusive: bool = True
) -> AsyncIterator[Database]:
    """The database of `folder`, made or migrated as needed, its writer running.

    `exclusive` is the service's way: no second one opens the folder. Raises `FolderInUse`, `StorageReadOnly`,
    `StorageTooNew` and other `StorageError`s."""
    async with AsyncExitStack() as stack:
        _prepare(folder)
        if exclusive:
            stack.callback(os.close, _lock(folder))
        path = folder / FILE
        residue = Residue(path)
        stack.callback(residue.close)  # after the connections
        try:
            writer = await stack.enter_async_context(aiosqlite.connect(path, isolation_level=None))
            _keep_private(path)
            await _configure_writer(writer)
            await migrate(writer)
            pool = []
            for _ in range(readers):
                reader = await stack.enter_async_context(aiosqlite.connect(path, isolation_level=None))
                await reader.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT * 1000)}")
                await reader.execute("PRAGMA query_only = ON")
                pool.append(reader)
        except sqlite3.Error as error:
            raise storage_error(error) from error
        database = Database(writer, pool, residue, queue)
        async with anyio.create_task_group() as tasks:
            await tasks.start(database.run)
            try:
                yield database
            finally:
                database.close()


async def _configure_writer(writer: aiosqlite.Connection) -> None:
    for pragma in (
        f"busy_timeout = {int(BUSY_TIMEOUT * 1000)}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "secure_delete = ON",
        "temp_store = MEMORY",
    ):
        await writer.execute(f"PRAGMA {pragma}")


def _prepare(folder: Path) -> None:
    """The folder exists, is ours alone to read, and can be written."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chmod(folder, 0o700)
    except OSError as error:
        raise StorageReadOnly(f"the data folder {folder} cannot be prepared: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise StorageReadOnly(f"the data folder {folder} cannot be written: check its owner and permissions")


def _keep_private(path: Path) -> None:
    try:
        os.chmod(path, 0o600)
    except OSError as error:
        raise StorageReadOnly(f"{path} is not ours: {error.strerror}") from error


def _lock(folder: Path) -> int:
    """Hold `folder` for this process; the kernel lets go when it ends, however it ends."""
    path = folder / "service.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StorageReadOnly(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise FolderInUse(
            f"another ovos-memory-bus service works on {folder}: stop it, or give another --data-dir"
        ) from None
    return handle

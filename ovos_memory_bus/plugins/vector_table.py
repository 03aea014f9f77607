"""Vectors by collection and key in SQLite: the truth, from which the graphs are made."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]

SCHEMA = """
create table if not exists collections (
    name text primary key, dims integer, metadata text not null, changes integer not null default 0
);
create table if not exists vectors (
    label integer primary key autoincrement, collection text not null, key text not null,
    vector blob not null, metadata text not null, unique (collection, key)
);
"""
BUSY = 10.0  # seconds to wait for another process that writes


@dataclass(frozen=True, slots=True)
class Collection:
    """`dims` is None until the first vector; `changes` counts every write."""

    name: str
    dims: int | None
    metadata: Mapping[str, Any]
    changes: int


@dataclass(frozen=True, slots=True)
class Row:
    label: int
    key: str
    vector: Vector
    metadata: Mapping[str, Any]


class VectorTable:
    """One database file, readable by its user alone. Safe from several threads and processes."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT, 0o600))
        self._lock = RLock()
        self._database = sqlite3.connect(path, timeout=BUSY, check_same_thread=False, isolation_level=None)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma secure_delete = on")
        self._database.executescript(SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def create(self, name: str, metadata: Mapping[str, Any]) -> None:
        """Make a collection; one that is there stays as it is."""
        with self._writing() as database:
            database.execute(
                # counted from anywhere: one made again under its name is not taken for the one before
                "insert into collections (name, metadata, changes) values (?, ?, abs(random() % (1 << 40)))"
                " on conflict do nothing",
                (name, json.dumps(metadata)),
            )

    def drop(self, name: str) -> None:
        with self._writing() as database:
            database.execute("delete from vectors where collection = ?", (name,))
            database.execute("delete from collections where name = ?", (name,))

    def collections(self) -> list[Collection]:
        rows = self._all("select name, dims, metadata, changes from collections order by name")
        return [Collection(name, dims, json.loads(metadata), changes) for name, dims, metadata, changes in rows]

    def put(self, name: str, rows: Sequence[tuple[str, Vector, Mapping[str, Any]]]) -> None:
        """Store vectors in place of what their keys held, all or none. Raises ValueError for other dimensions."""
        with self._writing() as database:
            (dims,) = database.execute("select dims from collections where name = ?", (name,)).fetchone()
            for _, vector, _ in rows:
                dims = dims or len(vector)
                if len(vector) != dims:
                    raise ValueError(f"the vectors of {name!r} have {dims} dimensions, not {len(vector)}")
            database.executemany(
                "delete from vectors where collection = ? and key = ?", [(name, row[0]) for row in rows]
            )
            database.executemany(
                "insert into vectors (collection, key, vector, metadata) values (?, ?, ?, ?)",
                [(name, key, vector.tobytes(), json.dumps(metadata)) for key, vector, metadata in rows],
            )
            database.execute("update collections set dims = ?, changes = changes + 1 where name = ?", (dims, name))

    def remove(self, name: str, keys: Sequence[str]) -> None:
        """Remove vectors; keys that are not there are none."""
        with self._writing() as database:
            database.executemany("delete from vectors where collection = ? and key = ?", [(name, key) for key in keys])
            database.execute("update collections set changes = changes + 1 where name = ?", (name,))

    def get(self, name: str, key: str) -> Row | None:
        rows = self._rows("collection = ? and key = ?", (name, key))
        return rows[0] if rows else None

    def labelled(self, name: str, labels: Sequence[int]) -> dict[int, Row]:
        marks = ", ".join("?" * len(labels))
        return {row.label: row for row in self._rows(f"collection = ? and label in ({marks})", (name, *labels))}

    def labels(self, name: str) -> set[int]:
        return {label for (label,) in self._all("select label from vectors where collection = ?", (name,))}

    def since(self, name: str, label: int) -> list[Row]:
        """The vectors stored after that one."""
        return self._rows("collection = ? and label > ? order by label", (name, label))

    def count(self, name: str) -> int:
        ((count,),) = self._all("select count(*) from vectors where collection = ?", (name,))
        return int(count)

    def _rows(self, where: str, values: Sequence[Any]) -> list[Row]:
        rows = self._all(f"select label, key, vector, metadata from vectors where {where}", values)
        return [Row(label, key, np.frombuffer(blob, np.float32), json.loads(data)) for label, key, blob, data in rows]

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._database.execute("begin immediate")
            try:
                yield self._database
            except BaseException:
                self._database.execute("rollback")
                raise
            self._database.execute("commit")

"""What SQLite says, in the words of our own error tree."""

from __future__ import annotations

import sqlite3

from ..errors import StorageCorrupt, StorageError, StorageFull, StorageLocked, StorageReadOnly

# By the texts of SQLite's result codes (sqlite.org/rescode.html): Python 3.10 does not give the codes themselves.
_BY_TEXT = (
    ("disk is full", StorageFull, "the disk is full: make room, then try again"),
    ("readonly", StorageReadOnly, "the data folder cannot be written: check its owner and permissions"),
    ("unable to open", StorageReadOnly, "the database cannot be opened: check the data folder's owner and permissions"),
    ("locked", StorageLocked, "another process holds the database; try again"),
    ("busy", StorageLocked, "another process holds the database; try again"),
    ("malformed", StorageCorrupt, "the database file is damaged: run `ovos-memory-bus doctor`"),
    ("not a database", StorageCorrupt, "memory.db is no database: move it away or restore a backup"),
    ("disk i/o", StorageError, "the disk does not answer"),
)


def storage_error(error: sqlite3.Error) -> StorageError:
    """The error of our tree for one of sqlite3's."""
    text = str(error).lower()
    for part, kind, sentence in _BY_TEXT:
        if part in text:
            return kind(f"{sentence} ({error})")
    return StorageError(f"the database refused: {error}")

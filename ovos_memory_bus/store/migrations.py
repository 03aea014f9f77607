"""The database's versions, in order; each step and its number are committed together."""

from __future__ import annotations

import aiosqlite

from ..errors import StorageTooNew

# One script a version. A released script is never edited: what changes later is a further script.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), change INTEGER NOT NULL);
    INSERT INTO clock VALUES (1, 0);

    CREATE TABLE items (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        change INTEGER NOT NULL,
        owner TEXT NOT NULL,
        session_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        lang TEXT,
        name TEXT,
        agent_id TEXT,
        graph_id TEXT,
        task_id TEXT,
        metadata TEXT NOT NULL DEFAULT '{}',
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        history_only INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX items_by_change ON items (owner, change);
    CREATE INDEX items_by_session ON items (session_id, kind, seq);
    CREATE INDEX items_by_kind ON items (owner, kind, seq);
    CREATE INDEX items_by_time ON items (owner, created_at, seq);

    CREATE TABLE tombstones (
        id TEXT PRIMARY KEY,
        seq INTEGER NOT NULL,
        owner TEXT NOT NULL,
        change INTEGER NOT NULL,
        forgotten_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX tombstones_by_change ON tombstones (owner, change);

    CREATE TABLE sources (
        derived INTEGER NOT NULL REFERENCES items (seq) ON DELETE CASCADE,
        source INTEGER NOT NULL,
        PRIMARY KEY (derived, source)
    ) WITHOUT ROWID;
    CREATE INDEX sources_by_source ON sources (source);

    CREATE TABLE terms (
        seq INTEGER PRIMARY KEY REFERENCES items (seq) ON DELETE CASCADE,
        scheme INTEGER NOT NULL,
        hashes BLOB NOT NULL
    );

    CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dims INTEGER NOT NULL);
    CREATE TABLE vectors (
        model INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL REFERENCES items (seq) ON DELETE CASCADE,
        piece INTEGER NOT NULL,
        vector BLOB NOT NULL,
        PRIMARY KEY (model, seq, piece)
    ) WITHOUT ROWID;
    CREATE INDEX vectors_by_item ON vectors (seq);

    CREATE TABLE jobs (
        kind TEXT NOT NULL,
        seq INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        not_before INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        failed INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (kind, seq)
    ) WITHOUT ROWID;

    CREATE TABLE requests (
        owner TEXT NOT NULL,
        digest BLOB NOT NULL,
        ids TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (owner, digest)
    ) WITHOUT ROWID;
    CREATE INDEX requests_by_time ON requests (at);

    CREATE TABLE pauses (
        owner TEXT NOT NULL,
        session_id TEXT NOT NULL,
        until INTEGER,
        PRIMARY KEY (owner, session_id)
    ) WITHOUT ROWID;
    """,
    """
    DROP INDEX items_by_session;
    CREATE INDEX items_by_session ON items (session_id, owner, kind, created_at, seq);

    CREATE TABLE withheld (
        source INTEGER NOT NULL REFERENCES items (seq) ON DELETE CASCADE,
        mark BLOB NOT NULL,
        PRIMARY KEY (source, mark)
    ) WITHOUT ROWID;
    """,
)


async def migrate(connection: aiosqlite.Connection) -> None:
    """Bring the database to the newest version. Raises `StorageTooNew` where it comes from a later program."""
    version = await _version(connection)
    if version > len(MIGRATIONS):
        raise StorageTooNew(
            f"the database has version {version}, this program knows up to {len(MIGRATIONS)}: "
            "update ovos-memory-bus, or give another --data-dir"
        )
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        # executescript commits what is open first, so the transaction stands inside the script
        try:
            await connection.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")
        except BaseException:
            if connection.in_transaction:
                await connection.rollback()
            raise


async def _version(connection: aiosqlite.Connection) -> int:
    async with connection.execute("PRAGMA user_version") as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0

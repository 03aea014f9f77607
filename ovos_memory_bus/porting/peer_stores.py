"""Reads the stores of ovos-memory-plugins: keywords and long-term in SQLite, long-term, facts and recency in JSON, and
the vectors' texts in Chroma. Reading changes none of them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..errors import InvalidRequest
from ..messages.fields import parse_time
from ..records import ROLES
from .moving import NOTE, TURN, Found, Said, exchange

SOURCE = "ovos-memory-plugins"
CHROMA_FILE = "chroma.sqlite3"
SUFFIXES = (".db", ".sqlite", ".sqlite3", ".json")
USUAL = ("lexical_memory.db", "longterm_memory.json", "longterm_memory.db", "entity_memory.json", "local_rag_db")
LEXICAL_COLUMNS, LONGTERM_COLUMNS = {"doc_id", "session_id", "content"}, {"session_id", "summary", "recent"}


def usual_places() -> list[Path]:
    """The stores where the plugins put them by default, those that are there."""
    base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "ovos"
    return [base / name for name in USUAL if (base / name).exists()]


def read(paths: Sequence[Path]) -> list[Found]:
    """What stores hold; of a folder, all stores in it. Raises `InvalidRequest` for a path that is none or cannot be
    read."""
    return [one for path in paths for one in _stores(path.expanduser())]


def _stores(path: Path) -> Iterator[Found]:
    if (path / CHROMA_FILE).is_file():
        yield _chroma(path)
    elif path.is_dir():
        for inner in sorted(path.iterdir()):
            if (inner / CHROMA_FILE).is_file() or (inner.is_file() and inner.suffix in SUFFIXES):
                yield from _stores(inner)
    elif path.is_file():
        try:
            with path.open("rb") as file:
                is_database = file.read(16) == b"SQLite format 3\0"
            yield _database(path) if is_database else _json(path)
        except (OSError, sqlite3.Error) as error:
            raise InvalidRequest(f"{path} cannot be read: {error}") from error
    else:
        raise InvalidRequest(f"{path} is no file and no folder")


def _database(path: Path) -> Found:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: _columns(connection, table) for table in tables}
        for table in tables:
            if columns[table] == LEXICAL_COLUMNS:
                rows = connection.execute(f"SELECT session_id, content FROM {_quoted(table)} ORDER BY rowid")
                said = [turn for session_id, text in rows for turn in exchange(_text(session_id), _text(text))]
                return Found(path, "lexical", tuple(said), _written(path))
        if columns.get("sessions", set()) >= LONGTERM_COLUMNS:
            found: list[Said] = []
            rows = connection.execute("SELECT session_id, summary, recent, updated_at FROM sessions")
            for session_id, summary, recent, updated_at in rows:
                record = {"summary": summary, "recent": _loaded(recent), "updated_at": updated_at}
                found += _record(_text(session_id), record)
            return Found(path, "longterm", tuple(found), _written(path))
    return Found(path, "", (), _written(path), "no store of ovos-memory-plugins")


def _json(path: Path) -> Found:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{path} cannot be read: it is no JSON ({error})") from error
    records = data if isinstance(data, Mapping) else {}
    kinds = {"buffer": "recency", "facts": "entity", "recent": "longterm"}
    stores = {kinds[key] for one in records.values() if isinstance(one, Mapping) for key in kinds if key in one}
    if records and len(stores) != 1:
        return Found(path, "", (), _written(path), "no store of ovos-memory-plugins")
    said = [part for session_id, record in records.items() for part in _record(session_id, record)]
    return Found(path, next(iter(stores), ""), tuple(said), _written(path), "" if records else "it is empty")


def _record(session_id: str, record: Any) -> list[Said]:
    """One session of a JSON or long-term store; its summary and facts become notes."""
    if not isinstance(record, Mapping):
        return []
    summary = _text(record.get("summary"))
    found = [Said(session_id, "assistant", summary, _moment(record.get("updated_at")), NOTE)] if summary else []
    found += [Said(session_id, "user", _text(fact), None, NOTE) for fact in _list(record.get("facts"))]
    for message in (*_list(record.get("buffer")), *_list(record.get("recent"))):
        role = message.get("role") if isinstance(message, Mapping) else None
        if role in ROLES:
            found.append(Said(session_id, role, _text(message.get("content")), _moment(message.get("ts")), TURN))
    return found


def _chroma(path: Path) -> Found:
    try:
        import chromadb  # heavy, and here only where its user has it
        from chromadb.config import Settings
    except ImportError:
        return Found(path, "local-rag", (), _written(path), "reading it needs the package chromadb")
    client = chromadb.PersistentClient(path=str(path), settings=Settings(anonymized_telemetry=False))
    said: list[Said] = []
    for collection in client.list_collections():
        rows = collection.get(include=["metadatas"])
        pairs = zip(rows["ids"], rows["metadatas"] or [], strict=False)
        for _, metadata in sorted(pairs, key=lambda pair: _natural(pair[0])):
            if isinstance(metadata, Mapping) and "content" in metadata:
                said += exchange(_text(metadata.get("session_id")), _text(metadata["content"]))
    return Found(path, "local-rag", tuple(said), _written(path / CHROMA_FILE))


def _natural(id_: str) -> tuple[str, int]:
    """`hall_10` after `hall_9`."""
    session_id, _, number = id_.rpartition("_")
    return (session_id, int(number)) if number.isdigit() else (id_, 0)


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(table)})")}


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _written(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, timezone.utc)


def _loaded(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, (int, float)) or not value:
        return None
    try:
        return parse_time(value, "ts")
    except InvalidRequest:
        return None

"""Items as rows: the columns, the way back, and filters as SQL conditions."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias, TypeVar

import anyio.lowlevel

from ..filters import ItemFilter
from ..records import Item
from .base import Outline

T = TypeVar("T")
Row: TypeAlias = "sqlite3.Row | tuple[Any, ...]"

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)

ITEM_COLUMNS = (
    "seq, id, owner, session_id, kind, role, content, lang, name, agent_id, graph_id, task_id, "
    "metadata, created_at, updated_at"
)
OUTLINE_COLUMNS = (
    "seq, created_at, session_id, kind, role, agent_id, graph_id, task_id, name, "
    "length(content), instr(content, '?') OR instr(content, '？') OR instr(content, '¿')"
)
PIECE = 200  # rows converted before the event loop gets to its other work: about 2 ms
PARAMETERS = 500  # bound variables in one statement: SQLite's oldest default limit is 999


def to_micros(moment: datetime) -> int:
    """µs since 1970 of an aware datetime, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(value: int) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


def to_json(metadata: Mapping[str, Any]) -> str:
    """One text for equal metadata, so that filters can compare nested values as text."""
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def to_item(row: Row) -> Item:
    """An `Item` from a row of `ITEM_COLUMNS`."""
    (seq, id_, owner, session_id, kind, role, content, lang, name, agent, graph, task, metadata, created, updated) = row
    return Item(
        seq=seq,
        id=id_,
        owner=owner,
        session_id=session_id,
        kind=kind,
        role=role,
        content=content,
        created_at=from_micros(created),
        updated_at=from_micros(updated),
        lang=lang,
        name=name,
        agent_id=agent,
        graph_id=graph,
        task_id=task,
        metadata=json.loads(metadata),
    )


def to_outline(row: Row) -> Outline:
    """An `Outline` from a row of `OUTLINE_COLUMNS`."""
    return Outline(*row)


async def all_of(rows: Iterable[Row], convert: Callable[[Row], T]) -> list[T]:
    """Many rows converted; the event loop gets its turn between two pieces."""
    found: list[T] = []
    for row in rows:
        found.append(convert(row))
        if len(found) % PIECE == 0:
            await anyio.lowlevel.checkpoint()
    return found


def condition(owner: str | None, where: ItemFilter, *, hidden: bool = False) -> tuple[str, list[Any]]:
    """A filter as the text after WHERE, and its parameters; with `hidden`, items in histories alone pass too."""
    parts: list[str] = ["1" if hidden else "history_only = 0"]
    values: list[Any] = []
    if owner is not None:
        parts.append("owner = ?")
        values.append(owner)
    for column in ("session_id", "agent_id", "graph_id", "task_id"):
        value = getattr(where, column)
        if value is not None:
            parts.append(f"{column} = ?")
            values.append(value)
    if where.kinds is not None:
        parts.append(f"kind IN ({', '.join('?' * len(where.kinds))})")
        values.extend(where.kinds)
    if where.since is not None:
        parts.append("created_at >= ?")
        values.append(to_micros(where.since))
    if where.until is not None:
        parts.append("created_at < ?")
        values.append(to_micros(where.until))
    if where.during:
        parts.append(f"({' OR '.join(['created_at >= ? AND created_at < ?'] * len(where.during))})")
        values.extend(to_micros(moment) for stretch in where.during for moment in stretch)
    for key, value in where.metadata.items():
        text, bound = _metadata_condition(value)
        parts.append(f"EXISTS (SELECT 1 FROM json_each(items.metadata) WHERE key = ? AND {text})")
        values.extend([key, *bound])
    return " AND ".join(parts), values


def _metadata_condition(value: Any) -> tuple[str, list[Any]]:
    """One metadata value as a condition on a row of `json_each`."""
    if value is None:
        return "type = 'null'", []
    if isinstance(value, bool):
        return f"type = '{str(value).lower()}'", []
    if isinstance(value, (int, float)):
        # SQLite's whole numbers have 64 bits; it reads longer ones as the nearest float, and so do we
        bound = value if -(2**63) <= value < 2**63 else _nearest(value)
        return "type IN ('integer', 'real') AND atom = ?", [bound]
    if isinstance(value, str):
        return "type = 'text' AND atom = ?", [value]
    return "type IN ('object', 'array') AND value = ?", [to_json(value)]


def _nearest(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf

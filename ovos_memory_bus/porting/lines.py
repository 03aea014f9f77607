"""The format of an export: what one line says, both ways. docs/command.md describes it.

The first line is the header; items follow, those drawn from others after all the rest; tombstones come last.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

import numpy as np

from ..errors import InvalidRequest
from ..messages.fields import MAX_SHORT, Fields, clean_text
from ..records import KINDS, ROLES, to_wire_time
from ..store.base import NewItem, Record, Tombstone

FORMAT = "ovos-memory-bus"
VERSION = 1
MAX_SOURCES = 1_000_000  # of one item: a fact said every day has many
_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}  # some programs end a line at these


@dataclass(frozen=True, slots=True)
class Arrival:
    """An item read from a line. `open_jobs` are those that it waited for where it came from, None where the line does
    not say; `vectors` are float16 bytes by model."""

    item: NewItem
    open_jobs: tuple[str, ...] | None
    vectors: Mapping[str, tuple[bytes, ...]]


def header_line(exported_at: datetime) -> str:
    """The first line."""
    return _line({"format": FORMAT, "version": VERSION, "exported_at": to_wire_time(exported_at)})


def item_line(record: Record) -> str:
    """One item with every field."""
    item = record.item
    data = {"type": "item", "owner": item.owner, **item.to_data(), "history_only": record.history_only}
    data |= {"sources": list(record.sources), "jobs": list(record.jobs)}
    if record.withheld:
        data["withheld"] = [base64.b64encode(mark).decode() for mark in record.withheld]
    if record.vectors:
        data["vectors"] = {
            model: [base64.b64encode(piece).decode() for piece in pieces] for model, pieces in record.vectors.items()
        }
    return _line(data)


def tombstone_line(stone: Tombstone) -> str:
    """One id that was forgotten."""
    at = to_wire_time(stone.forgotten_at)
    return _line({"type": "tombstone", "id": stone.id, "owner": stone.owner, "forgotten_at": at})


def check_header(line: bytes) -> None:
    """Raise `InvalidRequest` unless this is the first line of an export that this version can read."""
    try:
        data = _object(line)
    except InvalidRequest:
        data = {}
    if data.get("format") != FORMAT:
        raise InvalidRequest("it is no export of ovos-memory-bus: its first line is not the header of one")
    version = data.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InvalidRequest(f"it has version {version!r}, this program reads up to {VERSION}: update ovos-memory-bus")


def read_line(line: bytes) -> Arrival | Tombstone | None:
    """What a line says; None for a kind of line that came with a later minor version. Raises `InvalidRequest`."""
    data = _object(line)
    if data.get("type") == "item":
        return _arrival(data)
    if data.get("type") == "tombstone":
        fields = Fields(data)
        return Tombstone(_label(fields, "id"), _label(fields, "owner"), _moment(fields, "forgotten_at"))
    return None


def _line(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_BREAKS) + "\n"


def _object(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidRequest("it is no JSON") from None
    if not isinstance(data, dict):
        raise InvalidRequest("it is no JSON object")
    return data


def _arrival(data: Mapping[str, Any]) -> Arrival:
    fields = Fields(data)
    created = _moment(fields, "created_at")
    item = NewItem(
        id=_label(fields, "id"),
        owner=_label(fields, "owner"),
        session_id=_label(fields, "session_id"),
        kind=fields.choice("kind", KINDS, None) or _missing(fields, "kind"),
        role=fields.choice("role", ROLES, None) or _missing(fields, "role"),
        content=fields.required_text("content"),
        created_at=created,
        updated_at=fields.moment("updated_at") or created,
        lang=fields.short("lang"),
        name=fields.short("name"),
        agent_id=fields.short("agent_id"),
        graph_id=fields.short("graph_id"),
        task_id=fields.short("task_id"),
        metadata=_metadata(fields, data.get("metadata")),
        drawn_from=fields.strings("sources", limit=MAX_SOURCES) or (),
        history_only=fields.flag("history_only", False),
        withheld=_marks(fields),
    )
    return Arrival(item, fields.strings("jobs"), _vectors(fields, data.get("vectors")))


def _metadata(fields: Fields, raw: Any) -> dict[str, Any]:
    """What was stored once is taken again, whatever its size."""
    if raw is not None and not isinstance(raw, Mapping):
        raise fields.refuse("metadata", "must be an object")
    cleaned: dict[str, Any] = json.loads(clean_text(json.dumps(raw or {}, ensure_ascii=False)))
    return cleaned


def _vectors(fields: Fields, raw: Any) -> dict[str, tuple[bytes, ...]]:
    """Vectors by model, each of finite numbers, all of a model of one length."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise fields.refuse("vectors", "must be an object of lists")
    return {model: _pieces(fields, pieces) for model, pieces in raw.items() if pieces}


def _pieces(fields: Fields, raw: Any) -> tuple[bytes, ...]:
    try:
        pieces = tuple(base64.b64decode(piece, validate=True) for piece in raw)
        numbers = np.stack([np.frombuffer(piece, "<f2") for piece in pieces])
    except (TypeError, ValueError):  # no list, no base64, half a number, several lengths
        raise fields.refuse("vectors", "must be float16 numbers in base64, all of one length") from None
    if not numbers.size or not np.isfinite(numbers).all():
        raise fields.refuse("vectors", "must be finite numbers")
    return pieces


def _marks(fields: Fields) -> tuple[bytes, ...]:
    """What is not to be drawn from the item."""
    try:
        return tuple(base64.b64decode(mark, validate=True) for mark in fields.strings("withheld") or ())
    except ValueError:
        raise fields.refuse("withheld", "must be marks in base64") from None


def _label(fields: Fields, name: str) -> str:
    return fields.required_text(name, limit=MAX_SHORT) or _missing(fields, name)


def _moment(fields: Fields, name: str) -> datetime:
    return fields.moment(name) or _missing(fields, name)


def _missing(fields: Fields, name: str) -> NoReturn:
    raise fields.refuse(name, "is missing")

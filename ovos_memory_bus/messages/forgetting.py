"""`memory.forget`, `memory.pause` and `memory.resume`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fields import MAX_SHORT, Fields

FORGET = "memory.forget"
PAUSE = "memory.pause"
RESUME = "memory.resume"
FORGOTTEN = "memory.forgotten"
RECORDED = "memory.recorded"
WHATS = ("last", "query", "ids", "session", "owner", "all")
MAX_PAUSE = 366 * 86_400.0


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What is to go; `dry_run` answers what would. With `sources`, the turns that a fact was drawn from go with it."""

    what: str
    query: str | None = None
    lang: str | None = None
    ids: tuple[str, ...] = ()
    dry_run: bool = False
    sources: bool = False
    reason: str | None = None

    @classmethod
    def from_data(cls, data: Any) -> ForgetRequest:
        fields = Fields.of(data)
        what = fields.choice("what", WHATS, None)
        if what is None:
            raise fields.refuse("what", f"is missing; it is one of {', '.join(WHATS)}")
        query, ids = fields.text("query"), fields.strings("ids") or ()
        if what == "query" and not (query and query.strip()):
            raise fields.refuse("query", "is missing or blank")
        if what == "ids" and not ids:
            raise fields.refuse("ids", "is missing or empty")
        return cls(
            what,
            query,
            fields.short("lang"),
            ids,
            fields.flag("dry_run", False),
            fields.flag("sources", False),
            fields.text("reason", limit=MAX_SHORT),
        )


@dataclass(frozen=True, slots=True)
class PauseRequest:
    """Store nothing of this session, for `duration` seconds or until resumed."""

    duration: float | None = None

    @classmethod
    def from_data(cls, data: Any) -> PauseRequest:
        return cls(Fields.of(data).number("duration", None, 0.001, MAX_PAUSE))

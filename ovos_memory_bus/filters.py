"""Which items a request is about: the conditions every reading topic shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """All given conditions must hold.

    `since` is inclusive, `until` exclusive, both aware UTC datetimes on `created_at`; `during` are stretches of the
    same form of which one must hold it; `metadata` matches items whose metadata holds these keys with equal values."""

    session_id: str | None = None
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    kinds: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    during: tuple[tuple[datetime, datetime], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether every item passes."""
        return self == ANYTHING

    def narrowed(self, other: ItemFilter) -> ItemFilter | None:
        """Items that pass both; None where no item can."""
        values: dict[str, Any] = {}
        for name in (f.name for f in fields(self)):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine == getattr(ANYTHING, name):
                values[name] = theirs
            elif theirs == getattr(ANYTHING, name):
                values[name] = mine
            else:
                values[name] = _both(name, mine, theirs)
                if values[name] is None:
                    return None
        return ItemFilter(**values)


ANYTHING = ItemFilter()


def _both(name: str, mine: Any, theirs: Any) -> Any:
    """One condition that holds where both do; None where that is nowhere."""
    if name == "since":
        return max(mine, theirs)
    if name == "until":
        return min(mine, theirs)
    if name == "kinds":
        return tuple(kind for kind in mine if kind in theirs) or None
    if name == "during":
        overlaps = ((max(a, c), min(b, d)) for a, b in mine for c, d in theirs)
        return tuple((start, end) for start, end in overlaps if start < end) or None
    if name == "metadata":
        agree = all(_equal(mine[key], theirs[key]) for key in mine.keys() & theirs.keys())
        return {**mine, **theirs} if agree else None
    return mine if mine == theirs else None


def _equal(one: Any, other: Any) -> bool:
    """As JSON has it: true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)

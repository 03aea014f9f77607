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
        return self == ItemFilter()

    def narrowed(self, other: ItemFilter) -> ItemFilter | None:
        """Items that pass both; None where no item can."""
        values: dict[str, Any] = {}
        for name in (f.name for f in fields(self)):
            mine, theirs = getattr(self, name), getattr(other, name)
            if not mine or not theirs:
                values[name] = mine or theirs
            elif name == "since":
                values[name] = max(mine, theirs)
            elif name == "until":
                values[name] = min(mine, theirs)
            elif name == "metadata":
                values[name] = {**mine, **theirs}
                if any(theirs[key] != mine[key] for key in mine.keys() & theirs.keys()):
                    return None
            elif name == "kinds":
                values[name] = tuple(kind for kind in mine if kind in theirs)
            elif mine == theirs:
                values[name] = mine
            else:
                return None
        return ItemFilter(**values)

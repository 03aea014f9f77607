"""Which items a request is about: the conditions every reading topic shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """All given conditions must hold.

    `since` is inclusive, `until` exclusive, both aware UTC datetimes on `created_at`; `metadata` matches items whose
    metadata holds these keys with equal values."""

    session_id: str | None = None
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    kinds: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether every item passes."""
        return self == ItemFilter()

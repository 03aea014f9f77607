"""A backend in another process, on another machine or inside a skill, asked over the messagebus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..store.base import Store
from .base import Found, Query
from .collecting import Collector
from .outside import MAX_CLAIMS, Claim, Outside, believed

STRIKES = 3  # questions in a row without an answer in time, after which it is not waited for


class Remote(Outside):
    """Ranks by what the other process answers; what it says is checked, its silence costs its own part only."""

    def __init__(self, name: str, store: Store, collector: Collector) -> None:
        self.name = name
        self._store, self._collector = store, collector
        self._strikes = self._refused = 0

    async def search(self, query: Query) -> Found:
        self._strikes += 1  # until it has answered: a deadline ends this without a word
        if self._strikes > STRIKES:
            self._collector.give_up(self.name)
            self._strikes = STRIKES - 1  # once it is heard again, it is given up the sooner
        raw = await self._collector.ask(self.name, query)
        self._strikes = 0
        listed = raw[:MAX_CLAIMS] if isinstance(raw, list) else []
        claims = [claim for claim in map(Claim.from_data, listed) if claim is not None]
        found = await believed(self._store, query, claims, self.name)
        self._refused += len(listed) - found.size
        return found

    def status(self) -> Mapping[str, Any]:
        return {"unanswered": self._strikes, "refused": self._refused}

"""Recent turns: the newest of this session, from which the history in a context is made."""

from __future__ import annotations

from ..store.base import Store
from .base import BaseBackend, Found, Query

ALL = 1_000  # turns read at most where no limit is set
SPARE = 3  # rows read for each message wanted: the history rules merge and drop some


class Recency(BaseBackend):
    """Contributes turns, oldest first; ranks nothing."""

    name = "recency"
    kind = "context"

    def __init__(self, store: Store) -> None:
        self._store = store

    async def search(self, query: Query) -> Found:
        owner = query.caller
        wanted = query.max_history * SPARE + SPARE if query.max_history else ALL
        turns = await self._store.history(owner, query.session_id, query.agent_id, wanted)
        return Found(items=tuple(turns))

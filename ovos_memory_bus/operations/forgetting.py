"""`memory.forget` and `memory.item.clear`: what is to go, and that nothing of it stays anywhere."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ..coordinator import Coordinator
from ..embedding.worker import EmbeddingWorker
from ..errors import Forbidden
from ..filters import ItemFilter
from ..messages.forgetting import ForgetRequest
from ..messages.identity import Caller
from ..messages.items import ClearRequest
from ..records import Item
from ..retention import Retention
from ..store.base import Removed, Store

LOG = logging.getLogger(__name__)
Announce = Callable[[Sequence[str]], Awaitable[None]]
NAMED_BY_QUERY = 1_000  # items that one query can name
SURE = 0.5  # probability from which a hit counts as what a query names
EXCHANGE = 50  # turns looked back through for the last exchange


class Forgetter:
    """Removes items with all that was drawn from them, then every trace of their text in files and memory."""

    def __init__(
        self,
        store: Store,
        coordinator: Coordinator,
        embedding: EmbeddingWorker | None,
        announce: Announce,
        all_allowed: bool,
    ) -> None:
        self._store, self._coordinator, self._embedding = store, coordinator, embedding
        self._announce, self._all_allowed = announce, all_allowed

    async def forget(self, request: ForgetRequest, caller: Caller) -> tuple[Removed, list[Item]]:
        """What went, or with `dry_run` the items that would go. Raises `Forbidden` for `all` unless configured."""
        items = await self._named(request, caller)
        if request.dry_run:
            return Removed(), items
        if request.reason:
            LOG.info("forgetting %d items of a caller: %s", len(items), request.reason)
        return await self.remove(items), items

    async def clear(self, request: ClearRequest, caller: Caller) -> Removed:
        """Everything the filter matches of what the caller sees."""
        owner, visible = self._coordinator.visible(None, caller)
        where = visible.narrowed(request.filter)
        seqs = await self._store.matching(owner, where) if where is not None else []
        items = list((await self._store.by_seq(seqs)).values())
        if request.sync_context:
            return await self.remove(items)
        hidden = await self._store.hide([item.seq for item in items])
        await self._told(hidden.ids)
        return hidden

    async def expire(self, retention: Retention, now: datetime) -> int:
        """Remove what has run out; how many items."""
        count = 0
        for owner, session_id in await self._store.sessions():
            cutoff = retention.cutoff(owner, session_id, now)
            if cutoff is not None:
                old = await self._matching(owner, ItemFilter(session_id=session_id, until=cutoff))
                count += len((await self.remove(old)).ids)
        return count

    async def remove(self, items: Sequence[Item]) -> Removed:
        """Delete items and leave nothing of them."""
        if not items:
            return Removed()
        derived = await self._store.drawn_from([item.seq for item in items])
        removed = await self._store.remove([item.seq for item in items])
        await self.scrub(removed.ids, _texts([*items, *derived]))
        await self._told(removed.ids)
        return removed

    async def scrub(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Leave no byte of texts that are no longer stored, in files or in memory."""
        self._coordinator.traces.forget(ids)
        if self._embedding is not None:
            self._embedding.forget()
        if not await self._store.purge(texts):
            LOG.warning("another process reads the database: its log still holds what was forgotten until that ends")

    async def _told(self, ids: Sequence[str]) -> None:
        if ids:
            await self._announce(ids)

    async def _named(self, request: ForgetRequest, caller: Caller) -> list[Item]:
        owner, where = self._coordinator.visible(None, caller)
        if request.what == "all":
            if not self._all_allowed:
                raise Forbidden("forgetting everybody's memory needs allow_forget_all in the configuration")
            return await self._matching(None, ItemFilter())
        if request.what == "owner":
            return await self._matching(caller.owner, ItemFilter())
        if request.what == "session":
            return await self._matching(caller.owner, replace(where, session_id=caller.session_id))
        if request.what == "ids":
            found = await self._store.get(request.ids, owner)
            return [item for item in found if where.session_id in (None, item.session_id)]
        if request.what == "query":
            hits = await self._coordinator.search(
                request.query or "", request.lang, owner, where, caller, limit=NAMED_BY_QUERY, min_score=SURE
            )
            return [hit.item for hit in hits]
        return await self._last(caller)

    async def _last(self, caller: Caller) -> list[Item]:
        """The last exchange of this session: its last question and all that followed; else what was recalled last."""
        turns = await self._store.history(caller.owner, caller.session_id, None, EXCHANGE)
        asked = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=None)
        if asked is not None:
            return turns[asked:]
        trace = self._coordinator.traces.find(caller.owner, None)
        kept = [c.id for c in trace.candidates if c.kept] if trace else []
        return await self._store.get(kept[:1], caller.owner)

    async def _matching(self, owner: str | None, where: ItemFilter) -> list[Item]:
        return list((await self._store.by_seq(await self._store.matching(owner, where))).values())


def _texts(items: Iterable[Item]) -> list[str]:
    return [item.content for item in items]

"""`memory.forget` and `memory.item.clear`: what is to go, and that nothing of it stays anywhere."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from ..analysis import QueryTerm, analyse, query_terms
from ..backends.facts import marks_of
from ..backends.lexical import indexed_text
from ..coordinator import Coordinator
from ..embedding.worker import EmbeddingWorker
from ..errors import Forbidden
from ..filters import ItemFilter
from ..messages.forgetting import ForgetRequest
from ..messages.identity import Caller
from ..messages.items import ClearRequest
from ..planning import Planner
from ..records import KINDS, Item
from ..retention import Retention
from ..store.base import Removed, Store
from ..store.rows import to_json

LOG = logging.getLogger(__name__)
Announce = Callable[[Sequence[str]], Awaitable[None]]
STOP_WORDS_OF = "en"  # where a query has no language: what it leaves in too many, the forgetting is the stricter for
NAMED_BY_QUERY = 10_000  # items that one query can name
TOLD_AT_ONCE = 10_000  # ids in one broadcast
TURNS = ItemFilter(kinds=("turn",))
NO_TURNS = ItemFilter(kinds=tuple(kind for kind in KINDS if kind != "turn"))
EXCHANGE = 50  # turns looked back through for the last exchange


class Forgetter:
    """Removes items with all that was drawn from them, then every trace of their text in files and memory."""

    def __init__(
        self,
        store: Store,
        coordinator: Coordinator,
        embedding: EmbeddingWorker | None,
        announce: Announce,
        planner: Planner,
        all_allowed: bool,
    ) -> None:
        self._store, self._coordinator, self._embedding = store, coordinator, embedding
        self._announce, self._planner, self._all_allowed = announce, planner, all_allowed

    async def forget(self, request: ForgetRequest, caller: Caller) -> Removed:
        """What went. Raises `Forbidden` for `all` unless configured."""
        items = await self._named(request, caller)
        if request.reason:
            LOG.info("forgetting %d items of a caller: %s", len(items), request.reason)
        return await self.remove(items, named=request.what in ("ids", "query"))

    async def look(self, request: ForgetRequest, caller: Caller) -> tuple[list[Item], list[Item]]:
        """What would go: the items named and those drawn from them. Raises as `forget`."""
        items = await self._named(request, caller)
        return items, await self._store.drawn_from([item.seq for item in items])

    async def clear(self, request: ClearRequest, caller: Caller) -> tuple[str, ...]:
        """Everything the filter matches of what the caller sees; the ids of what went."""
        owner, visible = self._coordinator.visible(None, caller)
        where = visible.narrowed(request.filter)
        if where is None:
            return ()
        named = where.kinds == ("fact",)
        if request.sync_context:
            return (await self.remove(await self._store.everything(owner, where), named=named)).ids
        hidden = Removed()
        turns, others = where.narrowed(TURNS), where.narrowed(NO_TURNS)
        if turns is not None:
            hidden = await self._store.hide(await self._store.matching(owner, turns))
            await self._told(hidden.ids)
            self._planner.wake()
        rest = await self._store.everything(owner, others) if others is not None else []
        return (*hidden.ids, *(await self.remove(rest, named=named)).ids)

    async def expire(self, retention: Retention, now: datetime) -> int:
        """Remove what has run out; how many items."""
        count = 0
        for owner, session_id in await self._store.sessions():
            cutoff = retention.cutoff(owner, session_id, now)
            if cutoff is not None:
                old = await self._store.everything(owner, ItemFilter(session_id=session_id, until=cutoff))
                count += len((await self.remove(old)).ids)
        return count

    async def remove(self, items: Sequence[Item], *, named: bool = False) -> Removed:
        """Delete items and leave nothing of them.

        A fact that was `named` does not come back from what it was drawn from; one that goes along with a source comes
        back where another source still says it."""
        if not items:
            return Removed()
        derived = await self._store.drawn_from([item.seq for item in items])
        marks = {item.seq: marks_of(item) for item in items if named}
        removed = await self._store.remove([item.seq for item in items], withhold=marks)
        await self.scrub(removed.ids, [*items, *derived])
        await self._told(removed.ids)
        self._planner.wake()  # what other sources still say is drawn anew
        return removed

    async def scrub(self, ids: Sequence[str], gone: Sequence[Item]) -> None:
        """Leave no byte of texts that are no longer stored, in files or in memory."""
        self._coordinator.traces.forget(ids, {item.owner for item in gone})
        if self._embedding is not None:
            self._embedding.forget()
        texts = [text for item in gone for text in (item.content, to_json(item.metadata))]
        if not await self._store.purge(texts):
            LOG.warning("another process reads the database: its log still holds what was forgotten until that ends")

    async def _told(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), TOLD_AT_ONCE):
            await self._announce(ids[start : start + TOLD_AT_ONCE])

    async def _named(self, request: ForgetRequest, caller: Caller) -> list[Item]:
        items = await self._meant(request, caller)
        return [*items, *await self._said(items, caller)] if request.sources else items

    async def _meant(self, request: ForgetRequest, caller: Caller) -> list[Item]:
        owner, where = self._coordinator.visible(None, caller)
        if request.what == "all":
            if not self._all_allowed:
                raise Forbidden("forgetting everybody's memory needs allow_forget_all in the configuration")
            return await self._store.everything(None, ItemFilter())
        if request.what == "owner":
            return await self._store.everything(caller.owner, ItemFilter())
        if request.what == "session":
            return await self._store.everything(caller.owner, ItemFilter(session_id=caller.session_id))
        if request.what == "ids":
            found = await self._store.get(list(dict.fromkeys(request.ids)), owner, hidden=True)
            return [item for item in found if where.session_id in (None, item.session_id)]
        if request.what == "query":
            words = query_terms(request.query or "", request.lang or STOP_WORDS_OF)
            hits = await self._coordinator.search(
                request.query or "",
                request.lang,
                owner,
                where,
                caller,
                backends=("lexical",),
                limit=NAMED_BY_QUERY,
                min_score=0.0,
            )
            found = [*(hit.item for hit in hits), *await self._store.hidden(owner, where)]
            return [item for item in found if mentions(item, words)]
        return await self._last(caller)

    async def _said(self, items: Sequence[Item], caller: Caller) -> list[Item]:
        """The turns that the facts among these were drawn from."""
        owner, where = self._coordinator.visible(None, caller)
        sources = await self._store.sources_of([item.seq for item in items if item.kind == "fact"])
        known = {item.seq for item in items}
        found = await self._store.by_seq({seq for seqs in sources.values() for seq in seqs} - known)
        return [
            item
            for item in found.values()
            if owner in (None, item.owner) and where.session_id in (None, item.session_id)
        ]

    async def _last(self, caller: Caller) -> list[Item]:
        """The last exchange of this session: its last question and all that followed; else what was recalled last."""
        turns = await self._store.history(caller.owner, caller.session_id, None, EXCHANGE)
        asked = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=None)
        if asked is not None:
            return turns[asked:]
        trace = self._coordinator.traces.find(caller.owner, None)
        kept = [c.id for c in trace.candidates if c.kept] if trace else []
        return await self._store.get(kept[:1], caller.owner)


def mentions(item: Item, words: Sequence[QueryTerm]) -> bool:
    """Whether an item itself says every word of a query: what is only near in meaning is not to be deleted."""
    said = set(analyse(indexed_text(item), item.lang))
    return bool(words) and all(said.intersection(word.variants) for word in words)

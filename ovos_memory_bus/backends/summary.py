"""Summaries: each session's older turns in a few of their own sentences, redone as the talk goes on."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

import anyio.to_thread

from ..config import SummaryConfig
from ..records import Item
from ..store.base import Drawn, NewItem, Store
from ..summarising import Statement, summarise
from .base import BaseBackend, Found, Query
from .facts import Drawing
from .stale import stale_turns

JOB = "summary"  # also the kind of the items: work is queued again under it when a source is forgotten
PIECE = 500  # turns looked at for the sessions that have news
TURNS = 400  # newest turns of a session that a summary covers at most


class Summary(BaseBackend):
    """Contributes this session's summary, where it has one."""

    name = "summary"
    kind = "context"

    def __init__(self, store: Store, config: SummaryConfig, drawing: Drawing) -> None:
        self._store, self._config, self._drawing = store, config, drawing
        self._writer = SummaryWriter(store)

    @property
    def jobs(self) -> Sequence[str]:
        return (JOB,)

    def wants(self, item: NewItem) -> Sequence[str]:
        return (JOB,) if item.kind == "turn" else ()

    async def search(self, query: Query) -> Found:
        found = await self._store.of_kind(query.caller, "summary", query.session_id)
        return Found(items=tuple([item for item in found if query.agent_id in (None, item.agent_id)][-1:]))

    async def work(self) -> bool:
        jobs = await self._store.due(JOB, PIECE)
        if not jobs:
            return False
        turns = await self._store.by_seq(job.seq for job in jobs)
        talks: dict[tuple[str, str, str | None], list[tuple[str, int]]] = {}
        for turn in turns.values():
            talks.setdefault((turn.owner, turn.session_id, turn.agent_id), []).append((JOB, turn.seq))
        for talk in sorted(talks, key=str):
            drawn = await self._drawn(*talk)
            await self._store.draw(replace(drawn, done=tuple(talks[talk])))
            if drawn.adds:
                self._drawing.wake()
        await self._store.finish(JOB, [job.seq for job in jobs if job.seq not in turns])
        return True

    async def _drawn(self, owner: str, session_id: str, agent_id: str | None) -> Drawn:
        """A new summary in place of the old one; nothing while too little is new."""
        wanted = TURNS + self._config.recent_window
        turns = await self._store.history(owner, session_id, agent_id, wanted, hidden=False)
        older = turns[: -self._config.recent_window or None]
        known = [item for item in await self._store.of_kind(owner, "summary", session_id) if item.agent_id == agent_id]
        covered = {seq for seqs in (await self._store.sources_of([i.seq for i in known])).values() for seq in seqs}
        fresh = [turn for turn in older if turn.seq not in covered]
        if not fresh or len(fresh) < self._config.summarize_every:
            return Drawn()
        facts = await self._store.of_kind(owner, "fact", session_id)
        stale = await stale_turns(self._store, owner, facts) if facts else frozenset()
        standing = [turn for turn in older if turn.seq not in stale]
        text = await anyio.to_thread.run_sync(self._text, standing, await self._stating(facts))
        if not text:
            return Drawn()
        item = self._writer.item(older, text, "extract", datetime.now(timezone.utc))
        seen = {turn.seq: turn.updated_at for turn in older}
        return Drawn(adds=(self._drawing.planned(item),), removes=tuple(i.seq for i in known), seen=seen)

    async def _stating(self, facts: Sequence[Item]) -> set[int]:
        """The turns from which one of the facts was drawn."""
        found = await self._store.sources_of([fact.seq for fact in facts])
        return {seq for seqs in found.values() for seq in seqs}

    def _text(self, turns: Sequence[Item], stating: set[int]) -> str:
        statements = [Statement(turn.content, turn.name or turn.role, turn.lang, turn.seq in stating) for turn in turns]
        return summarise(statements, self._config.max_summary_tokens)


class SummaryWriter:
    """Makes summary items, and finds what one covers."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def item(self, turns: Sequence[Item], text: str, by: str, when: datetime) -> NewItem:
        """A summary of `turns`, all of one session; it goes when one of them is forgotten."""
        newest = turns[-1]
        return NewItem(
            id=str(uuid.uuid4()),
            owner=newest.owner,
            session_id=newest.session_id,
            kind="summary",
            role="system",
            content=text,
            created_at=when,
            lang=newest.lang,
            agent_id=newest.agent_id,
            metadata={"turns": len(turns), "by": by},
            sources=tuple(turn.seq for turn in turns),
        )

    async def covered(self, summary: Item) -> list[Item]:
        """The turns that a summary covers, oldest first."""
        sources = (await self._store.sources_of([summary.seq])).get(summary.seq, [])
        found = await self._store.by_seq(sources)
        return [found[seq] for seq in sorted(found)]

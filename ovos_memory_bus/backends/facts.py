"""Facts: what users have said about themselves, drawn from their turns in the background."""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Protocol

import anyio.to_thread

from ..analysis import query_terms
from ..config import FactsConfig
from ..embedding.worker import EmbeddingWorker
from ..extraction import Extraction, FactCandidate, StoredFact, extract, merge
from ..records import Item, from_wire_time, to_wire_time
from ..store.base import Drawn, NewItem, Store
from .base import BaseBackend, Found, Query
from .likeness import likeness
from .stale import ENDED_BY, is_current, stale_turns

JOB = "fact"  # also the kind of the items: work is queued again under it when a source is forgotten
PIECE = 20  # turns read between two writes
CACHED = 64  # owners whose facts are kept
# what nearly every answer may need stands before what only some do
PRIORITY = ("name", "nickname", "preference_assistant", "home", "family", "diet", "health", "language_spoken", "job")


Searched = tuple[str, str | None]
"""The text of a fact that utterances are compared with, and its language."""


@dataclass(frozen=True, slots=True)
class _Known:
    """An owner's facts that hold, oldest first, as of one state of the store; the seqs of turns that state only what no
    longer holds; and the words of each fact, as their analysis is the dear part of a recall."""

    change: int
    current: tuple[Item, ...]
    outdated: frozenset[int]
    words: Mapping[Searched, frozenset[str]]


class Drawing(Protocol):
    """Completes new items with their jobs and wakes who does them."""

    def planned(self, item: NewItem) -> NewItem: ...

    def wake(self) -> None: ...


class Facts(BaseBackend):
    """Contributes the owner's current facts, those first that the utterance is about."""

    name = "facts"
    kind = "context"

    def __init__(
        self, store: Store, config: FactsConfig, drawing: Drawing, embedding: EmbeddingWorker | None = None
    ) -> None:
        """With `embedding`, values that mean the same in two languages are kept once."""
        self._store, self._config, self._drawing, self._embedding = store, config, drawing, embedding
        self._cache: OrderedDict[tuple[str | None, str | None], _Known] = OrderedDict()

    @property
    def jobs(self) -> Sequence[str]:
        return (JOB,)

    def wants(self, item: NewItem) -> Sequence[str]:
        return (JOB,) if item.kind == "turn" and item.role == "user" else ()

    async def search(self, query: Query) -> Found:
        known = await self._known(query.owner, query.filter.session_id)
        since = query.filter.since
        chosen = [
            fact
            for fact in known.current
            if query.agent_id in (None, fact.agent_id) and (since is None or fact.created_at >= since)
        ]
        shown = in_order(chosen, query.utterance, query.lang, known.words)[: self._config.shown]
        return Found(items=tuple(shown), outdated=known.outdated)

    async def work(self) -> bool:
        jobs = await self._store.due(JOB, PIECE)
        if not jobs:
            return False
        turns = await self._store.by_seq(job.seq for job in jobs)
        for job in jobs:
            turn = turns.get(job.seq)
            drawn = await self._drawn(turn) if turn is not None else Drawn()
            seen = {turn.seq: turn.updated_at} if turn is not None else {}
            await self._store.draw(replace(drawn, done=((JOB, job.seq),), seen=seen))
            if drawn.adds:
                self._drawing.wake()
        return True

    async def _known(self, owner: str | None, session_id: str | None) -> _Known:
        """What is held of an owner, read and analysed again only after a change of the store."""
        key = (owner, session_id)
        before = self._cache.get(key)
        if before is None or before.change != self._store.change:
            self._cache[key] = await self._read(owner, session_id, before.words if before else {})
        self._cache.move_to_end(key)
        while len(self._cache) > CACHED:
            self._cache.popitem(last=False)
        return self._cache[key]

    async def _read(
        self, owner: str | None, session_id: str | None, words: Mapping[Searched, frozenset[str]]
    ) -> _Known:
        change = self._store.change
        facts = await self._store.of_kind(owner, "fact", session_id)
        outdated = await stale_turns(self._store, owner, facts) if facts else frozenset()
        current = tuple(fact for fact in facts if is_current(fact))
        texts = {_searched(fact) for fact in current}
        kept = {text: words[text] for text in texts if text in words}
        if len(kept) < len(texts):
            kept |= await anyio.to_thread.run_sync(_words_of, [text for text in texts if text not in kept])
        return _Known(change, current, outdated, kept)

    async def _drawn(self, turn: Item) -> Drawn:
        """What one turn adds to, ends of and confirms among its owner's facts."""
        found = await anyio.to_thread.run_sync(extract, turn.content, turn.lang)
        withheld = await self._store.withheld([turn.seq])
        sure = [fact for fact in found.facts if fact.confidence >= self._config.min_confidence]
        found = Extraction(tuple(wanted(sure, withheld[turn.seq])), found.retractions)
        if not found.facts and not found.retractions:
            return Drawn()
        facts = [f for f in await self._store.of_kind(turn.owner, "fact") if f.agent_id == turn.agent_id]
        current = {fact.id: fact for fact in facts if is_current(fact)}
        similar = await likeness(self._embedding, found, turn.lang, list(current.values()))
        changes = merge([as_stored(fact) for fact in current.values()], found, turn.created_at.timestamp(), similar)
        when = to_wire_time(turn.created_at)
        metadata: dict[int, Mapping[str, Any]] = {
            current[id_].seq: {**current[id_].metadata, "valid_to": when, ENDED_BY: turn.id} for id_ in changes.ends
        }
        for id_ in changes.touches:
            held = current[id_].metadata
            metadata[current[id_].seq] = {**held, "uses": int(held.get("uses", 0)) + 1}
        ended = set(changes.ends)
        surplus = _least_used(
            [fact for fact in current.values() if fact.id not in ended],
            len(current) - len(ended) + len(changes.adds) - self._config.max_facts,
        )
        return Drawn(
            adds=tuple(self._drawing.planned(new_fact(turn, fact)) for fact in changes.adds),
            metadata=metadata,
            sources=tuple((current[id_].seq, turn.seq) for id_ in changes.touches),
            removes=(*(fact.seq for fact in surplus), *await self._summed([current[id_].seq for id_ in changes.ends])),
            withheld=withheld,
        )

    async def _summed(self, facts: Sequence[int]) -> list[int]:
        """The summaries of turns that state one of these facts: they are made anew with the talk's next turn."""
        sources = await self._store.sources_of(facts)
        drawn = await self._store.drawn_from(sorted({seq for seqs in sources.values() for seq in seqs}))
        return [item.seq for item in drawn if item.kind == "summary"]


def as_stored(fact: Item) -> StoredFact:
    """A fact item as merging takes it."""
    held = fact.metadata
    valid_from = from_wire_time(str(held["valid_from"])).timestamp()
    return StoredFact(
        fact.id,
        held["category"],
        str(held.get("subject", "user")),
        str(held["value"]),
        valid_from,
        int(held.get("uses", 0)),
    )


def marks(category: str, subject: str, value: str) -> tuple[bytes, bytes]:
    """What stands for a fact that was forgotten, so that it is not drawn from the same turn again: digests of what it
    is about and of what it says. A language model may word it otherwise, or file it elsewhere, but hardly both."""
    said = " ".join(value.casefold().split())
    return _digest("about", category, subject.casefold()), _digest("value", said)


def marks_of(fact: Item) -> tuple[bytes, ...]:
    """The marks of a fact item; of any other kind of item, none."""
    held = fact.metadata
    if fact.kind != "fact" or "category" not in held:
        return ()
    return marks(str(held["category"]), str(held.get("subject", "user")), str(held.get("value", "")))


def wanted(facts: Sequence[FactCandidate], withheld: frozenset[bytes]) -> list[FactCandidate]:
    """The facts of a turn without those that were forgotten."""
    return [fact for fact in facts if withheld.isdisjoint(marks(fact.category, fact.subject, fact.value))]


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).digest()


def new_fact(turn: Item, fact: FactCandidate) -> NewItem:
    """The item for a fact stated in a turn; it dates from that turn."""
    return NewItem(
        id=str(uuid.uuid4()),
        owner=turn.owner,
        session_id=turn.session_id,
        kind="fact",
        role="system",
        content=fact.sentence,
        created_at=turn.created_at,
        updated_at=datetime.now(timezone.utc),
        lang=turn.lang,
        agent_id=turn.agent_id,
        graph_id=turn.graph_id,
        task_id=turn.task_id,
        metadata={
            "category": fact.category,
            "subject": fact.subject,
            "value": fact.value,
            "confidence": round(fact.confidence, 3),
            "valid_from": to_wire_time(turn.created_at),
            "valid_to": None,
            "uses": 1,
        },
        sources=(turn.seq,),
    )


def in_order(
    facts: Sequence[Item], utterance: str, lang: str | None, words: Mapping[Searched, frozenset[str]]
) -> list[Item]:
    """Facts that share words with the utterance first, then by how generally useful their category is, newest first.

    `words` are those of each fact, see `_words_of`.
    """
    wanted = _words(utterance, lang)

    def key(fact: Item) -> tuple[int, int, float]:
        category = fact.metadata.get("category")
        place = PRIORITY.index(category) if category in PRIORITY else len(PRIORITY)
        return (-len(wanted & words[_searched(fact)]), place, -fact.created_at.timestamp())

    return sorted(facts, key=key)


def _searched(fact: Item) -> Searched:
    held = fact.metadata
    return f"{held.get('category', '')} {held.get('subject', '')} {fact.content}".replace("_", " "), fact.lang


def _words_of(texts: Sequence[Searched]) -> dict[Searched, frozenset[str]]:
    return {(text, lang): _words(text, lang) for text, lang in texts}


def _words(text: str, lang: str | None) -> frozenset[str]:
    return frozenset(variant for term in query_terms(text, lang) for variant in term.variants)


def _least_used(facts: Sequence[Item], count: int) -> list[Item]:
    by_use = sorted(facts, key=lambda fact: (int(fact.metadata.get("uses", 0)), fact.created_at))
    return by_use[: max(count, 0)]

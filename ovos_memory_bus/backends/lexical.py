"""Keywords: BM25 over the words of turns and their neighbours, analysed in each turn's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio
import anyio.to_thread

from ..analysis import analyse, query_terms
from ..index import bm25
from ..index.arrays import foremost
from ..index.catalogue import Catalogue, Partition
from ..index.postings import Postings, term_hash, term_hashes
from ..records import Item
from ..store.base import NewItem, Store
from .base import Array, BaseBackend, Found, Query

SCHEME = 1  # the version of our analysis: other stored words are analysed anew
JOB = "terms"
PIECE = 50  # items analysed in one piece of background work
SHORT = 10_000  # characters that are analysed sooner than a thread would take over
INLINE_TEXT = 20_000  # characters up to which an analysis is too short to be worth a thread
INLINE = 2_000  # docs up to which a search is too short to be worth a thread


def indexed_text(item: Item) -> str:
    """What of an item is searched: its speaker's name too."""
    return f"{item.name}: {item.content}" if item.name else item.content


class _Words:
    """One owner's keyword index."""

    def __init__(self) -> None:
        self.postings = Postings()
        self.neighbourhoods = bm25.Neighbourhoods()


class Lexical(BaseBackend):
    """Ranks by BM25; `coverage` is the share of the query's weight that a hit holds, `own` that of its own words."""

    name = "lexical"

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store, self._catalogue = store, catalogue

    @property
    def jobs(self) -> Sequence[str]:
        return (JOB,)

    def wants(self, item: NewItem) -> Sequence[str]:
        return (JOB,)

    async def search(self, query: Query) -> Found:
        words = [[term_hash(v) for v in term.variants] for term in query_terms(query.text, query.lang)]
        if not words:
            return Found()
        partition = await self._catalogue.partition(query.owner)
        index = await self._up_to_date(partition)
        mask = await self._catalogue.mask(partition, query.filter)
        damping = index.neighbourhoods.damping(partition.columns, index.postings)

        def run() -> Found:
            matches = bm25.match(partition.columns, index.postings, words, damping, mask)
            return _ranked(partition, matches, len(words), query.limit)

        if len(partition.columns) <= INLINE:
            return run()
        return await anyio.to_thread.run_sync(run)

    async def work(self) -> bool:
        jobs = await self._store.due(JOB, PIECE)
        if not jobs:
            return False
        items = await self._store.by_seq(job.seq for job in jobs)
        seen = {seq: item.updated_at for seq, item in items.items()}
        await self._store.save_terms(await _analysed(items), SCHEME, done=JOB, seen=seen)
        await self._store.finish(JOB, [job.seq for job in jobs if job.seq not in items])
        return True

    def status(self) -> Mapping[str, Any]:
        loaded = [p for p in self._catalogue.loaded() if self.name in p.indexes]
        return {"owners": len(loaded), "indexed": sum(len(p.indexes[self.name].postings) for p in loaded)}

    async def _up_to_date(self, partition: Partition) -> _Words:
        """The partition's index with every doc in it, stored words where there are, fresh ones otherwise."""
        index: _Words = partition.indexes.setdefault(self.name, _Words())
        partition.take_died(self.name)  # dead docs are left out by `alive`
        if len(index.postings) == len(partition.columns):
            return index
        # a caller whose time is up leaves; what is loaded stays loaded
        with anyio.CancelScope(shield=True):
            async with partition.lock:
                seqs = partition.columns.seq[len(index.postings) :].tolist()
                stored = await self._store.terms(seqs, SCHEME)
                missing = await self._store.by_seq(seq for seq in seqs if seq not in stored)
                await _indexed(index.postings, seqs, stored, missing, partition.columns.alive)
        return index


async def _indexed(
    postings: Postings, seqs: Sequence[int], stored: Mapping[int, bytes], missing: Mapping[int, Item], alive: Array
) -> None:
    """Put items into the index; one that is neither stored nor there is put in without words."""
    fresh = await _analysed(missing)

    def run() -> None:
        postings.add([stored.get(seq) or fresh.get(seq) or b"" for seq in seqs], alive)

    await anyio.to_thread.run_sync(run) if len(seqs) > PIECE else run()


async def _analysed(items: Mapping[int, Item]) -> dict[int, bytes]:
    """The term hashes of items; much text is worked on in a thread."""

    def run() -> dict[int, bytes]:
        return {seq: _terms(item) for seq, item in items.items()}

    long = sum(len(item.content) for item in items.values()) > INLINE_TEXT
    return await anyio.to_thread.run_sync(run) if long else run()


def _terms(item: Item) -> bytes:
    return term_hashes(analyse(indexed_text(item), item.lang))


def _ranked(partition: Partition, matches: bm25.Matches, words: int, limit: int) -> Found:
    """The best of the matches of a query of so many `words`, as hits of the store."""
    order = foremost(matches.scores, limit)
    docs = matches.docs[order]
    possible = max(matches.possible, 1e-9)
    return Found(
        seqs=partition.columns.seq[docs],
        scores=matches.scores[order],
        features={"coverage": matches.scores[order] / possible, "own": matches.own[order] / possible},
        notes={"known": matches.known, "possible": matches.possible, "words": words},
    )

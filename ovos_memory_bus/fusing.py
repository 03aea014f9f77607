"""From the backends' lists to hits: candidates scored by the fusion asked for, loaded, repeats told apart, cut."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .backends.base import Found, Query
from .blending import blended, further
from .filters import ItemFilter
from .index.catalogue import Catalogue, Partition
from .index.columns import NONE
from .ranking import Fused, RankedHit, fuse
from .records import Hit, Item
from .relevance import Evidence, Ranking, rank
from .repeats import content_key
from .store.base import Store
from .timeline import told

POOL = 4  # candidates loaded for each hit wanted: repeats and deleted ones fall out
SMALLEST_POOL = 40
BUILT_IN = ("lexical", "semantic")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate after fusion: `hit` is None where the item went meanwhile; `kept` says whether it is answered."""

    hit: Hit | None
    kept: bool
    why: str = ""


class Fuser:
    """Fuses with the catalogue's columns at hand."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store, self._catalogue = store, catalogue

    async def fuse(
        self,
        mode: str,
        query: Query,
        found: Mapping[str, Found],
        *,
        weights: Mapping[str, float],
        rrf_k: float,
        dedup: bool,
        order: Sequence[str],
        limit: int,
        min_score: float | None,
        order_in_time: str | None = None,
        outdated: Collection[int] = (),
    ) -> list[Ranked]:
        """The candidates looked at, best first, those that are answered marked `kept`.

        With `min_score` None the trained threshold decides whether anything is recalled at all; a number bounds each
        hit's probability. `order_in_time` (`first`, `last` or `spread`) is of a question about a time: what was said
        then is answered, after what fits its topic, whatever it scores. `outdated` items are left out of any other
        answer."""
        pool = max(SMALLEST_POOL, POOL * limit)
        partition = await self._catalogue.partition(query.owner)
        ranking = _calibrated(partition, query, found)
        probability = _by_seq(partition, ranking)
        # the calibrated ranking holds what the built-in backends found; the other modes go by each one's own list
        listed = [one for name, one in found.items() if mode != "calibrated" or name not in BUILT_IN]
        items = await self._load(listed, ranking, partition, pool)
        more = further(found, weights, BUILT_IN)
        if mode == "calibrated":
            fused = blended(_calibrated_list(partition, ranking, found, items, dedup), probability, more, items, dedup)
        else:
            lists = {name: _list(one, items, pool) for name, one in found.items()}
            fused = fuse(mode, lists, weights=weights, rrf_k=rrf_k, dedup=dedup, order=order)
        probability |= {seq: max(probability.get(seq, 0.0), one.probability) for seq, one in more.items()}

        def likely(seq: int) -> bool:
            """Whether a candidate is likely enough to be answered; further backends decide when they are silent."""
            silent = min_score is None and not ranking.answers and seq not in more
            return not silent and probability.get(seq, 0.0) >= (min_score or 0.0)

        if order_in_time is not None:
            fused = [entry for entry in fused if likely(int(str(entry.id)))]
            filler = await self._told(partition, query, order_in_time, limit)
            items |= filler
            known = {entry.id for entry in fused}
            fused += [Fused(seq, 0.0, ("timeline",)) for seq in filler if seq not in known]
        kept, ranked = 0, []
        for entry in fused[:pool]:
            seq = int(str(entry.id))
            item = items.get(seq)
            hit = Hit(item, probability.get(seq, 0.0), entry.fusion_score, entry.backends) if item else None
            stale = order_in_time is None and seq in outdated
            too_low = order_in_time is None and not likely(seq)
            why = "no longer holds" if stale and hit else _left_out(hit, too_low, kept >= limit)
            kept += not why
            ranked.append(Ranked(hit, not why, why))
        return ranked

    async def _told(self, partition: Partition, query: Query, order: str, limit: int) -> dict[int, Item]:
        """Turns of the time asked about, in the order wanted."""
        mask = await self._catalogue.mask(partition, query.filter)
        seqs = told(partition.columns, mask, order, 2 * limit)
        items = await self._store.by_seq(seqs)
        return {seq: items[seq] for seq in seqs if seq in items}

    async def neighbours(self, query: Query, hits: Sequence[Hit]) -> list[Item]:
        """The turns just before and after the hits, to be shown beside them."""
        columns = (await self._catalogue.partition(query.owner)).columns
        docs = columns.docs(hit.item.seq for hit in hits)
        around = {int(pointers[doc]) for doc in docs for pointers in (columns.previous, columns.next)} - {NONE, *docs}
        found = await self._store.by_seq(int(columns.seq[doc]) for doc in around)
        return list(found.values())

    def position(self, query: Query, items: Collection[Item]) -> Callable[[Item], int]:
        """Places of `items` in their sessions: those that were said one after the other have numbers that are."""
        partition = next((p for p in self._catalogue.loaded() if p.owner == query.owner), None)
        if partition is None:
            return lambda item: item.seq
        columns = partition.columns
        docs = np.array(columns.docs(item.seq for item in items), np.int64)
        docs = docs[np.argsort(columns.seq[docs], kind="stable")]
        places: dict[int, int] = {}
        free = 0
        for doc, before in zip(docs.tolist(), columns.previous[docs].tolist(), strict=True):
            places[doc] = places[before] + 1 if before in places else free
            free = max(free, places[doc] + 2)  # a gap to what follows none of the items
        return lambda item: places.get(columns.doc(item.seq), NONE)

    async def _load(
        self, listed: Collection[Found], ranking: Ranking, partition: Partition, pool: int
    ) -> dict[int, Item]:
        """The items of the best candidates of the ranking and of every list, foreign ones under negative numbers."""
        wanted = {int(seq) for one in listed for seq in one.seqs[:pool]}
        wanted |= {int(seq) for seq in partition.columns.seq[ranking.docs[:pool]]}
        items = await self._store.by_seq(wanted)
        for one in listed:
            items |= {item.seq: item for item, _ in one.foreign}
        return items


def _left_out(hit: Hit | None, too_low: bool, full: bool) -> str:
    """Why a candidate is not answered; "" when it is."""
    if hit is None:
        return "gone"
    return "below min_score" if too_low else "over max_results" if full else ""


def _calibrated(partition: Partition, query: Query, found: Mapping[str, Found]) -> Ranking:
    lexical, semantic = (_evidence(partition, found.get(name)) for name in BUILT_IN)
    timely = partition.columns.mask(ItemFilter(during=query.preferred)) if query.preferred else None
    return rank(partition.columns, lexical, semantic, query.text, timely)


def _evidence(partition: Partition, found: Found | None) -> Evidence | None:
    """A backend's features by doc; docs that died since it answered are left out."""
    if found is None or (not len(found.seqs) and not found.notes):
        return None  # it did not look, or has nothing to look in yet, as meaning before the first vector
    docs = np.array([partition.columns.doc(int(seq)) for seq in found.seqs], np.int64)
    living = docs >= 0
    return Evidence(docs[living], {name: values[living] for name, values in found.features.items()}, found.notes)


def _by_seq(partition: Partition, ranking: Ranking) -> dict[int, float]:
    seqs = partition.columns.seq[ranking.docs].tolist()
    return dict(zip(seqs, ranking.probability.tolist(), strict=True))


def _list(found: Found, items: Mapping[int, Item], pool: int) -> list[RankedHit]:
    """One backend's hits as the fusion modes take them."""
    own = zip(found.seqs[:pool].tolist(), found.scores[:pool].tolist(), strict=True)
    pairs = [*own, *((item.seq, score) for item, score in found.foreign)]
    return [_ranked_hit(items[seq], score) for seq, score in pairs if seq in items]


def _ranked_hit(item: Item, score: float) -> RankedHit:
    return RankedHit(item.seq, score, item.content, item.created_at.timestamp(), item.seq)


def _calibrated_list(
    partition: Partition, ranking: Ranking, found: Mapping[str, Found], items: Mapping[int, Item], dedup: bool
) -> list[Fused]:
    """The calibrated ranking of the loaded items; of repeats the newest stands where the best of them ranks."""
    finders = {name: set(one.seqs.tolist()) for name, one in found.items()}
    seqs = partition.columns.seq[ranking.docs].tolist()
    places: dict[str, int] = {}
    fused: list[Fused] = []
    for seq, score in zip(seqs, ranking.relevance.tolist(), strict=True):
        if seq not in items:
            continue
        entry = Fused(seq, score, tuple(name for name, known in finders.items() if seq in known))
        key = content_key(items[seq].content) if dedup else ""
        if key and key in places:
            better = fused[places[key]]
            if items[seq].created_at > items[int(str(better.id))].created_at:
                fused[places[key]] = replace(entry, fusion_score=better.fusion_score)
            continue
        places[key] = len(fused)
        fused.append(entry)
    return fused

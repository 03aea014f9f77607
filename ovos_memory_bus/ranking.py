"""Fusion: N named ranked lists become one. Pure; the same lists give the same result in whatever order they came.

A fusion mode is a function that scores ids from prepared lists; `fuse` does what all modes share (order of the
backends, each id once, repeats, ties). `FUSION_MODES` names the built-in ones; a mode that needs more than ranks
and scores is passed to `fuse` as a function with its features bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from .errors import InvalidRequest
from .repeats import content_key

DEFAULT_RRF_K = 60.0
DEFAULT_WEIGHT = 1.0
STANDOUT_PLACES = 3
STANDOUT_LEAD = 0.67  # of the list's spread; above what scores of 1 / rank give
STANDOUT_MIN_HITS = 4

NO_WEIGHTS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RankedHit:
    """One hit of one backend's list. `score` is on that backend's own scale, higher is better. Hits whose
    `content` says the same count as repeats (blank content: never); of repeats the newest stands for all,
    by `created_at` (seconds since the epoch), then `seq` (the store's number)."""

    id: Hashable
    score: float
    content: str = ""
    created_at: float = 0.0
    seq: int = 0

    @property
    def age_key(self) -> tuple[float, int]:
        return (self.created_at, self.seq)


@dataclass(frozen=True, slots=True)
class RankedList:
    """One backend's answer as a mode sees it: best first, each id once, all scores finite."""

    name: str
    weight: float
    hits: tuple[RankedHit, ...]


@dataclass(frozen=True, slots=True)
class Fused:
    """One id of the fused ranking; `backends` are all those that found it or a repeat of it."""

    id: Hashable
    fusion_score: float
    backends: tuple[str, ...]


Scores = dict[Hashable, float]
FusionMode = Callable[[Sequence[RankedList], float], Scores]
"""Scores ids from lists in the order of their backends, given `rrf_k`; an id without a score is left out."""


def fuse(
    mode: str | FusionMode,
    lists: Mapping[str, Sequence[RankedHit]],
    *,
    weights: Mapping[str, float] = NO_WEIGHTS,
    rrf_k: float = DEFAULT_RRF_K,
    dedup: bool = True,
    order: Sequence[str] = (),
) -> list[Fused]:
    """The fused ranking, best first, each id once.

    `lists` maps a backend's name to its hits, best first. A weight of 0 leaves a backend out; the default is 1.
    `order` names backends, most important first (for `priority`, `interleave` and ties); others follow by name.
    With `dedup`, hits that say the same thing become one, under the id of the newest.
    Raises InvalidRequest for an unknown mode, or a weight or `rrf_k` that is negative or not finite.
    """
    score = _mode(mode)
    _check("rrf_k", rrf_k)
    for weight in weights.values():
        _check("weights", weight)
    unified = collapse_repeats(lists) if dedup else lists
    prepared = [
        RankedList(name, weights.get(name, DEFAULT_WEIGHT), _finite(_each_once(unified[name])))
        for name in _in_order(unified, order)
        if weights.get(name, DEFAULT_WEIGHT) > 0
    ]
    scores = score(prepared, rrf_k)
    first_place: dict[Hashable, tuple[int, int]] = {}
    found_by: dict[Hashable, list[str]] = {}
    for position, ranked in enumerate(prepared):
        for rank, hit in enumerate(ranked.hits):
            first_place[hit.id] = min(first_place.get(hit.id, (rank, position)), (rank, position))
            found_by.setdefault(hit.id, []).append(ranked.name)
    best_first = sorted(scores, key=lambda id_: (-scores[id_], first_place[id_]))
    return [Fused(id_, scores[id_], tuple(found_by[id_])) for id_ in best_first]


def rrf(lists: Sequence[RankedList], rrf_k: float) -> Scores:
    """Reciprocal rank fusion: the sum over lists of weight / (k + rank), rank from 1 (Cormack, Clarke and
    Büttcher, SIGIR 2009)."""
    scores: Scores = {}
    for ranked in lists:
        for rank, hit in enumerate(ranked.hits, start=1):
            scores[hit.id] = scores.get(hit.id, 0.0) + ranked.weight / (rrf_k + rank)
    return scores


def weighted(lists: Sequence[RankedList], rrf_k: float) -> Scores:
    """The weighted sum of each list's scores, stretched to [0, 1] within the list (min-max)."""
    scores: Scores = {}
    for ranked in lists:
        for hit, share in zip(ranked.hits, _stretched(ranked.hits), strict=True):
            scores[hit.id] = scores.get(hit.id, 0.0) + ranked.weight * share
    return scores


def merge(lists: Sequence[RankedList], rrf_k: float) -> Scores:
    """The best weighted score as it came: for backends that share a scale."""
    scores: Scores = {}
    for ranked in lists:
        for hit in ranked.hits:
            score = ranked.weight * hit.score
            scores[hit.id] = max(scores.get(hit.id, score), score)
    return scores


def priority(lists: Sequence[RankedList], rrf_k: float) -> Scores:
    """The first list that has hits, alone; the score is 1 / rank."""
    for ranked in lists:
        if ranked.hits:
            return {hit.id: 1 / rank for rank, hit in enumerate(ranked.hits, start=1)}
    return {}


def interleave(lists: Sequence[RankedList], rrf_k: float) -> Scores:
    """In turn the first of each list, then the second of each; the score is 1 / place."""
    depth = max((len(ranked.hits) for ranked in lists), default=0)
    turns = (ranked.hits[rank].id for rank in range(depth) for ranked in lists if rank < len(ranked.hits))
    return {id_: 1 / place for place, id_ in enumerate(dict.fromkeys(turns), start=1)}


def with_standouts(mode: FusionMode) -> FusionMode:
    """The mode, but with every standout among the first three: the first of a list of four or more hits that
    leads the second by 0.67 of the list's spread. A sum lets middling hits that two backends share sink the one
    that a single backend is sure of. Such a hit gets a score just above the last of the three that is none."""

    def score(lists: Sequence[RankedList], rrf_k: float) -> Scores:
        scores = mode(lists, rrf_k)
        standouts = [ranked.hits[0].id for ranked in lists if _has_standout(ranked.hits)]
        for id_ in standouts:
            top = sorted(scores, key=lambda other: -scores[other])[:STANDOUT_PLACES]
            others = [other for other in top if other not in standouts]
            if id_ in scores and id_ not in top and others:
                scores[id_] = math.nextafter(scores[others[-1]], math.inf)
        return scores

    return score


FUSION_MODES: dict[str, FusionMode] = {
    "rrf": with_standouts(rrf),
    "weighted": with_standouts(weighted),
    "merge": merge,
    "priority": priority,
    "interleave": interleave,
}


def collapse_repeats(lists: Mapping[str, Sequence[RankedHit]]) -> dict[str, list[RankedHit]]:
    """The lists with every repeat under the id of the newest hit that says the same, in any list. In each list
    the best placed repeat keeps its place and score; the others go, and those below move up."""
    newest: dict[str, RankedHit] = {}
    keys: dict[Hashable, str] = {}
    for name in sorted(lists):
        for hit in lists[name]:
            key = keys.get(hit.id)
            if key is None:
                key = keys[hit.id] = content_key(hit.content)
            if key and (key not in newest or hit.age_key > newest[key].age_key):
                newest[key] = hit

    def renamed(hit: RankedHit) -> RankedHit:
        stands_for_all = newest.get(keys[hit.id], hit)
        return hit if stands_for_all.id == hit.id else replace(stands_for_all, score=hit.score)

    return {name: _each_once(map(renamed, hits)) for name, hits in lists.items()}


def _has_standout(hits: Sequence[RankedHit]) -> bool:
    if len(hits) < STANDOUT_MIN_HITS:
        return False
    shares = _stretched(hits)
    return shares[0] - max(shares[1:]) > STANDOUT_LEAD


def _mode(mode: str | FusionMode) -> FusionMode:
    if not isinstance(mode, str):
        return mode
    if mode not in FUSION_MODES:
        raise InvalidRequest(f"unknown fusion {mode!r}; known are {', '.join(FUSION_MODES)}", field="fusion")
    return FUSION_MODES[mode]


def _check(field: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InvalidRequest(f"{field} must be finite and at least 0, not {value}", field=field)


def _in_order(lists: Mapping[str, object], order: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*(name for name in order if name in lists), *sorted(lists)]))


def _each_once(hits: Iterable[RankedHit]) -> list[RankedHit]:
    first: dict[Hashable, RankedHit] = {}
    for hit in hits:
        first.setdefault(hit.id, hit)
    return list(first.values())


def _finite(hits: Sequence[RankedHit]) -> tuple[RankedHit, ...]:
    """The hits with infinite scores at the finite ends of the list, and "not a number" at its lower end."""
    finite = [hit.score for hit in hits if math.isfinite(hit.score)]
    if len(finite) == len(hits):
        return tuple(hits)
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)

    def bounded(score: float) -> float:
        return low if math.isnan(score) else min(max(score, low), high)

    return tuple(replace(hit, score=bounded(hit.score)) for hit in hits)


def _stretched(hits: Sequence[RankedHit]) -> list[float]:
    """The finite scores mapped to [0, 1]; all 1 when they are equal. Halved first: a spread can exceed a float."""
    halves = [hit.score / 2 for hit in hits]
    low, spread = min(halves, default=0.0), max(halves, default=0.0) - min(halves, default=0.0)
    return [(half - low) / spread if spread > 0 else 1.0 for half in halves]

"""The default fusion with further backends: what they found takes its place among our own hits by probability. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .backends.base import Found
from .backends.outside import by_place
from .ranking import Fused
from .records import Item
from .repeats import content_key


@dataclass(frozen=True, slots=True)
class Believed:
    """How likely further backends hold a candidate to be, and which of them do."""

    probability: float
    backends: tuple[str, ...]


def further(found: Mapping[str, Found], weights: Mapping[str, float], known: Sequence[str]) -> dict[int, Believed]:
    """By seq, what the backends other than `known` found. A backend whose scores are no probabilities is believed by
    the places of its hits. A weight below 1 makes its probabilities smaller; 0 leaves it out."""
    result: dict[int, Believed] = {}
    for name, one in found.items():
        weight = min(weights.get(name, 1.0), 1.0)
        if name in known or not weight:
            continue
        for seq, score in _probable(one):
            before = result.get(seq, Believed(0.0, ()))
            result[seq] = Believed(max(before.probability, weight * score), (*before.backends, name))
    return result


def blended(
    fused: Sequence[Fused],
    probability: Mapping[int, float],
    more: Mapping[int, Believed],
    items: Mapping[int, Item],
    dedup: bool,
) -> list[Fused]:
    """`fused` and `more` in one list by probability, which is their fusion score then; what repeats an entry of
    `fused`, or of a better one of `more`, goes."""
    if not more:
        return list(fused)
    entries: dict[int, Fused] = {}
    for entry in fused:
        seq = int(str(entry.id))
        extra = more.get(seq, Believed(0.0, ()))
        score = max(probability.get(seq, 0.0), extra.probability)
        entries[seq] = Fused(seq, score, (*entry.backends, *extra.backends))
    said = {content_key(items[seq].content) for seq in entries if seq in items} if dedup else set()
    for seq, extra in sorted(more.items(), key=lambda pair: -pair[1].probability):
        if seq in entries or seq not in items:
            continue
        key = content_key(items[seq].content) if dedup else ""
        if key and key in said:
            continue
        said.add(key)
        entries[seq] = Fused(seq, extra.probability, extra.backends)
    return sorted(entries.values(), key=lambda entry: -entry.fusion_score)


def _probable(found: Found) -> list[tuple[int, float]]:
    """Seqs with probabilities."""
    if found.probable:
        own = list(zip(found.seqs.tolist(), found.scores.tolist(), strict=True))
        return [*own, *((item.seq, score) for item, score in found.foreign)]
    seqs = [*found.seqs.tolist(), *(item.seq for item, _ in found.foreign)]
    return [(seq, by_place(place)) for place, seq in enumerate(seqs)]

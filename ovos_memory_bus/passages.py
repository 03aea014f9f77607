"""Recalled turns as passages: neighbouring turns of a session together, oldest first, the best passage first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from .records import Item
from .repeats import content_key

MAX_GAP = timedelta(hours=1)
"""Turns further apart are two passages even when nothing was said between them: each passage has one date."""

Position = Callable[[Item], int]
"""An item's place in its session: turns that follow each other have numbers that do."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is shown as one piece; `hit_ids` are those of its items that were recalled, the rest is around them."""

    items: tuple[Item, ...]
    hit_ids: frozenset[str]

    def hits_only(self) -> Passage:
        """The passage without what was not itself recalled."""
        return replace(self, items=tuple(item for item in self.items if item.id in self.hit_ids))


def by_seq(item: Item) -> int:
    """The position where one session's turns are stored one after the other."""
    return item.seq


def passages(
    hits: Sequence[Item],
    *,
    neighbours: Iterable[Item] = (),
    visible: Collection[str] = (),
    position: Position = by_seq,
) -> list[Passage]:
    """The passages that show `hits` (best first), those with better hits first.

    Of hits that say the same the newest is shown, where the best of them ranks. `neighbours` are shown only next
    to a hit. Items with an id in `visible` are not shown. Only turns join; notes and documents stand alone.
    """
    shown = _newest_of_repeats(hits)
    said = {content_key(item.content) for item in shown}
    known = {*visible, *(hit.id for hit in hits)}
    around = {item.id: item for item in neighbours if item.id not in known and content_key(item.content) not in said}
    ranks = {item.id: rank for rank, item in enumerate(shown) if item.id not in visible}
    pieces = [item for item in shown if item.id in ranks] + list(around.values())
    found = [Passage(run, frozenset(item.id for item in run) & ranks.keys()) for run in _runs(pieces, position)]
    with_hits = [passage for passage in found if passage.hit_ids]
    return sorted(with_hits, key=lambda passage: min(ranks[id_] for id_ in passage.hit_ids))


def _newest_of_repeats(hits: Sequence[Item]) -> list[Item]:
    """One item for each thing said, in the order in which they were first met."""
    newest: dict[str, Item] = {}
    for hit in hits:
        key = content_key(hit.content) or hit.id
        other = newest.get(key)
        if other is None or (hit.created_at, hit.seq) > (other.created_at, other.seq):
            newest[key] = hit
    return list(newest.values())


def _runs(items: Iterable[Item], position: Position) -> list[tuple[Item, ...]]:
    """The items in runs of turns that follow each other, oldest first; every other item in a run of its own."""
    runs: list[list[Item]] = []
    for item in sorted(items, key=lambda item: (item.kind, item.owner, item.session_id, position(item))):
        if runs and _follows(runs[-1][-1], item, position):
            runs[-1].append(item)
        else:
            runs.append([item])
    return [tuple(run) for run in runs]


def _follows(before: Item, item: Item, position: Position) -> bool:
    return (
        before.kind == item.kind == "turn"
        and (before.owner, before.session_id) == (item.owner, item.session_id)
        and position(item) - position(before) <= 1
        and abs(item.created_at - before.created_at) <= MAX_GAP
    )

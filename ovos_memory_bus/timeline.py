"""Questions about a time, settled against what was said when: which stretches are meant, and turns spread over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

import numpy as np

from .filters import ItemFilter
from .index.arrays import Array
from .index.columns import Columns
from .store.rows import from_micros
from .temporal import TimeRange, parse, resolve, spread
from .temporal.sessions import GAP

_MICROSECOND = timedelta(microseconds=1)
_NEVER = (from_micros(0), from_micros(0))  # a stretch in which nothing was said: the answer is silence


Stretch = tuple[datetime, datetime]
SAID_LATER = timedelta(days=3)  # what happened at a time is mostly told within so many days


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question about a time comes to.

    When it asks what was said then (`restricts`), `where` is the filter with the stretches in it, `text` the words
    left to search for, "" when it is about the time alone, and `order` whether the first or the last is wanted. When
    it asks what happened then, `where` and `text` are as they were, and `preferred` the stretches in which it was
    likely told."""

    where: ItemFilter
    text: str
    restricts: bool
    order: str | None = None
    preferred: tuple[Stretch, ...] = ()


def plan(
    utterance: str,
    lang: str | None,
    now: datetime,
    zone: tzinfo,
    columns: Columns,
    mask: Array | None,
    where: ItemFilter,
) -> Plan:
    """The plan for an utterance. `mask` says which docs the caller may see."""
    intent = parse(utterance, lang, now, zone)
    if intent is None:
        return Plan(where, utterance, False)
    if intent.strength == "prefer":
        preferred = tuple((one.start, one.end + SAID_LATER) for one in intent.ranges)
        return Plan(where, utterance, False, preferred=preferred)
    stretches = resolve(intent, conversations(columns, mask), now)
    during = tuple((one.start, one.end) for one in stretches)
    return Plan(replace(where, during=during or (_NEVER,)), intent.topic, True, intent.order)


def conversations(columns: Columns, mask: Array | None) -> list[TimeRange]:
    """All conversations in the turns that pass `mask`, oldest first; half an hour of silence ends one."""
    turns = columns.label("kind") == columns.codes.find("turn")
    times = np.sort(columns.created[_passing(columns, mask) & turns])
    if not len(times):
        return []
    gap = GAP // _MICROSECOND
    first = np.flatnonzero(np.diff(times, prepend=times[0] - gap) >= gap)
    last = np.append(first[1:] - 1, len(times) - 1)
    pairs = zip(times[first].tolist(), times[last].tolist(), strict=True)
    return [TimeRange(from_micros(start), from_micros(end + 1)) for start, end in pairs]


def told(columns: Columns, mask: Array | None, order: str | None, limit: int) -> list[int]:
    """At most `limit` turns (their seqs) that pass `mask`: the first ones, the last ones, or spread over all."""
    turns = columns.label("kind") == columns.codes.find("turn")
    docs = np.flatnonzero(_passing(columns, mask) & turns)
    docs = docs[np.lexsort((columns.seq[docs], columns.created[docs]))]
    if order == "first":
        docs = docs[:limit]
    elif order == "last":
        docs = docs[::-1][:limit]
    else:
        docs = docs[spread(len(docs), limit)]
    seqs: list[int] = columns.seq[docs].tolist()
    return seqs


def _passing(columns: Columns, mask: Array | None) -> Array:
    return columns.alive if mask is None else mask

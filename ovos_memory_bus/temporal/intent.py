"""What a question says about time: the values `parse` answers with and `resolve` works on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Order = Literal["first", "last"]
Strength = Literal["restrict", "prefer"]


@dataclass(frozen=True, slots=True, order=True)
class TimeRange:
    """A stretch of time [start, end): aware datetimes in UTC, start before end."""

    start: datetime
    end: datetime

    def overlaps(self, other: TimeRange) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class SessionRef:
    """Conversations by number, both ends included: 1 is the oldest, -1 the newest. (3, 5) is "the third to the fifth",
    (-3, -3) "three conversations ago", (-3, -1) "the last three". `closed`: the one still going on does not count."""

    first: int
    last: int
    closed: bool = True


@dataclass(frozen=True, slots=True)
class TimeIntent:
    """What time an utterance asks about.

    `ranges`: the time asked about, oldest first; empty when only an order or conversations are named.
    `fallbacks`: earlier readings of the same words, the next best first, for when nothing was said in `ranges`
    ("last Saturday" of somebody who was silent last Saturday is the one before).
    `sessions`: the conversations asked about, counted within `ranges` where there are any.
    `order`: the first or the last of what is found is wanted.
    `earlier`: what belongs to the conversation still going on is not meant ("earlier today").
    `strength`: "restrict" when the time says when it was said, "prefer" when it says when it happened.
    `topic`: the words that remain when time, question and filler words are gone; "" for a question about time alone.
    `rest`: the utterance without its time expression.
    """

    ranges: tuple[TimeRange, ...]
    strength: Strength
    topic: str
    rest: str
    fallbacks: tuple[tuple[TimeRange, ...], ...] = ()
    sessions: SessionRef | None = None
    order: Order | None = None
    earlier: bool = False

"""Conversations: cut out of the times of turns, and named by an intent; and what a time question finally selects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from .intent import SessionRef, TimeIntent, TimeRange

# A silence this long ends a conversation: within one, people answer in minutes.
GAP = timedelta(minutes=30)
# The conversation in which the question itself is asked: its last turn is no older than this.
GOING_ON = timedelta(minutes=2)
_INSTANT = timedelta(microseconds=1)


def split_sessions(times: Iterable[datetime], gap: timedelta = GAP) -> list[TimeRange]:
    """Conversations as ranges, oldest first, from the aware times of turns in any order; `gap` of silence separates."""
    sessions: list[TimeRange] = []
    for moment in sorted(times):
        if sessions and moment - sessions[-1].end < gap:
            sessions[-1] = TimeRange(sessions[-1].start, moment + _INSTANT)
        else:
            sessions.append(TimeRange(moment, moment + _INSTANT))
    return sessions


def resolve_sessions(reference: SessionRef, sessions: Sequence[TimeRange], now: datetime) -> tuple[TimeRange, ...]:
    """The conversations a reference names, of `sessions` oldest first; () when there are not so many.

    Counted from the newest, the conversation still going on at `now` is left out unless the reference is open.
    """
    if reference.first > 0:
        return tuple(sessions[reference.first - 1 : reference.last])
    if reference.closed and sessions and now - sessions[-1].end <= GOING_ON:
        sessions = sessions[:-1]
    start = len(sessions) + reference.first
    end = len(sessions) + reference.last + 1
    if end <= 0 or (reference.first == reference.last and start < 0):
        return ()
    return tuple(sessions[max(start, 0) : end])


def resolve(intent: TimeIntent, sessions: Sequence[TimeRange], now: datetime) -> tuple[TimeRange, ...]:
    """The stretches of conversation an intent asks about, oldest first; () when nothing was said then.

    `sessions` are all conversations, oldest first (`split_sessions`). The intent's fallbacks are tried in turn until
    one holds something said; for "earlier" the conversation going on counts only when there is nothing else.
    """
    for ranges in (intent.ranges, *intent.fallbacks):
        held = [part for session in sessions for part in _parts(session, ranges)]
        if intent.earlier:
            held = _before_this(held, sessions, now)
        if intent.sessions is not None:
            held = list(resolve_sessions(intent.sessions, held, now))
        if held:
            return tuple(held)
    return resolve(replace(intent, earlier=False), sessions, now) if intent.earlier else ()


def _parts(session: TimeRange, ranges: Sequence[TimeRange]) -> list[TimeRange]:
    if not ranges:
        return [session]
    return [
        TimeRange(max(session.start, one.start), min(session.end, one.end)) for one in ranges if session.overlaps(one)
    ]


def _before_this(held: list[TimeRange], sessions: Sequence[TimeRange], now: datetime) -> list[TimeRange]:
    """Without the latest conversation when it is not over yet."""
    if sessions and now - sessions[-1].end < GAP:
        return [part for part in held if part.end <= sessions[-1].start]
    return held


def spread(count: int, limit: int) -> list[int]:
    """At most `limit` positions spread evenly over `count` of them, first and last included, in order."""
    if count <= limit:
        return list(range(count))
    if limit <= 1:
        return [0] * limit
    return [round(place * (count - 1) / (limit - 1)) for place in range(limit)]

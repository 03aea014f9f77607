"""Which turns state what no longer holds: they are neither recalled nor summed up as if it did."""

from __future__ import annotations

from collections.abc import Sequence

from ..extraction.text import norm
from ..records import Item
from ..store.base import Store

ENDED_BY = "ended_by"  # in an ended fact's metadata: the id of the turn that ended it
SHORT = 30  # words; a longer turn that also names an old value says more than that


def is_current(fact: Item) -> bool:
    """Whether a fact still holds."""
    return fact.metadata.get("valid_to") is None


async def stale_turns(store: Store, owner: str | None, facts: Sequence[Item]) -> frozenset[int]:
    """The seqs of turns from which only facts that ended were drawn, and of short ones that name an ended value beside
    what holds: "we moved from Leith to Dundee". What holds of them stands among the facts."""
    sources = await store.sources_of([fact.seq for fact in facts])
    ended = [fact for fact in facts if not is_current(fact)]
    of_ended = {seq for fact in ended for seq in sources.get(fact.seq, ())}
    holding = {seq for fact in facts if is_current(fact) for seq in sources.get(fact.seq, ())}
    enders = sorted({str(fact.metadata[ENDED_BY]) for fact in ended if fact.metadata.get(ENDED_BY)})
    turns = {turn.seq: turn for turn in await store.get(enders, owner)} if enders else {}
    turns |= await store.by_seq(of_ended & holding)
    values = [norm(str(fact.metadata.get("value", ""))) for fact in ended]
    naming = {seq for seq, turn in turns.items() if _names_one(norm(turn.content), values)}
    return frozenset((of_ended - holding) | naming)


def _names_one(text: str, values: Sequence[str]) -> bool:
    return len(text.split()) <= SHORT and any(value and f" {value} " in f" {text} " for value in values)

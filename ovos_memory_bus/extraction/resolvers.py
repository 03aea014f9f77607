"""From the words in a slot to the smallest span that carries a value: one resolver for each kind of slot.

Refusing is the safe side: a wrong fact is worse than a missing one.
"""

from __future__ import annotations

from ovos_memory_bus.extraction import entries, names, phrases
from ovos_memory_bus.extraction.slots import Resolver, Slot, Span
from ovos_memory_bus.extraction.text import PUNCTUATION

RESOLVERS: dict[str, Resolver] = {
    "name": names.name,
    "oldname": names.name,
    "named": names.named,
    "names": names.names,
    "row": names.row,
    "proper": names.proper,
    "hello": names.hello,
    "mention": names.mention,
    "housemate": names.housemate,
    "place": names.place,
    "job": phrases.job,
    "title": phrases.title,
    "work": phrases.work,
    "food": phrases.food,
    "ailment": phrases.ailment,
    "thing": phrases.thing,
    "activity": phrases.activity,
    "weekly": phrases.activity,
    "origin": names.origin,
    "liked": phrases.liked,
    "address": phrases.address,
    "hobby": phrases.hobby,
    "goal": phrases.goal,
    "intent": phrases.intent,
    "answers": phrases.answers,
    "preference": phrases.preference,
    "owned": entries.owned,
    "belonging": entries.belonging,
    "language": entries.language,
    "number": entries.number,
    "oldnumber": entries.number,
    "age": entries.age,
    "date": entries.date,
    "contact": entries.contact,
    "diet": entries.from_lexicon("diet"),
    "condition": entries.from_lexicon("condition"),
    "demonym": entries.from_lexicon("demonym", reach=1),
    "allergen": entries.from_lexicon("allergen"),
}


_ASSERTED = frozenset(
    ("name", "named", "names", "hello", "place", "origin", "job", "title", "work", "demonym", "condition", "owned",
     "belonging", "language", "age", "date")
)  # fmt: skip
"""Kinds whose value a negation right before it denies: "ik ben geen bakker"."""


def resolve(kind: str, slot: Slot) -> list[Span]:
    """The values in a slot, most often one; several for a list ("english and french"); none if it holds no value."""
    resolver = RESOLVERS.get(kind, phrases.thing)
    found = resolver(slot)
    if not found or (
        kind in _ASSERTED and any(slot.word(i) in slot.pack.negators for i in range(slot.first, found[0].first))
    ):
        return []
    end = found[-1].last
    if end < len(slot.line.tokens):
        offset = slot.line.offsets[min(end + (slot.word(end) in PUNCTUATION), len(slot.line.tokens) - 1)]
        repair = slot.pack.repair.match(slot.line.flat, offset)
        if repair and repair.end() < len(slot.line.flat):
            rest = slot.after(slot.line.index(repair.end()))
            while rest.word(rest.first) in slot.pack.preps | frozenset(","):
                rest = rest.after(rest.first + 1)
            return resolver(rest) or found
    return found

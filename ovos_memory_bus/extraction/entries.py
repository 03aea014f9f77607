"""Values known by the words of a lexicon or by their digits: languages, conditions, goods, numbers, dates."""

from __future__ import annotations

import re

from ovos_memory_bus.extraction.phrases import listed, phrase
from ovos_memory_bus.extraction.slots import Resolver, Slot, Span
from ovos_memory_bus.extraction.text import PUNCTUATION

_DIGITS = re.compile(r"\+?[\d·/]+\Z")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|e|er|º|ª)?\Z")
_MAX_ITEMS = 6


def owned(slot: Slot) -> list[Span]:
    """Things one owns, known by a noun of the lexicon: "a second hand cello", but no "a question"."""

    def one(part: Slot) -> list[Span]:
        found = phrase(part, "owned", 5)
        if not found:
            return found
        nouns = slot.pack.subjects["possession"]
        for size in (2, 1):
            for i in range(found[0].last - size, found[0].first - 1, -1):
                kind = nouns.get(part.phrase(i, i + size))
                if kind is None and size == 1:
                    kind = next(
                        (nouns[e] for e in slot.pack.suffixes.get("possession", ()) if part.word(i).endswith(e)), None
                    )
                if kind:
                    return [Span(found[0].first, found[0].last, kind)]
        return []

    return listed(slot, one, alike=False)  # a pattern may take the first article


def belonging(slot: Slot) -> list[Span]:
    """Things owned where a pattern says so ("i own …"): any noun."""
    return listed(slot, lambda part: phrase(part, "owned", 5))


def language(slot: Slot) -> list[Span]:
    """Languages in a row, each known by the lexicon."""
    found: list[Span] = []
    index = slot.first
    tongue = slot.pack.lexicon["language"]
    rest = slot.after(slot.first)
    while index < rest.last and len(found) < _MAX_ITEMS:
        word = slot.word(index)
        if word in tongue:
            found.append(Span(index, index + 1))
        elif lead := slot.pack.lead.match(slot.line.flat, slot.line.offsets[index]):
            index = slot.line.index(lead.end() - 1)
        elif not (word == "," or word in slot.pack.coordinators or word in slot.pack.joiners):
            break
        index += 1
    return found


def from_lexicon(kind: str, reach: int = 3) -> Resolver:
    """A resolver for phrases of one lexicon, or words that end like them, within `reach` words."""

    def one(slot: Slot) -> list[Span]:
        first = slot.begin()
        entries = slot.pack.lexicon.get(kind, frozenset())
        for start in range(first, min(first + reach, slot.last)):
            for end in range(min(slot.last, start + 4), start, -1):
                if slot.phrase(start, end) in entries or (end == start + 1 and slot.ends_like(kind, start)):
                    return [Span(start, end)]
            if slot.pack.stop.match(slot.word(start) + " ") or slot.word(start) in slot.pack.starters:
                break
        return []

    return lambda slot: listed(slot, one)


def number(slot: Slot) -> list[Span]:
    """A number in digits or words."""
    first = slot.begin()
    last = first
    while last < slot.last:
        word = slot.word(last)
        linked = last > first and word in slot.pack.number_links and slot.pack.number.match(slot.word(last + 1))
        if not (slot.pack.number.match(word) or linked):
            break
        last += 1
    while last > first and slot.word(last - 1) in slot.pack.number_links:  # "sechsunddreißig und …"
        last -= 1
    return [Span(first, last)] if last > first else []


def age(slot: Slot) -> list[Span]:
    """A number that is no amount: nothing, a conjunction or a mark follows it."""
    found = number(slot)
    if not found or found[0].last >= len(slot.line.tokens):
        return found
    follower = slot.word(found[0].last)
    stops = slot.pack.stop.match(slot.line.flat, slot.line.offsets[found[0].last])
    return found if stops or follower in PUNCTUATION or follower in slot.pack.starters else []


def date(slot: Slot) -> list[Span]:
    """A day of the year: day and month in any order, or a holiday."""
    pack = slot.pack
    dated = [i for i in range(slot.first, slot.last) if _dated(slot, slot.word(i))]
    if not any(slot.word(i) in pack.months or "/" in slot.word(i) or slot.word(i).count("·") > 1 for i in dated):
        return _holiday(slot)
    last = dated[0] + 1
    links = pack.number_links | pack.joiners
    while last < slot.last and (
        last in dated or (last + 1 in dated and (slot.word(last) in links or pack.lead.match(slot.word(last) + " ")))
    ):
        last += 1
    return [Span(dated[0], last)]


def _holiday(slot: Slot) -> list[Span]:
    days = slot.pack.lexicon.get("holiday", frozenset())
    for start in range(slot.first, slot.last):
        for end in range(min(slot.last, start + 4), start, -1):
            if slot.phrase(start, end) in days:
                return [Span(start, end)]
    return []


def _dated(slot: Slot, word: str) -> bool:
    pack = slot.pack
    return (
        word in pack.months
        or word in pack.lexicon.get("ordinal", ())
        or bool(pack.number.match(word) or _ORDINAL.match(word) or _DIGITS.match(word))
    )


def contact(slot: Slot) -> list[Span]:
    """A mail address, written or spoken ("… at … dot com"), or at least five digits."""
    signs = slot.pack.lexicon.get("at_sign", frozenset())
    end = min(slot.after(slot.first).last, slot.first + 14)
    words = [slot.word(i) for i in range(slot.first, end)]
    mail = next((i for i, word in enumerate(words) if "@" in word), None)
    if mail is not None:
        return [Span(slot.first + mail, slot.first + mail + 1, "email")]
    first = slot.first
    if any(word in signs for word in words):
        last = slot.clause_end(first)
        return [Span(first, min(last, end), "email")]
    last = first
    while last < end and (slot.pack.number.match(slot.word(last)) or re.match(r"\+?\d", slot.word(last))):
        last += 1
    digits = sum(len(slot.word(i)) if slot.word(i)[-1:].isdigit() else 1 for i in range(first, last))
    return [Span(first, last, "phone")] if digits >= 5 else []

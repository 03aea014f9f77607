"""What a user takes back: what no longer holds, and what is to be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ovos_memory_bus.extraction.blocking import Ranges, inside
from ovos_memory_bus.extraction.grammar import Pattern
from ovos_memory_bus.extraction.model import Category, Retraction
from ovos_memory_bus.extraction.pack import Pack
from ovos_memory_bus.extraction.reading import Found, reading
from ovos_memory_bus.extraction.resolvers import resolve
from ovos_memory_bus.extraction.slots import Slot
from ovos_memory_bus.extraction.text import Line

_BY_SUBJECT: dict[str, Category] = {"relation": "family", "animal": "pet", "possession": "possession"}


def retracted(
    line: Line, pack: Pack, words: frozenset[str], unstated: Ranges
) -> tuple[dict[int, Retraction], list[Found]]:
    """What "I don't … any more" takes back, by category and token, and what follows in its place ("now in …")."""
    dropped: dict[int, Retraction] = {}
    resumed: list[Found] = []
    for rule in pack.retractions:
        if not rule.pattern.possible(words):
            continue
        for match in rule.pattern.regex.finditer(line.flat):
            start = line.index(match.start())
            if start in dropped or inside(match.start(), unstated):
                continue  # the first category that a pack lists is the most telling one
            old = list(reading(rule, match, line, pack)) if rule.pattern.kinds else []
            if rule.pattern.kinds and not old:
                continue
            value = line.span(old[0].span.first, old[0].span.last) if old else None
            after = line.offsets[old[0].span.last - 1] if old else match.start()
            if old and set(rule.pattern.kinds) <= {"relation", "animal"}:
                dropped[start] = Retraction(rule.category, None, old[0].span.subject)  # "we no longer have the dog"
            else:
                dropped[start] = Retraction(rule.category, value)
            for follow in (f for f in pack.followups if f.category == rule.category and f.pattern.possible(words)):
                resumption = follow.pattern.regex.search(line.flat, after)
                resumed += reading(follow, resumption, line, pack) if resumption else ()
    return dropped, resumed


def forgotten(line: Line, pack: Pack, words: frozenset[str]) -> Iterator[tuple[int, int, list[Retraction]]]:
    """Requests to forget: their stretch of the line and what they name."""
    for pattern in pack.forget:
        match = pattern.regex.search(line.flat) if pattern.possible(words) else None
        if match and not _denied(line, line.index(match.start()), pattern, pack):
            first = line.index(match.start(1))
            last = line.index(match.end(1) - 1) + 1
            yield match.start(), match.end(1), _topics(Slot(line, pack, first, last))
            return


def _denied(line: Line, verb: int, pattern: Pattern, pack: Pack) -> bool:
    """Whether "forget" is denied: "don't forget that …" asks for the opposite."""
    if not pack.negators.isdisjoint(re.findall(r"[\w']+", pattern.source)):
        return False  # "it is not true that …" brings its own
    near = [token.norm for token in line.tokens[max(0, verb - 2) : verb + 2]]
    return any(word in pack.negators for word in near)


def _topics(slot: Slot) -> list[Retraction]:
    """What a request to forget names: the first topic, relation, animal or thing of it, else its own words."""
    subjects = slot.pack.subjects
    for first in range(slot.first, slot.last):
        for last in range(min(slot.last, first + 3), first, -1):
            phrase = slot.phrase(first, last)
            if phrase in slot.pack.topics:
                value = _specific(slot, last)
                return [Retraction(category, value) for category in slot.pack.topics[phrase]]
            for kind, category in _BY_SUBJECT.items():
                if phrase in subjects[kind]:
                    return [Retraction(category, None, subjects[kind][phrase])]
    return [Retraction(None, slot.line.span(span.first, span.last)) for span in resolve("thing", slot)[:1]]


def _specific(slot: Slot, first: int) -> str | None:
    """What a topic is narrowed to: the pollen of "my allergy to pollen"."""
    begin = first
    while slot.word(begin) in slot.pack.preps and begin < slot.last:
        begin += 1
    found = resolve("food", Slot(slot.line, slot.pack, begin, slot.last)) if first < begin < slot.last else []
    found = found or resolve("allergen", Slot(slot.line, slot.pack, begin, slot.last)) if begin > first else []
    return slot.line.span(found[0].first, found[0].last) if found else None

"""From the match of a pattern to the candidates it holds: each value with its subject and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ovos_memory_bus.extraction.grammar import START
from ovos_memory_bus.extraction.model import USER, Category
from ovos_memory_bus.extraction.pack import Pack, Rule
from ovos_memory_bus.extraction.resolvers import resolve
from ovos_memory_bus.extraction.slots import Slot, Span
from ovos_memory_bus.extraction.text import Line

_SUBJECT_KINDS = ("relation", "animal", "count", "offspring")
_NAMING = ("name", "named", "hello")
_COUNTED = ("number", "age", "date", "language")  # "soixante et un": a conjunction inside


@dataclass(frozen=True)
class Found:
    """A candidate with its place: the tokens of its value and the token its pattern began at.

    `old` is the value that the same words put away: "not anna but …".
    """

    rule: Rule
    span: Span
    start: int
    word: str
    confidence: float
    old: Span | None = None

    @property
    def category(self) -> Category:
        return self.rule.category


def reading(rule: Rule, match: re.Match[str], line: Line, pack: Pack) -> Iterator[Found]:
    """The candidates of one match: its value slot resolved, its subject from the nouns beside it."""
    start, subject, word, value = line.index(match.start()), USER, "", None
    open_kind, begin, old, enclosed = "", None, None, False
    for group, kind in enumerate(rule.pattern.kinds, 1):
        if kind == START:
            begin = line.index(match.start(group))
            continue
        first, last = line.index(match.start(group)), line.index(match.end(group) - 1) + 1
        if kind in ("relation", "animal"):
            word = match[group].strip()
            subject = pack.subjects[kind][word]
        if kind.startswith("old"):  # what the utterance itself replaces: it must be there, but is no value
            replaced = resolve(kind, Slot(line, pack, first, last))
            if not replaced:
                return
            old = replaced[0]
        elif kind not in _SUBJECT_KINDS:
            if open_kind and value and not resolve(open_kind, value):
                return
            value, open_kind = Slot(line, pack, first, last), kind
            enclosed = kind in _NAMING and match.end(group) <= match.end()
            if kind not in _COUNTED and match.end(group) <= match.end() and value.clause_end(first) < last:
                return  # the pattern goes on behind the slot, but the clause does not
        elif value is None or not open_kind:
            value = Slot(line, pack, value.first if value else first, last)
    if value is None and begin is not None:
        value = Slot(line, pack, begin, line.index(match.end() - 1) + 1)
    if value is None:
        return
    spans = resolve(open_kind, value) if open_kind else [Span(value.first, value.last)]
    if enclosed and spans and spans[-1].last < value.last:
        return  # a name that a pattern encloses is all that stands there
    if "offspring" in rule.pattern.kinds:
        subject = "child" if open_kind else "children"
    if begin is not None and spans:
        if line.tokens[begin].norm in pack.reject.get(open_kind, ()):
            return
        spans = [replace(spans[0], first=begin)]
    for span in spans:
        confidence = _confidence(rule, open_kind)
        named = span if span.subject != USER else replace(span, subject=subject)
        yield Found(rule, named, start, word, confidence, old)


def _confidence(rule: Rule, open_kind: str) -> float:
    """Higher the more words a pattern has; lower for a name that nothing announces, or none at all ("two sons")."""
    if open_kind == "mention":
        return 0.7
    return min(0.95, 0.75 + 0.05 * rule.pattern.weight) - (0.0 if open_kind else 0.03)

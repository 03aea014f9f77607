"""Stretches of an utterance that state nothing: questions, conditions, quotations, play and jokes."""

from __future__ import annotations

import re

from ovos_memory_bus.extraction.pack import Pack
from ovos_memory_bus.extraction.text import Line

Ranges = list[tuple[int, int]]
"""Offsets of `Line.flat`, the second one exclusive."""

_SENTENCE_END = re.compile(r"[.!?] ")


def inside(offset: int, ranges: Ranges) -> bool:
    """Whether the offset lies in one of the ranges."""
    return any(start <= offset < end for start, end in ranges)


def blocked(line: Line, pack: Pack, words: frozenset[str]) -> Ranges:
    """Stretches of the line that state nothing: questions, conditions, quotations, pretence."""
    ranges: Ranges = []
    for pattern in pack.blockers:
        if not pattern.possible(words):
            continue
        for match in pattern.regex.finditer(line.flat):
            end = _SENTENCE_END.search(line.flat, match.end())
            reset = pack.resets.search(line.flat, match.end())
            stops = [len(line.flat), *(m.start() for m in (end, reset) if m)]
            ranges.append((match.start(), min(stops)))
    for pattern in pack.disclaimers:
        for match in pattern.regex.finditer(line.flat) if pattern.possible(words) else ():
            ends = [end.end() for end in _SENTENCE_END.finditer(line.flat, 0, match.start())]
            ranges.append((ends[-1] if ends else 0, match.end()))
            ranges.append((match.start(), _sentence_end(line, match.end())))
    return ranges


def _sentence_end(line: Line, start: int) -> int:
    end = _SENTENCE_END.search(line.flat, start)
    return end.start() if end else len(line.flat)


def asked(line: Line, unstated: Ranges) -> Ranges:
    """Sentences that end in a question mark, without a statement before the question's comma."""
    ranges: Ranges = []
    start = 0
    for end in _SENTENCE_END.finditer(line.flat):
        if end[0] == "? ":
            comma = line.flat.rfind(", ", start, end.start())
            asks = comma >= 0 and any(start < first <= comma + 2 for first, _ in unstated)
            ranges.append((comma + 2 if asks else start, end.start()))
        start = end.end()
    return ranges

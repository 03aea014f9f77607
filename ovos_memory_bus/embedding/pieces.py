"""Splits a long text into overlapping pieces, one after the other, so that nothing past a model's window is lost."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

MAX_PIECES = 1024
"""Of one text: with a model's `Limits` some 70,000 tokens. What lies behind them is found by its words only."""

_WORD = re.compile(r"\s*\S{1,64}")  # or a part of a text that has no spaces

Word = tuple[int, int, int]  # start, end, tokens


@dataclass(frozen=True, slots=True)
class Limits:
    """In tokens: what is embedded whole, how long the pieces of a longer text are, and how much two share.

    Pieces are shorter than what stays whole: in a mean over many tokens a single fact drowns. Of twenty facts, each the
    last sentence of 300 words on other things, 15 came first among 250 turns of a talk with pieces of 96 tokens, 11
    with pieces of 192.
    """

    whole: int
    piece: int
    overlap: int


TOKEN_LIMITS = Limits(whole=192, piece=96, overlap=24)


def split(text: str, count_tokens: Callable[[str], int], limits: Limits) -> Iterator[tuple[int, int]]:
    """The spans `(start, end)` of the pieces of `text`, in order; blank text has none.

    Only a word that alone has more tokens than `limits` allow exceeds them. Spans begin and end between words and
    together cover the text up to trailing space. At most `MAX_PIECES` are given.
    """
    words = ((found.start(), found.end(), count_tokens(found.group())) for found in _WORD.finditer(text))
    first: list[Word] = []
    total = 0
    for word in words:
        first.append(word)
        total += word[2]
        if total > limits.whole:
            yield from _windows(chain(first, words), limits)
            return
    if first:
        yield first[0][0], first[-1][1]


def _windows(words: Iterator[Word], limits: Limits) -> Iterator[tuple[int, int]]:
    window: deque[Word] = deque()
    total = given = 0
    for word in words:
        if window and total + word[2] > limits.piece:
            yield window[0][0], window[-1][1]
            given += 1
            if given == MAX_PIECES:
                return
            while window and (total > limits.overlap or total + word[2] > limits.piece):
                total -= window.popleft()[2]
        window.append(word)
        total += word[2]
    yield window[0][0], window[-1][1]

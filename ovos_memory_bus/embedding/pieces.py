"""Splits a long text into overlapping pieces, one after the other, so that nothing past a model's window is lost."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator

PIECE_TOKENS = 192
OVERLAP_TOKENS = 32
MAX_PIECES = 512
"""Of one text: some 80,000 tokens, a long novel's third. What lies behind them is found by its words only."""

_ATOM = re.compile(r"\s*\S{1,64}")  # a word, or a part of a text that has no spaces


def split(text: str, count_tokens: Callable[[str], int], limit: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The spans `(start, end)` of the pieces of `text`, in order; blank text has none.

    A piece has at most `limit` tokens (only a word that alone has more exceeds it) and shares up to `overlap` of them
    with the one before. Spans begin and end between words and together cover the text up to trailing space. At most
    `MAX_PIECES` are given.
    """
    window: deque[tuple[int, int, int]] = deque()  # start, end and tokens of each word in the piece
    total = given = 0
    for match in _ATOM.finditer(text):
        size = count_tokens(match.group())
        if window and total + size > limit:
            yield window[0][0], window[-1][1]
            given += 1
            if given == MAX_PIECES:
                return
            while window and (total > overlap or total + size > limit):
                total -= window.popleft()[2]
        window.append((match.start(), match.end(), size))
        total += size
    if window:
        yield window[0][0], window[-1][1]

"""The unigram tokenizer of XLM-RoBERTa's vocabulary, in little memory: 17 MiB where the `tokenizers` library takes 100.

Kudo 2018, "Subword Regularization", section 3: each word is cut into the pieces whose log probabilities sum highest,
found by dynamic programming. Ids are those of the `tokenizers` library for the same `tokenizer.json`, but for control
pieces: `<s>` in a text is text, never a control id.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from functools import lru_cache
from pathlib import Path
from typing import Any

WORD_START = "▁"
UNKNOWN_PENALTY = 10.0  # below the least probable piece, as SentencePiece sets it
CACHED_WORDS = 4096
_VOCABULARY = '"vocab":['
_RANGE = re.compile(r"\\x\{([0-9A-F]+)\}(?:-\\x\{([0-9A-F]+)\})?")


class UnigramTokenizer:
    """Cuts text into the ids of a unigram vocabulary. Not for use from several threads at once."""

    def __init__(self, pieces: dict[str, int], scores: array[float], unknown: int, normaliser: dict[int, str]) -> None:
        """`pieces` begin with a space where the word begins; `normaliser` maps code points before NFKC."""
        self._pieces, self._scores, self._unknown, self._normaliser = pieces, scores, unknown, normaliser
        self._unknown_score = min(scores) - UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))
        self._word_ids = lru_cache(CACHED_WORDS)(self._segment)

    @classmethod
    def from_file(cls, path: Path) -> UnigramTokenizer:
        """Read a `tokenizer.json`. Raises ValueError for one of another kind."""
        text = path.read_text(encoding="utf-8")
        start = position = text.index(_VOCABULARY) + len(_VOCABULARY)
        pieces: dict[str, int] = {}
        scores = array("d")
        # entry by entry: a parser let loose on the whole holds the interpreter's lock, so the event loop, for 100 ms
        # and leaves 40 MiB of holes in the heap
        decode = json.JSONDecoder().raw_decode
        while text[position] != "]":
            (piece, score), position = decode(text, position + (text[position] == ","))
            if score < 0:  # a probability of 1 is a control piece's mark: no text may stand for one
                pieces[piece.replace(WORD_START, " ", 1)] = len(scores)
            scores.append(score)
        rest = json.loads(text[:start] + text[position:])
        if rest["model"]["type"] != "Unigram":
            raise ValueError(f"not a unigram vocabulary but {rest['model']['type']}")
        return cls(pieces, scores, rest["model"]["unk_id"], _normaliser(rest["normalizer"]["normalizers"]))

    def encode(self, text: str) -> list[int]:
        """The ids of the text, without control ids around them."""
        ids: list[int] = []
        for word in self._words(text):
            ids += self._word_ids(word)
        return ids

    def count(self, text: str) -> int:
        """How many ids the text has."""
        return sum(len(self._word_ids(word)) for word in self._words(text))

    def _words(self, text: str) -> list[str]:
        plain = unicodedata.normalize("NFKC", text.translate(self._normaliser))
        return [f" {word}" for word in plain.split(" ") if word]

    def _segment(self, word: str) -> tuple[int, ...]:
        size, pieces, scores = len(word), self._pieces, self._scores
        best = [0.0] + [float("-inf")] * size
        origin, piece_at = [0] * (size + 1), [self._unknown] * (size + 1)
        for start in range(size):
            base, known = best[start], False
            for end in range(start + 1, min(start + self._longest, size) + 1):
                piece = pieces.get(word[start:end])
                if piece is None:
                    continue
                known |= end == start + 1
                score = base + scores[piece]
                if score > best[end]:
                    best[end], origin[end], piece_at[end] = score, start, piece
            score = base + self._unknown_score
            if not known and score > best[start + 1]:
                best[start + 1], origin[start + 1], piece_at[start + 1] = score, start, self._unknown
        return self._trace(origin, piece_at)

    def _trace(self, origin: list[int], piece_at: list[int]) -> tuple[int, ...]:
        """Follow the best cut back from the word's end; unknown letters in a row are one unknown piece."""
        ids: list[int] = []
        end = len(origin) - 1
        while end > 0:
            if piece_at[end] != self._unknown or not ids or ids[-1] != self._unknown:
                ids.append(piece_at[end])
            end = origin[end]
        return tuple(reversed(ids))


def _normaliser(steps: list[dict[str, Any]]) -> dict[int, str]:
    """The code points that are deleted or become a space, from the steps in front of NFKC."""
    mapping: dict[int, str] = {}
    for step in steps:
        if step["type"] == "NFKC":
            break
        for first, last in _RANGE.findall(step["pattern"]["Regex"]):
            points = range(int(first, 16), int(last or first, 16) + 1)
            mapping.update(dict.fromkeys(points, step["content"]))
    return mapping

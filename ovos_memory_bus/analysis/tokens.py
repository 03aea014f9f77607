"""Where words begin and end: pieces of a normalised text, in writing with and without spaces."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

LONGEST_TERM = 64
"""Characters of a term; the rest of a longer word is cut off, in a stored text and in a query alike."""

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff"
_SOUTH_EAST_ASIAN = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = _HAN + _KANA + _SOUTH_EAST_ASIAN
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"


def _combining() -> str:
    """The marks that stay inside a word, as ranges of a character class: `\\w` leaves them out."""
    codes = (c for c in range(0x300, 0xFFFF) if unicodedata.category(chr(c))[0] == "M")
    runs = (list(run) for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)


_LETTER = rf"\w{_combining()}"
_CHUNK = re.compile(rf"\w[{_LETTER}]*(?:(?:[-'.@/:&+]|(?<=\d),(?=\d))\w[{_LETTER}]*)*|[{_EMOJI}]")
_PIECE = re.compile(rf"\d+|[{_UNSPACED}]+|[{_HANGUL}]+|(?:(?![{_UNSPACED}{_HANGUL}\d])[{_LETTER}])+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]").match
_IS_HAN = re.compile(rf"[{_HAN}]").match
_IS_HANGUL = re.compile(rf"[{_HANGUL}]").match
_WORD = re.compile(rf"[\w{_EMOJI}]")


def has_words(normalised: str) -> bool:
    """Whether there is anything to search for: a letter, a digit or an emoji."""
    return _WORD.search(normalised) is not None


def chunks(normalised: str) -> list[str]:
    """What stands between spaces and free punctuation: `e-mail`, `o'brien`, `20:30`, `bluehorse42`, `我的猫`, `👍`."""
    return _CHUNK.findall(normalised)


def pieces(chunk: str) -> list[str]:
    """A chunk's runs of letters, of digits, and of writing without spaces, in order."""
    return [chunk] if chunk.isascii() and chunk.isalpha() else _PIECE.findall(chunk) or [chunk]


def syllables(piece: str) -> list[str] | None:
    """What stands for words where spaces do not part them: overlapping pairs of characters, Han characters also
    singly; a Korean word whole and in pairs. None for a piece in other writing, which is a word as it is."""
    if _IS_UNSPACED(piece):
        if len(piece) == 1:
            return [piece]
        return [c for c in piece if _IS_HAN(c)] + [piece[i : i + 2] for i in range(len(piece) - 1)]
    if _IS_HANGUL(piece):
        pairs = [piece[i : i + 2] for i in range(len(piece) - 1)] if len(piece) > 2 else []
        return [piece[:LONGEST_TERM], *pairs]
    return None

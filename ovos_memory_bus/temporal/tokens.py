"""Words of an utterance with what they may stand for (number, month, weekday …), and their one-line encoding."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Tags: n cardinal, a article counting one, o ordinal, w weekday, m month, u unit, v its plural, t part of a day,
# y year, d whole date, c time of day, h half of the day, s conversation, p period.
Tags = Mapping[str, Any]
Lexicon = Mapping[str, Sequence[tuple[tuple[str, ...], Tags]]]

_TOKEN = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}:\d{2}|\d+[^\W\d_]*|[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
_ISO_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_LOCAL_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_DIGITS_AND_LETTERS = re.compile(r"(\d+)(\D+)")
_MAX_DIGITS = 4


def fold(text: str) -> str:
    """Case and accents gone: how words are compared everywhere in this package."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFKC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def words(phrase: str) -> tuple[str, ...]:
    """A phrase of a locale file as the words it is compared by: "l'any" is two."""
    return tuple(fold(word) for word in _WORD.findall(unicodedata.normalize("NFC", phrase)))


@dataclass(frozen=True, slots=True)
class Token:
    """`word` is folded, `text` as it was said; `tags` maps each thing it may stand for to its value."""

    word: str
    text: str
    tags: Tags = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language writes: the endings of ordinals in digits ("3rd"), whether 2/3/2024 is in February, and words that
    stand for several ("freitagabend")."""

    ordinal_suffixes: frozenset[str]
    month_first: bool
    compounds: Mapping[str, tuple[str, ...]]


def tokenize(utterance: str, spelling: Spelling) -> list[Token]:
    """The words of an utterance; digits are tagged, words are not yet."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(unicodedata.normalize("NFC", utterance)):
        text = found.group()
        if text[0].isdecimal():
            tokens.extend(_numeric(text, spelling))
        else:
            word = fold(text)
            tokens.extend(Token(part, part) for part in spelling.compounds.get(word, ()))
            if word not in spelling.compounds:
                tokens.append(Token(word, text))
    return tokens


def _numeric(text: str, spelling: Spelling) -> list[Token]:
    if found := _ISO_DATE.fullmatch(text):
        year, month, day = map(int, found.groups())
        return [Token(text, text, {"d": (year, month, day)})]
    if found := _LOCAL_DATE.fullmatch(text):
        one, two, year = map(int, found.groups())
        month, day = (one, two) if spelling.month_first and one <= 12 else (two, one)
        return [Token(text, text, {"d": (year, month, day)})]
    if found := _CLOCK.fullmatch(text):
        return [Token(text, text, {"c": (int(found.group(1)), int(found.group(2)))})]
    if found := _DIGITS_AND_LETTERS.fullmatch(text):
        digits, letters = found.groups()
        if fold(letters) in spelling.ordinal_suffixes and len(digits) <= _MAX_DIGITS:
            return [Token(fold(text), text, {"o": int(digits)})]
        return [_number(digits), Token(fold(letters), letters)]
    return [_number(text)]


def _number(digits: str) -> Token:
    if len(digits) > _MAX_DIGITS:
        return Token(digits, digits)
    value = int(digits)
    tags = {"n": value}
    if 1900 <= value < 2200:
        tags["y"] = value
    return Token(digits, digits, tags)


def tag(tokens: Sequence[Token], lexicon: Lexicon) -> list[Token]:
    """Tokens with the lexicon's tags; a phrase of several words ("twenty first") becomes one token, longest first."""
    tagged: list[Token] = []
    at = 0
    while at < len(tokens):
        length, tags = _longest(tokens, at, lexicon)
        if length <= 1:
            token = tokens[at]
            tagged.append(Token(token.word, token.text, {**token.tags, **tags}) if tags else token)
        else:
            merged = tokens[at : at + length]
            tagged.append(Token("_".join(t.word for t in merged), " ".join(t.text for t in merged), tags))
        at += max(length, 1)
    return tagged


def _longest(tokens: Sequence[Token], at: int, lexicon: Lexicon) -> tuple[int, Tags]:
    for phrase, tags in lexicon.get(tokens[at].word, ()):
        if tuple(token.word for token in tokens[at : at + len(phrase)]) == phrase:
            return len(phrase), tags
    return 0, {}


def encode(tokens: Sequence[Token]) -> tuple[str, Mapping[int, int]]:
    """The sentence as ` word~tags` groups, and where each group starts mapped to its token's position."""
    groups: list[str] = []
    starts: dict[int, int] = {}
    offset = 0
    for position, token in enumerate(tokens):
        group = f" {token.word}~{''.join(token.tags)}"
        starts[offset] = position
        offset += len(group)
        groups.append(group)
    return "".join(groups), starts

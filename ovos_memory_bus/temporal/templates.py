"""Sentence templates, as OVOS intent files write them, compiled to regular expressions over a tagged sentence.

`(a|b c)` alternatives, `[x]` optional, `{slot}` one tagged token, `<name>` a word list of the locale, `!<name>` one
word that begins nothing of that list, `...` up to eight tokens of any kind. A tagged sentence is a string of
` word~tags` groups (see `tokens.encode`); so a template never sees characters, only words, and what a word may stand
for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .tokens import Token, encode, words

_PIECE = re.compile(r"\.\.\.|\{(\w+)\}|!?<(\w+)>|[()\[\]|]|[^\s()\[\]|{}<>!]+")
_GAP = r"(?: [^ ]+){0,8}?"
# What each slot accepts, as tags of tokens.py, and the name its value goes by.
SLOTS: Mapping[str, tuple[str, str]] = {
    "n": ("n", "count"),  # cardinal
    "count": ("na", "count"),  # cardinal or an article that counts one
    "o": ("o", "ordinal"),
    "day": ("no", "day"),  # day of a month: "3", "third"
    "day_n": ("n", "day"),
    "month": ("m", "month"),
    "weekday": ("w", "weekday"),
    "unit": ("u", "unit"),
    "units": ("v", "unit"),  # in the plural
    "part": ("t", "part"),  # of a day
    "year": ("y", "year"),
    "iso": ("d", "date"),  # 2023-05-08
    "clock": ("nc", "clock"),  # "8" or "8:30"
    "half": ("h", "half"),  # am, pm
    "session": ("s", "session"),
    "p": ("p", "period"),  # found before
}


class TemplateError(ValueError):
    """A template of a locale file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a template stands in the sentence: token positions [start, end), the names and values of its slots in order
    of appearance, and the positions of the tokens it named (those in gaps left out)."""

    start: int
    end: int
    slots: tuple[tuple[str, Any], ...]
    named: frozenset[int]

    def value(self, slot: str) -> Any:
        """The value in the first slot of that name, None without one."""
        return next((value for name, value in self.slots if name == slot), None)

    def required(self, slot: str) -> Any:
        """As `value`, but raises ValueError without such a slot."""
        value = self.value(slot)
        if value is None:
            raise ValueError(f"no {slot!r} in this template")
        return value

    def number(self, slot: str) -> int:
        """The number in a slot; raises ValueError where there is none."""
        value = self.required(slot)
        if not isinstance(value, int):
            raise ValueError(f"no number in {slot!r}")
        return value


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens with their encoded form; `starts` maps an offset in the encoding to a token position, `present` holds all
    words and `~` with each tag."""

    tokens: tuple[Token, ...]
    encoded: str
    starts: Mapping[int, int]
    present: frozenset[str]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> Sentence:
        encoded, starts = encode(tokens)
        present = {token.word for token in tokens}
        present.update("~" + tag for token in tokens for tag in token.tags)
        return cls(tuple(tokens), encoded, starts, frozenset(present))


class Template:
    """One compiled template. Raises TemplateError where the text is no template."""

    def __init__(self, text: str, lists: Mapping[str, Sequence[str]]) -> None:
        self.text = text
        self._lists = lists
        self._pieces = [match for match in _PIECE.finditer(text)]
        self._at = 0
        self._slots: list[str] = []
        # Each mandatory place as the set of words or tags one of which must occur: cheap to check before the regex.
        self._needs: list[frozenset[str]] = []
        pattern = self._alternatives(depth=0)
        if self._at != len(self._pieces):
            raise TemplateError(f"unbalanced bracket in {text!r}")
        if not self._needs:
            raise TemplateError(f"nothing mandatory in {text!r}")
        self._pattern = pattern + r"(?= |$)"
        self._regex: re.Pattern[str] | None = None  # compiled when first needed: a language has hundreds

    @property
    def rarest(self) -> frozenset[str]:
        """Words or tags of which any sentence the template matches has one: of all such sets the most telling."""
        return min(self._needs, key=lambda need: (any(word.startswith("~") for word in need), len(need)))

    def find(self, sentence: Sentence) -> list[Match]:
        """All places where the template stands, left to right, not overlapping."""
        for need in self._needs:
            if need.isdisjoint(sentence.present):
                return []
        if self._regex is None:
            self._regex = re.compile(self._pattern)
        return [self._match(sentence, found) for found in self._regex.finditer(sentence.encoded)]

    def _match(self, sentence: Sentence, found: re.Match[str]) -> Match:
        start = sentence.starts[found.start()]
        end = start + found.group().count(" ")
        slots = tuple(
            (SLOTS[name][1], _value(sentence.tokens[sentence.starts[found.start(f"g{i}")]], name))
            for i, name in enumerate(self._slots)
            if found.group(f"g{i}") is not None
        )
        skipped: set[int] = set()
        for name, group in found.groupdict().items():
            if name.startswith("gap") and group:
                first = sentence.starts[found.start(name)]
                skipped.update(range(first, first + group.count(" ")))
        return Match(start, end, slots, frozenset(range(start, end)) - skipped)

    def _alternatives(self, depth: int) -> str:
        branches: list[str] = []
        needs: list[list[frozenset[str]]] = []
        while True:
            outer, self._needs = self._needs, []
            branches.append(self._sequence(depth))
            needs.append(self._needs)
            self._needs = outer
            if self._at < len(self._pieces) and self._pieces[self._at].group() == "|":
                self._at += 1
                continue
            break
        if len(branches) == 1:
            self._needs.extend(needs[0])
            return branches[0]
        if all(needs):
            self._needs.append(frozenset().union(*(need[0] for need in needs)))
        return "(?:" + "|".join(branches) + ")"

    def _sequence(self, depth: int) -> str:
        parts: list[str] = []
        while self._at < len(self._pieces):
            piece = self._pieces[self._at]
            text = piece.group()
            if text in "|)]" and len(text) == 1:
                if text != "|" and depth == 0:
                    raise TemplateError(f"unbalanced bracket in {self.text!r}")
                break
            self._at += 1
            parts.append(self._group(text, depth) if text in "([" else self._single(piece))
        return "".join(parts)

    def _group(self, opening: str, depth: int) -> str:
        before = list(self._needs)
        body = self._alternatives(depth + 1)
        closing = ")" if opening == "(" else "]"
        if self._at >= len(self._pieces) or self._pieces[self._at].group() != closing:
            raise TemplateError(f"unbalanced bracket in {self.text!r}")
        self._at += 1
        if opening == "[":
            self._needs = before
            return f"(?:{body})?"
        return f"(?:{body})"

    def _single(self, piece: re.Match[str]) -> str:
        slot, name = piece.groups()
        if slot:
            return self._slot(slot)
        if name:
            if name not in self._lists:
                raise TemplateError(f"no word list {name!r} for {self.text!r}")
            phrases = [words(phrase) for phrase in self._lists[name]]
            if piece.group().startswith("!"):
                return "(?!" + "|".join(_word(phrase[0]) for phrase in phrases) + r") [^ ]+"
            self._needs.append(frozenset(phrase[0] for phrase in phrases))
            return "(?:" + "|".join("".join(map(_word, phrase)) for phrase in phrases) + ")"
        if piece.group() == "...":
            return f"(?P<gap{piece.start()}>{_GAP})"
        phrase = words(piece.group())
        self._needs.extend(frozenset((word,)) for word in phrase)
        return "".join(map(_word, phrase))

    def _slot(self, slot: str) -> str:
        if slot not in SLOTS:
            raise TemplateError(f"no slot {slot!r}, in {self.text!r}")
        tags, _ = SLOTS[slot]
        self._needs.append(frozenset("~" + tag for tag in tags))
        self._slots.append(slot)
        return f"(?P<g{len(self._slots) - 1}> [^ ~]+~[a-z]*[{tags}][a-z]*)"


class Table:
    """Templates with the kind of each, in order of their file, indexed by words that must be there for one to match."""

    def __init__(self, entries: Iterable[tuple[str, Template]]) -> None:
        self._entries = tuple(entries)
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for place, (_, template) in enumerate(self._entries):
            for word in template.rarest:
                self._by_word[word].append(place)

    def find(self, sentence: Sentence) -> Iterator[tuple[str, Match]]:
        """Every match in the sentence with its kind."""
        places = {place for word in sentence.present for place in self._by_word.get(word, ())}
        for place in sorted(places):
            kind, template = self._entries[place]
            for match in template.find(sentence):
                yield kind, match


def _value(token: Token, slot: str) -> Any:
    return next(token.tags[tag] for tag in SLOTS[slot][0] if tag in token.tags)


def _word(word: str) -> str:
    return f" {re.escape(word)}~[a-z]*"

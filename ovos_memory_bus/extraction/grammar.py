"""The notation in which language packs write what people say, compiled to regular expressions.

    word            that word
    (a|b c)         one of these; groups may nest
    [a|b]           one of these or nothing
    word*  *word    any word that begins, or ends, so
    ?               any one word
    *               up to four words of any kind
    @macro          a named part of the pack
    {kind}          a slot: the words that carry a value, see `slots`
    <               the value begins here already, not at the slot
    ^  $            begin and end of a clause

A pattern is matched on `Line.flat`, at word boundaries; a comma may stand after any word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

WORD = r"[^ .,;:!?]+ "
START = "<"
_PIECE = re.compile(r"\{\w+\}|[()\[\]|]|[^\s()\[\]{}|]+")
_MACRO = re.compile(r"@(\w+)")
_LITERAL = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*'?")
_COMMA = r"(?:, )?"
_CLAUSE_START = r"(?:^|(?<=[.,;:!?] ))"
_CLAUSE_END = r"(?=$|[.,;:!?])"
_MAX_SLOT_WORDS = 12
_MAX_INNER_WORDS = 8
_MAX_DEPTH = 5

Spelling = Callable[[str], str]
"""How a word of a pack stands on a flat line: "i'm" as "i 'm" where the pack parts it so."""


class PatternError(ValueError):
    """A pattern in a language pack does not follow the notation."""


@dataclass(frozen=True)
class Notation:
    """What a pack's patterns may refer to: macros, lexicons that slots alternate over, openers of a clause."""

    macros: Mapping[str, str]
    lexicon: Mapping[str, Iterable[str]]
    openers: str
    spell: Spelling


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern: `kinds[i]` is what group `i + 1` holds, of each set in `anchors` one word must be there.

    `weight` is the number of words that a match has at least, its slots not counted.
    """

    source: str
    expression: str
    kinds: tuple[str, ...]
    anchors: tuple[frozenset[str], ...]
    weight: int

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when first needed: a pack has hundreds of patterns, a talk needs few of them."""
        return re.compile(self.expression)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that the pattern spells out."""
        return frozenset(_LITERAL.findall(self.expression.replace("\\", "")))

    def possible(self, words: frozenset[str]) -> bool:
        """Whether a line of these words can match at all: saves nearly every search."""
        return all(not anchor.isdisjoint(words) for anchor in self.anchors)


@dataclass(frozen=True)
class _Part:
    regex: str
    anchors: tuple[frozenset[str], ...] = ()
    weight: int = 0


@dataclass
class _Reader:
    """A cursor over the pieces of one pattern."""

    source: str
    pieces: list[str]
    notation: Notation
    position: int = 0
    kinds: list[str] = field(default_factory=list)

    def sequence(self, closers: str) -> _Part:
        """Pieces up to one of `closers` or the end, in order."""
        regex, weight = "", 0
        anchors: list[frozenset[str]] = []
        while self.position < len(self.pieces) and self.pieces[self.position] not in closers:
            part = self._piece()
            regex += part.regex
            weight += part.weight
            anchors += part.anchors
        return _Part(regex, tuple(sorted(anchors, key=len)), weight)

    def _piece(self) -> _Part:
        piece = self.pieces[self.position]
        self.position += 1
        if piece in "([":
            return self._group(optional=piece == "[")
        if piece in ")]|":
            raise PatternError(f"a stray {piece!r} in {self.source!r}")
        if piece == "^":
            openers = (
                f"(?:(?:{self.notation.openers}){_COMMA})*(?!{self.notation.openers})" if self.notation.openers else ""
            )
            return _Part(_CLAUSE_START + openers)
        if piece == "$":
            return _Part(_CLAUSE_END)
        if piece == "*":
            return _Part(f"(?:{WORD}){{0,4}}?")
        if piece == "<":
            self.kinds.append(START)
            return _Part("()")
        if piece.startswith("{"):
            return self._slot(piece[1:-1])
        if piece == "?":
            return _Part(WORD)
        if piece.startswith("*"):
            return _Part(WORD.replace("+ ", "*") + re.escape(piece[1:]) + " ", weight=1)
        if piece.endswith("*"):
            return _Part(re.escape(piece[:-1]) + WORD.replace("+", "*"), weight=1)
        spelt = self.notation.spell(piece).split()
        return _Part(
            "".join(re.escape(word) + " " for word in spelt) + _COMMA,
            tuple(frozenset((word,)) for word in spelt),
            len(spelt),
        )

    def _group(self, *, optional: bool) -> _Part:
        closer = "]" if optional else ")"
        parts = [self.sequence("|" + closer)]
        while self.position < len(self.pieces) and self.pieces[self.position] == "|":
            self.position += 1
            parts.append(self.sequence("|" + closer))
        if self.position >= len(self.pieces):
            raise PatternError(f"no {closer!r} in {self.source!r}")
        self.position += 1
        parts = [part for part in parts if part.regex]
        # The longest alternative first, so that "my full name" is not read as "my full" and a name.
        body = "|".join(part.regex for part in sorted(parts, key=lambda part: -len(part.regex)))
        if optional:
            return _Part(f"(?:{body})?")
        known = all(part.anchors for part in parts)
        anchors = (frozenset[str]().union(*(part.anchors[0] for part in parts)),) if known else ()
        return _Part(f"(?:{body})", anchors, min(part.weight for part in parts))

    def _slot(self, kind: str) -> _Part:
        self.kinds.append(kind)
        if kind in self.notation.lexicon:
            entries = self.notation.lexicon[kind]
            return _Part(f"({phrases(entries)}){_COMMA}", (frozenset(entry.split()[0] for entry in entries),))
        if self.position == len(self.pieces):  # looked at, not taken: the words may hold the next statement as well
            return _Part(f"(?=((?:{WORD}){{1,{_MAX_SLOT_WORDS}}}))")
        return _Part(f"((?:{WORD}){{1,{_MAX_INNER_WORDS}}}?){_COMMA}")


def compile_pattern(source: str, notation: Notation) -> Pattern:
    """Compile one pattern; slots named in `notation.lexicon` match its phrases only. Raises `PatternError`."""
    expanded = _expand(source, notation.macros)
    reader = _Reader(source, _PIECE.findall(expanded), notation)
    part = reader.sequence("")
    return Pattern(source, r"(?<![^ ])" + part.regex, tuple(reader.kinds), part.anchors, part.weight)


def phrases(words: Iterable[str]) -> str:
    """A regular expression for any of these phrases on a flat line, longest first."""
    return "|".join(re.escape(word).replace(r"\ ", " ") + " " for word in sorted(set(words), key=len, reverse=True))


def _expand(source: str, macros: Mapping[str, str]) -> str:
    """Put macros in, as groups unless they bring their own brackets."""
    for _ in range(_MAX_DEPTH):
        if "@" not in source:
            return source
        try:
            source = _MACRO.sub(lambda match: _grouped(macros[match[1]]), source)
        except KeyError as error:
            raise PatternError(f"{source!r} uses the unknown macro {error}") from error
    raise PatternError(f"macros nest too deep in {source!r}")


def _grouped(macro: str) -> str:
    return f"({macro})" if "|" in macro else macro

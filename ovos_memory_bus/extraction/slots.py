"""The words that a pattern leaves for a value, and where in them a value can begin and must end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ovos_memory_bus.extraction.model import USER
from ovos_memory_bus.extraction.pack import Pack
from ovos_memory_bus.extraction.text import Line


@dataclass(frozen=True)
class Span:
    """Tokens `first` up to and without `last`; `subject` where the words tell one."""

    first: int
    last: int
    subject: str = USER


@dataclass(frozen=True)
class Slot:
    """The words a pattern left for one slot, tokens `first` up to and without `last`."""

    line: Line
    pack: Pack
    first: int
    last: int

    def word(self, index: int) -> str:
        """The token's norm, empty beyond the end of the line."""
        return self.line.tokens[index].norm if 0 <= index < len(self.line.tokens) else ""

    def phrase(self, first: int, last: int) -> str:
        """The norms of tokens `first` up to and without `last`."""
        return " ".join(token.norm for token in self.line.tokens[first:last])

    def begin(self) -> int:
        """The first token that is no determiner or intensifier."""
        if self.first >= self.last:
            return self.last
        match = self.pack.lead.match(self.line.flat, self.line.offsets[self.first])
        return min(self.line.index(match.end() - 1) + 1, self.last) if match else self.first

    def clause_end(self, first: int) -> int:
        """The first token from `first` on that starts another clause or an adverbial, else the slot's end."""
        if first >= self.last:
            return self.last
        end = self.line.offsets[self.last] if self.last < len(self.line.offsets) else len(self.line.flat)
        begin = self.line.offsets[first]
        compounds = [match.span() for match in self.pack.compound.finditer(self.line.flat, begin, end)]
        for match in self.pack.stop.finditer(self.line.flat, begin, end):
            if any(start < match.start() < stop for start, stop in compounds):  # "black and white"
                continue
            index = self.line.index(match.start())
            if not self._counts(index, first):
                return index
        return self.last

    def _counts(self, index: int, first: int) -> bool:
        """Whether the token links two numbers: the conjunction of "noventa y ocho"."""
        around = (self.word(index - 1), self.word(index + 1))
        linked = index > first and self.word(index) in self.pack.number_links
        if linked and self.pack.lead.match(around[1] + " "):
            return False  # "una cinquecento e un motorino": an article
        return linked and all(self.pack.number.match(word) for word in around)

    def phrase_end(self, first: int, joined: frozenset[str] = frozenset()) -> int:
        """Like `clause_end`, but prepositions end it too, save those of `joined` that hold a phrase together."""
        end = self.clause_end(first)
        index = first
        while index < end:
            word = self.word(index)
            if word in self.pack.preps or word in self.pack.starters:
                follows = index > first and word in joined and index + 1 < end
                if not follows or self.word(index + 1) in self.pack.starters:
                    return index
            index += 1
        return end

    def trimmed(self, first: int, last: int) -> int:
        """`last` moved before trailing adverbs."""
        while last > first + 1:
            if not self.pack.tail.fullmatch(self.word(last - 1) + " "):
                break
            last -= 1
        return last

    def refused(self, kind: str, first: int) -> bool:
        """Whether no value of this kind can begin with this token."""
        word = self.word(first)
        return word in self.pack.negators or word in self.pack.starters or word in self.pack.reject.get(kind, ())

    def after(self, first: int) -> Slot:
        """The slot from `first` on to the end of the sentence."""
        last = first
        while last < len(self.line.tokens) and self.word(last) not in ".;!?:":
            last += 1
        return Slot(self.line, self.pack, first, last)

    def ends_like(self, kind: str, index: int) -> bool:
        """Whether the token ends as words of this kind do ("-ologist"), and is none of the exceptions."""
        word = self.word(index)
        return word.endswith(self.pack.suffixes.get(kind, ())) and word not in self.pack.reject.get(kind, ())


Resolver = Callable[[Slot], list[Span]]
"""From a slot to the values in it: most often one, several for a list, none if it holds no value."""

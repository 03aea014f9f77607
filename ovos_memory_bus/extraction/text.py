"""Utterances as words: tokens that know their place in the text, and the line that patterns are matched on."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

MAX_CHARS = 1500
"""Longer turns are read this far: nobody introduces themselves later, and work stays bounded."""

PUNCTUATION = ".,;:!?"
_INNER_MARKS = str.maketrans(dict.fromkeys(PUNCTUATION, "·"))  # of numbers and addresses: no clause ends there
_QUOTES = re.compile(
    r"„([^“”\"]{1,300})[“”\"]|«([^»]{1,300})»|“([^”]{1,300})”|\"([^\"]{1,300})\"|(?<!\w)['‘]([^'’]+ [^'’]+)['’](?!\w)"
)
_TOKEN = re.compile(
    r"(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<number>\+?\d+(?:[./:,]\d+)*\+?(?:st|nd|rd|th|e|er|º|ª)?(?!\w))"
    r"|(?P<word>[^\W_]+(?:['’][^\W_]+)*['’]?)"
    r"|(?P<stop>[.,;:!?¿¡…—–\n])"
)


@dataclass(frozen=True)
class Token:
    """One word or mark: `norm` is its lower-case NFKC form, `start` and `end` its place in the text."""

    norm: str
    start: int
    end: int


@dataclass(frozen=True)
class Line:
    """An utterance ready for matching.

    `text` is the original; `flat` holds the tokens' norms, each followed by one space. `tokens[i]` begins at
    `offsets[i]` in `flat`.
    """

    text: str
    flat: str
    tokens: tuple[Token, ...]
    offsets: tuple[int, ...]

    def index(self, offset: int) -> int:
        """The index of the token at this offset of `flat`."""
        return bisect_right(self.offsets, offset) - 1

    def span(self, first: int, last: int) -> str:
        """The original text from token `first` up to and without token `last`."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def capitalised(self, index: int) -> bool:
        """Whether the token was written with a capital."""
        return self.text[self.tokens[index].start].isupper()

    @cached_property
    def mixed_case(self) -> bool:
        """Whether the text was written rather than transcribed, so that capitals tell names from words."""
        return any(self.capitalised(i) for i, token in enumerate(self.tokens) if i and token.norm != "i") or (
            self.text[:1].isupper() and self.text.rstrip()[-1:] in PUNCTUATION
        )


def norm(text: str) -> str:
    """Case, accents and punctuation folded away, as values are compared."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.findall(r"\w+", "".join(c for c in folded if not unicodedata.combining(c))))


def read(
    text: str,
    *,
    elision: bool,
    enclitics: Collection[str],
    fillers: Collection[str],
    dotted: re.Pattern[str] | None = None,
) -> Line:
    """Split `text` into a line, without fillers, stuttered words and longer quotations.

    With `elision` words part after an apostrophe ("l'", "eau"); `enclitics` ("'m") part before it in any language.
    `dotted` finds full stops that end no sentence, as in "4. Juli".
    """
    text = text[:MAX_CHARS]
    plain = dotted.sub(" ", text) if dotted else text
    tokens: list[Token] = []
    for match in _TOKEN.finditer(_QUOTES.sub(_mask, plain)):
        for token in _split(match, elision, enclitics):
            if token.norm in fillers or (tokens and token.norm == tokens[-1].norm and len(token.norm) < 5):
                continue
            tokens.append(token)
    offsets, position = [], 0
    for token in tokens:
        offsets.append(position)
        position += len(token.norm) + 1
    return Line(text, "".join(token.norm + " " for token in tokens), tuple(tokens), tuple(offsets))


def _mask(match: re.Match[str]) -> str:
    """Blank a quotation out at equal length, as a full stop; one or two quoted words are a name and stay."""
    quoted = next(group for group in match.groups() if group is not None)
    return match[0] if len(quoted.split()) < 3 else "." + " " * (len(match[0]) - 1)


def _split(match: re.Match[str], elision: bool, enclitics: Collection[str]) -> list[Token]:
    start, end = match.span()
    form = unicodedata.normalize("NFKC", match[0]).lower().replace("’", "'")
    if match.lastgroup == "stop":
        return [Token({"¿": ",", "¡": ",", "…": ".", "—": ",", "–": ",", "\n": "."}.get(form, form), start, end)]
    if match.lastgroup != "word" or "'" not in form or len(form) != end - start:
        return [Token("".join(form.split()).translate(_INNER_MARKS) or "_", start, end)]
    head, _, tail = form.rpartition("'")
    if head and "'" + tail in enclitics:
        cut = start + len(head)
        return [Token(head, start, cut), Token("'" + tail, cut, end)]
    if elision and tail:
        cut = end - len(tail)
        return [Token(head + "'", start, cut), Token(tail, cut, end)]
    return [Token(form.rstrip("'") if not elision else form, start, end)]

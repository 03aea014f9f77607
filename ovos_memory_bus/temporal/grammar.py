"""Finds conversations and time expressions in a tagged sentence: single periods first, then what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from .intent import SessionRef
from .kinds import build
from .locales import Locale
from .periods import Period
from .spans import compose
from .templates import Match, Sentence, Table
from .tokens import Token

PERIOD_WORD = "§"
SESSION_WORD = "¶"
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Found:
    """A match with the kind of the table it came from."""

    kind: str
    match: Match

    @property
    def size(self) -> int:
        return self.match.end - self.match.start


def matches(table: Table, sentence: Sentence) -> list[Found]:
    """The matches of a table's templates, the longest first, then those with most slots, then the leftmost.

    Of several in one place it is the most literal: "quince días" are a fortnight.
    """
    found: dict[tuple[int, int], Found] = {}
    for kind, match in table.find(sentence):
        place = match.start, match.end
        if place not in found or len(match.slots) < len(found[place].match.slots):
            found[place] = Found(kind, match)
    return sorted(found.values(), key=lambda one: (-one.size, -len(one.match.slots), one.match.start))


def first_match(table: Table, sentence: Sentence) -> Found | None:
    """The best match of a table, None without one."""
    return next(iter(matches(table, sentence)), None)


def find_session(tokens: Sequence[Token], locale: Locale) -> tuple[Sequence[Token], SessionRef | None]:
    """The first reference to conversations by number, and the sentence with its words as one token."""
    for found in matches(locale.sessions, Sentence.of(tokens)):
        reference = _session(found)
        if reference is not None:
            start, end = found.match.start, found.match.end
            text = " ".join(token.text for token in tokens[start:end])
            # The tag stays, so that "our ¶" still reads as a possessive and a conversation.
            return [*tokens[:start], Token(SESSION_WORD, text, {"s": None}), *tokens[end:]], reference
    return tokens, None


def _session(found: Found) -> SessionRef | None:
    """Kinds: `nth`, `ago`, `span`, `last_n`, `first_n`, `at:-2` (`at:-1:open` counts the one going on), `recent:3`."""
    name, *arguments = found.kind.split(":")
    counted = [value for _, value in found.match.slots if isinstance(value, int)]
    if name == "at":
        position = int(arguments[0])
        return SessionRef(position, position, closed=len(arguments) == 1)
    if name == "recent":
        return SessionRef(-int(arguments[0]), -1)
    if not counted or min(counted) < 1:
        return None
    if name == "nth":
        return SessionRef(counted[0], counted[0])
    if name == "ago":
        return SessionRef(-counted[0], -counted[0])
    if name == "last_n":
        return SessionRef(-counted[0], -1)
    if name == "first_n":
        return SessionRef(1, counted[0])
    return SessionRef(min(counted), max(counted)) if len(counted) == 2 else None


def find_periods(tokens: Sequence[Token], locale: Locale, now: datetime) -> list[Token]:
    """The sentence with each time expression as one token whose tag `p` is a Period."""
    ordering = {place for found in matches(locale.orders, Sentence.of(tokens)) for place in found.match.named}

    def meaning(found: Found) -> Period | None:
        places = range(found.match.start, found.match.end)
        if _by_number_alone(found, tokens) and (
            not ordering.isdisjoint(places) or _before_noun(tokens, found.match.end, locale)
        ):
            return None
        return build(found.kind, found.match, now)

    tokens = _replace(tokens, locale.periods, meaning, single=False)
    for _ in range(_ROUNDS):
        composed = _replace(tokens, locale.spans, lambda found: compose(found.kind, found.match, now), single=True)
        if len(composed) == len(tokens):
            break
        tokens = composed
    return list(tokens)


def _by_number_alone(found: Found, tokens: Sequence[Token]) -> bool:
    """Whether a day is named by what may count something else: "the second", "na segunda" (Monday, or the second)."""
    return found.kind == "month_day" or (found.kind == "weekday" and "o" in tokens[found.match.end - 1].tags)


def _before_noun(tokens: Sequence[Token], position: int, locale: Locale) -> bool:
    """Whether a content word follows: "on the second" is a day, "on the second floor" is none."""
    if position >= len(tokens):
        return False
    token = tokens[position]
    plain = token.word in locale.fillers or token.word in locale.said_words or bool(token.tags.keys() & {"m", "y", "p"})
    return "u" in token.tags or not plain


def _replace(
    tokens: Sequence[Token], table: Table, meaning: Callable[[Found], Period | None], single: bool
) -> Sequence[Token]:
    taken: set[int] = set()
    periods: dict[int, tuple[int, Period]] = {}
    for found in matches(table, Sentence.of(tokens)):
        places = range(found.match.start, found.match.end)
        if not taken.isdisjoint(places):
            continue
        period = meaning(found)
        if period is None:
            continue
        taken.update(places)
        periods[found.match.start] = found.match.end, period
        if single:
            break
    return _rewritten(tokens, periods)


def _rewritten(tokens: Sequence[Token], periods: dict[int, tuple[int, Period]]) -> Sequence[Token]:
    rewritten: list[Token] = []
    at = 0
    while at < len(tokens):
        if at in periods:
            end, period = periods[at]
            text = " ".join(token.text for token in tokens[at:end])
            rewritten.append(Token(PERIOD_WORD, text, {"p": period}))
            at = end
        else:
            rewritten.append(tokens[at])
            at += 1
    return rewritten

"""Reads an utterance: which time it asks about, and whether that is when something was said or when it happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import islice

from .grammar import SESSION_WORD, find_periods, find_session, first_match, matches
from .intent import Order, SessionRef, TimeIntent, TimeRange
from .locales import Locale, load
from .periods import Period, readings, rolling, to_range, unit_period
from .templates import Sentence
from .tokens import Token, tag, tokenize

DEFAULT_LANGUAGE = "en"
# Longer texts are stories, not questions.
_MAX_CHARACTERS = 500
_MAX_TOKENS = 32
_MAX_READINGS = 13


@dataclass(frozen=True, slots=True)
class _Reading:
    """An utterance taken apart: its tokens (time expressions as one each), the positions of the periods that count as
    its time, those of the words that frame the question, and what else was found."""

    tokens: Sequence[Token]
    times: Sequence[int]
    framing: frozenset[int]
    said: bool
    session: SessionRef | None
    order: Order | None
    earlier: bool

    @property
    def periods(self) -> list[Period]:
        return [self.tokens[position].tags["p"] for position in self.times]


def parse(utterance: str, lang: str | None, now: datetime, tz: tzinfo) -> TimeIntent | None:
    """What time `utterance` asks about, None when it asks about none that is past.

    `lang` is a language tag (None: English; a language without a locale file: the answer is None), `now` an aware
    datetime, `tz` the user's zone, in which days begin. Weeks begin on Monday. Never raises for any text.
    """
    locale = load(lang or DEFAULT_LANGUAGE)
    if locale is None:
        return None
    local = now.astimezone(tz).replace(tzinfo=None)
    if len(utterance) > _MAX_CHARACTERS:
        return None
    tagged = tag(tokenize(utterance, locale.spelling), locale.lexicon)
    if len(tagged) > _MAX_TOKENS:
        return None
    reading = _read(tagged, locale, local)
    if reading.said:
        return _said_then(reading, locale, local, tz)
    if not reading.periods or not _is_past(reading.periods, tagged, locale, local):
        return None
    ranges, *fallbacks = _ranges(reading.periods, tz)
    return TimeIntent(ranges, "prefer", _topic(reading, locale), _rest(reading), tuple(fallbacks))


def _said_then(reading: _Reading, locale: Locale, now: datetime, tz: tzinfo) -> TimeIntent | None:
    periods = reading.periods
    if reading.earlier and not periods:
        today = unit_period(now, "day", 0)
        week = rolling(now, "week", 1)
        periods = [Period(today.start, today.end, "day", wider=((week.start, week.end),))]
    if not periods and reading.session is None and reading.order is None:
        return None
    ranges, *fallbacks = _ranges(periods, tz) if periods else [()]
    return TimeIntent(
        ranges=ranges,
        strength="restrict",
        topic=_topic(reading, locale),
        rest=_rest(reading),
        fallbacks=tuple(fallbacks),
        sessions=reading.session,
        order=reading.order,
        earlier=reading.earlier,
    )


def _read(tagged: Sequence[Token], locale: Locale, now: datetime) -> _Reading:
    tokens, session = find_session(tagged, locale)
    tokens = find_periods(tokens, locale, now)
    past = [i for i, token in enumerate(tokens) if "p" in token.tags and token.tags["p"].start <= now]
    openers = _openers(tokens, locale)
    saying = _saying(tokens, frozenset(past) | openers, locale)
    exact = [i for i in past if tokens[i].tags["p"].grain != "vague"]
    past = exact if exact or not saying else past
    sentence = Sentence.of(tokens)
    order = first_match(locale.orders, sentence)
    earlier = first_match(locale.earlier, sentence)
    if order and earlier and not order.match.named.isdisjoint(earlier.match.named):
        earlier = None  # "la prima cosa": the word for "first" and "before" is one
    named = (found.match.named for found in (order, earlier) if found is not None)
    return _Reading(
        tokens=tokens,
        times=_choose(tokens, past, saying, locale),
        framing=openers.union(saying, *named),
        said=bool(saying),
        session=session,
        order=("first" if order.kind == "first" else "last") if order else None,
        earlier=earlier is not None,
    )


def _openers(tokens: Sequence[Token], locale: Locale) -> frozenset[int]:
    """Positions of "tell me", "do you remember" and the like at the beginning: their verbs ask for nothing said."""
    found = matches(locale.openers, Sentence.of(tokens))
    at = 0
    while opener := next((one for one in found if one.match.start == at), None):
        at = opener.match.end
    return frozenset(range(at))


def _saying(tokens: Sequence[Token], skipped: frozenset[int], locale: Locale) -> frozenset[int]:
    """Positions of the words that ask for what was said: "did we talk about". Empty when nothing does.

    Times may stand in the middle of them, so those are taken out first; a named conversation is too, unless its own
    words ("our last conversation") are all that asks. What was said to others ("I talked to Anna") is an event.
    """
    spoken = [token for i, token in enumerate(tokens) if i not in skipped]
    if matches(locale.unsaid, Sentence.of(spoken)):
        return frozenset()
    without_sessions = [i for i in range(len(tokens)) if i not in skipped and tokens[i].word != SESSION_WORD]
    with_sessions = [i for i in range(len(tokens)) if i not in skipped]
    for kept in (without_sessions, with_sessions):
        found = matches(locale.said, Sentence.of([tokens[i] for i in kept]))
        if found:
            return frozenset(kept[i] for one in found for i in one.match.named)
    return frozenset()


def _choose(tokens: Sequence[Token], past: Sequence[int], saying: frozenset[int], locale: Locale) -> Sequence[int]:
    """Of several times those that belong to the question: beside its verb, else at the end, else the first.

    "What did we discuss yesterday about the trip in May" is about yesterday. Times joined by "and" belong together.
    """
    groups: list[list[int]] = []
    for position in past:
        between = tokens[groups[-1][-1] + 1 : position] if groups else []
        if between and all(token.word in locale.joiners for token in between):
            groups[-1].append(position)
        else:
            groups.append([position])
    if len(groups) < 2:
        return past
    behind = (group for group in groups if group[0] - 1 in saying)
    before = (group for group in groups if group[-1] + 1 in saying)
    at_the_end = (group for group in groups if group[-1] == len(tokens) - 1)
    return next(behind, None) or next(before, None) or next(at_the_end, None) or groups[0]


def _is_past(periods: Sequence[Period], tagged: Sequence[Token], locale: Locale, now: datetime) -> bool:
    """Whether the words leave no doubt: "on Friday" alone may be the coming one, "yesterday" and "did" may not."""
    over = all(period.end <= now and period.repeat is None for period in periods)
    return over or bool(matches(locale.past, Sentence.of(tagged)))


def _ranges(periods: Sequence[Period], tz: tzinfo) -> list[tuple[TimeRange, ...]]:
    """The ranges of the periods, then those of their other readings. Several periods have one reading only."""
    if len(periods) == 1:
        return [(to_range(start, end, tz),) for start, end in islice(_distinct(periods[0]), _MAX_READINGS)]
    return [_merged([to_range(period.start, period.end, tz) for period in periods])]


def _distinct(period: Period) -> Iterator[tuple[datetime, datetime]]:
    return iter(dict.fromkeys(readings(period)))


def _merged(ranges: Sequence[TimeRange]) -> tuple[TimeRange, ...]:
    merged: list[TimeRange] = []
    for one in sorted(ranges):
        if merged and one.start <= merged[-1].end:
            merged[-1] = TimeRange(merged[-1].start, max(merged[-1].end, one.end))
        else:
            merged.append(one)
    return tuple(merged)


def _topic(reading: _Reading, locale: Locale) -> str:
    gone = reading.framing.union(reading.times)
    return " ".join(
        token.text
        for position, token in enumerate(reading.tokens)
        if position not in gone and token.word != SESSION_WORD and token.word not in locale.fillers
    )


def _rest(reading: _Reading) -> str:
    return " ".join(
        token.text
        for position, token in enumerate(reading.tokens)
        if position not in reading.times and token.word != SESSION_WORD
    )

"""What words say together: a number, a month beside its day, a time of day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from . import dates
from .folding import unaccent
from .languages import Language
from .numbers import Span, spans
from .words import Word


@dataclass(frozen=True, slots=True)
class Reading:
    """What several words say together, or one beyond itself: words from `start` up to `end` are a number, a month or
    a time of day, for which the index holds `terms`. A query looks for these `instead` of the single words when those
    would say something else, and for what `also` names."""

    start: int
    end: int
    terms: tuple[str, ...]
    instead: bool = False
    also: tuple[str, ...] = ()


def readings(found: Sequence[Word], lang: Language) -> Iterator[Reading]:
    """Numbers in words, abbreviated months and times of day."""
    if not any(word.counts for word in found):
        return
    texts = [word.text for word in found]
    numbers = list(spans(texts, lang))
    for number in numbers:
        if number.alone and not (number.end - number.start == 1 and texts[number.start].isdecimal()):
            yield Reading(number.start, number.end, (str(number.value),), instead=number.end - number.start > 1)
    counting = {position for number in numbers for position in range(number.start, number.end)}
    for position, term in dates.cued_months(texts, counting, lang):
        yield Reading(position, position + 1, (term,))
    for time in dates.times(_items(texts, numbers), lang):
        hour = (str(time.minutes // 60),) if time.minutes % 60 == 0 else ()
        yield Reading(time.start, time.end, time.terms(), instead=time.sure, also=hour)


def _items(texts: Sequence[str], numbers: Sequence[Span]) -> list[dates.Item]:
    """The words with each number's as one, as times of day are read."""
    numbers_at = {number.start: number for number in numbers}
    items: list[dates.Item] = []
    position = 0
    while position < len(texts):
        number, shown = numbers_at.get(position), dates.CLOCK.fullmatch(texts[position])
        plain = unaccent(texts[position])
        if number:
            items.append(dates.Item(plain, position, number.end, number.value))
        elif shown:
            items.append(dates.Item(plain, position, position + 1, int(shown[1]), int(shown[2])))
            if shown[3]:
                items.append(dates.Item(shown[3], position, position + 1))
        else:
            items.append(dates.Item(plain, position, position + 1))
        position = items[-1].end
    return items


def widest(readings: Iterable[Reading]) -> Iterator[Reading]:
    """Readings that do not overlap: the ones of most words; of two for the same words, both in one."""
    chosen: dict[int, Reading] = {}
    for reading in sorted(readings, key=lambda r: (r.start - r.end, r.start)):
        place = range(reading.start, reading.end)
        other = chosen.get(reading.start)
        if other and other.end == reading.end:
            instead = other.instead or reading.instead
            merged = (*other.terms, *reading.terms)
            chosen.update(dict.fromkeys(place, Reading(reading.start, reading.end, merged, instead, other.also)))
        elif not any(position in chosen for position in place):
            chosen.update(dict.fromkeys(place, reading))
    yield from dict.fromkeys(chosen.values())

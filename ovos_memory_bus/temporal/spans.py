"""Expressions made of others: "between Monday and Wednesday", "since March", "last Friday evening", "the week before".

The kinds a locale may name: `between`, `since`, `after`, `before`, `until`, `inside`, `part`, `edge:0:0.34` (which
share of the period), `nth_week` (of a month), `beside:week:-1` (the week before it, 0 around it, 1 after it;
`beside:unit:-1` takes the unit said).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .kinds import calendar_unit, clock
from .periods import (
    DAY,
    Period,
    add_months,
    day_of_month,
    midnight,
    month_named,
    part_of,
    shift,
    unit_period,
    weekday_before,
    within,
)
from .templates import Match

Composer = Callable[[datetime, Match, Sequence[str]], "Period | None"]
_BEGINNING = datetime(1970, 1, 2)


def compose(kind: str, match: Match, now: datetime) -> Period | None:
    """The period a matched template of `kind` means, None where its parts do not fit together."""
    name, *arguments = kind.split(":")
    try:
        return COMPOSERS[name](now, match, arguments)
    except (ValueError, OverflowError):
        return None


def _between(now: datetime, match: Match, _arguments: Sequence[str]) -> Period | None:
    clocks = [value for slot, value in match.slots if slot == "clock"]
    if clocks:
        return _between_clocks(now, clocks[0], clocks[1], match.value("half"), match.value("period"))
    (first, start_value), (second, end_value) = [(slot, value) for slot, value in match.slots if slot != "year"]
    if isinstance(end_value, Period) and end_value.grain == "hour":
        # "Between eight and nine o'clock": the end has been read as a time of day already, perhaps the start too.
        start_clock = _time_of_day(start_value) if isinstance(start_value, Period) else start_value
        return _between_clocks(now, start_clock, _time_of_day(end_value), None, None)
    year = match.value("year")
    start = None if first == "day" else _endpoint(now, first, start_value, year)
    end = None if second == "day" else _endpoint(now, second, end_value, year)
    if start is None and end is None:
        start, end = day_of_month(now, start_value), day_of_month(now, end_value)
    elif start is None and end is not None:
        start = _day_near(end, start_value, before=True)
    elif end is None and start is not None:
        end = _day_near(start, end_value, before=False)
    return _joined(start, end) if start is not None and end is not None else None


def _endpoint(now: datetime, slot: str, value: Any, year: int | None) -> Period:
    if slot == "month":
        return month_named(now, value, year)
    if slot == "weekday":
        return weekday_before(now, value)
    if isinstance(value, Period):
        return value
    return unit_period(now, "year", int(value) - now.year)


def _joined(start: Period, end: Period) -> Period | None:
    """From the start of one to the end of the other; a start that may repeat moves back until it is before the end."""
    repeat = start.repeat if start.repeat == end.repeat else None
    for back in range(3):
        moved = (start.start, start.end) if back == 0 else shift(start, back) if start.repeat else None
        if moved is not None and moved[0] < end.end and moved[0] <= end.start:
            return Period(moved[0], end.end, "span", repeat)
    return None


def _day_near(anchor: Period, day: int, before: bool) -> Period:
    """A day named by its number alone: in the anchor's month, or the month beside it."""
    start = anchor.start.replace(day=day)
    if before and start > anchor.start:
        start = add_months(anchor.start, -1).replace(day=day)
    elif not before and start < anchor.start:
        start = add_months(anchor.start, 1).replace(day=day)
    return Period(start, start + DAY, "day", anchor.repeat)


def _between_clocks(now: datetime, first: Any, second: Any, half: int | None, container: Any) -> Period | None:
    (start_hour, start_minute, _), (end_hour, end_minute, _) = clock(first), clock(second)
    day = container if isinstance(container, Period) else unit_period(now, "day", 0)
    for later in (0, 12) if half is None else (int(half),):
        base = midnight(day.start) + timedelta(hours=later)
        start = base + timedelta(hours=start_hour % 12 if half is not None else start_hour, minutes=start_minute)
        end = base + timedelta(hours=end_hour % 12 if half is not None else end_hour, minutes=end_minute)
        if end <= start:
            end += timedelta(hours=12)
        if start >= day.start and end <= day.end and (start_hour + later) < 24 and start <= now:
            return Period(start, end, "hour")
    return None


def _time_of_day(period: Period) -> tuple[int, int]:
    """The time a `clock` was about: its hour, or the middle of the half hour around an exact time."""
    exact = period.end - period.start < timedelta(hours=1)
    moment = period.start + (period.end - period.start) / 2 if exact else period.start
    return moment.hour, moment.minute


def _since(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    return Period(_one(now, match).start, midnight(now) + DAY, "span")


def _after(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    return Period(_one(now, match).end, midnight(now) + DAY, "span")


def _before(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    return Period(_BEGINNING, _one(now, match).start, "span")


def _until(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    return Period(_BEGINNING, _one(now, match).end, "span")


def _one(now: datetime, match: Match) -> Period:
    slot, value = match.slots[0]
    return _endpoint(now, slot, value, match.value("year"))


def _inside(now: datetime, match: Match, _arguments: Sequence[str]) -> Period | None:
    one, two = (value for slot, value in match.slots if slot == "period")
    for inner, outer in ((one, two), (two, one)):
        if inner.grain in ("hour", "part") and outer.grain in ("day", "part", "span") and outer.grain != inner.grain:
            moved = _on_day(inner, outer)
        else:
            moved = within(inner, outer)
        if moved is not None:
            return moved
    return None


def _on_day(inner: Period, outer: Period) -> Period | None:
    """A time of day moved to the day of another period; of 8 and 20 o'clock the one that lies in it."""
    length = inner.end - inner.start
    offset = inner.start - midnight(inner.start)
    halves = (offset,) if inner.grain == "part" else (offset, (offset + DAY / 2) % DAY)
    for time_of_day in halves:
        start = midnight(outer.start) + time_of_day
        if outer.start <= start < outer.end:
            wider = ((outer.start, outer.end),) if inner.grain == "part" else ()
            return Period(start, start + length, inner.grain, outer.repeat, wider)
    return None


def _part(now: datetime, match: Match, _arguments: Sequence[str]) -> Period | None:
    period, hours = match.value("period"), match.required("part")
    if period is None:
        period = weekday_before(now, match.number("weekday"))
    return part_of(period, hours) if period.grain == "day" else None


def _edge(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    period = _one(now, match)
    first, last = (float(argument) for argument in arguments)
    length = period.end - period.start
    start, end = midnight(period.start + length * first), midnight(period.start + length * last)
    return Period(start, end, "span", period.repeat)


def _nth_week(now: datetime, match: Match, _arguments: Sequence[str]) -> Period | None:
    """Seven days of a month: the second week is the 8th to the 14th."""
    month = match.required("period")
    start = month.start + (match.number("ordinal") - 1) * 7 * DAY
    return Period(start, start + 7 * DAY, "week", month.repeat) if start < month.end else None


def _beside(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    """The unit before, around or after a period: of weeks the seven days before or after it, or its calendar week."""
    period = match.required("period")
    unit = match.required("unit") if arguments[0] == "unit" else arguments[0]
    direction = int(arguments[1])
    if direction == 0:
        return unit_period(period.start, unit, 0)
    count = match.value("count")
    unit, times = calendar_unit(unit, 1 if count is None else int(count))
    if unit in ("month", "year"):
        return unit_period(period.start, unit, direction * times)
    length = DAY * (7 if unit == "week" else 1)
    if direction < 0:
        start = period.start - times * length
        return Period(start, start + length, unit)
    start = period.end + (times - 1) * length
    return Period(start, start + length, unit)


COMPOSERS: Mapping[str, Composer] = {
    "between": _between,
    "since": _since,
    "after": _after,
    "before": _before,
    "until": _until,
    "inside": _inside,
    "part": _part,
    "edge": _edge,
    "nth_week": _nth_week,
    "beside": _beside,
}

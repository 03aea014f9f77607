"""What each kind of time expression in a locale file means: its words' values and now, as a period of local time.

The kinds a locale may name, arguments after colons (docs/time.md explains them to speakers): `day:-1` `week:-1`
`month:0` `year:-2`, `days:-15:-13` (first, last), `vague:-14:0`, `holiday:12-24:3` (first day, days), `easter:-2:4`,
`part:0` `part:latest` `part:-1:18:29`, `ago` `ago:30:minute` `few_ago`, `rolling` `rolling:7:day` `rolling_few`,
`weekday` `weekday:2` `weekday:count` `weekday:this` `weekday:next`, `weekend` `weekend:last` `weekend:next`, `date`,
`month_day`, `month_named` `month_named:last` `month_named:next`, `year_named`, `iso`, `clock`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from .periods import (
    DAY,
    WEEK,
    Period,
    date_named,
    day_of_month,
    easter,
    midnight,
    month_named,
    part_of,
    rolling,
    time_ago,
    unit_period,
    weekday_before,
    weekend,
)
from .templates import Match

Builder = Callable[[datetime, Match, Sequence[str]], Period]
_A_FEW = (2, 5)


def build(kind: str, match: Match, now: datetime) -> Period | None:
    """The period a matched template of `kind` means, or None for a date or number the calendar does not have."""
    name, *arguments = kind.split(":")
    try:
        return BUILDERS[name](now, match, arguments)
    except (ValueError, OverflowError):
        return None


def calendar_unit(unit: str, count: int) -> tuple[str, int]:
    """Fortnights are two weeks; every other unit stands for itself."""
    return ("week", 2 * count) if unit == "fortnight" else (unit, count)


def _unit(unit: str) -> Builder:
    return lambda now, _match, arguments: unit_period(now, unit, int(arguments[0]))


def _days(now: datetime, _match: Match, arguments: Sequence[str]) -> Period:
    first, last = int(arguments[0]), int(arguments[1])
    return unit_period(now, "day", first, last - first + 1)


def _holiday(now: datetime, _match: Match, arguments: Sequence[str]) -> Period:
    month, day = map(int, arguments[0].split("-"))
    first = date_named(now, month, day)
    return replace(first, end=first.start + int(arguments[1]) * DAY)


def _easter(now: datetime, _match: Match, arguments: Sequence[str]) -> Period:
    first, count = int(arguments[0]), int(arguments[1])
    start = max(sunday + first * DAY for sunday in map(easter, (now.year - 1, now.year)) if sunday + first * DAY <= now)
    return Period(start, start + count * DAY, "span")


def _vague(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    return replace(_days(now, match, arguments), grain="vague")


def _part(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    hours = (float(arguments[1]), float(arguments[2])) if len(arguments) > 1 else match.required("part")
    if arguments[0] != "latest":
        return part_of(unit_period(now, "day", int(arguments[0])), hours)
    today = unit_period(now, "day", 0)
    begun = today.start + timedelta(hours=hours[0]) <= now
    return part_of(replace(today if begun else unit_period(now, "day", -1), repeat="day"), hours)


def _ago(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    if arguments:
        return time_ago(now, arguments[1], int(arguments[0]))
    unit, count = calendar_unit(match.required("unit"), match.number("count"))
    return time_ago(now, unit, count)


def _few_ago(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    least, most = _A_FEW
    near = time_ago(now, *calendar_unit(match.required("unit"), least))
    far = time_ago(now, *calendar_unit(match.required("unit"), most))
    return Period(far.start, near.end, "span")


def _rolling(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    if arguments:
        return rolling(now, arguments[1], int(arguments[0]))
    count = match.value("count")
    return rolling(now, *calendar_unit(match.required("unit"), 1 if count is None else int(count)))


def _rolling_few(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    return rolling(now, *calendar_unit(match.required("unit"), _A_FEW[1]))


def _weekday(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    weekday = match.number("weekday")
    form = arguments[0] if arguments else "1"
    if form == "count":
        return weekday_before(now, weekday, match.number("count"))
    if form not in ("this", "next"):
        return weekday_before(now, weekday, int(form))
    start = unit_period(now, "week", 0).start + weekday * DAY
    if form == "next" and start <= now:
        start += WEEK
    return Period(start, start + DAY, "day")


def _weekend(now: datetime, _match: Match, arguments: Sequence[str]) -> Period:
    if arguments == ["next"]:
        saturday = unit_period(now, "week", 0).start + 5 * DAY
        saturday += WEEK if now >= saturday else timedelta()
        return Period(saturday, saturday + 2 * DAY, "span")
    return weekend(now, completed=arguments == ["last"])


def _date(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    return date_named(now, match.number("month"), match.number("day"), match.value("year"))


def _month_day(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    return day_of_month(now, match.number("day"))


def _month_named(now: datetime, match: Match, arguments: Sequence[str]) -> Period:
    month = match.number("month")
    if arguments == ["next"]:
        return month_named(now, month, month_named(now, month).start.year + 1)
    return month_named(now, month, match.value("year"), completed=arguments == ["last"])


def _year_named(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    return unit_period(now, "year", match.number("year") - now.year)


def _iso(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    year, month, day = match.required("date")
    return date_named(now, month, day, year)


def _clock(now: datetime, match: Match, _arguments: Sequence[str]) -> Period:
    hour, minute, exact = clock(match.required("clock"))
    half, part = match.value("half"), match.value("part")
    if half is not None:
        hour = hour % 12 + int(half)
    elif part is not None and hour < part[0] and hour + 12 < part[1]:
        hour += 12
    start = midnight(now) + timedelta(hours=hour, minutes=minute)
    if half is None and part is None and hour < 12 and start + timedelta(hours=12) <= now:
        start += timedelta(hours=12)
    if start > now:
        start -= DAY
    margin = timedelta(minutes=15) if exact else timedelta()
    return Period(start - margin, start + (margin or timedelta(hours=1)), "hour", repeat="day")


def clock(found: int | tuple[int, int]) -> tuple[int, int, bool]:
    """Hour, minute and whether the minute was said; raises ValueError for no time of day."""
    hour, minute = (found, 0) if isinstance(found, int) else found
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        raise ValueError(f"no time of day {hour}:{minute}")
    return hour, minute, not isinstance(found, int)


BUILDERS: Mapping[str, Builder] = {
    "day": _unit("day"),
    "week": _unit("week"),
    "month": _unit("month"),
    "year": _unit("year"),
    "days": _days,
    "holiday": _holiday,
    "easter": _easter,
    "vague": _vague,
    "part": _part,
    "ago": _ago,
    "few_ago": _few_ago,
    "rolling": _rolling,
    "rolling_few": _rolling_few,
    "weekday": _weekday,
    "weekend": _weekend,
    "date": _date,
    "month_day": _month_day,
    "month_named": _month_named,
    "year_named": _year_named,
    "iso": _iso,
    "clock": _clock,
}

"""Calendar arithmetic on local wall-clock time: days, weeks from Monday, months, years, and what repeats.

All datetimes here are naive and local; `to_range` is the one place where they become UTC.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone, tzinfo

from .intent import TimeRange

DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)
# How far back another reading of the same words is looked for: "last Saturday", "the 17th", "in May".
_MISCOUNTED_DAYS = 3
_READINGS = {"day": 3, "week": 8, "month": 12, "year": 5}


@dataclass(frozen=True, slots=True)
class Period:
    """Local time [start, end).

    `repeat` ("day", "week", "month", "year") when the words fit every such day and this is the latest; `wider` are
    looser readings of the same words, tried in turn when the period itself holds nothing. The grain "vague"
    ("recently") counts only beside a question for what was said.
    """

    start: datetime
    end: datetime
    grain: str
    repeat: str | None = None
    wider: tuple[tuple[datetime, datetime], ...] = ()


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def add_months(moment: datetime, months: int) -> datetime:
    """The first of the month `months` away; raises ValueError outside the years 1 to 9999."""
    index = moment.year * 12 + moment.month - 1 + months
    return datetime(index // 12, index % 12 + 1, 1)


def unit_period(now: datetime, unit: str, offset: int, count: int = 1) -> Period:
    """`count` whole calendar units, the first one `offset` units from the present one ("week", -1: last week)."""
    today = midnight(now)
    if unit == "day":
        start, end = today + offset * DAY, today + (offset + count) * DAY
    elif unit == "week":
        monday = today - today.weekday() * DAY
        start, end = monday + offset * WEEK, monday + (offset + count) * WEEK
    elif unit == "month":
        start, end = add_months(today, offset), add_months(today, offset + count)
    elif unit == "year":
        start, end = datetime(today.year + offset, 1, 1), datetime(today.year + offset + count, 1, 1)
    else:
        raise ValueError(f"no calendar unit {unit!r}")
    return Period(start, end, unit)


def time_ago(now: datetime, unit: str, count: int) -> Period:
    """The calendar unit `count` units back; for hours and minutes half an hour or more around that moment.

    For days the looser readings are the 24 hours that are `count` full days old and, as people miscount from three
    days on, the days beside.
    """
    if unit in ("hour", "minute"):
        step = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
        margin = timedelta(minutes=30) if unit == "hour" else max(timedelta(minutes=5), count * step / 4)
        return Period(now - count * step - margin, now - count * step + margin, "moment")
    period = unit_period(now, unit, -count)
    if unit != "day":
        return period
    elapsed = now - (count + 1) * DAY, now - count * DAY
    beside = period.start - DAY, period.end + DAY
    return replace(period, wider=(elapsed, beside) if count >= _MISCOUNTED_DAYS else (elapsed,))


def rolling(now: datetime, unit: str, count: int) -> Period:
    """The last `count` units up to the end of today: whole days, for units of a day or more."""
    tomorrow = midnight(now) + DAY
    if unit in ("hour", "minute"):
        step = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
        return Period(now - count * step, tomorrow, "span")
    if unit == "month" or unit == "year":
        first = add_months(now, -count * (12 if unit == "year" else 1))
        last_day = calendar.monthrange(first.year, first.month)[1]
        return Period(first.replace(day=min(now.day, last_day)), tomorrow, "span")
    return Period(midnight(now) - count * (WEEK if unit == "week" else DAY), tomorrow, "span")


def weekday_before(now: datetime, weekday: int, times: int = 1) -> Period:
    """The latest such weekday before today (a week ago when today is one), or the one `times` back."""
    today = midnight(now)
    back = (today.weekday() - weekday - 1) % 7 + 1
    start = today - back * DAY - (times - 1) * WEEK
    return Period(start, start + DAY, "day", repeat="week")


def weekend(now: datetime, completed: bool) -> Period:
    """Saturday and Sunday: the latest that has begun, or (`completed`) the latest before the present week's end."""
    monday = unit_period(now, "week", 0).start
    begun = now.weekday() >= 5 and not completed
    saturday = monday + 5 * DAY - (timedelta() if begun else WEEK)
    return Period(saturday, saturday + 2 * DAY, "span", repeat="week")


def month_named(now: datetime, month: int, year: int | None = None, completed: bool = False) -> Period:
    """A month of a year; without a year the latest that has begun (`completed`: that is over)."""
    if year is not None:
        start = datetime(year, month, 1)
        return Period(start, add_months(start, 1), "month")
    current = month == now.month and not completed
    start = datetime(now.year - (0 if month < now.month or current else 1), month, 1)
    return Period(start, add_months(start, 1), "month", repeat="year")


def date_named(now: datetime, month: int, day: int, year: int | None = None) -> Period:
    """A day of a month; without a year the latest that has begun. Raises ValueError for a date that does not exist."""
    if year is not None:
        start = datetime(year, month, day)
        return Period(start, start + DAY, "day")
    for back in range(9):
        if day == 29 and month == 2 and not calendar.isleap(now.year - back):
            continue
        start = datetime(now.year - back, month, day)
        if start <= now:
            return Period(start, start + DAY, "day", repeat="year")
    raise ValueError(f"no date {month}-{day}")


def day_of_month(now: datetime, day: int) -> Period:
    """The latest such day of any month that has begun. Raises ValueError for no day."""
    if not 1 <= day <= 31:
        raise ValueError(f"no day {day}")
    month = now.replace(day=1)
    for back in range(4):
        first = add_months(month, -back)
        if day <= calendar.monthrange(first.year, first.month)[1]:
            start = first.replace(day=day)
            if start <= now:
                return Period(start, start + DAY, "day", repeat="month")
    raise ValueError(f"no day {day}")


def easter(year: int) -> datetime:
    """Easter Sunday in the Gregorian calendar, by the anonymous computus (in Meeus, Astronomical Algorithms)."""
    golden = year % 19
    century, rest = divmod(year, 100)
    shift_by_leaps, century_rest = divmod(century, 4)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - shift_by_leaps - moon + 15) % 30
    quarter, quarter_rest = divmod(rest, 4)
    weekday = (32 + 2 * century_rest + 2 * quarter - epact - quarter_rest) % 7
    correction = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * correction + 114, 31)
    return datetime(year, month, day + 1)


def part_of(period: Period, hours: tuple[float, float]) -> Period:
    """Hours of a day, over midnight where the end is past 24; the whole day is the looser reading."""
    start, end = (period.start + timedelta(hours=hour) for hour in hours)
    whole_half = (period.start, period.start + DAY / 2) if hours[1] <= 12 else None
    wider = tuple(reading for reading in (whole_half, (period.start, period.end)) if reading)
    return Period(start, end, "part", period.repeat, wider)


def readings(period: Period) -> Iterator[tuple[datetime, datetime]]:
    """The period, its looser readings, then its earlier repetitions, nearest first."""
    yield period.start, period.end
    yield from period.wider
    if period.repeat is not None:
        for back in range(1, _READINGS[period.repeat] + 1):
            shifted = shift(period, back)
            if shifted is not None:
                yield shifted


def shift(period: Period, back: int) -> tuple[datetime, datetime] | None:
    """The repetition `back` steps earlier, or None where the calendar has none (31 June)."""
    if period.repeat in ("day", "week"):
        step = back * (WEEK if period.repeat == "week" else DAY)
        return period.start - step, period.end - step
    months = back * (12 if period.repeat == "year" else 1)
    start = _move(period.start, months)
    if start is None:
        return None
    end = _move(period.end, months) if period.repeat == "year" else None
    return start, end or start + (period.end - period.start)


def _move(moment: datetime, months: int) -> datetime | None:
    first = add_months(moment, -months)
    if moment.day > calendar.monthrange(first.year, first.month)[1]:
        return None
    return moment.replace(year=first.year, month=first.month)


def within(period: Period, container: Period) -> Period | None:
    """The period's repetition that lies in the container ("Tuesday" in "last week"), or None."""
    if period.repeat is None or period.repeat == "day":
        return None
    latest = replace(period, wider=())
    for back in range(-1, 120):
        moved = shift(latest, back)
        if moved is not None and moved[0] < container.start:
            return None
        if moved is not None and moved[0] < container.end:
            return Period(moved[0], moved[1], period.grain)
    return None


def to_range(start: datetime, end: datetime, tz: tzinfo) -> TimeRange:
    """Local wall-clock time as UTC; where the clock jumps the length counts, so that start stays before end."""
    first = start.replace(tzinfo=tz).astimezone(timezone.utc)
    last = end.replace(tzinfo=tz).astimezone(timezone.utc)
    return TimeRange(first, last if last > first else first + (end - start))

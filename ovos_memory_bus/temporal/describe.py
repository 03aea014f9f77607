"""Says when something was, seen from now, in the languages of the locale files: "last Friday, 10 May 2024"."""

from __future__ import annotations

from datetime import datetime, tzinfo

from .locales import load

_DAYS_BY_NAME = range(2, 7)


def describe(moment: datetime, now: datetime, tz: tzinfo, lang: str | None) -> str:
    """The day of `moment` in the user's zone `tz`, relative to the aware `now`.

    Today with its time of day, yesterday and the last weekdays with their date, anything else as a date; ISO 8601 where
    the language has no locale file.
    """
    local = moment.astimezone(tz)
    locale = load(lang) if lang else None
    if locale is None:
        return local.date().isoformat()
    words = locale.rendering
    date = words["date"].format(day=local.day, month=words["months"][local.month - 1], year=local.year)
    days = (now.astimezone(tz).date() - local.date()).days
    if days == 0:
        return str(words["today"].format(time=f"{local:%H:%M}"))
    if days == 1:
        return str(words["yesterday"].format(date=date))
    if days in _DAYS_BY_NAME:
        return str(words["last_weekday"].format(weekday=words["last_weekdays"][local.weekday()], date=date))
    return str(date)

"""Reading one raw request: every getter checks type and range and names the field it refuses."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..errors import InvalidRequest

MAX_CONTENT = 2_000_000  # characters of one content or utterance: an hour of speech is about 60,000
MAX_SHORT = 1_000  # characters of an id, a name, a language tag
MAX_METADATA = 64_000  # bytes of one metadata object as JSON
MAX_METADATA_DEPTH = 12
MAX_IDS = 10_000  # ids in one request

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_UNCOMPARABLE = re.compile("[\x00\ud800-\udfff]")  # SQLite ends a text in JSON at a NUL


def clean_text(text: str) -> str:
    """`text` as it can be stored: half surrogates, which no encoding can carry, become U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def is_invisible(text: str) -> bool:
    """Whether there is nothing to see: only white space, controls and characters without width."""
    return all(unicodedata.category(char)[0] in "ZC" for char in text)


def parse_time(value: Any, field: str) -> datetime:
    """An aware datetime from ISO 8601 text (no zone means UTC) or seconds since 1970."""
    try:
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, (int, float)):
            return datetime.fromtimestamp(value, timezone.utc)
        moment = datetime.fromisoformat(_widened(value))
    except (TypeError, ValueError, OverflowError, OSError, AttributeError):
        raise InvalidRequest(f"{field} must be a time as ISO 8601 text, e.g. 2026-11-30T21:05:00Z", field) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    try:
        return moment.astimezone(timezone.utc)
    except OverflowError:
        raise InvalidRequest(f"{field} lies outside the calendar", field) from None


def _widened(text: str) -> str:
    """ISO 8601 as Python 3.10 reads it: a `Z` and fractions of any length are news of 3.11."""
    text = text.strip()
    if text[-1:] in "zZ":
        text = text[:-1] + "+00:00"
    return re.sub(r"\.(\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text, count=1)


def _is_finite(value: Any) -> bool:
    """Whether `value` is a number that a float can hold; JSON has whole numbers of any size."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _depth(value: Any, limit: int) -> bool:
    """Whether `value` nests at most `limit` levels."""
    if limit < 0:
        return False
    if isinstance(value, Mapping):
        return all(_depth(v, limit - 1) for v in value.values())
    if isinstance(value, (list, tuple)):
        return all(_depth(v, limit - 1) for v in value)
    return True


class Fields:
    """The raw data of one request."""

    def __init__(self, data: Any, prefix: str = "") -> None:
        if not isinstance(data, Mapping):
            raise InvalidRequest(f"{prefix or 'data'} must be an object", prefix or "data")
        self._data, self._prefix = data, prefix

    @classmethod
    def of(cls, data: Any, prefix: str = "") -> Fields:
        """`data` itself where it is read already: what describes a request instead of making one passes that."""
        return data if isinstance(data, Fields) else cls(data, prefix)

    def __contains__(self, name: str) -> bool:
        """Whether the key is there, be it null."""
        return name in self._data

    def path(self, name: str) -> str:
        return f"{self._prefix}.{name}" if self._prefix else name

    def has(self, name: str) -> bool:
        return self._data.get(name) is not None

    def refuse(self, name: str, message: str) -> InvalidRequest:
        return InvalidRequest(f"{self.path(name)} {message}", self.path(name))

    def text(self, name: str, default: str | None = None, *, limit: int = MAX_CONTENT) -> str | None:
        value = self._data.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.refuse(name, "must be text")
        if len(value) > limit:
            raise self.refuse(name, f"is longer than {limit} characters")
        return clean_text(value)

    def required_text(self, name: str, *, limit: int = MAX_CONTENT) -> str:
        value = self.text(name, limit=limit)
        if value is None:
            raise self.refuse(name, "is missing")
        return value

    def visible_text(self, name: str) -> str:
        """Required content in which there is something to see."""
        value = self.required_text(name)
        if is_invisible(value):
            raise self.refuse(name, "is blank")
        return value

    def short(self, name: str) -> str | None:
        """A short text; empty counts as absent."""
        return self.text(name, limit=MAX_SHORT) or None

    def label(self, name: str) -> str | None:
        """A short identifier that others are compared with; empty counts as absent."""
        value = self.short(name)
        self._comparable(name, self._data.get(name))
        return value

    def number(
        self, name: str, default: float | None, minimum: float = -math.inf, maximum: float = math.inf
    ) -> float | None:
        value = self._data.get(name)
        if value is None:
            return default
        if not _is_finite(value):
            raise self.refuse(name, "must be a number")
        if not minimum <= value <= maximum:
            raise self.refuse(name, f"must lie between {minimum:g} and {maximum:g}")
        return float(value)

    def integer(self, name: str, default: int, minimum: int = 0, maximum: int = 2**31) -> int:
        value = self.number(name, None, minimum, maximum)
        if value is None:
            return default
        if value != int(value):
            raise self.refuse(name, "must be a whole number")
        return int(value)

    def flag(self, name: str, default: bool) -> bool:
        value = self._data.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.refuse(name, "must be true or false")
        return value

    def choice(self, name: str, options: tuple[str, ...], default: str | None) -> str | None:
        value = self.text(name, limit=MAX_SHORT)
        if value is None:
            return default
        if value not in options:
            raise self.refuse(name, f"must be one of {', '.join(options)}")
        return value

    def strings(self, name: str, *, limit: int = MAX_IDS) -> tuple[str, ...] | None:
        value = self._data.get(name)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            raise self.refuse(name, "must be a list of texts")
        if len(value) > limit:
            raise self.refuse(name, f"has more than {limit} entries; send them in parts")
        return tuple(clean_text(v) for v in value)

    def list(self, name: str, *, limit: int = MAX_IDS) -> tuple[Any, ...] | None:
        value = self._data.get(name)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise self.refuse(name, "must be a list")
        if len(value) > limit:
            raise self.refuse(name, f"has more than {limit} entries; send them in parts")
        return tuple(value)

    def vector(self, name: str) -> tuple[float, ...] | None:
        """A list of finite numbers that are not all zero, as a direction: scaled to a largest magnitude of 1."""
        values = self.list(name, limit=65_536)
        if values is None:
            return None
        if not all(map(_is_finite, values)):
            raise self.refuse(name, "must be a list of finite numbers")
        largest = max((abs(float(v)) for v in values), default=0.0)
        if not largest:
            raise self.refuse(name, "must not be empty or all zeros")
        return tuple(float(v) / largest for v in values)

    def mapping(self, name: str) -> dict[str, Any] | None:
        """A JSON object of bounded size and depth, its texts cleaned."""
        value = self._data.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.refuse(name, "must be an object")
        if not _depth(value, MAX_METADATA_DEPTH):
            raise self.refuse(name, f"nests deeper than {MAX_METADATA_DEPTH} levels")
        try:
            encoded = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError):
            raise self.refuse(name, "must be plain JSON") from None
        if len(encoded) > MAX_METADATA:
            raise self.refuse(name, f"is larger than {MAX_METADATA} characters as JSON")
        cleaned: dict[str, Any] = json.loads(clean_text(encoded))
        return cleaned

    def conditions(self, name: str) -> dict[str, Any]:
        """A `mapping` that others are compared with; absent is empty."""
        value = self.mapping(name) or {}
        self._comparable(name, self._data.get(name))
        return value

    def _comparable(self, name: str, value: Any) -> None:
        """Refuse what a database cannot compare, at any depth: nothing would be found by it, or too much."""
        if isinstance(value, str) and _UNCOMPARABLE.search(value):
            raise self.refuse(name, "holds a NUL or half of a surrogate pair")
        if isinstance(value, Mapping):
            for part in (*value, *value.values()):
                self._comparable(name, part)
        elif isinstance(value, (list, tuple)):
            for part in value:
                self._comparable(name, part)

    def moment(self, name: str) -> datetime | None:
        value = self._data.get(name)
        return None if value is None else parse_time(value, self.path(name))

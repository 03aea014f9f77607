"""How long what is remembered is kept, by owner or session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any

from .errors import ConfigError

DEFAULT = "default"
_UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*")


@dataclass(frozen=True, slots=True)
class Retention:
    """Rules in order: a pattern (`user:anna`, `session:guest*`) and how long its items are kept; None is for ever.

    The first pattern that fits the owner or `session:<session id>` counts, else `default`."""

    rules: tuple[tuple[str, timedelta | None], ...] = ()

    @classmethod
    def from_config(cls, raw: Mapping[str, Any]) -> Retention:
        """Raises `ConfigError` for a duration that cannot be read."""
        return cls(tuple((pattern, _duration(pattern, value)) for pattern, value in raw.items()))

    @property
    def limited(self) -> bool:
        """Whether anything is ever to go by itself."""
        return any(kept is not None for _, kept in self.rules)

    def cutoff(self, owner: str, session_id: str, now: datetime) -> datetime | None:
        """What is older than this is gone; None where everything is kept."""
        names = (owner, f"session:{session_id}")
        for pattern, kept in self.rules:
            if pattern != DEFAULT and any(fnmatchcase(name, pattern) for name in names):
                return None if kept is None else now - kept
        kept = dict(self.rules).get(DEFAULT)
        return None if kept is None else now - kept


def _duration(pattern: str, value: Any) -> timedelta | None:
    """Seconds as a number, or text like `30m`, `1h`, `7d`, `2w`."""
    if value is None:
        return None
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found:
        return timedelta(seconds=float(found[1]) * _UNITS[found[2]])
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return timedelta(seconds=value)
    raise ConfigError(
        f"configuration: retention of {pattern!r} must be null, seconds or like 30m, 1h, 7d, 2w, not {value!r}",
        "retention",
    )

"""How long things are kept, by pattern."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from ovos_memory_bus.errors import ConfigError
from ovos_memory_bus.retention import Retention

NOW = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)


def test_the_first_pattern_that_fits_owner_or_session_counts() -> None:
    rules = Retention.from_config({"user:anna": None, "session:guest*": "1h", "default": "7d"})
    assert rules.cutoff("user:anna", "guest-1", NOW) is None
    assert rules.cutoff("session:guest-1", "guest-1", NOW) == NOW - timedelta(hours=1)
    assert rules.cutoff("user:bert", "guest-1", NOW) == NOW - timedelta(hours=1)
    assert rules.cutoff("user:bert", "kitchen", NOW) == NOW - timedelta(days=7)


def test_without_rules_everything_is_kept() -> None:
    assert Retention().cutoff("session:x", "x", NOW) is None
    assert not Retention().limited
    assert not Retention.from_config({"default": None}).limited
    assert Retention.from_config({"a": 5}).limited


@pytest.mark.parametrize("value", ["soon", "-1h", -3, True, [], "1 fortnight", ""])
def test_a_duration_nobody_can_read_is_named(value: object) -> None:
    with pytest.raises(ConfigError, match="guest"):
        Retention.from_config({"guest": value})

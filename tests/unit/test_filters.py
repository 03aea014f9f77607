"""Filters: narrowing one by another passes what passes both."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.filters import ItemFilter

T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)
HOURS = st.integers(0, 6).map(lambda hours: T0 + timedelta(hours=hours))
NAMES = st.sampled_from(["a", "b"])
VALUES = st.sampled_from([1, True, "1", None])
STRETCHES = st.lists(st.tuples(HOURS, HOURS).map(lambda pair: tuple(sorted(pair))), max_size=2).map(tuple)
FILTERS = st.builds(
    ItemFilter,
    session_id=st.none() | NAMES,
    agent_id=st.none() | NAMES,
    kinds=st.none() | st.lists(st.sampled_from(["turn", "note"]), max_size=2, unique=True).map(tuple),
    since=st.none() | HOURS,
    until=st.none() | HOURS,
    during=STRETCHES,
    metadata=st.dictionaries(NAMES, VALUES, max_size=2),
)


@dataclass(frozen=True)
class Thing:
    session_id: str
    agent_id: str | None
    kind: str
    created_at: datetime
    metadata: dict[str, Any] = field(default_factory=dict)


THINGS = st.builds(
    Thing, NAMES, st.none() | NAMES, st.sampled_from(["turn", "note"]), HOURS, st.dictionaries(NAMES, VALUES)
)


def same(one: Any, other: Any) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def passes(thing: Thing, where: ItemFilter) -> bool:
    """The meaning of a filter, spelled out."""
    return (
        where.session_id in (None, thing.session_id)
        and where.agent_id in (None, thing.agent_id)
        and (where.kinds is None or thing.kind in where.kinds)
        and (where.since is None or thing.created_at >= where.since)
        and (where.until is None or thing.created_at < where.until)
        and (not where.during or any(start <= thing.created_at < end for start, end in where.during))
        and all(key in thing.metadata and same(thing.metadata[key], value) for key, value in where.metadata.items())
    )


@given(thing=THINGS, one=FILTERS, other=FILTERS)
def test_what_passes_the_narrowed_filter_passes_both(thing: Thing, one: ItemFilter, other: ItemFilter) -> None:
    narrowed = one.narrowed(other)
    both = passes(thing, one) and passes(thing, other)
    assert both == (narrowed is not None and passes(thing, narrowed))


@given(where=FILTERS)
def test_nothing_is_narrowed_by_a_filter_that_passes_all(where: ItemFilter) -> None:
    assert where.narrowed(ItemFilter()) == where == ItemFilter().narrowed(where)
    assert ItemFilter().empty

"""What each owner has, as every store must tell it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from new_items import turn

from ovos_memory_bus.store.base import Holding
from ovos_memory_bus.store.sqlite import SqliteStore

pytestmark = pytest.mark.anyio
T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)


async def test_holdings_are_counted_by_owner_the_newest_first(store: SqliteStore) -> None:
    await store.add([turn("one", "user:ann", session_id="hall", created_at=T0)])
    await store.add([turn("two", "user:ann", session_id="attic", created_at=T0 + timedelta(days=2))])
    await store.add([turn("three", "session:b", created_at=T0 + timedelta(days=1))])
    await store.pause("user:ann", "hall", None)
    await store.pause("user:ann", "attic", T0)  # over
    assert await store.holdings() == [
        Holding("user:ann", 2, T0 + timedelta(days=2), ("attic", "hall"), ("hall",)),
        Holding("session:b", 1, T0 + timedelta(days=1), ("b",)),
    ]


async def test_what_is_in_histories_alone_counts_as_nothing(store: SqliteStore) -> None:
    added = await store.add([turn("hidden", created_at=T0)])
    await store.hide(added.seqs)
    assert await store.holdings() == [Holding("session:a", 0, T0, ("a",))]
    await store.remove(added.seqs)
    assert await store.holdings() == []

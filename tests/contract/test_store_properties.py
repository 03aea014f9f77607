"""A store after any run of operations holds what a plain list of them says, and indexes that follow it agree."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from new_items import turn

from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.index.columns import NONE, Columns
from ovos_memory_bus.store.base import Drawn
from ovos_memory_bus.store.health import strays
from ovos_memory_bus.store.sqlite import SqliteStore, open_store

OWNERS = ("session:a", "session:b")
T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)


@dataclass
class Expected:
    """What the store should hold: contents by seq, and of derived items their sources."""

    contents: dict[int, str] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    owners: dict[int, str] = field(default_factory=dict)
    sources: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def void(self, seq: int) -> None:
        """Take away what was drawn from an item."""
        for derived in [one for one, sources in self.sources.items() if seq in sources]:
            self.remove(derived)

    def remove(self, seq: int) -> None:
        self.void(seq)
        self.contents.pop(seq, None)
        self.sources.pop(seq, None)
        self.hidden.discard(seq)

    def pick(self, number: int) -> int | None:
        """Some item that can be found, or None."""
        there = sorted(set(self.contents) - self.hidden)
        return there[number % len(there)] if there else None


class Run:
    """Does the same to a store and to what is expected of it."""

    def __init__(self, store: SqliteStore) -> None:
        self.store, self.expected, self.count = store, Expected(), 0

    def text(self) -> str:
        self.count += 1
        return f"text {self.count}"

    async def add(self, number: int) -> None:
        owner, texts = OWNERS[number % 2], [self.text() for _ in range(1 + number % 3)]
        moment = T0 + timedelta(seconds=self.count)
        for seq, text in zip(
            (await self.store.add([turn(t, owner, created_at=moment) for t in texts])).seqs, texts, strict=True
        ):
            self.expected.contents[seq], self.expected.owners[seq] = text, owner

    async def edit(self, number: int) -> None:
        seq = self.expected.pick(number)
        if seq is not None:
            text = self.text()
            (item,) = (await self.store.by_seq([seq])).values()
            assert await self.store.update(item.id, item.owner, {"content": text}, ("terms",)) is not None
            self.expected.void(seq)
            self.expected.contents[seq] = text

    async def remove(self, number: int) -> None:
        seq = self.expected.pick(number)
        if seq is not None:
            await self.store.remove([seq])
            self.expected.remove(seq)

    async def hide(self, number: int) -> None:
        seq = self.expected.pick(number)
        if seq is not None:
            await self.store.hide([seq])
            self.expected.void(seq)
            self.expected.hidden.add(seq)

    async def draw(self, number: int) -> None:
        one, other = self.expected.pick(number), self.expected.pick(number + 1)
        if one is None or other is None:
            return
        text, owner = self.text(), self.expected.owners[one]
        await self.store.draw(Drawn(adds=(turn(text, owner, kind="fact", sources=tuple({one, other}), jobs=()),)))
        (seq,) = [item.seq for item in await self.store.of_kind(None, "fact") if item.content == text]
        self.expected.contents[seq], self.expected.owners[seq] = text, owner
        self.expected.sources[seq] = (one, other)

    async def vectors(self, number: int) -> None:
        seq = self.expected.pick(number)
        if seq is not None:
            await self.store.save_terms({seq: b"abcd"}, 1, done="terms")
            await self.store.save_vectors("m", 2, {seq: [b"abcd"]}, done="embed")


OPERATIONS: dict[str, Callable[[Run, int], Awaitable[None]]] = {
    name: getattr(Run, name) for name in ("add", "edit", "remove", "hide", "draw", "vectors")
}


def chains(columns: Columns) -> dict[int, tuple[int, int]]:
    """Each living item's neighbours, by seq."""

    def seq(doc: int) -> int:
        return NONE if doc == NONE else int(columns.seq[doc])

    living = [doc for doc in range(len(columns)) if columns.alive[doc]]
    return {seq(doc): (seq(int(columns.previous[doc])), seq(int(columns.next[doc]))) for doc in living}


@given(steps=st.lists(st.tuples(st.sampled_from(list(OPERATIONS)), st.integers(0, 9)), max_size=25))
@settings(max_examples=40)
def test_any_run_of_operations(steps: list[tuple[str, int]]) -> None:
    async def run(folder: Path) -> None:
        async with open_store(folder) as store:
            doing = Run(store)
            followers: dict[str | None, Columns] = {owner: Columns() for owner in (None, *OWNERS)}
            for name, number in steps:
                await OPERATIONS[name](doing, number)
                for owner, columns in followers.items():
                    columns.apply(await store.changes(owner, columns.change))
            await agrees(store, doing.expected, followers)
            assert strays(folder) == {}

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(run, Path(folder))


async def agrees(store: SqliteStore, expected: Expected, followers: dict[str | None, Columns]) -> None:
    visible = {seq: text for seq, text in expected.contents.items() if seq not in expected.hidden}
    for owner, columns in followers.items():
        mine = {seq for seq in visible if owner in (None, expected.owners[seq])}
        assert set(await store.matching(owner, ItemFilter())) == mine
        assert {int(seq) for seq in columns.seq[columns.alive]} == mine
        fresh = Columns()
        fresh.apply(await store.changes(owner, 0))
        assert chains(columns) == chains(fresh)
    found = await store.by_seq(expected.contents)
    assert {seq: item.content for seq, item in found.items()} == visible
    for owner in OWNERS:
        turns = [
            text
            for seq, text in sorted(expected.contents.items())
            if expected.owners[seq] == owner and seq not in expected.sources
        ]
        assert [item.content for item in await store.history(owner, owner[-1], None, 1_000)] == turns
    sources = {seq: sorted(set(of)) for seq, of in expected.sources.items()}
    assert await store.sources_of(sorted(expected.contents)) == sources


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(-1e9, 1e9)
    | st.text("aé\"'\\ ß猫", max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text('ab."$', max_size=2), inner, max_size=2),
    max_leaves=4,
)


@given(values=st.lists(JSON, min_size=1, max_size=4), key=st.text("ab.\"'$[]é", max_size=3))
@settings(max_examples=60)
def test_a_metadata_filter_finds_every_item_with_that_value(values: list[Any], key: str) -> None:
    async def run(folder: Path) -> None:
        async with open_store(folder) as store:
            added = await store.add([turn(f"{n}", metadata={key: value}) for n, value in enumerate(values)])
            for seq, value in zip(added.seqs, values, strict=True):
                found = await store.matching(None, ItemFilter(metadata={key: value}))
                assert seq in found
                assert all(values[added.seqs.index(one)] == value for one in found)

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(run, Path(folder))


@pytest.mark.anyio
@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**400, -(10**400), 1e308])
async def test_a_filter_of_any_number_is_answered(store: SqliteStore, value: float) -> None:
    await store.add([turn("one", metadata={"n": value}), turn("other", metadata={"n": 1})])
    found = await store.page(
        None, ItemFilter(metadata={"n": value}), order_by="created_at", descending=False, limit=9, offset=0
    )
    assert [item.content for item in found.items] == ["one"]

"""Export and import over real stores: nothing lost, nothing twice, nothing back that was forgotten."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.errors import InvalidRequest, StorageError, StorageReadOnly
from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.porting import Imported, export_to, import_from, reading
from ovos_memory_bus.porting.lines import Arrival, item_line, read_line, tombstone_line
from ovos_memory_bus.records import KINDS, ROLES, Item
from ovos_memory_bus.store.base import Drawn, NewItem, Record, Tombstone
from ovos_memory_bus.store.sqlite import SqliteStore, open_store

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def turn(content: str = "the blue heron came back", **values: object) -> NewItem:
    made = NewItem(str(uuid.uuid4()), "session:default", "default", "turn", "user", content)
    return replace(made, **values)


def planned(item: NewItem) -> NewItem:
    """As a service with keywords, facts and summaries would plan."""
    return replace(item, jobs=("terms", "fact", "summary") if item.kind == "turn" else ("terms",))


async def everything(store: SqliteStore) -> list[Record]:
    found = []
    for derived in (False, True):
        found += await store.records(0, 10_000, derived=derived, jobs=("terms", *KINDS), vectors=True)
    return found


def told(records: Sequence[Record]) -> set[str]:
    """What records say, without the numbers of their store."""
    return {item_line(replace(record, jobs=())) for record in records}


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file()]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
labels = st.none() | texts.filter(bool)
moments = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda at: at.replace(tzinfo=timezone.utc))
metadata = st.dictionaries(texts, st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts | st.lists(texts))


@given(
    st.builds(
        Item,
        seq=st.just(1),
        id=st.uuids().map(str),
        owner=texts.filter(bool),
        session_id=texts.filter(bool),
        kind=st.sampled_from(KINDS),
        role=st.sampled_from(ROLES),
        content=texts,
        created_at=moments,
        updated_at=moments,
        lang=labels,
        name=labels,
        agent_id=labels,
        graph_id=labels,
        task_id=labels,
        metadata=metadata,
    ),
    st.booleans(),
    st.lists(st.uuids().map(str)),
    st.lists(st.binary(min_size=4, max_size=4).filter(lambda b: bool(np.isfinite(np.frombuffer(b, "<f2")).all()))),
)
def test_every_field_comes_back(item: Item, history_only: bool, sources: list[str], pieces: list[bytes]) -> None:
    vectors = {"m": tuple(pieces)} if pieces else {}
    record = Record(item, history_only, tuple(sources), ("fact",), vectors, tuple(pieces))
    line = item_line(record)
    assert len(line.splitlines()) == 1
    read = read_line(line.encode())
    assert isinstance(read, Arrival)
    for name in Item.__slots__:
        assert name == "seq" or getattr(read.item, name) == getattr(item, name)
    assert (read.item.history_only, read.item.drawn_from) == (history_only, tuple(sources))
    assert (read.open_jobs, read.vectors, read.item.withheld) == (("fact",), vectors, tuple(pieces))


@given(texts.filter(bool), texts.filter(bool), moments)
def test_a_tombstone_comes_back(id_: str, owner: str, at: datetime) -> None:
    stone = Tombstone(id_, owner, at)
    assert read_line(tombstone_line(stone).encode()) == stone


async def test_facts_summaries_vectors_and_hidden_turns_come_over(tmp_path: Path) -> None:
    vector = np.ones(4, "<f2").tobytes()
    async with open_store(tmp_path / "a") as store:
        added = await store.add([turn("my name is Ada"), turn("we had tea"), turn("hidden")])
        first, second, hidden = added.seqs
        await store.hide([hidden])
        drawn = (
            turn("Ada is the name", kind="fact", role="system", sources=(first,)),
            turn("tea with Ada", kind="summary", role="system", sources=(first, second)),
        )
        await store.draw(Drawn(adds=drawn))
        await store.save_vectors("model@1", 4, {first: [vector, vector]})
        before = told(await everything(store))
        await export_to(store, tmp_path / "all.jsonl", vectors=True)
    async with open_store(tmp_path / "b") as store:
        counts = await import_from(store, tmp_path / "all.jsonl", planned)
        after = await everything(store)
    assert counts == Imported(added=5)
    assert told(after) == before
    jobs = {record.item.content: record.jobs for record in after}
    assert jobs["hidden"] == ()
    assert jobs["my name is Ada"] == ("terms",)  # its facts came with it


async def test_vectors_of_the_model_in_use_are_not_made_again(tmp_path: Path) -> None:
    mine, other = np.ones(4, "<f2").tobytes(), np.ones(6, "<f2").tobytes()
    async with open_store(tmp_path / "a") as store:
        added = await store.add([turn("both"), turn("another model's"), turn("none")])
        await store.save_vectors("mine@1", 4, {added.seqs[0]: [mine]})
        await store.save_vectors("other@1", 6, {seq: [other] for seq in added.seqs[:2]})
        await export_to(store, tmp_path / "all.jsonl", vectors=True)

    def embedded(item: NewItem) -> NewItem:
        return replace(item, jobs=("terms", "embed"))

    async with open_store(tmp_path / "b") as store:
        await import_from(store, tmp_path / "all.jsonl", embedded, model=("mine@1", 4))
        items = {item.seq: item.content for item in await store.everything(None, ItemFilter())}
        assert sorted(items[job.seq] for job in await store.due("embed", 10)) == ["another model's", "none"]
        found = {items[seq]: pieces for seq, pieces in (await store.vectors("mine@1", list(items))).items()}
        assert found == {"both": [mine]}
    async with open_store(tmp_path / "c") as store:
        with pytest.raises(InvalidRequest, match="mine@1 has 8"):
            await import_from(store, tmp_path / "all.jsonl", embedded, model=("mine@1", 8))
        assert (await store.counts()).get("turn", 0) == 0


async def test_work_that_was_open_is_open_there(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a") as store:
        await store.add([turn("my name is Ada", jobs=("fact", "terms"))])
        await export_to(store, tmp_path / "all.jsonl")
    async with open_store(tmp_path / "b") as store:
        await import_from(store, tmp_path / "all.jsonl", planned)
        (record,) = await everything(store)
    assert set(record.jobs) == {"fact", "terms"}


async def test_what_is_forgotten_during_an_export_is_not_in_the_file(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a") as store:

        class ForgettingLate(SqliteStore):
            """Forgets when all items are written and the tombstones are not."""

            async def tombstones(self, after: str, limit: int) -> list[Tombstone]:
                await store.remove(secret.seqs)
                return await store.tombstones(after, limit)

        secret = await store.add([turn("the safe is behind the clock")])
        await store.add([turn("we had tea")])
        late = ForgettingLate(store._database)
        counts = await export_to(late, tmp_path / "all.jsonl")
    assert (counts.items, counts.tombstones) == (1, 1)
    assert "behind the clock" not in (tmp_path / "all.jsonl").read_text()
    assert [line.get("type") for line in lines(tmp_path / "all.jsonl")] == [None, "item", "tombstone"]
    assert files(tmp_path) == ["all.jsonl"]
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600


async def test_an_export_that_fails_leaves_the_older_one(tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text("older")
    async with open_store(tmp_path / "a") as store:

        class Failing(SqliteStore):
            async def tombstones(self, after: str, limit: int) -> list[Tombstone]:
                raise StorageError("the disk does not answer")

        with pytest.raises(StorageError):
            await export_to(Failing(store._database), tmp_path / "all.jsonl")
        with pytest.raises(StorageReadOnly):
            await export_to(store, tmp_path / "nowhere" / "all.jsonl")
    assert files(tmp_path) == ["all.jsonl"]
    assert (tmp_path / "all.jsonl").read_text() == "older"


async def test_an_interrupted_import_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BATCH", 7)
    async with open_store(tmp_path / "a") as store:
        added = await store.add([turn(f"turn {number}") for number in range(40)])
        await store.draw(Drawn(adds=(turn("drawn", kind="fact", role="system", sources=added.seqs[:2]),)))
        before = told(await everything(store))
        await export_to(store, tmp_path / "all.jsonl")

    def power_cut(done: int, size: int) -> None:
        if done > size / 2:
            raise KeyboardInterrupt

    async with open_store(tmp_path / "b") as store:
        with pytest.raises(KeyboardInterrupt):
            await import_from(store, tmp_path / "all.jsonl", planned, progress=power_cut)
        part = len(await everything(store))
        assert 0 < part < 41
        counts = await import_from(store, tmp_path / "all.jsonl", planned)
        assert counts == Imported(added=41 - part, present=part)
        assert told(await everything(store)) == before
        assert await import_from(store, tmp_path / "all.jsonl", planned) == Imported(present=41)


async def test_an_older_summary_does_not_come_beside_a_newer_one(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a") as store:
        (seq,) = (await store.add([turn()])).seqs
        await store.draw(Drawn(adds=(turn("old", kind="summary", role="system", sources=(seq,)),)))
        await export_to(store, tmp_path / "old.jsonl")
        (old,) = await store.of_kind(None, "summary")
        newer = turn("new", kind="summary", role="system", sources=(seq,))
        await store.draw(Drawn(adds=(newer,), removes=(old.seq,)))
        for restore, left_out in ((False, Imported(present=1, forgotten=1)), (True, Imported(present=1, groundless=1))):
            for dry_run in (True, False):
                counts = await import_from(store, tmp_path / "old.jsonl", planned, restore=restore, dry_run=dry_run)
                assert counts == left_out
        assert [item.content for item in await store.of_kind(None, "summary")] == ["new"]


async def test_what_was_drawn_from_the_forgotten_has_no_ground(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a") as store:
        added = await store.add([turn("my name is Ada")])
        await store.draw(Drawn(adds=(turn("Ada", kind="fact", role="system", sources=added.seqs),)))
        await export_to(store, tmp_path / "all.jsonl")
    async with open_store(tmp_path / "b") as store:
        await store.entomb([Tombstone(added.ids[0], "session:default", datetime.now(timezone.utc))])
        for dry_run in (True, False):
            counts = await import_from(store, tmp_path / "all.jsonl", planned, dry_run=dry_run)
            assert counts == Imported(forgotten=1, groundless=1)
        assert await everything(store) == []
        assert await import_from(store, tmp_path / "all.jsonl", planned, restore=True) == Imported(added=2)


async def test_a_tombstone_from_elsewhere_removes_nothing_here(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a") as store:
        added = await store.add([turn()])
        await store.remove(added.seqs)
        await export_to(store, tmp_path / "stones.jsonl")
    async with open_store(tmp_path / "b") as store:
        await store.add([turn(id=added.ids[0])])
        assert await import_from(store, tmp_path / "stones.jsonl", planned) == Imported()
        assert len(await everything(store)) == 1


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ({"m": ["AAA"]}, "float16"),
        ({"m": ["AAAA", "AAAAAAAA"]}, "float16"),
        ({"m": ["AH4="]}, "finite"),
        ({"m": "AAAA"}, "float16"),
        (["AAAA"], "object"),
        ({"known": ["AAA="]}, "known has 4"),
    ],
)
async def test_vectors_that_fit_no_model_are_refused(tmp_path: Path, vectors: object, says: str) -> None:
    async with open_store(tmp_path / "a") as store:
        added = await store.add([turn()])
        await store.save_vectors("known", 4, {added.seqs[0]: [np.ones(4, "<f2").tobytes()]})
        await export_to(store, tmp_path / "all.jsonl")
        header, item = lines(tmp_path / "all.jsonl")
        (tmp_path / "bad.jsonl").write_text(
            json.dumps(header) + "\n" + json.dumps({**item, "id": "x", "vectors": vectors})
        )
        with pytest.raises(InvalidRequest, match=says):
            await import_from(store, tmp_path / "bad.jsonl", planned)
        assert len(await everything(store)) == 1


async def test_a_hand_made_file_with_the_least_keys_is_taken(tmp_path: Path) -> None:
    at = datetime(2026, 1, 5, 8, tzinfo=timezone(timedelta(hours=1)))
    least = {"id": "x", "owner": "user:ada", "session_id": "s", "kind": "turn", "role": "user", "content": "hello"}
    header = {"format": "ovos-memory-bus", "version": 1}
    (tmp_path / "made.jsonl").write_text(
        "\n".join(map(json.dumps, (header, {"type": "news"}, {"type": "item", **least, "created_at": at.isoformat()})))
        + "\n\n"
    )
    async with open_store(tmp_path / "a") as store:
        assert await import_from(store, tmp_path / "made.jsonl", planned) == Imported(added=1)
        (record,) = await everything(store)
    assert (record.item.created_at, record.item.updated_at) == (at, at)
    assert set(record.jobs) == {"terms", "fact", "summary"}


async def test_a_later_version_is_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "later.jsonl").write_text('{"format": "ovos-memory-bus", "version": 2}\n')
    async with open_store(tmp_path / "a") as store:
        with pytest.raises(InvalidRequest, match="update ovos-memory-bus"):
            await import_from(store, tmp_path / "later.jsonl", planned)

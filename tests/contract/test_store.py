"""What every store must do (ovos_memory_bus/store/base.py)."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import string
from datetime import datetime, timedelta, timezone
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from new_items import turn

from ovos_memory_bus.errors import FolderInUse, InvalidRequest, StorageCorrupt, StorageTooNew
from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.messages.fields import clean_text
from ovos_memory_bus.store.base import Drawn
from ovos_memory_bus.store.sqlite import SqliteStore, open_store

pytestmark = pytest.mark.anyio
EVERYTHING = ItemFilter()
T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)


def modes(folder: Path) -> set[int]:
    """The permissions of the files of a folder."""
    return {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


async def listed(store: SqliteStore, owner: str | None, where: ItemFilter = EVERYTHING, **page: object) -> list[str]:
    options = {"order_by": "created_at", "descending": False, "limit": 1_000, "offset": 0, **page}
    return [item.content for item in (await store.page(owner, where, **options)).items]  # type: ignore[arg-type]


async def test_the_same_request_of_the_same_owner_is_stored_once(store: SqliteStore) -> None:
    first = await store.add([turn("one"), turn("two")], "r1")
    again = await store.add([turn("three")], "r1")
    other = await store.add([turn("four", "session:b")], "r1")
    assert again.ids == first.ids
    assert again.repeated
    assert not other.repeated
    assert await listed(store, None) == ["one", "two", "four"]


async def test_an_owner_gets_only_their_own(store: SqliteStore) -> None:
    mine = await store.add([turn("mine")])
    theirs = await store.add([turn("theirs", "session:b")])
    assert await store.get([*mine.ids, *theirs.ids], "session:a") == await store.get(mine.ids, None)
    assert await listed(store, "session:b") == ["theirs"]
    assert await store.update(theirs.ids[0], "session:a", {"content": "stolen"}, ()) is None


METADATA = {"s": "a", "i": 1, "f": 1.5, "t": True, "n": None, "o": {"b": [1, {"c": 2}], "a": "x"}, 'we"ird.key': "q"}


@pytest.mark.parametrize("key", METADATA)
async def test_metadata_of_every_json_type_is_matched_exactly(store: SqliteStore, key: str) -> None:
    await store.add([turn("all", metadata=METADATA), turn("none"), turn("one", metadata={"i": 1, "t": 1})])
    found = await listed(store, "session:a", ItemFilter(metadata={key: METADATA[key]}))
    assert found == (["all", "one"] if key == "i" else ["all"])


async def test_every_filter_and_order(store: SqliteStore) -> None:
    labels = [{"agent_id": "x"}, {"graph_id": "g"}, {"task_id": "t"}, {"kind": "note"}, {"session_id": "s"}]
    await store.add([turn(f"{n}", created_at=T0 + timedelta(days=n), **label) for n, label in enumerate(labels)])
    for n, label in enumerate(labels):
        where = ItemFilter(kinds=("note",)) if "kind" in label else ItemFilter(**label)
        assert await listed(store, "session:a", where) == [str(n)]
    assert await listed(store, "session:a", ItemFilter(since=T0 + timedelta(days=2))) == ["2", "3", "4"]
    assert await listed(store, "session:a", ItemFilter(until=T0 + timedelta(days=2))) == ["0", "1"]
    days = [(T0 + timedelta(days=n), T0 + timedelta(days=n, hours=1)) for n in (1, 3)]
    assert await listed(store, "session:a", ItemFilter(during=tuple(days))) == ["1", "3"]
    assert await listed(store, "session:a", descending=True, limit=2, offset=1) == ["3", "2"]


async def test_new_content_makes_what_was_drawn_from_the_old_void(store: SqliteStore) -> None:
    added = await store.add([turn("I live in Rome")])
    (seq,) = added.seqs
    fact = turn("lives in Rome", kind="fact", sources=(seq,))
    await store.draw(Drawn(adds=(fact,)))
    await store.save_terms({seq: b"abcd"}, 1)
    await store.save_vectors("m", 2, {seq: [b"12345678"]})
    changed = await store.update(added.ids[0], "session:a", {"content": "I live in Oslo"}, ("terms",))
    assert changed is not None
    assert changed.updated_at > changed.created_at
    assert await store.terms([seq], 1) == {}
    assert await store.vectors("m", [seq]) == {}
    assert await listed(store, None) == ["I live in Oslo"]
    assert [job.seq for job in await store.due("terms", 10)] == [seq]


async def test_forgetting_takes_along_what_was_drawn_and_queues_its_other_sources(store: SqliteStore) -> None:
    one, two = (await store.add([turn("one", jobs=()), turn("two", jobs=())])).seqs
    await store.draw(Drawn(adds=(turn("of both", kind="summary", jobs=(), sources=(one, two)),)))
    removed = await store.remove([one])
    assert len(removed.ids) == 2
    assert await listed(store, None) == ["two"]
    assert [job.seq for job in await store.due("summary", 10)] == [two]
    assert (await store.remove([one])).ids == ()
    changes = await store.changes("session:a", 0)
    assert one in changes.gone
    assert [outline.seq for outline in changes.present] == [two]


async def test_an_addition_drawn_from_what_went_meanwhile_is_not_stored(store: SqliteStore) -> None:
    one, two = (await store.add([turn("one"), turn("two")])).seqs
    await store.remove([one])
    await store.draw(Drawn(adds=(turn("holds words of one", kind="summary", sources=(one, two)),)))
    assert await listed(store, None) == ["two"]


async def test_a_tombstone_keeps_an_older_copy_out_unless_revived(store: SqliteStore) -> None:
    item = turn("gone")
    await store.add([item])
    await store.remove([seq for seq in await store.matching(None, EVERYTHING)])
    assert (await store.merge([item])).ids == ()
    assert (await store.merge([item], revive=True)).ids == (item.id,)
    assert (await store.merge([item])).ids == ()
    assert await listed(store, None) == ["gone"]


async def test_what_is_hidden_stays_in_the_history_alone(store: SqliteStore) -> None:
    added = await store.add([turn("old"), turn("new")])
    await store.hide(added.seqs[:1])
    assert await listed(store, None) == ["new"]
    assert await store.get(added.ids[:1], None) == []
    assert [item.content for item in await store.history("session:a", "a", None, 10)] == ["old", "new"]
    assert added.seqs[0] in (await store.changes("session:a", 0)).gone


async def test_jobs_are_due_put_off_given_up_and_counted(store: SqliteStore) -> None:
    one, two, three = (await store.add([turn(word, jobs=("x",)) for word in ("a", "b", "c")])).seqs
    assert [job.seq for job in await store.due("x", 2)] == [one, two]
    await store.finish("x", [one])
    await store.postpone("x", two, 3_600)
    await store.postpone("x", three, None)
    assert await store.due("x", 10) == []
    queue = await store.queue(["x"])
    assert (queue.pending, queue.failed, queue.waiting) == (1, 1, 0)
    assert (await store.queue([])).waiting == 1
    await store.drop_jobs("x", keep=10, max_age=-1.0)
    assert (await store.queue(["x"])).pending == 0


async def test_vectors_of_models_are_kept_apart(store: SqliteStore) -> None:
    one, two = (await store.add([turn("one", jobs=()), turn("two", jobs=())])).seqs
    await store.save_vectors("A", 2, {one: [b"aaaa", b"bbbb"], two: [b"cccc"], 999: [b"dddd"]})
    assert await store.vectors("A", [one, two, 999]) == {one: [b"aaaa", b"bbbb"], two: [b"cccc"]}
    assert await store.vectors("B", [one]) == {}
    assert await store.without_vectors("A", "embed") == 0
    assert await store.without_vectors("B", "embed") == 2


async def test_a_failing_write_undoes_only_its_own_part(store: SqliteStore) -> None:
    twice = turn("twice")
    errors = []

    async def add(item: object) -> None:
        try:
            await store.add([item])  # type: ignore[list-item]
        except Exception as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        for item in (turn("before"), twice, twice, turn("after")):
            tasks.start_soon(add, item)
    assert len(errors) == 1
    assert sorted(await listed(store, None)) == ["after", "before", "twice"]


async def test_a_pause_ends_by_itself_or_when_told(store: SqliteStore) -> None:
    await store.pause("o", "s", None)
    assert await store.paused("o", "s")
    assert not await store.paused("o", "other")
    await store.resume("o", "s")
    assert not await store.paused("o", "s")
    await store.pause("o", "s", datetime.now(timezone.utc) - timedelta(seconds=1))
    assert not await store.paused("o", "s")


@given(text=st.text(min_size=1))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    async def there_and_back() -> None:
        async with open_store(tmp_path / "texts") as store:
            added = await store.add([turn(clean_text(text), metadata={"k": clean_text(text)})])
            (item,) = await store.get(added.ids, None)
            assert item.content == clean_text(text)
            assert item.metadata == {"k": clean_text(text)}

    anyio.run(there_and_back)


async def test_everything_is_there_after_reopening_and_no_number_comes_twice(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        first = await store.add([turn("kept"), turn("removed")])
        await store.remove(first.seqs[1:])
    async with open_store(tmp_path) as store:
        assert await listed(store, None) == ["kept"]
        assert min((await store.add([turn("later")])).seqs) > max(first.seqs)
    assert modes(tmp_path) == {0o600}
    assert stat.S_IMODE(os.stat(tmp_path).st_mode) == 0o700


async def test_a_second_service_a_newer_database_and_a_damaged_one_are_told_apart(tmp_path: Path) -> None:
    async with open_store(tmp_path / "used"):
        with pytest.raises(FolderInUse):
            async with open_store(tmp_path / "used"):
                pass
        async with open_store(tmp_path / "used", exclusive=False) as beside:  # an import, say
            assert await listed(beside, None) == []
    with sqlite3.connect(tmp_path / "used" / "memory.db") as connection:
        connection.execute("PRAGMA user_version = 9999")
    with pytest.raises(StorageTooNew):
        async with open_store(tmp_path / "used"):
            pass
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "memory.db").write_bytes(b"no database " * 1_000)
    with pytest.raises(StorageCorrupt):
        async with open_store(tmp_path / "bad"):
            pass


async def test_no_byte_of_a_forgotten_text_is_left_in_any_file(store: SqliteStore, tmp_path: Path) -> None:
    rng = random.Random(4)
    texts = ["".join(rng.choices(string.ascii_letters, k=rng.choice([30, 200, 1_500, 9_000]))) for _ in range(150)]
    added = await store.add([turn(text) for text in texts])
    for start in range(0, 150, 10):  # grow and shrink pages between forgettings
        await store.update(added.ids[start], None, {"metadata": {"grown": "x" * rng.randint(1, 3_000)}}, ())
    doomed = sorted(rng.sample(range(150), 60))
    for start in range(0, 60, 15):
        part = doomed[start : start + 15]
        await store.remove([added.seqs[i] for i in part])
        assert await store.purge([texts[i] for i in part])
    raw = b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir())
    for i in doomed:
        middle = len(texts[i]) // 2
        for piece in (texts[i][:24], texts[i][middle : middle + 24], texts[i][-24:]):
            assert piece.encode() not in raw
    assert len(await listed(store, None)) == 90


async def test_a_text_that_others_said_too_costs_no_search_and_one_that_begins_alike_leaves_no_byte(
    store: SqliteStore, tmp_path: Path
) -> None:
    common = "every morning the same long sentence is said in the kitchen"
    secret = f"{common}, but only once the number 8472-quagga"
    await store.add([turn(common, "session:b")])
    added = await store.add([turn(common), turn(secret)])
    await store.remove(added.seqs)
    assert await store.purge([common, secret])
    raw = b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir())
    assert raw.count(common.encode()) == 1
    assert b"quagga" not in raw


async def test_a_history_goes_by_the_turns_own_time(store: SqliteStore) -> None:
    await store.add([turn("new"), turn("newer")])
    await store.add([turn("old", created_at=T0), turn("as old", created_at=T0), turn("oldest", created_at=T0 - DAY)])
    assert [item.content for item in await store.history("session:a", "a", None, 10)] == [
        "oldest",
        "old",
        "as old",
        "new",
        "newer",
    ]
    assert [item.content for item in await store.history("session:a", "a", None, 3)] == ["as old", "new", "newer"]


async def test_what_was_forgotten_by_itself_is_not_drawn_from_its_sources_again(store: SqliteStore) -> None:
    (source,) = (await store.add([turn("source")])).seqs
    fact = turn("fact", kind="fact", sources=(source,), jobs=())
    await store.draw(Drawn(adds=(fact,)))
    (drawn,) = await store.of_kind(None, "fact")
    await store.remove([drawn.seq], withhold={drawn.seq: (b"about", b"value")})
    assert await store.withheld([source, 999]) == {source: {b"about", b"value"}, 999: frozenset()}
    again = turn("fact", kind="fact", sources=(source,), jobs=())
    await store.draw(Drawn(adds=(again,), withheld={source: frozenset()}))  # read before the forgetting
    assert await store.of_kind(None, "fact") == []
    await store.draw(Drawn(adds=(again,), withheld=await store.withheld([source])))
    assert [item.content for item in await store.of_kind(None, "fact")] == ["fact"]
    await store.remove([source])
    assert await store.withheld([source]) == {source: frozenset()}


async def test_metadata_of_two_changes_at_once_is_all_there(store: SqliteStore) -> None:
    (id_,) = (await store.add([turn("one", metadata={"a": 0, "b": 0})])).ids
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(store.update, id_, None, {"metadata": {f"k{number}": number}}, ())
    (item,) = await store.get([id_], None)
    assert item.metadata == {"a": 0, "b": 0, **{f"k{number}": number for number in range(20)}}
    with pytest.raises(InvalidRequest):
        await store.update(id_, None, {"metadata": {"long": "x" * 64_000}}, ())
    assert (await store.get([id_], None))[0].metadata == item.metadata

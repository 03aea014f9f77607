"""What was made of an item that has changed meanwhile is not stored: its work stays and is done anew."""

from __future__ import annotations

import pytest
from new_items import turn

from ovos_memory_bus.store.base import Drawn
from ovos_memory_bus.store.sqlite import SqliteStore

pytestmark = pytest.mark.anyio
JOBS = ("terms", "embed", "fact")


async def test_words_and_vectors_of_old_content_are_not_kept(store: SqliteStore) -> None:
    added = await store.add([turn("old", jobs=JOBS), turn("same", jobs=JOBS)])
    old, same = added.seqs
    seen = {seq: item.updated_at for seq, item in (await store.by_seq(added.seqs)).items()}
    await store.update(added.ids[0], None, {"content": "new"}, JOBS)
    await store.save_terms({old: b"aaaa", same: b"bbbb"}, 1, done="terms", seen=seen)
    kept = await store.save_vectors("m", 2, {old: [b"aaaa"], same: [b"bbbb"]}, done="embed", seen=seen)
    assert kept == {same}
    assert await store.terms(added.seqs, 1) == {same: b"bbbb"}
    assert await store.vectors("m", added.seqs) == {same: [b"bbbb"]}
    for kind in ("terms", "embed"):
        assert [job.seq for job in await store.due(kind, 10)] == [old]


async def test_what_was_drawn_from_old_content_is_not_stored(store: SqliteStore) -> None:
    added = await store.add([turn("I live in Rome", jobs=JOBS)])
    (seq,) = added.seqs
    seen = {seq: (await store.by_seq([seq]))[seq].updated_at}
    await store.update(added.ids[0], None, {"content": "I live in Oslo"}, JOBS)
    fact = turn("lives in Rome", kind="fact", sources=(seq,), jobs=())
    await store.draw(Drawn(adds=(fact,), done=(("fact", seq),), seen=seen))
    assert await store.of_kind(None, "fact") == []
    assert [job.seq for job in await store.due("fact", 10)] == [seq]


async def test_work_that_was_done_already_is_not_stored_again(store: SqliteStore) -> None:
    (seq,) = (await store.add([turn("I live in Rome", jobs=JOBS)])).seqs
    for _ in range(2):
        fact = turn("lives in Rome", kind="fact", sources=(seq,), jobs=())
        await store.draw(Drawn(adds=(fact,), done=(("fact", seq),)))
    assert len(await store.of_kind(None, "fact")) == 1


async def test_indexes_are_told_of_what_was_replaced(store: SqliteStore) -> None:
    (seq,) = (await store.add([turn("a long talk", jobs=())])).seqs
    await store.draw(Drawn(adds=(turn("first", kind="summary", sources=(seq,), jobs=()),)))
    (first,) = await store.of_kind(None, "summary")
    known = store.change
    await store.draw(Drawn(adds=(turn("second", kind="summary", sources=(seq,), jobs=()),), removes=(first.seq,)))
    changes = await store.changes("session:a", known)
    assert changes.gone == (first.seq,)
    assert len(changes.present) == 1

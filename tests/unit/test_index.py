"""The indexes in memory, against what a plain reading of their formulas gives."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.cli.checks import folder
from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.index import bm25
from ovos_memory_bus.index.columns import Columns
from ovos_memory_bus.index.graph import Graph, is_whole
from ovos_memory_bus.index.graph_keeper import GraphKeeper
from ovos_memory_bus.index.postings import TAIL, Postings, term_hash, term_hashes
from ovos_memory_bus.index.vectors import Vectors
from ovos_memory_bus.store.base import Changes, Outline
from ovos_memory_bus.store.rows import from_micros

WORDS = ["tea", "cat", "dog", "sun", "rain"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=25)


def outline(seq: int, at: int = 0, session: str = "s", kind: str = "turn", **more: object) -> Outline:
    values = {"role": "user", "agent_id": None, "graph_id": None, "task_id": None, "name": None, **more}
    return Outline(seq, at, session, kind, length=10, asks=False, **values)  # type: ignore[arg-type]


def columns(count: int) -> Columns:
    made = Columns()
    made.apply(Changes(1, tuple(outline(seq) for seq in range(1, count + 1)), ()))
    return made


def plain_bm25(texts: list[list[str]], asked: list[str]) -> list[float]:
    """The formula of bm25.py, one doc and one word at a time."""
    around = ((0, bm25.OWN), (-1, bm25.PREVIOUS), (-2, bm25.SECOND_PREVIOUS), (1, bm25.NEXT))

    def wide(doc: int, value) -> float:  # type: ignore[no-untyped-def]
        return sum(weight * value(texts[doc + step]) for step, weight in around if 0 <= doc + step < len(texts))

    lengths = [wide(doc, len) for doc in range(len(texts))]
    average = sum(lengths) / len(lengths)
    scores = []
    for doc in range(len(texts)):
        score = 0.0
        for word in asked:
            holding = sum(word in text for text in texts)
            count = wide(doc, lambda text, word=word: text.count(word))
            damping = bm25.K1 * (1 - bm25.B + bm25.B * lengths[doc] / average)
            score += bm25.idf(holding, len(texts)) * count * (bm25.K1 + 1) / (count + damping) if holding else 0.0
        scores.append(score)
    return scores


@given(texts=TEXTS, asked=st.lists(st.sampled_from([*WORDS, "snow"]), min_size=1, max_size=4, unique=True))
def test_keyword_scores_are_those_of_the_formula(texts: list[list[str]], asked: list[str]) -> None:
    held, postings = columns(len(texts)), Postings()
    for text in texts:  # one by one, as turns come
        postings.add([term_hashes(text)], held.alive)
    damping = bm25.Neighbourhoods().damping(held, postings)
    found = bm25.match(held, postings, [[term_hash(word)] for word in asked], damping, None)
    scores = dict(zip(found.docs.tolist(), found.scores.tolist(), strict=True))
    for doc, expected in enumerate(plain_bm25(texts, asked)):
        assert math.isclose(scores.get(doc, 0.0), expected, rel_tol=1e-4, abs_tol=1e-5)
    assert all(0 <= score <= found.possible for score in scores.values())


def test_an_index_grown_one_by_one_equals_one_built_at_once() -> None:
    rng = np.random.default_rng(1)
    texts = [[f"w{word}" for word in rng.integers(0, 300, 8)] for _ in range(2 * TAIL + 100)]
    held = columns(len(texts))
    slowly, at_once = Postings(), Postings()
    for start in range(0, len(texts), 7):
        slowly.add([term_hashes(text) for text in texts[start : start + 7]], held.alive)
    at_once.add([term_hashes(text) for text in texts], held.alive)
    for word in range(300):
        counts = Counter({doc: text.count(f"w{word}") for doc, text in enumerate(texts) if f"w{word}" in text})
        for index in (slowly, at_once):
            docs, found = index.find(term_hash(f"w{word}"))
            assert dict(zip(docs.tolist(), found.tolist(), strict=True)) == dict(counts)


def test_neighbours_are_linked_within_a_talk_and_closed_up_when_one_goes() -> None:
    hour = 3_600_000_000
    held = Columns()
    turns = [outline(1), outline(2, 1), outline(3, 2), outline(4, 2 + 2 * hour), outline(5, 3, "other")]
    held.apply(Changes(1, tuple(turns), ()))
    assert held.previous.tolist() == [-1, 0, 1, -1, -1]
    assert held.next.tolist() == [1, 2, -1, -1, -1]
    assert held.apply(Changes(2, (), (2,))) == [1]
    assert (held.previous[2], held.next[0]) == (0, 2)
    edited = held.apply(Changes(3, (outline(3, 2),), ()))
    assert edited == [2]
    assert held.doc(3) == 5
    assert (held.previous[5], held.next[0]) == (0, 5)
    assert held.count == 4


def test_a_mask_is_what_the_filter_says() -> None:
    held = Columns()
    held.apply(Changes(1, (outline(1, 10), outline(2, 20, kind="note"), outline(3, 30, "t", agent_id="x")), ()))
    assert held.mask(ItemFilter()) is None
    assert held.mask(ItemFilter(kinds=("note",))).tolist() == [False, True, False]  # type: ignore[union-attr]
    assert held.mask(ItemFilter(session_id="t", agent_id="x")).tolist() == [False, False, True]  # type: ignore[union-attr]
    assert held.mask(ItemFilter(session_id="nobody's")).tolist() == [False] * 3  # type: ignore[union-attr]
    since = ItemFilter(since=from_micros(20), until=from_micros(30))
    assert held.mask(since).tolist() == [False, True, False]  # type: ignore[union-attr]
    during = ItemFilter(during=((from_micros(0), from_micros(11)), (from_micros(30), from_micros(31))))
    assert held.mask(during).tolist() == [True, False, True]  # type: ignore[union-attr]


def rows(count: int, dims: int = 16, seed: int = 0) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(count, dims)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_a_part_of_the_docs_is_compared_as_all_of_them_are() -> None:
    held, vectors, made = columns(60), Vectors(16), rows(60)
    vectors.resize(60)
    vectors.put(held, range(0, 60, 2), [made[i : i + 1] for i in range(0, 60, 2)])
    vectors.put(held, [1], [made[1:4]])  # three pieces
    everything = vectors.compare_all(held, made[1])
    some = np.array([0, 1, 2, 30, 58])
    part = vectors.compare(held, made[1], some)
    for name in ("distinct", "near", "own"):
        np.testing.assert_allclose(getattr(part, name), getattr(everything, name)[some], atol=1e-5)
    assert everything.own.argmax() == 1
    assert everything.own[3] == 0.0  # has no vector


def test_a_dropped_vector_leaves_no_number_and_no_weight() -> None:
    held, made = columns(40), rows(40)
    vectors, never = Vectors(16), Vectors(16)
    for one in (vectors, never):
        one.resize(40)
        one.put(held, range(39), [made[i : i + 1] for i in range(39)])
    vectors.put(held, [39], [made[39:]])
    vectors.drop(held, [39])
    assert not vectors.rows(np.array([39])).any()
    assert 39 not in vectors
    assert len(vectors) == 39
    query = made[0]
    np.testing.assert_allclose(
        vectors.compare_all(held, query).distinct, never.compare_all(held, query).distinct, atol=1e-4
    )


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovos_memory_bus.index.graph_keeper.LARGE", 50)


def filled(count: int) -> tuple[Columns, Vectors]:
    held, vectors, made = columns(count), Vectors(16), rows(count)
    vectors.resize(count)
    vectors.put(held, range(count), [made[i : i + 1] for i in range(count)])
    return held, vectors


@pytest.mark.usefixtures("small_is_large")
def test_a_graph_finds_saves_and_comes_back(tmp_path: Path) -> None:
    held, vectors = filled(300)
    keeper = GraphKeeper(tmp_path, "o", "m")
    assert keeper.pending(vectors)
    while keeper.work(held, vectors):
        pass
    assert not keeper.pending(vectors)
    query = rows(1, seed=9)[0]
    best = np.argsort(-vectors.compare_all(held, query).own)[:5]
    found = keeper.candidates(held, vectors, query, 200)
    assert found is not None
    assert len(set(best.tolist()) & set(found.tolist())) >= 4
    again = GraphKeeper(tmp_path, "o", "m")
    while again.work(held, vectors):
        pass
    assert not again.pending(vectors)
    np.testing.assert_array_equal(again.candidates(held, vectors, query, 200), found)


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_or_missing_graph_is_built_anew(tmp_path: Path, damage: bytes | None) -> None:
    held, vectors = filled(100)
    keeper = GraphKeeper(tmp_path, "o", "m")
    while keeper.work(held, vectors):
        pass
    (file,) = tmp_path.glob("*.hnsw")
    assert is_whole(file)
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    assert not is_whole(file)
    assert folder.index(tmp_path).state == ("ok" if damage is None else "warn")
    fresh = GraphKeeper(tmp_path, "o", "m")
    while fresh.work(held, vectors):
        pass
    assert fresh.candidates(held, vectors, rows(1)[0], 20) is not None
    assert Graph.load(file, "o|m") is not None


@pytest.mark.usefixtures("small_is_large")
def test_an_erased_item_is_not_found_and_its_file_goes_at_once(tmp_path: Path) -> None:
    held, vectors = filled(100)
    keeper = GraphKeeper(tmp_path, "o", "m")
    while keeper.work(held, vectors):
        pass
    (file,) = tmp_path.glob("*.hnsw")
    vectors.drop(held, held.apply(Changes(2, (), (8,))))
    keeper.erase([8])
    assert not file.exists()
    while keeper.work(held, vectors):
        pass
    saved = Graph.load(file, "o|m")
    assert saved is not None
    assert 8 not in saved
    assert len(saved) == 99

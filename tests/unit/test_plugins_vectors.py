"""The vector store by its real loader: kept, replaced, found, removed, on disk, and shared by processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ovos_plugin_manager.embeddings import find_embeddings_db_plugins, load_embeddings_db_plugin

from ovos_memory_bus.errors import ConfigError
from ovos_memory_bus.plugins.vector_store import MemoryVectorStore

NAME = "ovos-memory-bus-vectors"
DIMS = 8


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryVectorStore]:
    store = opened(tmp_path)
    yield store
    store.close()


def opened(path: Path, **config: Any) -> MemoryVectorStore:
    return load_embeddings_db_plugin(NAME)({"path": str(path), **config})


def rows(count: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(size=(count, DIMS)).astype(np.float32)


def test_the_real_loader_finds_it() -> None:
    assert find_embeddings_db_plugins()[NAME] is MemoryVectorStore


def test_a_vector_through_its_life(store: MemoryVectorStore) -> None:
    first, second = rows(2)
    assert np.array_equal(store.add_embeddings("anna", first, {"age": 7}), first)
    store.add_embeddings("bert", second)
    vector, metadata = store.get_embeddings("anna", return_metadata=True)
    assert np.array_equal(vector, first)
    assert metadata == {"age": 7}
    (near, far) = store.query(first, return_metadata=True)
    assert (near[0], near[2], far[0]) == ("anna", {"age": 7}, "bert")
    assert near[1] == pytest.approx(0, abs=1e-5)

    store.add_embeddings("anna", second, {"age": 8})
    assert store.count_embeddings_in_collection() == 2
    assert store.query(first, top_k=5)[0][1] > 0.01
    store.delete_embeddings("anna")
    store.delete_embeddings("anna")
    assert [key for key, _ in store.query(first)] == ["bert"]
    assert store.get_embeddings("anna") is None
    assert store.get_embeddings("anna", return_metadata=True) == (None, None)


def test_collections_are_apart(store: MemoryVectorStore) -> None:
    faces = store.create_collection("faces", {"model": "x"})
    assert (faces.name, faces.metadata) == ("faces", {"model": "x"})
    store.add_embeddings("anna", rows(1)[0], collection_name="faces")
    store.add_embeddings("anna", [1.0, 2.0], collection_name="voices")
    assert [one.name for one in store.list_collections()] == ["faces", "voices"]
    assert store.query(rows(1)[0]) == []
    store.delete_collection("faces")
    with pytest.raises(ValueError, match="faces"):
        store.get_collection("faces")
    assert store.query(rows(1)[0], collection_name="faces") == []
    store.add_embeddings("bert", [1.0, 0.0, 0.0], collection_name="faces")
    assert [key for key, _ in store.query([1.0, 0.0, 0.0], collection_name="faces")] == ["bert"]


@pytest.mark.parametrize("space", ["cosine", "l2", "ip"])
def test_the_nearest_are_those_of_an_exact_search(tmp_path: Path, space: str) -> None:
    store, vectors, query = opened(tmp_path, space=space), rows(3_000), rows(1, seed=2)[0]
    store.add_embeddings_batch([str(n) for n in range(3_000)], list(vectors))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = {
        "cosine": 1 - unit @ (query / np.linalg.norm(query)),
        "l2": ((vectors - query) ** 2).sum(axis=1),
        "ip": 1 - vectors @ query,
    }[space]
    found = store.query(query, top_k=10)
    assert [key for key, _ in found] == [str(n) for n in np.argsort(exact)[:10]]
    assert [far for _, far in found] == pytest.approx(sorted(exact)[:10], abs=1e-4)
    store.close()


def test_what_is_stored_survives_and_another_process_s_changes_are_seen(tmp_path: Path) -> None:
    store, other, vector = opened(tmp_path), opened(tmp_path), rows(1)[0]
    store.add_embeddings("anna", vector)
    assert [key for key, _ in other.query(vector)] == ["anna"]
    other.add_embeddings("bert", vector)
    other.delete_embeddings("anna")
    assert [key for key, _ in store.query(vector)] == ["bert"]
    store.close()
    other.close()
    assert (tmp_path / "vectors.db").stat().st_mode & 0o077 == 0
    again = opened(tmp_path)
    assert [key for key, _ in again.query(vector)] == ["bert"]
    again.close()


def test_a_collection_that_shrinks_and_grows_again_is_searched_whole(store: MemoryVectorStore) -> None:
    vectors = rows(2_500)
    keys = [str(n) for n in range(2_500)]
    store.add_embeddings_batch(keys, list(vectors))
    assert store.query(vectors[0], top_k=1)[0][0] == "0"
    store.delete_embeddings_batch(keys[:2_000])
    assert len(store.query(vectors[0], top_k=1_000)) == 500
    store.add_embeddings_batch(keys[:10], list(vectors[:10]))
    assert store.query(vectors[0], top_k=1)[0][0] == "0"


@pytest.mark.parametrize("wrong", [[], [float("nan")] * DIMS, [1.0] * (DIMS + 1)])
def test_what_is_no_vector_of_the_collection_is_refused_and_a_batch_with_it_as_a_whole(
    store: MemoryVectorStore, wrong: list[float]
) -> None:
    store.add_embeddings("anna", rows(1)[0])
    with pytest.raises(ValueError, match=r"finite|dimensions"):
        store.add_embeddings_batch(["bert", "carl"], [rows(1)[0], wrong])
    with pytest.raises(ValueError, match=r"finite|dimensions"):
        store.query(wrong)
    assert store.count_embeddings_in_collection() == 1


def test_an_unknown_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cosine"):
        opened(tmp_path, space="manhattan")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), max_size=30))
def test_the_store_holds_what_was_stored_last_under_each_key(steps: list[tuple[str, bool]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store, expected = opened(Path(folder)), {}
        for number, (key, add) in enumerate(steps):
            if add:
                store.add_embeddings(key, rows(1, seed=number)[0])
                expected[key] = number
            else:
                store.delete_embeddings(key)
                expected.pop(key, None)
            assert {found for found, _ in store.query(rows(1)[0], top_k=10)} == set(expected)
        for key, number in expected.items():
            assert np.array_equal(store.get_embeddings(key), rows(1, seed=number)[0])
        store.close()

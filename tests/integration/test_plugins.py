"""The embedding model and the memory as plugins for other parts of OVOS, by their real loaders."""

from __future__ import annotations

import uuid
from pathlib import Path

import numpy as np
import pytest
from daemon import Daemon, needs_model
from ovos_bus_client.message import Message
from ovos_plugin_manager.agents import find_retrieval_plugins
from ovos_plugin_manager.embeddings import load_embeddings_db_plugin, load_text_embeddings_plugin
from rig import Bus
from wire import Wire, user

from ovos_memory_bus.errors import ConfigError, ModelError

EMBEDDER = "ovos-memory-bus-embedder"
CONFIG = {"backends": ["recency", "lexical", "facts"]}


@needs_model
def test_texts_of_the_same_meaning_are_near_in_any_language(tmp_path: Path) -> None:
    plugin = load_text_embeddings_plugin(EMBEDDER)
    passages, queries = plugin(), plugin({"input": "query"})
    store = load_embeddings_db_plugin("ovos-memory-bus-vectors")({"path": str(tmp_path)})
    for text in ("the car keys hang beside the door", "my sister plays the violin", "dinner is at eight"):
        store.add_embeddings(text, passages.get_embeddings(text))
    vector = queries.get_embeddings("wo sind die Autoschlüssel?")
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)
    assert store.query(vector)[0][0] == "the car keys hang beside the door"
    store.close()


@needs_model
def test_a_long_text_has_one_vector_and_a_blank_one_zeros() -> None:
    embedder = load_text_embeddings_plugin(EMBEDDER)({})
    whole = embedder.get_embeddings("the garden needs water every evening. " * 200)
    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-4)
    assert not embedder.get_embeddings("  ").any()


def test_what_is_not_there_is_said() -> None:
    plugin = load_text_embeddings_plugin(EMBEDDER)
    with pytest.raises(ConfigError, match="passage"):
        plugin({"input": "document"})
    with pytest.raises(ModelError, match="no-such-model"):
        plugin({"model": "no-such-model"}).get_embeddings("x")


def test_the_memory_as_a_retrieval_engine_within_the_owner(shared_bus: Bus, memory: Daemon, wire: Wire) -> None:
    anna = user(f"anna-{uuid.uuid4().hex[:8]}")
    wire.add("the umbrella is in the car", anna)
    wire.add("the umbrella of Lena is red", anna)
    wire.say("my name is Anna", session=anna, lang="en")
    wire.settle()
    engine_class = find_retrieval_plugins()["ovos-memory-bus-retrieval"]
    with shared_bus.client() as bus:
        engine = engine_class({"timeout": 30}, bus=bus)

        def asked(message: Message, query: str, k: int = 3) -> list[tuple[str, float]]:
            """As inside a handler: the message being handled says on whose behalf."""
            found: list[tuple[str, float]] = engine.query(query, lang="en", k=k)
            return found

        message = Message("persona:query", {}, {"session": anna})
        found = asked(message, "umbrella")
        assert {text for text, _ in found} == {"the umbrella is in the car", "the umbrella of Lena is red"}
        assert all(0 <= score <= 1 for _, score in found)
        assert len(asked(message, "umbrella", k=1)) == 1
        assert asked(message, "  ") == []
        assert asked(Message("persona:query", {}, {"session": user("bert")}), "umbrella") == []
        engine.config["kinds"] = ["fact"]
        assert all("Anna" in text for text, _ in asked(message, "Anna"))

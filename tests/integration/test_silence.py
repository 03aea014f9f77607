"""The default model tells what touches the speaker's own life from orders and questions about the world, in every
language, and orders bring nothing up."""

from __future__ import annotations

import pytest
from daemon import Daemon, needs_model
from wire import Wire

from ovos_memory_bus.embedding.onnx import OnnxEmbedder
from ovos_memory_bus.models import manifest, verify
from ovos_memory_bus.relevance import personal

pytestmark = needs_model


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(manifest(), verify(manifest()))


@pytest.mark.parametrize(
    "order",
    [
        "turn the bathroom light off",
        "set a reminder for nine o'clock",
        "how many planets are there",
        "schalte die lampe in der küche ein",
        "baja el volumen de la tele",
        "fecha a porta da garagem",
        "che ore sono a tokyo",
        "mets la chaîne des informations",
        "zet de verwarming uit",
        "tanca les finestres",
    ],
)
def test_an_order_is_not_personal(embedder: OnnxEmbedder, order: str) -> None:
    assert personal(embedder.name, embedder.embed_query(order)) < 0


@pytest.mark.parametrize(
    "utterance",
    [
        "where did i put my passport",
        "what did my cousin say about the wedding",
        "my son broke his arm at school",
        "wie heißt der neue freund meiner tochter",
        "dónde aparqué el coche ayer",
        "quando é que a minha mãe faz anos",
        "che lavoro fa mio fratello",
        "quel médecin m'a soigné le dos",
        "wat wilde mijn vader voor zijn verjaardag",
        "com es diu la professora del meu fill",
    ],
)
def test_what_touches_ones_own_life_is_personal(embedder: OnnxEmbedder, utterance: str) -> None:
    assert personal(embedder.name, embedder.embed_query(utterance)) > 0


def test_a_model_without_a_probe_takes_no_side(embedder: OnnxEmbedder) -> None:
    assert personal("another-model@1", embedder.embed_query("stop")) == 0


def test_an_order_that_shares_words_with_the_memory_brings_nothing_up(memory: Daemon, wire: Wire) -> None:
    here = {"session_id": "silence"}
    told = "the kitchen light has been broken since my brother painted the ceiling"
    wire.say(told, session=here)
    wire.settle()
    assert wire.recalled("turn on the kitchen light", here) == []
    assert wire.recalled("who painted my ceiling", here) == [told]

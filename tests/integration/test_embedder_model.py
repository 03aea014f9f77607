"""The default model, as installed: it finds by meaning, across languages and in long notes, and takes any text."""

from __future__ import annotations

import os
import random
import shutil
import socket
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from daemon import needs_model
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ovos_memory_bus.embedding.onnx import OnnxEmbedder
from ovos_memory_bus.embedding.unigram import UnigramTokenizer
from ovos_memory_bus.errors import ModelBroken
from ovos_memory_bus.models import manifest, verify

pytestmark = needs_model

SENTENCES = (
    "The neighbours are painting their fence again.",
    "Lunch was late because the oven had to be repaired.",
    "We talked about the weather and the next train.",
    "Nobody remembered who had borrowed the ladder.",
    "The committee will meet again after the holidays.",
)
ODD_TEXTS = ("\x00", "\ud800 half", "😀" * 300, "x" * 3_000, "\u200b", "<s></s><pad>", "猫" * 400, "e\u0301" * 50)


@pytest.fixture(scope="module")
def folder() -> Path:
    return verify(manifest())


@pytest.fixture(scope="module")
def embedder(folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(manifest(), folder)


def vectors(embedder: OnnxEmbedder, text: str) -> np.ndarray:
    return np.stack([piece.vector for piece in embedder.embed_passage(text)])


def test_vectors_are_of_length_one_and_the_same_each_time(embedder: OnnxEmbedder) -> None:
    first, second = (embedder.embed_query("Where did I put the keys?") for _ in range(2))
    assert np.array_equal(first, second)
    assert first.shape == (embedder.dims,)
    assert first.dtype == np.float32
    assert np.linalg.norm(first) == pytest.approx(1, abs=1e-5)
    assert embedder.name.startswith(f"{manifest().name}@")


@pytest.mark.parametrize(
    ("question", "fact", "others"),
    [
        ("where does my sibling live now", "My sister moved to Ghent.", SENTENCES),
        ("wo wohnt meine Schwester jetzt", "My sister moved to Ghent.", SENTENCES),
        ("what am I allergic to", "Soy alérgico a los cacahuetes.", ("Me gusta el jazz.", "El tren sale a las ocho.")),
    ],
)
def test_a_fact_is_nearer_than_what_does_not_matter(
    embedder: OnnxEmbedder, question: str, fact: str, others: tuple[str, ...]
) -> None:
    query = embedder.embed_query(question)
    assert vectors(embedder, fact)[0] @ query > max(vectors(embedder, other)[0] @ query for other in others)


def test_the_last_sentence_of_a_long_note_is_found(embedder: OnnxEmbedder) -> None:
    rng = random.Random(3)
    note = " ".join(rng.choice(SENTENCES) for _ in range(350)) + " The spare key lies under the blue flower pot."
    pieces = list(embedder.embed_passage(note))
    assert len(note.split()) > 2500
    assert pieces[0].start == 0
    assert pieces[-1].end == len(note)
    assert all(left.end > right.start for left, right in pairwise(pieces))
    likeness = [piece.vector @ embedder.embed_query("where is the second key hidden") for piece in pieces]
    assert int(np.argmax(likeness)) == len(pieces) - 1


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_any_text_is_embedded(embedder: OnnxEmbedder, text: str) -> None:
    found = vectors(embedder, text)
    assert np.isfinite(found).all()
    assert np.isfinite(embedder.embed_query(text)).all()


def test_a_megabyte_begins_at_once_and_a_blank_text_has_nothing(embedder: OnnxEmbedder) -> None:
    first = next(embedder.embed_passage("word after word " * 65_536))
    assert first.start == 0 < first.end < 2000
    assert list(embedder.embed_passage(" \n\t ")) == []
    assert embedder.embed_query("word after word " * 65_536).shape == (embedder.dims,)


def test_no_network_is_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> socket.socket:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    assert OnnxEmbedder(manifest(), folder).embed_query("hello").shape == (manifest().dims,)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    copy = tmp_path / manifest().name
    shutil.copytree(folder, copy)
    os.truncate(copy / name, (copy / name).stat().st_size // 2)
    for place in ("HOME", "XDG_DATA_HOME", "OVOS_MEMORY_MODELS"):  # no whole copy elsewhere
        monkeypatch.setenv(place, str(tmp_path))
    with pytest.raises(ModelBroken, match="models install"):
        verify(manifest(), tmp_path)
    with pytest.raises(ModelBroken, match="cannot be loaded"):
        OnnxEmbedder(manifest(), copy)


def test_memory_stays_flat(embedder: OnnxEmbedder) -> None:
    rng = random.Random(9)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

    def embed(count: int) -> int:
        for _ in range(count):
            vectors(embedder, " ".join(rng.choice(SENTENCES) for _ in range(rng.choice((1, 2, 5, 12)))))
        return resident()

    assert embed(120) - embed(40) < 16


@pytest.fixture(scope="module")
def tokenizers(folder: Path) -> tuple[UnigramTokenizer, Tokenizer]:
    path = folder / "tokenizer.json"
    return UnigramTokenizer.from_file(path), Tokenizer.from_file(str(path))


@settings(max_examples=400)
@given(st.one_of(st.text(max_size=50), st.text(st.characters(max_codepoint=0x24F), max_size=50)))
def test_ids_are_those_of_the_library(tokenizers: tuple[UnigramTokenizer, Tokenizer], text: str) -> None:
    ours, library = tokenizers
    ids = library.encode(text, add_special_tokens=False).ids
    if ids and library.id_to_token(ids[-1]) == "▁":  # it leaves one for space at the end
        ids = ids[:-1]
    assert ours.encode(text) == ids

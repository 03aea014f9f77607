"""From text to pieces and ids: nothing is lost, nothing is too long, and ids are those of the `tokenizers` library."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tiny_e5
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ovos_memory_bus.embedding.hashed import HashEmbedder
from ovos_memory_bus.embedding.pieces import MAX_PIECES, Limits, split
from ovos_memory_bus.embedding.unigram import UnigramTokenizer

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=60)  # half surrogates and NUL too
LIMITS = Limits(whole=12, piece=6, overlap=2)


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_e5.build_at(tmp_path_factory.mktemp("tiny")) / "tokenizer.json"


@given(st.lists(st.sampled_from(["a", "bb", "\n", "猫" * 150, "word", " ", "\u200b"]), max_size=80).map(" ".join))
def test_pieces_cover_the_text_and_keep_their_limits(text: str) -> None:
    spans = list(split(text, lambda word: 1, LIMITS))
    assert bool(spans) is bool(text.strip())
    if not spans:
        return
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text.rstrip())
    for (start, end), (next_start, next_end) in pairwise(spans):
        assert start < next_start <= end < next_end
    atoms = sum(-(-len(word) // 64) for word in text.split())
    assert (len(spans) == 1) is (atoms <= LIMITS.whole)


def test_neighbouring_pieces_share_words() -> None:
    text = " ".join(f"w{number}" for number in range(20))
    spans = list(split(text, lambda word: 1, LIMITS))
    pieces = [text[start:end].split() for start, end in spans]
    assert [len(piece) for piece in pieces] == [6, 6, 6, 6, 4]
    assert all(left[-2:] == right[:2] for left, right in pairwise(pieces))


def test_a_word_longer_than_a_piece_is_a_piece() -> None:
    sizes = {"long": 50}
    spans = list(split("a long a", lambda word: sizes.get(word.strip(), 1), LIMITS))
    assert spans == [(0, 1), (1, 6), (6, 8)]


def test_a_huge_text_is_bounded() -> None:
    assert len(list(split("a " * 500_000, lambda word: 1, LIMITS))) == MAX_PIECES


def test_splitting_is_lazy() -> None:
    counted: list[str] = []

    def count(word: str) -> int:
        counted.append(word)
        return 1

    next(split("a " * 100_000, count, LIMITS))
    assert len(counted) < 20


@given(ANY_TEXT)
def test_the_same_text_has_the_same_hashed_vector(text: str) -> None:
    first, second = (HashEmbedder().embed_query(text) for _ in range(2))
    assert np.array_equal(first, second)
    assert first.shape == (256,)
    assert first.dtype == np.float32
    assert abs(float(np.linalg.norm(first)) - 1) < 1e-5 or not first.any()


def test_texts_that_share_words_are_alike() -> None:
    embedder = HashEmbedder()
    near, far = "my bicycle is in the garage", "Regen über Zürich"
    query = embedder.embed_query("where is my bicycle")
    assert query @ embedder.embed_query(near) > 0.4 > 0.2 > query @ embedder.embed_query(far)


def by_the_library(library: Tokenizer, text: str) -> list[int]:
    """Its ids without control ids and without the lone word start that it leaves for space at the end."""
    ids: list[int] = library.encode(text, add_special_tokens=False).ids
    return ids[:-1] if ids and ids[-1] == tiny_e5.PIECES.index("▁") else ids


LETTERS = st.sampled_from(
    [*"abcinrtv ", "the", "river", "Ghent", "\t", "\x01", "\u200b", "ﬁ", "é", "e\u0301", "猫", "☃", "мир"]
)


@given(st.lists(LETTERS, max_size=30).map("".join).map(str.strip))
def test_ids_are_those_of_the_library(tokenizer_file: Path, text: str) -> None:
    ours, library = UnigramTokenizer.from_file(tokenizer_file), Tokenizer.from_file(str(tokenizer_file))
    assert ours.encode(text) == by_the_library(library, text)
    assert ours.count(text) == len(ours.encode(text))


@given(ANY_TEXT)
def test_any_text_has_ids(tokenizer_file: Path, text: str) -> None:
    ids = UnigramTokenizer.from_file(tokenizer_file).encode(text)
    assert all(3 <= number < len(tiny_e5.PIECES) - 1 for number in ids)


@pytest.mark.parametrize("control", ["<s>", "</s>", "<pad>", "<unk>", "<mask>"])
def test_control_pieces_in_a_text_are_text(tokenizer_file: Path, control: str) -> None:
    ids = UnigramTokenizer.from_file(tokenizer_file).encode(f"in {control} in")
    assert tiny_e5.PIECES.index(control) not in ids or control == "<unk>"
    assert ids[0] == ids[-1] == tiny_e5.PIECES.index("▁in")


def test_unknown_letters_in_a_row_are_one_unknown(tokenizer_file: Path) -> None:
    assert UnigramTokenizer.from_file(tokenizer_file).encode("☃☃☃a") == [
        tiny_e5.PIECES.index(piece) for piece in ("▁", "<unk>", "a")
    ]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    for text in ("", "{}", '{"model":{"type":"BPE","vocab":[["a",-1.0]]}}', '{"model":{"type":"Unigram","vocab":[["a"'):
        path.write_text(text)
        with pytest.raises((ValueError, IndexError)):
            UnigramTokenizer.from_file(path)

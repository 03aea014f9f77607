"""Models are built as they should be: graphs compute what the architecture says, the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import tiny_e5
from tokenizers import Tokenizer

from ovos_memory_bus.errors import ModelBroken
from ovos_memory_bus.models.e5_small.blob import read_blob
from ovos_memory_bus.models.encoder_graph import FORMS, EncoderGraph, EncoderShape
from ovos_memory_bus.models.minilm import DenseMatrix
from ovos_memory_bus.models.minilm.safetensors import read_tensors

IDS = [0, 5, 8, 7, 16, 2]


def run(folder: Path, ids: list[list[int]], mask: list[list[int]] | None = None) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    inputs = np.array(ids, np.int64)
    masked = np.ones_like(inputs) if mask is None else np.array(mask, np.int64)
    (state,) = session.run(None, {"input_ids": inputs, "attention_mask": masked})
    return state


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float((a * b).sum() / np.linalg.norm(a) / np.linalg.norm(b))


def test_the_exact_form_computes_the_architecture(tmp_path: Path) -> None:
    state = run(tiny_e5.build_at(tmp_path, "q4"), [IDS])
    np.testing.assert_allclose(state[0], tiny_e5.encoded(IDS), atol=2e-5)


@pytest.mark.parametrize("form", ["int8m", "int8"])
def test_the_8_bit_forms_come_close(tmp_path: Path, form: str) -> None:
    state = run(tiny_e5.build_at(tmp_path, form), [IDS])
    assert cosine(state[0], tiny_e5.encoded(IDS)) > 0.999


def test_what_is_masked_does_not_count(tmp_path: Path) -> None:
    padded = run(tiny_e5.build_at(tmp_path), [[*IDS, 1, 1]], [[1] * len(IDS) + [0, 0]])
    np.testing.assert_allclose(padded[0, : len(IDS)], tiny_e5.encoded(IDS), atol=2e-5)


@pytest.mark.parametrize("form", list(FORMS))
def test_a_build_is_the_same_byte_for_byte(tmp_path: Path, form: str) -> None:
    first, second = (tiny_e5.build_at(tmp_path / name, form) for name in ("first", "second"))
    for name in ("model.onnx", "tokenizer.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_the_latin_cut_keeps_the_vectors_of_latin_text(tmp_path: Path) -> None:
    whole, cut = tiny_e5.build_at(tmp_path / "all"), tiny_e5.build_at(tmp_path / "latin", script="latin")
    pieces = [piece for piece, _ in json.loads((cut / "tokenizer.json").read_text())["model"]["vocab"]]
    assert pieces == tiny_e5.LATIN
    ids = [pieces.index(tiny_e5.PIECES[number]) for number in IDS]
    assert np.array_equal(run(whole, [IDS]), run(cut, [ids]))
    assert (cut / "model.onnx").stat().st_size < (whole / "model.onnx").stat().st_size


def test_the_tokenizer_file_is_read_by_the_library(tmp_path: Path) -> None:
    library = Tokenizer.from_file(str(tiny_e5.build_at(tmp_path) / "tokenizer.json"))
    assert library.encode("the river in\tGhent").tokens == ["<s>", "▁the", "▁river", "▁in", "▁Ghent", "</s>"]
    assert library.encode("ﬁ\x01ne").tokens[1:-1] == ["▁", "f", "i", "n", "e"]


@pytest.mark.parametrize("damage", [b"", b"E5S", b"PK\x03\x04 something else altogether"])
def test_a_source_of_another_format_is_refused(damage: bytes) -> None:
    with pytest.raises(ModelBroken):
        read_blob(damage)


def test_blocks_of_another_size_are_refused() -> None:
    data = bytearray(tiny_e5.source())
    data[40:44] = (64).to_bytes(4, "little")
    with pytest.raises(ModelBroken, match="blocks of 64"):
        read_blob(bytes(data))


def test_an_all_zero_matrix_divides_by_nothing(tmp_path: Path) -> None:
    class Zeros:
        def matrix(self, names: list[str]) -> DenseMatrix:
            rows = {"word": 8, "fi": 128}.get(names[0].split(".")[1], 64) * len(names)
            columns = 128 if ".fo." in names[0] else 64
            return DenseMatrix(np.zeros((rows, columns), np.float32))

        def vector(self, names: list[str]) -> np.ndarray:
            return np.zeros(128 if ".fi." in names[0] else 64 * len(names), np.float32)

        def positions(self) -> np.ndarray:
            return np.zeros((16, 64), np.float32)

    graph = EncoderGraph("zeros", EncoderShape(64, 1, 2, 128, 1e-12), Zeros(), FORMS["int8"])
    graph.save(tmp_path / "model.onnx", "test")
    assert not run(tmp_path, [[0, 1, 2]]).any()


def test_safetensors_are_read_by_name() -> None:
    tensor = np.arange(6, dtype="<f4")
    head = json.dumps({
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }).encode()  # fmt: skip
    tensors = read_tensors(len(head).to_bytes(8, "little") + head + bytes(8) + tensor.tobytes())
    assert tensors.get("w").tolist() == [[0, 1, 2], [3, 4, 5]]
    for name in ("ids", "absent", "__metadata__"):
        with pytest.raises(ModelBroken):
            tensors.get(name)
    with pytest.raises(ModelBroken):
        read_tensors(b"\x05\x00\x00\x00\x00\x00\x00\x00no json at all")

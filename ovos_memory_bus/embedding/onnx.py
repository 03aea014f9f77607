"""The embedder that the service runs: a quantised encoder in onnxruntime, one text at a time.

One at a time because some builds' vectors depend on their neighbours in a batch, and because a query then never waits
for more than one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime

from ..errors import ModelBroken, ModelError
from ..models.manifest import Manifest
from .base import PieceVector, Vector, normalise
from .pieces import TOKEN_LIMITS, split
from .unigram import UnigramTokenizer
from .wordpiece import WordPieceTokenizer

MAX_QUERY_TOKENS = 254
LONGEST_PIECE = 16  # characters of a token; bounds how much of a huge query is looked at


class Tokenizer(Protocol):
    """Cuts text into ids, without the control ids around them."""

    def encode(self, text: str) -> list[int]: ...

    def count(self, text: str) -> int: ...


_TOKENIZERS: dict[str, Callable[[Path], Tokenizer]] = {
    "unigram": UnigramTokenizer.from_file,
    "wordpiece": WordPieceTokenizer.from_file,
}


class OnnxEmbedder:
    """Embeds with an installed model; see `Embedder`.

    Pooling is the mean over the last layer's tokens, then length 1 (Reimers and Gurevych 2019, "Sentence-BERT").
    """

    def __init__(self, manifest: Manifest, folder: Path, threads: int = 1) -> None:
        """Load the model from `folder`. Raises ModelBroken when its files cannot be loaded."""
        self._manifest = manifest
        self._frame = manifest.tokenization
        try:
            self._tokenizer = _TOKENIZERS[manifest.tokenization.kind](folder / "tokenizer.json")
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), _session_options(threads), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime and tokenizers raise classes of their own, below Exception alone
            raise ModelBroken(f"the model {manifest.name} in {folder} cannot be loaded: {error}") from error

    @property
    def name(self) -> str:
        return self._manifest.build

    @property
    def dims(self) -> int:
        return self._manifest.dims

    def embed_query(self, text: str) -> Vector:
        looked_at = text[: MAX_QUERY_TOKENS * LONGEST_PIECE]
        ids = self._tokenizer.encode(self._manifest.query_prefix + looked_at)
        return self._run(ids[:MAX_QUERY_TOKENS])

    def embed_passage(self, text: str) -> Iterator[PieceVector]:
        for start, end in split(text, self._tokenizer.count, TOKEN_LIMITS):
            ids = self._tokenizer.encode(self._manifest.passage_prefix + text[start:end])
            yield PieceVector(start, end, self._run(ids[: self._manifest.window - 2]))

    def _run(self, ids: list[int]) -> Vector:
        framed = np.array([[self._frame.bos, *ids, self._frame.eos]], np.int64)
        inputs = {"input_ids": framed, "attention_mask": np.ones_like(framed)}
        try:
            (tokens,) = self._session.run(None, inputs)
        except Exception as error:  # as above
            raise ModelError(f"the model {self._manifest.name} failed: {error}") from error
        return normalise(tokens[0].mean(axis=0))


def _session_options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # an idle assistant is idle
    options.enable_cpu_mem_arena = False  # an arena keeps the largest text's memory for good
    options.log_severity_level = 3
    return options

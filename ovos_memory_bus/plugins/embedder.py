"""`MemoryTextEmbedder`: the on-device model as a text embeddings plugin (`opm.embeddings.text`)."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from ovos_plugin_manager.templates.embeddings import TextEmbedder

from ovos_memory_bus.embedding.base import Embedder, Vector, normalise
from ovos_memory_bus.errors import ConfigError
from ovos_memory_bus.models.folders import verify
from ovos_memory_bus.models.manifest import manifest

INPUTS = ("passage", "query")


class MemoryTextEmbedder(TextEmbedder):  # type: ignore[misc]  # ovos-plugin-manager has no types
    """Vectors of length 1, `[dims]` float32; nothing leaves the device. Safe from several threads, one at a time.

    Config: `model`, the name of an installed one; `input`, `passage` for texts that are stored (the default) or
    `query` for what they are searched with; `threads`; `models_dir`. The model is loaded at the first text.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__(config)
        self._input = self.config.get("input", "passage")
        if self._input not in INPUTS:
            raise ConfigError(f"input is one of {', '.join(INPUTS)}, not {self._input!r}")
        self._lock = Lock()
        self._embedder: Embedder | None = None

    def get_embeddings(self, text: str) -> Vector:
        """The vector of a text, of a long one the mean of its pieces; of a blank one zeros. Raises `ModelError`."""
        with self._lock:
            embedder = self._loaded()
            if self._input == "query":
                return embedder.embed_query(text)
            pieces = [piece.vector for piece in embedder.embed_passage(text)]
            return normalise(np.mean(pieces, axis=0)) if pieces else np.zeros(embedder.dims, np.float32)

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            from ovos_memory_bus.embedding.onnx import OnnxEmbedder  # onnxruntime is loaded where a model is used

            models_dir = self.config.get("models_dir")
            chosen = manifest(self.config.get("model"))
            folder = verify(chosen, Path(models_dir) if models_dir else None)
            self._embedder = OnnxEmbedder(chosen, folder, int(self.config.get("threads", 1)))
        return self._embedder

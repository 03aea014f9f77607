"""The embedder that the configuration asks for, behind its worker."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from ..models.folders import find
from ..models.manifest import available, manifest
from .base import Embedder
from .worker import EmbeddingWorker, embedding_worker


def embedding_for(
    model: str | None, models_dir: Path | None, threads: int, *, small: bool = False
) -> AbstractAsyncContextManager[EmbeddingWorker]:
    """A worker for the model of this name (None: the default one, or with `small` the smallest). It is loaded when
    first needed; one that is missing, broken or unknown is a `ModelError` of whoever asks for a vector."""
    name = model or (min(available(), key=lambda one: one.size).name if small else None)

    def load() -> Embedder:
        from .onnx import OnnxEmbedder  # onnxruntime is imported where a model is used, nowhere else

        chosen = manifest(name)
        return OnnxEmbedder(chosen, find(chosen, models_dir), threads)

    return embedding_worker(load)

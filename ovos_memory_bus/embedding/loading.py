"""The embedder that the configuration asks for, behind its worker."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from ..models.folders import verify
from ..models.manifest import Manifest, available, manifest
from .base import Embedder
from .worker import EmbeddingWorker, embedding_worker


def embedding_for(
    model: str | None, models_dir: Path | None, threads: int, *, small: bool = False
) -> AbstractAsyncContextManager[EmbeddingWorker]:
    """A worker for the model of this name (None: the default one, or with `small` the smallest that speaks as many
    languages). It is loaded when first needed; one that is missing, broken or unknown is a `ModelError` of whoever
    asks for a vector. The library is imported here, before anything runs: later it would hold up all threads."""
    from .onnx import OnnxEmbedder  # onnxruntime is imported where a model is used, nowhere else

    def load() -> Embedder:
        chosen = chosen_model(model, small)
        return OnnxEmbedder(chosen, verify(chosen, models_dir), threads)

    return embedding_worker(load)


def chosen_model(model: str | None, small: bool) -> Manifest:
    """The model that `embedding_for` opens; its `build` names its vectors. Raises `ModelError`s."""
    return manifest(model or (_smallest().name if small else None))


def _smallest() -> Manifest:
    default = manifest()
    return min((one for one in available() if {*one.languages} >= {*default.languages}), key=lambda one: one.size)

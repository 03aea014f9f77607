"""The embedding model: there, whole, and how fast this machine is with it."""

from __future__ import annotations

import time
from statistics import median

from ...config import Config
from ...errors import ModelError
from .finding import Finding, ok, warn

QUERIES = 15
SLOW = 150.0  # ms that a query may take before a recall within a second gets tight
TEXT = "What did I say about the colour of the garden gate, number {}?"


def model(config: Config) -> list[Finding]:
    """A missing model is a warning: everything but meaning works without."""
    if all(backend.name != "semantic" for backend in config.backends):
        return [ok("model", "none is needed: semantic memory is off in the configuration")]
    from ...models import manifest, verify

    try:
        chosen = manifest(config.model)
        folder = verify(chosen, config.models_dir)
    except ModelError as error:
        return [warn("model", str(error), "run: ovos-memory-bus models install")]
    found = [ok("model", f"{chosen.name} in {folder}, every file with its checksum")]
    from ...embedding.onnx import OnnxEmbedder

    try:
        began = time.perf_counter()
        embedder = OnnxEmbedder(chosen, folder, config.embedding_threads)
        loading = time.perf_counter() - began
        times = []
        for number in range(QUERIES):
            began = time.perf_counter()
            embedder.embed_query(TEXT.format(number))
            times.append(time.perf_counter() - began)
    except ModelError as error:
        return [*found, warn("embedding", str(error), f"run: ovos-memory-bus models install {chosen.name}")]
    text = f"{median(times) * 1e3:.1f} ms a question, {loading:.1f} s to load"
    if median(times) * 1e3 > SLOW:
        mend = "choose a smaller `model` (ovos-memory-bus models list), or leave `semantic` out of `backends`"
        return [*found, warn("embedding", f"{text}: slow", mend)]
    return [*found, ok("embedding", text)]

"""What each installed embedding model costs on this machine: time to load, to embed a question and to embed what is
stored, and resident memory. Each model is measured in a process of its own.

    python benchmarks/embedding.py [MODEL …] [--threads 1] [--passages 2000]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

MIB = 1 << 20
QUESTION = "Where did my sister move to last summer, and with whom, number {}?"
WORDS = ("river", "garden", "Ghent", "bicycle", "quantisation", "harbour", "yesterday", "Zwetschge", "über", "plătește")
LENGTHS = (3, 8, 12, 20, 40, 120)  # words of a passage


def resident() -> float:
    """MiB of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that `work` takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def measure(name: str, threads: int, passages: int) -> dict[str, float]:
    """The figures of one model; `memory…` above what the imports take."""
    from ovos_memory_bus.embedding.onnx import OnnxEmbedder
    from ovos_memory_bus.models import manifest, verify

    imports, chosen = resident(), manifest(name)
    began = time.perf_counter()
    embedder = OnnxEmbedder(chosen, verify(chosen), threads)
    figures = {"load s": time.perf_counter() - began, "imports MiB": imports, "memory MiB": resident() - imports}
    questions = [timed(lambda n=n: embedder.embed_query(QUESTION.format(n))) for n in range(200)]
    figures["question p50 ms"] = median(questions)
    figures["question p99 ms"] = quantiles(questions, n=100)[98]
    rng = random.Random(5)
    texts = [" ".join(rng.choices(WORDS, k=rng.choice(LENGTHS))) for _ in range(passages)]
    began, after = time.perf_counter(), []
    for number, text in enumerate(texts, 1):
        for _ in embedder.embed_passage(text):
            continue
        if number in (passages // 4, passages):
            after.append(resident() - imports)
    figures["passages a second"] = passages / (time.perf_counter() - began)
    figures["memory after a quarter MiB"], figures["memory after all MiB"] = after
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--passages", type=int, default=2000)
    parser.add_argument("--here", action="store_true", help="measure the one model named in this process, as JSON")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.models[0], options.threads, options.passages)))
        return
    from ovos_memory_bus.models import available, installed

    for name in options.models or [model.name for model in available() if installed(model)]:
        arguments = [name, "--here", "--threads", str(options.threads), "--passages", str(options.passages)]
        answer = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
        figures = json.loads(answer.stdout)
        print(name, *(f"  {label:28}{value:8.1f}" for label, value in figures.items()), sep="\n")


if __name__ == "__main__":
    main()

"""What background work costs: facts and summaries beside the embedding, and recall while an import is worked off.

    python benchmarks/enrichment.py cpu LOCOMO_DIR
    python benchmarks/enrichment.py recall LOCOMO_DIR [--turns 10000] [--bus ws://127.0.0.1:8181/core]

`cpu`: processor time a turn, in one process: reading its facts and its share of the session's summaries, beside its
embedding. `recall`: a service of its own on a bus that runs, the talks' turns imported under several sessions; the
median time of a recall while the queue is worked off, beside the median when it is empty again, on the same memory.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
from offline_memory import Turn
from talks import locomo

from ovos_memory_bus.client.aio import AsyncMemoryClient
from ovos_memory_bus.config import SummaryConfig
from ovos_memory_bus.embedding.onnx import OnnxEmbedder
from ovos_memory_bus.errors import MemoryBusError
from ovos_memory_bus.extraction import extract
from ovos_memory_bus.models.folders import verify
from ovos_memory_bus.models.manifest import manifest
from ovos_memory_bus.summarising import Statement, summarise

PIECE = 500  # turns an update
ASKED = 60  # recalls when idle
PAUSE, LONG_PAUSE = 0.5, 4.0  # seconds between two recalls when idle, and while there is work: all through it
QUESTIONS = (
    "where does my sister live",
    "what did we say about the trip",
    "who adopted the dog",
    "when is the concert",
)


def cpu(folder: Path) -> None:
    """Print the processor time a turn of extraction, of summaries and of the embedding, and their ratio."""
    turns = [turn for talk in locomo(folder) for turn in talk.turns]
    config = SummaryConfig()
    chosen = manifest()
    embedder = OnnxEmbedder(chosen, verify(chosen, None), threads=1)
    extract("warm up", "en")
    list(embedder.embed_passage("warm up"))

    start = time.process_time()
    for turn in turns:
        extract(turn.text, "en")
    facts = (time.process_time() - start) / len(turns)

    statements = [Statement(turn.text, turn.name or turn.role, "en") for turn in turns]
    start = time.process_time()
    for end in range(config.summarize_every, len(statements), config.summarize_every):
        summarise(statements[max(0, end - 400) : end], config.max_summary_tokens)
    summary = (time.process_time() - start) / len(statements)

    sample = turns[:: max(1, len(turns) // 300)]
    start = time.process_time()
    for turn in sample:
        list(embedder.embed_passage(turn.text))
    embedding = (time.process_time() - start) / len(sample)
    print(f"a turn of {len(turns)}: facts {facts * 1e3:.2f} ms, summary {summary * 1e3:.2f} ms, ", end="")
    print(f"embedding {embedding * 1e3:.2f} ms of CPU; ratio {(facts + summary) / embedding:.2f}")


@contextmanager
def service(url: str) -> Iterator[None]:
    """A memory of its own on the bus at `url`."""
    program = str(Path(sys.executable).parent / "ovos-memory-bus")
    with tempfile.TemporaryDirectory() as data:
        process = subprocess.Popen([program, "run", "--bus", url, "--data-dir", data], stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


async def recall(folder: Path, count: int, url: str) -> None:
    """Print the median recall while `count` imported turns are worked off and when nothing is left to do."""
    turns = itertools.cycle([turn for talk in locomo(folder) for turn in talk.turns])
    async with AsyncMemoryClient(url, timeout=60.0) as client:
        await _ready(client)
        await _store(client, turns, 200)
        await _asked(client, 8)  # model and languages are loaded by now
        began = time.perf_counter()
        await _store(client, turns, count)
        busy = await _asked(client, None)
        took = time.perf_counter() - began
        idle = await _asked(client, ASKED)
    slow, quick = statistics.median(busy) * 1e3, statistics.median(idle) * 1e3
    print(f"{count} turns worked off in {took:.0f} s; recall p50 busy {slow:.1f} ms ({len(busy)} asked), ", end="")
    print(f"idle {quick:.1f} ms, ratio {slow / quick:.2f}")


async def _ready(client: AsyncMemoryClient) -> None:
    while True:
        try:
            if (await client.status()).ready:
                return
        except MemoryBusError:  # it is not on the bus yet
            await anyio.sleep(0.2)


async def _store(client: AsyncMemoryClient, turns: Iterator[Turn], count: int) -> None:
    for piece in range(0, count, PIECE):
        messages = [
            {"role": turn.role, "content": turn.text} for turn in itertools.islice(turns, min(PIECE, count - piece))
        ]
        await client.on_behalf_of(f"import-{piece // PIECE}").update(messages, lang="en")


async def _asked(client: AsyncMemoryClient, count: int | None) -> list[float]:
    """Seconds that `count` recalls took, one after the other; None: as many as there is work left for."""
    took: list[float] = []
    for question in itertools.islice(itertools.cycle(QUESTIONS), count):
        if count is None:
            if (left := (await client.status()).queue.pending) == 0:
                break
            print(f"  {left} pieces of work left", file=sys.stderr)
        start = time.perf_counter()
        await client.context(f"{question} {len(took)}", lang="en")  # no two alike: nothing comes from a cache
        took.append(time.perf_counter() - start)
        await anyio.sleep(PAUSE if count else LONG_PAUSE)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cpu", "recall"))
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--bus", default="ws://127.0.0.1:8181/core")
    options = parser.parse_args()
    if options.what == "cpu":
        cpu(options.locomo)
    else:
        with service(options.bus):
            anyio.run(recall, options.locomo, options.turns, options.bus)


if __name__ == "__main__":
    main()

"""Faults that users of other memories reported, continued: what a model or a slow backend must never do to the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from daemon import KEYWORDS_ONLY, StartService, needs_model
from wire import Wire, contents

from ovos_memory_bus.backends.registry import Parts, build
from ovos_memory_bus.backends.semantic import Semantic
from ovos_memory_bus.config import parse
from ovos_memory_bus.embedding.base import Embedder, PieceVector
from ovos_memory_bus.embedding.hashed import HashEmbedder
from ovos_memory_bus.embedding.loading import embedding_for
from ovos_memory_bus.embedding.worker import EmbeddingWorker, embedding_worker
from ovos_memory_bus.index.catalogue import Catalogue
from ovos_memory_bus.planning import Planner
from ovos_memory_bus.store.sqlite import open_store
from ovos_memory_bus.testing import Bench, watched_loop

BACKENDS = ["lexical", "semantic"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Counting(HashEmbedder):
    """Counts the passages that it embeds."""

    def __init__(self, dims: int) -> None:
        super().__init__(dims)
        self.passages = 0

    def embed_passage(self, text: str) -> Iterator[PieceVector]:
        self.passages += 1
        return super().embed_passage(text)


@asynccontextmanager
async def with_worker(folder: Path, embedding: EmbeddingWorker) -> AsyncIterator[list[Bench]]:
    """Keywords and meaning over one store, as a start of the service makes them."""
    async with open_store(folder) as store, Catalogue(store, 8) as catalogue:
        planner = Planner()
        parts = Parts(parse({"data_dir": str(folder), "backends": BACKENDS}), store, catalogue, embedding, planner)
        backends = build(parts)
        planner.connect(backends, lambda: None)
        async with backends[0].opened(), backends[1].opened():
            yield [Bench(backend, parts) for backend in backends]


@asynccontextmanager
async def with_model(folder: Path, model: Embedder) -> AsyncIterator[list[Bench]]:
    async with embedding_worker(lambda: model) as embedding, with_worker(folder, embedding) as benches:
        yield benches


@pytest.mark.anyio
async def test_case_14_another_model_mixes_nothing_and_loses_nothing(tmp_path: Path) -> None:
    first, other, back = Counting(256), Counting(64), Counting(256)
    texts = [f"the {animal} sleeps in the {place}" for animal, place in (("otter", "boathouse"), ("owl", "barn"))]
    async with with_model(tmp_path, first) as (words, meaning):
        await words.tell(*texts)
        await meaning.settle()
        assert (await meaning.found("otter"))[0] == texts[0]
    async with with_model(tmp_path, other) as (words, meaning):
        assert (await words.found("otter"))[0] == texts[0]  # by its words at once
        assert await meaning.found("otter") == []  # of 64 numbers there are none yet, and no error
        await meaning.settle()
        assert (await meaning.found("otter"))[0] == texts[0]
        assert other.passages == len(texts)
        await words.tell("the fox sleeps in its den")
        await meaning.settle()
    async with with_model(tmp_path, back) as (words, meaning):
        assert (await meaning.found("owl"))[0] == texts[1]
        await meaning.settle()
        assert back.passages == 1  # what came meanwhile; the rest was kept
        assert (await meaning.found("fox den"))[0] == "the fox sleeps in its den"


@needs_model
@pytest.mark.anyio
async def test_case_16_embedding_does_not_hold_up_the_event_loop(tmp_path: Path) -> None:
    async with embedding_for(None, None, 1) as embedding, with_worker(tmp_path, embedding) as (words, meaning):
        assert isinstance(meaning.backend, Semantic)
        await meaning.found("is the model loaded")
        await words.tell(*(f"item {n} of a long list of things to remember, told by somebody" for n in range(200)))
        async with watched_loop() as watch, anyio.create_task_group() as tasks:
            tasks.start_soon(words.settle)
            await meaning.settle()
        idle = "self._selector" in watch.where  # it was the machine that was busy, not the loop
        assert idle or not watch.gross, watch.report()
        assert len(await meaning.found("a list of things")) > 0


SLEEPER = """
import anyio
from ovos_memory_bus.backends.base import BaseBackend, Found

class Sleeper(BaseBackend):
    name = "sleeper"

    async def search(self, query):
        await anyio.sleep(30)
        return Found()

def sleeper(parts, config):
    return Sleeper()
"""


def test_case_19_a_slow_recall_costs_its_own_part(tmp_path: Path, service: StartService, wire: Wire) -> None:
    site = tmp_path / "site"
    (site / "sleeper-1.0.dist-info").mkdir(parents=True)
    (site / "sleeper.py").write_text(SLEEPER)
    (site / "sleeper-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: sleeper\nVersion: 1.0\n")
    group = "[ovos.memory.backends]\nsleeper = sleeper:sleeper\n"
    (site / "sleeper-1.0.dist-info" / "entry_points.txt").write_text(group)
    service(config={"backends": [*KEYWORDS_ONLY["backends"], "sleeper"]}, env={"PYTHONPATH": str(site)})
    wire.say("the otter sleeps in the boathouse")

    def recalled() -> list[str]:
        answer = wire.do("memory.context.request", {"utterance": "where does the otter sleep", "timeout": 0.3})
        assert answer["messages"][-1] == {"role": "user", "content": "where does the otter sleep"}
        assert answer["partial"]
        assert answer["backends"]["sleeper"]["status"] == "timeout"
        return contents(answer["hits"])

    for _ in range(3):  # one slow search makes the next recall no later
        found = wire.until(recalled, "the other backends never answered in time")  # once, where the machine is idle
        assert found == ["the otter sleeps in the boathouse"]

"""The embedder's thread: questions first, each once, calls bounded and cancellable, failures told to who asked."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator

import anyio
import numpy as np
import pytest

from ovos_memory_bus.embedding import worker as worker_module
from ovos_memory_bus.embedding.base import Embedder, PieceVector, Vector
from ovos_memory_bus.embedding.hashed import HashEmbedder
from ovos_memory_bus.embedding.worker import CACHED_QUERIES, WAITING, EmbeddingWorker, embedding_worker
from ovos_memory_bus.errors import Busy, ModelError, ModelMissing, ShuttingDown

LONG = " ".join(f"word{number}" for number in range(200))  # several pieces


class Watched(HashEmbedder):
    """Notes what it embeds and in which thread; waits at a gate before each text."""

    def __init__(self) -> None:
        super().__init__(64)
        self.texts: list[str] = []
        self.threads: set[int] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()

    def _note(self, text: str) -> None:
        self.texts.append(text)
        self.threads.add(threading.get_ident())
        self.begun.set()
        assert self.gate.wait(30)

    def embed_query(self, text: str) -> Vector:
        self._note(f"query {text}")
        return super().embed_query(text)

    def embed_passage(self, text: str) -> Iterator[PieceVector]:
        plain = HashEmbedder(64)
        for number, piece in enumerate(plain.embed_passage(text)):
            self._note(f"piece {number}")
            yield piece


def held(embedder: Watched) -> None:
    """From now on texts wait at the gate."""
    embedder.gate.clear()
    embedder.begun.clear()


async def begun(embedder: Watched) -> None:
    assert await anyio.to_thread.run_sync(embedder.begun.wait, 30)


def run(test: Callable[[EmbeddingWorker, Watched], Awaitable[None]]) -> None:
    embedder = Watched()

    async def hosted() -> None:
        with anyio.fail_after(60):
            async with embedding_worker(lambda: embedder) as worker:
                await worker.open()
                try:
                    await test(worker, embedder)
                finally:
                    embedder.gate.set()

    anyio.run(hosted)


def test_vectors_are_the_embedders() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        plain = HashEmbedder(64)
        assert np.array_equal(await worker.query("where is it"), plain.embed_query("where is it"))
        found, expected = await worker.passage(LONG), list(plain.embed_passage(LONG))
        assert [(one.start, one.end) for one in found] == [(one.start, one.end) for one in expected]
        assert all(np.array_equal(one.vector, two.vector) for one, two in zip(found, expected, strict=True))
        assert await worker.passage("  \n") == []
        assert threading.get_ident() not in embedder.threads

    run(test)


def test_an_equal_question_is_embedded_once() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        held(embedder)
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(worker.query, "the same")
            await begun(embedder)
            embedder.gate.set()
        await worker.query("the same")
        assert embedder.texts == ["query the same"]
        worker.forget()
        await worker.query("the same")
        assert len(embedder.texts) == 2

    run(test)


def test_what_is_remembered_is_bounded() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        for number in range(CACHED_QUERIES + 1):
            await worker.query(str(number))
        await worker.query("x" * 3000)
        count = len(embedder.texts)
        await worker.query("1")
        assert len(embedder.texts) == count
        await worker.query("0")  # the oldest has gone
        await worker.query("x" * 3000)
        assert len(embedder.texts) == count + 2

    run(test)


def test_a_remembered_vector_cannot_be_spoilt() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        vector = await worker.query("text")
        with pytest.raises(ValueError, match="read-only"):
            vector += 1

    run(test)


def test_a_question_passes_between_the_pieces_of_a_text() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        held(embedder)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(worker.passage, LONG)
            tasks.start_soon(worker.passage, LONG)
            await begun(embedder)
            tasks.start_soon(worker.query, "first")
            tasks.start_soon(worker.query, "second")
            await anyio.wait_all_tasks_blocked()
            embedder.gate.set()
        assert embedder.texts[:3] == ["piece 0", "query first", "query second"]

    run(test)


def test_a_cancelled_call_returns_and_is_not_begun() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        held(embedder)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(worker.query, "under way")
            await begun(embedder)
            tasks.start_soon(worker.query, "waiting")
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        assert not embedder.gate.is_set()  # and yet the calls have returned
        embedder.gate.set()
        await worker.query("next")
        assert embedder.texts == ["query under way", "query next"]

    run(test)


def test_a_question_shared_by_two_survives_the_cancelling_of_one() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        vectors: list[Vector] = []

        async def ask() -> None:
            vectors.append(await worker.query("shared"))

        held(embedder)
        async with anyio.create_task_group() as tasks, anyio.create_task_group() as cancelled:
            cancelled.start_soon(worker.query, "shared")
            await begun(embedder)
            tasks.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            cancelled.cancel_scope.cancel()
            embedder.gate.set()
        assert len(vectors) == 1
        assert embedder.texts == ["query shared"]

    run(test)


def test_too_many_waiting_are_told() -> None:
    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        held(embedder)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(worker.query, "under way")
            await begun(embedder)
            for number in range(WAITING):
                tasks.start_soon(worker.query, str(number))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Busy):
                await worker.query("one too many")
            embedder.gate.set()
        assert len(embedder.texts) == WAITING + 1
        await worker.query("one too many")

    run(test)


def test_closing_ends_those_who_wait() -> None:
    refused: list[str] = []

    async def test(worker: EmbeddingWorker, embedder: Watched) -> None:
        async def ask(text: str) -> None:
            try:
                await worker.query(text)
            except ShuttingDown:
                refused.append(text)

        held(embedder)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "under way")
            await begun(embedder)
            tasks.start_soon(ask, "waiting")
            await anyio.wait_all_tasks_blocked()
            worker.close()
            embedder.gate.set()
        with pytest.raises(ShuttingDown):
            await worker.query("too late")

    run(test)
    assert refused == ["waiting"]


def test_an_embedder_that_raises_costs_one_answer() -> None:
    class Faulty(HashEmbedder):
        def embed_query(self, text: str) -> Vector:
            if text == "bad":
                raise RuntimeError("out of range")
            return super().embed_query(text)

    async def test() -> None:
        async with embedding_worker(Faulty) as worker:
            with pytest.raises(ModelError, match="out of range"):
                await worker.query("bad")
            assert (await worker.query("good")).shape == (256,)

    anyio.run(test)


def test_a_model_that_cannot_be_loaded_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def load() -> Embedder:
        tries.append(threading.get_ident())
        if len(tries) < 2:
            raise ModelMissing("the model is not installed")
        return HashEmbedder()

    async def test() -> None:
        async with embedding_worker(load) as worker:
            for call in (worker.open, lambda: worker.query("text"), lambda: worker.passage("text")):
                with pytest.raises(ModelMissing, match="not installed"):
                    await call()
            assert len(tries) == 1
            monkeypatch.setattr(worker_module, "RELOAD_AFTER", 0.0)
            assert (await worker.open()).name == "hash-256"
            assert len(await worker.passage("text")) == 1
        assert len(tries) == 2
        assert threading.get_ident() not in tries

    anyio.run(test)

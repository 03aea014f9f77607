"""Runs an embedder in a thread beside the event loop: queries first, one text at a time, the model loaded once."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from ovos_memory_bus.embedding.base import Embedder, PieceVector, Vector
from ovos_memory_bus.errors import Busy, MemoryBusError, ModelError, ShuttingDown

T = TypeVar("T")

CACHED_QUERIES = 256
CACHED_LENGTH = 2000  # characters; a longer query is not kept
WAITING = 64  # calls that may wait in either lane
RELOAD_AFTER = 30.0  # seconds until a model that could not be loaded is tried again


class _Request(Generic[T]):
    """One call to the embedder, shared by all who wait for its outcome."""

    def __init__(self, call: Callable[[Embedder], T]) -> None:
        self._call = call
        self._done = anyio.Event()
        self._outcome: T | MemoryBusError = ModelError("not embedded yet")
        self.waiting = 0

    def work(self, embedder: Callable[[], Embedder]) -> None:
        """Make the call; runs in the worker's thread."""
        try:
            self._outcome = self._call(embedder())
        except MemoryBusError as error:
            self._outcome = error
        except Exception as error:  # whatever an embedder raises reaches who asked, and the worker lives on
            self._outcome = ModelError(f"embedding failed: {type(error).__name__}: {error}")

    def finish(self, failure: MemoryBusError | None = None) -> None:
        if failure is not None:
            self._outcome = failure
        self._done.set()

    async def outcome(self) -> T:
        await self._done.wait()
        if isinstance(self._outcome, MemoryBusError):
            raise self._outcome
        return self._outcome


class EmbeddingWorker:
    """The embedder's side of the event loop; make one with `embedding_worker`.

    A call that is cancelled returns at once: the text under way is finished in the thread, one not begun is dropped.
    Every call raises ModelError when the model cannot be used, Busy when too many wait, ShuttingDown after the end.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._embedder: Embedder | None = None
        self._failure: tuple[float, MemoryBusError] | None = None
        self._queries: deque[_Request[Vector] | _Request[Embedder]] = deque()
        self._pieces: deque[_Request[PieceVector | None]] = deque()
        self._asked: dict[str, _Request[Vector]] = {}
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._work = anyio.Event()
        self._closed = False

    async def open(self) -> Embedder:
        """The embedder, loaded if it was not: for its name and dims, not to be called by others than this worker."""
        return await self._ask(self._queries, _Request(lambda embedder: embedder))

    async def query(self, text: str) -> Vector:
        """The vector of a question, ahead of all passages. Equal questions are embedded once. Read only."""
        if text in self._known:
            self._known.move_to_end(text)
            return self._known[text]
        request = self._asked.get(text)
        if request is None:
            request = self._asked[text] = _Request(lambda embedder: embedder.embed_query(text))
        try:
            vector = await self._ask(self._queries, request)
        finally:
            if not request.waiting:
                self._asked.pop(text, None)
        self._remember(text, vector)
        return vector

    async def passage(self, text: str) -> list[PieceVector]:
        """The vectors of a stored text, in its order. Queries pass in between its pieces."""
        opened = await self.open()
        pieces = opened.embed_passage(text)
        vectors: list[PieceVector] = []
        while True:
            piece = await self._ask(self._pieces, _Request(lambda embedder: next(pieces, None)))
            if piece is None:
                return vectors
            vectors.append(piece)

    async def serve(self) -> None:
        """Do the work until closed; the task that owns the thread."""
        thread = CapacityLimiter(1)
        try:
            while not self._closed:
                lane = self._queries or self._pieces
                if not lane:
                    self._work = anyio.Event()
                    await self._work.wait()
                    continue
                request = lane.popleft()
                await to_thread.run_sync(request.work, self._opened, limiter=thread)
                request.finish()
        finally:
            self._closed = True
            for request in (*self._queries, *self._pieces):
                request.finish(ShuttingDown("the embedding worker has stopped"))
            self._queries.clear()
            self._pieces.clear()

    def forget(self) -> None:
        """Drop the remembered questions: they may repeat what was forgotten."""
        self._known.clear()

    def close(self) -> None:
        """Let `serve` end after the text under way."""
        self._closed = True
        self._work.set()

    async def _ask(self, lane: deque[Any], request: _Request[T]) -> T:
        """Queue a request, or wait with the others for one that is queued already."""
        if self._closed:
            raise ShuttingDown("the embedding worker has stopped")
        if not request.waiting:
            if len(lane) >= WAITING:
                raise Busy("too many texts are waiting to be embedded")
            lane.append(request)
            self._work.set()
        request.waiting += 1
        try:
            return await request.outcome()
        finally:
            request.waiting -= 1
            if not request.waiting and request in lane:
                lane.remove(request)

    def _opened(self) -> Embedder:
        """The embedder, loaded at the first call; in the worker's thread. A failure is remembered for a while."""
        if self._embedder is None:
            if self._failure is not None and time.monotonic() - self._failure[0] < RELOAD_AFTER:
                raise self._failure[1]
            try:
                self._embedder = self._load()
            except MemoryBusError as error:
                self._failure = (time.monotonic(), error)
                raise
        return self._embedder

    def _remember(self, text: str, vector: Vector) -> None:
        if len(text) <= CACHED_LENGTH:
            self._known[text] = vector
            while len(self._known) > CACHED_QUERIES:
                self._known.popitem(last=False)


@asynccontextmanager
async def embedding_worker(load: Callable[[], Embedder]) -> AsyncIterator[EmbeddingWorker]:
    """A worker that serves while the context is open; `load` makes the embedder, in the worker's thread."""
    worker = EmbeddingWorker(load)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.serve)
        try:
            yield worker
        finally:
            worker.close()
            tasks.cancel_scope.cancel()

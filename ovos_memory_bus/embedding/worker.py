"""Runs an embedder in a thread beside the event loop: queries first, one text at a time, the model loaded once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

import anyio
from anyio import to_thread

from ..errors import Busy, MemoryBusError, ModelError, ShuttingDown
from .base import Embedder, PieceVector, Vector

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
        self._outcome: T | MemoryBusError = _stopping()
        self.waiting = 0

    def work(self, embedder: Callable[[], Embedder]) -> None:
        """Make the call; runs in the worker's thread."""
        try:
            self._outcome = self._call(embedder())
        except MemoryBusError as error:
            self._outcome = error
        except Exception as error:  # whatever an embedder raises reaches who asked, and the worker lives on
            self._outcome = ModelError(f"embedding failed: {type(error).__name__}: {error}")

    def finish(self) -> None:
        """Wake those who wait; without `work()` before it, the outcome is that the worker stops."""
        self._done.set()

    async def outcome(self) -> T:
        await self._done.wait()
        if isinstance(self._outcome, MemoryBusError):
            raise self._outcome
        return self._outcome


class EmbeddingWorker:
    """Hosts one embedder, for any task of the service; `embedding_worker` makes one.

    `load` opens the embedder; it is called in the worker's thread when the first text comes. When it raises ModelError
    every call does, until the next try `RELOAD_AFTER` seconds later. A call that is cancelled returns at once: the text
    under way is finished in the thread, one not begun is dropped. Calls raise Busy when too many wait already, and
    ShuttingDown after `close()`.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._embedder: Embedder | None = None
        self._failure: ModelError | None = None
        self._failed_at = 0.0
        self._queries: deque[_Request[Any]] = deque()
        self._pieces: deque[_Request[Any]] = deque()
        self._asked: dict[str, _Request[Vector]] = {}
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._changed = threading.Condition()  # guards the lanes and `_closed`
        self._closed = False

    async def open(self) -> Embedder:
        """The embedder, loaded if it was not: for its name and dims; its methods are this worker's to call."""
        if self._embedder is not None:
            return self._embedder
        return await self._ask(self._queries, _Request[Embedder](lambda embedder: embedder))

    async def query(self, text: str) -> Vector:
        """The vector of a question, ahead of all passages; equal questions are embedded once. Not to be written to."""
        if text in self._known:
            self._known.move_to_end(text)
            return self._known[text]
        request = self._asked.get(text)
        if request is None:
            request = self._asked[text] = _Request[Vector](lambda embedder: embedder.embed_query(text))
        try:
            vector = await self._ask(self._queries, request)
        finally:
            if not request.waiting and self._asked.get(text) is request:
                del self._asked[text]
        self._remember(text, vector)
        return vector

    async def passage(self, text: str) -> list[PieceVector]:
        """The vectors of a stored text, in its order. Queries pass in between its pieces."""
        pieces = (await self.open()).embed_passage(text)
        vectors: list[PieceVector] = []
        while True:
            piece = await self._ask(self._pieces, _Request[PieceVector | None](lambda embedder: next(pieces, None)))
            if piece is None:
                return vectors
            vectors.append(piece)

    def close(self) -> None:
        """Begin no more texts; who waits gets ShuttingDown."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def forget(self) -> None:
        """Drop the remembered questions: they may repeat what was forgotten."""
        self._known.clear()

    def serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Embed what is asked for on `loop`, until `close()`; for a thread of its own.

        The thread takes its work from the lanes itself: a query that had to wait for turns of a busy event loop before
        it is begun would pay a third of its time for them."""
        while (request := self._next()) is not None:
            request.work(self._opened)
            loop.call_soon_threadsafe(request.finish)
        for request in (*self._queries, *self._pieces):
            loop.call_soon_threadsafe(request.finish)

    def _next(self) -> _Request[Any] | None:
        """The next request, as soon as there is one; None when closed."""
        with self._changed:
            while not self._closed:
                lane = self._queries or self._pieces
                if lane:
                    return lane.popleft()
                self._changed.wait()
        return None

    async def _ask(self, lane: deque[_Request[Any]], request: _Request[T]) -> T:
        if not request.waiting:
            with self._changed:
                if self._closed:
                    raise _stopping()
                if len(lane) >= WAITING:
                    raise Busy("too many texts wait to be embedded; try again")
                lane.append(request)
                self._changed.notify()
        request.waiting += 1
        try:
            return await request.outcome()
        finally:
            request.waiting -= 1
            if not request.waiting:
                with self._changed:
                    if request in lane:
                        lane.remove(request)

    def _opened(self) -> Embedder:
        """The embedder, loaded by the first call; runs in the worker's thread."""
        if self._embedder is not None:
            return self._embedder
        if self._failure is not None and time.monotonic() < self._failed_at + RELOAD_AFTER:
            raise type(self._failure)(str(self._failure))
        try:
            self._embedder = self._load()
        except ModelError as error:
            self._failure, self._failed_at = error, time.monotonic()
            raise
        return self._embedder

    def _remember(self, text: str, vector: Vector) -> None:
        if len(text) > CACHED_LENGTH:
            return
        vector.setflags(write=False)
        self._known[text] = vector
        if len(self._known) > CACHED_QUERIES:
            self._known.popitem(last=False)


@asynccontextmanager
async def embedding_worker(load: Callable[[], Embedder]) -> AsyncIterator[EmbeddingWorker]:
    """A worker that serves while the context is open; `load` makes the embedder, in the worker's thread."""
    worker = EmbeddingWorker(load)
    thread = threading.Thread(target=worker.serve, args=(asyncio.get_running_loop(),), name="embedding", daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        worker.close()
        with anyio.CancelScope(shield=True):  # a text under way is finished
            await to_thread.run_sync(thread.join)


def _stopping() -> ShuttingDown:
    return ShuttingDown("the embedder is stopping")

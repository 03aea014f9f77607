"""The composition root: builds every part, connects them, runs them until told to stop."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from datetime import datetime, timezone
from typing import Any

import anyio

from . import __version__
from .actor import Actor
from .backends.collecting import ANSWER, MAX_ANSWER, Collector
from .backends.registry import Parts, build
from .bus import Bus, Frame, FrameTooLarge, reply_context
from .config import Config
from .coordinator import Coordinator
from .desk import Desk, described, with_request_id
from .embedding.loading import embedding_for
from .embedding.worker import EmbeddingWorker
from .errors import Busy, InvalidRequest, MemoryBusError, ShuttingDown
from .index.catalogue import Catalogue
from .messages import forgetting
from .messages.frames import fitting
from .messages.identity import caller_of
from .notify import Notifier
from .observing import Observer
from .operations.forgetting import Forgetter
from .operations.managing import Librarian
from .operations.observing import Bystander
from .operations.recalling import Recaller
from .operations.recording import Recorder
from .planning import Planner
from .retention import Retention
from .store.base import Store
from .store.sqlite import open_store

LOG = logging.getLogger(__name__)
REQUESTS = 512  # being answered at once
EXPIRE = 60.0  # seconds between removals of what has run out; reading does not wait for them
TOO_LARGE = InvalidRequest("the answer is larger than the messagebus passes (25 MB): ask for fewer at a time", "limit")
SWITCH = 0.001  # seconds that a thread which computes keeps the event loop waiting at most
WATCH = 2.0  # seconds between looks for what other processes wrote


class Service:
    """One memory on one bus. `run()` returns after `stop()` or a signal, when every request has its answer."""

    def __init__(self, config: Config, url: str) -> None:
        self._config, self._url = config, url
        self._born = time.monotonic()
        self._stopping = anyio.Event()
        self._taken = self._answering = 0
        self._idle = anyio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Serve. Raises `StorageError`s where the data folder cannot be used."""
        os.umask(0o077)
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(open_store(self._config.data_dir, queue=self._config.write_queue))
            embedding = None
            if any(backend.name == "semantic" for backend in self._config.backends):
                config = self._config
                worker = embedding_for(
                    config.model, config.models_dir, config.embedding_threads, small=config.profile == "low_power"
                )
                embedding = await stack.enter_async_context(worker)
            catalogue = await stack.enter_async_context(Catalogue(store, self._config.index_owners))
            self._build(store, catalogue, embedding)
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                for actor in self.actors:
                    await tasks.start(actor.run)
                tasks.start_soon(self._watch_store)
                if self.bystander is not None:
                    tasks.start_soon(self.bystander.run)
                tasks.start_soon(self._expire)
                tasks.start_soon(self._watch_signals)
                _favour_the_loop()
                async with self._page():
                    tasks.start_soon(self.bus.run)  # who is answered on the bus finds the page there too
                    notifier = Notifier.from_environment()
                    notifier.ready()
                    LOG.info("ready: data in %s", self._config.data_dir)
                    task_status.started()
                    await self._stopping.wait()
                    notifier.stopping()
                    await self._finish()
                tasks.cancel_scope.cancel()

    def _build(self, store: Store, catalogue: Catalogue, embedding: EmbeddingWorker | None) -> None:
        config = self._config
        self.store, self.catalogue = store, catalogue
        planner = Planner()
        self.collector = Collector()
        backends = build(Parts(config, store, self.catalogue, embedding, planner, self.collector))
        self.actors = [Actor(backend, config.mailbox) for backend in backends]
        planner.connect(backends, self._wake)
        self.coordinator = Coordinator(config, store, self.catalogue, self.actors)
        recorder = Recorder(store, planner, self._recorded)
        forgetter = Forgetter(store, self.coordinator, embedding, self._forgotten, planner, config.allow_forget_all)
        semantic: Any = next((b for b in backends if b.name == "semantic"), None)
        self.desk = Desk(
            recaller=Recaller(store, self.coordinator, config.recall.max_history),
            recorder=recorder,
            librarian=Librarian(store, self.coordinator, planner, forgetter, semantic, self._recorded),
            forgetter=forgetter,
            status=self._status,
            backends=self._backends,
            is_ready=lambda: not self._stopping.is_set(),
        )
        self._answered = frozenset(self.desk.topics())
        observer = (
            Observer(config.min_auth_level, config.observe_blocklist, satellite_users=config.satellite_users)
            if config.observe
            else None
        )
        self.bystander = Bystander(observer, recorder) if observer is not None else None
        seen = self.bystander.topics if self.bystander is not None else ()
        self._seen = frozenset(seen)
        collected = self.collector.topics if config.remote_backends else ()
        self.bus = Bus(self._url, (*self._answered, *seen, *collected), self._take, bounds={ANSWER: MAX_ANSWER})
        self.collector.connect(self.bus.send)

    def _page(self) -> AbstractAsyncContextManager[object]:
        """The inspector page while it is served; nothing where the configuration has none."""
        if not self._config.web.enabled:
            return nullcontext()
        from .web.parts import Parts as PageParts  # a device without the page does not load what serves it
        from .web.server import serving

        desk = self.desk
        parts = PageParts(
            folder=self._config.data_dir,
            topics=tuple(desk.topics()),
            answer=desk.answer,
            status=desk.status,
            is_ready=desk.is_ready,
            store=self.store,
            traces=self.coordinator.traces,
        )
        return serving(self._config.web, parts)

    def _wake(self) -> None:
        for actor in self.actors:
            actor.wake()

    async def _take(self, frame: Frame) -> None:
        """Answer a request in a task of its own; over the bound, the answer is `busy`."""
        if self.bystander is not None and frame.topic in self._seen:
            self.bystander.see(frame.topic, frame.data, frame.context)
        if frame.topic in self.collector.topics:
            self.collector.take(frame.topic, frame.data)
        if frame.topic not in self._answered:
            return
        self._taken += 1
        if self._stopping.is_set():
            await self._send(frame, {"error": ShuttingDown("the service is stopping").to_data()})
        elif self._answering >= REQUESTS:
            await self._send(frame, {"error": Busy("too many requests are being answered; try again").to_data()})
        else:
            self._answering += 1
            self._tasks.start_soon(self._answer, frame)

    async def _answer(self, frame: Frame) -> None:
        try:
            try:
                caller = caller_of(
                    frame.context, self._config.min_auth_level, satellite_users=self._config.satellite_users
                )
            except MemoryBusError as error:
                await self._send(frame, {"error": described(frame.topic, error)})
                return
            await self._send(frame, await self.desk.answer(frame.topic, frame.data, caller))
        finally:
            self._answering -= 1
            if not self._answering:
                self._idle.set()
                self._idle = anyio.Event()

    async def _send(self, frame: Frame, answer: dict[str, Any]) -> None:
        topic, context = frame.topic + ".response", reply_context(frame.context)
        try:
            await self.bus.send(topic, with_request_id(answer, frame.data), context)
        except FrameTooLarge as error:
            LOG.info("%s; its caller is told to ask for less", error)
            await self.bus.send(topic, with_request_id({"error": TOO_LARGE.to_data()}, frame.data), context)

    async def _recorded(self, seqs: Sequence[int]) -> None:
        """Tell backends in other processes what was stored; without any, nothing leaves this one."""
        if self._config.remote_backends:
            items = await self.store.by_seq(seqs)
            left = [{**items[seq].to_data(), "owner": items[seq].owner} for seq in seqs if seq in items]
            while left:
                part = fitting(left)
                await self.bus.send(forgetting.RECORDED, {"items": part})
                left = left[len(part) :]

    async def _forgotten(self, ids: Sequence[str]) -> None:
        await self.bus.send(forgetting.FORGOTTEN, {"ids": list(ids)})

    async def _status(self) -> dict[str, Any]:
        queue = await self.store.queue([kind for actor in self.actors for kind in actor.backend.jobs])
        backends = {actor.name: actor.status() for actor in self.actors}
        figures: dict[str, Any] = {
            "version": __version__,
            "ready": not self._stopping.is_set(),
            "uptime": round(time.monotonic() - self._born, 3),
            "backends": backends,
            "model": backends.get("semantic", {}).get("model"),
            "counts": await self.store.counts(),
            "queue": {
                "pending": queue.pending + self._unfinished(),
                "failed": queue.failed,
                "waiting": queue.waiting,
                "oldest": round(queue.oldest, 3),
            },
        }
        if self._config.show_paths:
            figures["paths"] = {"data_dir": str(self._config.data_dir)}
        return figures

    def _unfinished(self) -> int:
        """Background work that is no job in the store."""
        seen = self.bystander.unfinished if self.bystander is not None else 0
        return seen + sum(actor.backend.unfinished for actor in self.actors)

    def _backends(self) -> dict[str, Any]:
        remote = self._config.remote_backends
        told = [{"name": actor.name, "remote": actor.name in remote, **actor.status()} for actor in self.actors]
        return {"backends": told}

    async def _watch_store(self) -> None:
        """Notice what another process, an import say, has written."""
        while True:
            await anyio.sleep(WATCH)
            known = self.store.change
            if await self.store.refresh() != known:
                self._wake()

    async def _expire(self) -> None:
        """Remove what has run out, where the configuration says that anything does."""
        retention = Retention.from_config(self._config.retention)
        while retention.limited:
            try:
                gone = await self.desk.forgetter.expire(retention, datetime.now(timezone.utc))
                if gone:
                    LOG.info("%d items have run out", gone)
            except MemoryBusError as error:
                LOG.warning("what has run out could not be removed: %s", error)
            await anyio.sleep(EXPIRE)

    async def _watch_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for number in signals:
                LOG.info("signal %s: stopping", number.name)
                self.stop()

    async def _finish(self) -> None:
        """Answer what is being answered and what is still on its way, for some seconds, then end the actors."""
        with anyio.move_on_after(5):
            while self._answering:
                await self._idle.wait()
            taken = -1
            while taken != self._taken:
                taken = self._taken
                await self.bus.caught_up()
            if self.bystander is not None:
                await self.bystander.finish()
        for actor in self.actors:
            actor.close()


def _favour_the_loop() -> None:
    """Keep what else goes on in this process from holding the event loop up."""
    # what is there from the start stays: looking through it again at every collection took up to 0.2 s
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH)

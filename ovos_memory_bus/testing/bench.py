"""A bench for one backend: a real store in a folder, an embedder without a model, and the backend as it is hosted."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel

from ..backends.base import Backend, Found, Query
from ..backends.registry import Factory, Parts
from ..config import BackendConfig, parse
from ..embedding.hashed import HashEmbedder
from ..embedding.worker import embedding_worker
from ..filters import ItemFilter
from ..index.catalogue import Catalogue
from ..planning import Planner
from ..store.base import Added, NewItem, Removed, Store
from ..store.sqlite import open_store

ASKER, SESSION = "user:asker", "talk"
PATIENCE = 60.0  # seconds after which a search or background work counts as stuck


@dataclass(frozen=True, slots=True)
class Bench:
    """A backend with a store to itself. What is stored gets the jobs that the backend wants; `settle()` does them."""

    backend: Backend
    parts: Parts

    @property
    def store(self) -> Store:
        return self.parts.store

    async def tell(self, *items: str | NewItem) -> Added:
        """Store items, or texts as turns of the asker, with the backend's jobs."""
        made = [turn(item) if isinstance(item, str) else item for item in items]
        return await self.store.add([self.parts.planner.planned(item) for item in made])

    async def settle(self) -> None:
        """Do all background work there is. Raises `TimeoutError` when it finds no end."""
        with anyio.fail_after(PATIENCE):
            while await self.backend.work():
                await anyio.lowlevel.checkpoint()

    async def edit(self, id_: str, content: str) -> None:
        """Give an item new content, with the jobs that the backend wants of it."""
        await self.store.update(id_, None, {"content": content}, self.parts.planner.planned(turn(content)).jobs)

    async def forget(self, seqs: Sequence[int]) -> Removed:
        """Remove items and all that was drawn from them."""
        return await self.store.remove(seqs)

    def query(self, text: str, where: ItemFilter | None = None, **more: Any) -> Query:
        """The asker's query; `more` are fields of `Query`."""
        fields: dict[str, Any] = {
            "owner": ASKER,
            "caller": ASKER,
            "session_id": SESSION,
            "lang": "en",
            "limit": 100,
            "max_history": 100,
            "now": datetime.now(timezone.utc),
            "deadline": anyio.current_time() + PATIENCE,
            **more,
        }
        return Query(text=text, utterance=text, filter=where or ItemFilter(), **fields)

    async def search(self, text: str, where: ItemFilter | None = None, **more: Any) -> Found:
        """What the backend finds for the asker."""
        with anyio.fail_after(PATIENCE):
            return await self.backend.search(self.query(text, where, **more))

    async def found(self, text: str, where: ItemFilter | None = None, **more: Any) -> list[str]:
        """The texts of what the backend finds: ranked hits best first, then those of other stores, then its items."""
        return await self.texts(await self.search(text, where, **more))

    async def texts(self, found: Found) -> list[str]:
        """The texts of hits and items; a hit whose item is gone has none, as in a recall."""
        held = await self.store.by_seq(found.seqs.tolist())
        ranked = [held[seq].content for seq in found.seqs.tolist() if seq in held]
        return [*ranked, *(item.content for item, _ in found.foreign), *(item.content for item in found.items)]


def turn(content: str, owner: str = ASKER, session_id: str = SESSION, **more: Any) -> NewItem:
    """A user's turn in English; `more` are fields of `NewItem`."""
    fields: dict[str, Any] = {"kind": "turn", "role": "user", "lang": "en", **more}
    return NewItem(id=str(uuid.uuid4()), owner=owner, session_id=session_id, content=content, **fields)


@asynccontextmanager
async def open_bench(
    folder: Path,
    factory: Factory,
    *,
    options: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
) -> AsyncIterator[Bench]:
    """A bench on `folder`, which may hold what an earlier one stored. `options` are those of the backend's entry in
    the configuration, `config` the rest of the `memory` section."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(folder))
        embedding = await stack.enter_async_context(embedding_worker(HashEmbedder))
        catalogue = await stack.enter_async_context(Catalogue(store, 8))
        planner = Planner()
        parts = Parts(parse({**(config or {}), "data_dir": str(folder)}), store, catalogue, embedding, planner)
        backend = factory(parts, BackendConfig("tested", options=options or {}))
        planner.connect([backend], lambda: None)
        await stack.enter_async_context(backend.opened())
        yield Bench(backend, parts)

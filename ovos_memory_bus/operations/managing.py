"""`memory.item.*`: reading, searching and changing what is remembered, one item at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..analysis import is_blank
from ..backends.semantic import Semantic
from ..coordinator import Coordinator
from ..errors import EmbeddingUnavailable, InvalidRequest, ModelError, NotFound
from ..filters import ItemFilter
from ..messages.frames import MAX_SENT, fitting
from ..messages.identity import Caller
from ..messages.items import ChangeRequest, IdRequest, ListRequest, SearchRequest, SimilarRequest
from ..planning import Planner
from ..records import Item
from ..store.base import NewItem, Store
from .forgetting import Forgetter
from .recording import Broadcast

MATCHES = 1_000  # best hits at least that are put in another order
PROBE = 8_000  # characters of a text that others are compared with: more than a model's window holds


class Librarian:
    """Items within what the caller may see; an item of somebody else is as unknown as one that never was."""

    def __init__(
        self,
        store: Store,
        coordinator: Coordinator,
        planner: Planner,
        forgetter: Forgetter,
        semantic: Semantic | None,
        changed: Broadcast | None = None,
    ) -> None:
        """`changed` is told the seqs of items that were edited."""
        self._store, self._coordinator = store, coordinator
        self._planner, self._forgetter, self._semantic, self._changed = planner, forgetter, semantic, changed

    async def get(self, request: IdRequest, caller: Caller) -> dict[str, Any]:
        """The item. Raises `NotFound`."""
        item = await self.item(request.id, caller)
        return (await self._described([item], request.include_embedding))[0]

    async def item(self, id_: str, caller: Caller) -> Item:
        """The item with this id, if the caller may see it. Raises `NotFound`."""
        owner, where = self._coordinator.visible(None, caller)
        for item in await self._store.get([id_], owner):
            if where.session_id in (None, item.session_id) and (where.since is None or item.created_at >= where.since):
                return item
        raise NotFound("no such item")

    async def page(self, request: ListRequest, caller: Caller) -> dict[str, Any]:
        """A page of items in order, and how many there are in all."""
        owner, where = self._narrowed(caller, request.filter)
        if where is None:
            return {"items": [], "total": 0}
        page = await self._store.page(
            owner,
            where,
            order_by=request.order_by,
            descending=request.order == "desc",
            limit=request.page.size,
            offset=request.page.offset,
        )
        described = await self._described(page.items, request.include_embedding)
        return {"items": fitting(described, MAX_SENT // 2), "total": page.total}

    async def search(self, request: SearchRequest, caller: Caller) -> dict[str, Any]:
        """Items by words and, with `use_embedding`, by meaning; `score` is a probability."""
        if is_blank(request.query):
            return {"items": []}
        owner, where = self._narrowed(caller, request.filter)
        if where is None:
            return {"items": []}
        hits = await self._coordinator.search(
            request.query,
            request.lang,
            owner,
            where,
            caller,
            backends=None if request.use_embedding else ("lexical",),
            limit=request.page.end if request.best_first else max(MATCHES, request.page.end),
            # who searches for words wants all that have them
            min_score=request.threshold if request.use_embedding else request.threshold or 0.0,
        )
        ranked = [(hit.item, hit.score) for hit in hits]
        return {"items": await self._shown(ranked, "score", request)}

    async def similar(self, request: SimilarRequest, caller: Caller) -> dict[str, Any]:
        """Items at least `threshold` similar to a text or a vector."""
        if request.query is not None and is_blank(request.query):
            return {"items": []}
        owner, where = self._narrowed(caller, request.filter)
        if where is None:
            return {"items": []}
        semantic = self._meaning()
        try:
            probe = (request.query or "")[:PROBE] or request.embedding or ()
            pairs = await semantic.similar(owner, where, probe, request.metric)
        except ValueError as error:
            raise InvalidRequest(str(error), "embedding") from None
        near = [(seq, score) for seq, score in pairs if score >= request.threshold]
        if request.best_first:
            near = near[: request.page.end]
        items = await self._store.by_seq(seq for seq, _ in near)
        ranked = [(items[seq], score) for seq, score in near if seq in items]
        return {"items": await self._shown(ranked, "similarity", request)}

    async def update(self, request: ChangeRequest, caller: Caller) -> dict[str, Any]:
        """Change what is named; new content is indexed and embedded anew. Raises `NotFound`, and `InvalidRequest` where
        the metadata would grow too large."""
        item = await self.item(request.id, caller)
        values: dict[str, Any] = dict(request.labels)
        if request.metadata is not None:
            values["metadata"] = request.metadata
        if request.content is not None:
            if is_blank(request.content):
                raise InvalidRequest("the content is blank", "content")
            values["content"] = request.content
        jobs = self._planner.planned(_as_new(item)).jobs
        drawn = await self._store.drawn_from([item.seq])
        changed = await self._store.update(item.id, item.owner, values, jobs)
        if changed is None:
            raise NotFound("no such item")
        if changed.content != item.content:
            await self._forgetter.scrub([item.id, *(one.id for one in drawn)], [item, *drawn])
        self._planner.wake()
        if self._changed is not None:
            await self._changed([changed.seq])
        return changed.to_data()

    async def delete(self, request: IdRequest, caller: Caller) -> bool:
        """Whether there was such an item; it is gone without residue."""
        try:
            item = await self.item(request.id, caller)
        except NotFound:
            return False
        removed = await self._forgetter.remove([item], named=True)
        return bool(removed.ids)

    async def embed(self, request: IdRequest, caller: Caller) -> dict[str, Any]:
        """Embed an item now; the four outcomes of docs/bus-messages.md."""
        try:
            item = await self.item(request.id, caller)
        except NotFound:
            return {"success": False, "message": "Memory not found"}
        try:
            semantic = self._meaning()
            known = await semantic.embeddings([item.seq])
            if item.seq in known and not request.force:
                return {"success": False, "message": "Memory already has embedding"}
            embedding = await semantic.embed_now(item)
        except (ModelError, EmbeddingUnavailable):
            return {"success": False, "message": "Failed to generate embedding"}
        return {"success": True, "message": "Embedding generated successfully", "embedding": embedding}

    def _narrowed(self, caller: Caller, wanted: ItemFilter) -> tuple[str | None, ItemFilter | None]:
        owner, where = self._coordinator.visible(None, caller)
        return owner, where.narrowed(wanted)

    async def _shown(
        self, ranked: list[tuple[Item, float]], name: str, request: SearchRequest | SimilarRequest
    ) -> list[dict[str, Any]]:
        """The page asked for of what matches, best first, in the order asked for; the score under `name`."""
        if request.order_by != "relevance":
            ranked = sorted(
                ranked, key=lambda pair: getattr(pair[0], request.order_by), reverse=request.order == "desc"
            )
        elif request.order == "asc":
            ranked = ranked[::-1]
        shown = ranked[request.page.offset : request.page.end]
        described = await self._described([item for item, _ in shown], request.include_embedding)
        return [{**data, name: score} for data, (_, score) in zip(described, shown, strict=True)]

    def _meaning(self) -> Semantic:
        if self._semantic is None:
            raise EmbeddingUnavailable("semantic memory is off in the configuration")
        return self._semantic

    async def _described(self, items: Sequence[Item], include_embedding: bool) -> list[dict[str, Any]]:
        vectors: Mapping[int, Sequence[float]] = {}
        if include_embedding and self._semantic is not None:
            vectors = await self._semantic.embeddings([item.seq for item in items])
        return [
            {**item.to_data(), "embedding": vectors.get(item.seq)} if include_embedding else item.to_data()
            for item in items
        ]


def _as_new(item: Item) -> NewItem:
    """The item as if it were to be stored, to ask what work that means."""
    return replace(
        NewItem(item.id, item.owner, item.session_id, item.kind, item.role, item.content),
        lang=item.lang,
        name=item.name,
    )

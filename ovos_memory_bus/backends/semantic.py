"""Meaning: vectors of the turns, made in the background by a quantised model on the device."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import numpy as np

from ..embedding.base import Embedder
from ..embedding.worker import EmbeddingWorker
from ..errors import ModelError
from ..filters import ItemFilter
from ..index.arrays import foremost
from ..index.catalogue import Catalogue, Partition
from ..index.graph_keeper import GraphKeeper
from ..index.spread import unit
from ..index.vectors import Similarities, Vectors, neighbourhood
from ..records import Item
from ..relevance import personal
from ..store.base import NewItem, Store
from .base import EMBED_JOB as JOB
from .base import Array, BaseBackend, Found, Query
from .centre import centre_of
from .lexical import indexed_text

LOG = logging.getLogger(__name__)
PIECE = 8  # items embedded between two looks at the store
LOADED = 2_000  # docs whose vectors are read at a time
EVERY_DOC = 3_000  # docs up to which all are answered: fusion then knows each one's similarity
STORED = np.dtype("<f2")  # float16 loses nothing that a ranking could tell


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """What one owner's partition holds for one model."""

    vectors: Vectors
    graph: GraphKeeper


class Semantic(BaseBackend):
    """Ranks by `distinct` (see index/vectors.py); `near` and `own` are plain centred cosines."""

    name = "semantic"

    def __init__(self, store: Store, catalogue: Catalogue, embedding: EmbeddingWorker, folder: Path) -> None:
        """`folder` is where the graphs of large memories are kept."""
        self._store, self._catalogue, self._embedding, self._folder = store, catalogue, embedding, folder
        self._model: Embedder | None = None
        self._centre: Array | None = None
        self._problem: ModelError | None = None

    @property
    def jobs(self) -> Sequence[str]:
        return () if self._problem else (JOB,)

    def wants(self, item: NewItem) -> Sequence[str]:
        return (JOB,)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        self._model = self._centre = None
        yield

    async def search(self, query: Query) -> Found:
        if self._problem is not None:
            raise self._problem
        vector = await self._embedding.query(query.text)
        model = await self._ready()
        partition = await self._catalogue.partition(query.owner)
        held = await self._up_to_date(partition, model)
        if not len(held.vectors):
            return Found(notes={"embedded": 0.0})
        mask = await self._catalogue.mask(partition, query.filter)
        found = await anyio.to_thread.run_sync(_ranked, partition, held, vector, mask, query.limit)
        return replace(found, notes={**found.notes, "personal": personal(model.name, vector)})

    async def similar(
        self, owner: str | None, where: ItemFilter, probe: str | Sequence[float], metric: str
    ) -> list[tuple[int, float]]:
        """Items by their similarity to a text or a centred vector, most similar first, as (seq, similarity).

        Vectors are compared in the model's centred space (see centre.py), where unrelated texts are near 0 and a text
        is 1 like itself: `cosine` clipped to [0, 1], `euclidean` as 1 / (1 + d) between unit vectors. Raises
        `ModelError`s; ValueError where the vector's length is not the model's."""
        model = await self._ready()
        centre = await self._centred()
        vector = await self._probe(probe, model, centre)
        partition = await self._catalogue.partition(owner)
        vectors = (await self._up_to_date(partition, model)).vectors
        mask = await self._catalogue.mask(partition, where)
        docs = vectors.docs(partition.columns, mask)
        cosines = np.clip(vectors.centred(docs, centre) @ vector, -1.0, 1.0)
        best = np.full(len(partition.columns), -1.0, np.float32)
        np.maximum.at(best, docs, cosines)
        distinct = np.unique(docs)
        scores = np.clip(best[distinct], 0.0, 1.0) if metric == "cosine" else 1 / (1 + np.sqrt(2 - 2 * best[distinct]))
        order = np.argsort(-scores, kind="stable")
        return list(zip(partition.columns.seq[distinct[order]].tolist(), scores[order].tolist(), strict=True))

    async def embeddings(self, seqs: Sequence[int]) -> dict[int, list[float]]:
        """The centred vectors of items, that of the first piece where there are several."""
        model = await self._ready()
        rows = await self._store.vectors(model.name, seqs)
        centre = await self._centred()
        return {seq: unit(_decoded(pieces[:1])[0] - centre).tolist() for seq, pieces in rows.items()}

    async def embed_now(self, item: Item) -> list[float]:
        """Embed an item at once; its centred vector. Raises `ModelError`s."""
        model = await self._ready()
        pieces = await self._embed(item)
        await self._keep(model, {item.seq: pieces}, {item.seq: item})
        return (await self.embeddings([item.seq])).get(item.seq, [])

    async def work(self) -> bool:
        try:
            model = await self._ready()
        except ModelError as error:
            if self._problem is None:
                LOG.warning("semantic memory is off, the rest works: %s", error)
            self._problem = error
            return False
        self._problem = None
        jobs = await self._store.due(JOB, PIECE)
        if not jobs:
            return await self._work_on_graphs(model)
        items = await self._store.by_seq(job.seq for job in jobs)
        # an import may bring them along; those of an older text went with it
        known = await self._store.vectors(model.name, list(items))
        rows = {seq: known.get(seq) or await self._embed(item) for seq, item in items.items()}
        await self._keep(model, rows, items)
        await self._store.finish(JOB, [job.seq for job in jobs if job.seq not in items])
        return True

    def status(self) -> Mapping[str, Any]:
        if self._model is None:
            return {"model": None, "problem": self._problem.to_data() if self._problem else None}
        key = self._key(self._model)
        held = [p.indexes[key] for p in self._catalogue.loaded() if key in p.indexes]
        return {"model": self._model.name, "owners": len(held), "indexed": sum(len(one.vectors) for one in held)}

    @property
    def unfinished(self) -> int:
        if self._model is None:
            return 0
        held = [p.indexes.get(self._key(self._model)) for p in self._catalogue.loaded()]
        return sum(1 for one in held if one is not None and one.graph.pending(one.vectors))

    async def _work_on_graphs(self, model: Embedder) -> bool:
        """A piece of building or saving the graph of a large memory."""
        for partition in self._catalogue.loaded():
            held: _Held | None = partition.indexes.get(self._key(model))
            if held is not None and held.graph.pending(held.vectors):
                async with partition.lock:
                    await anyio.to_thread.run_sync(held.graph.work, partition.columns, held.vectors)
                return True
        return False

    async def _ready(self) -> Embedder:
        """The model, loaded; items it has not seen are queued once. Raises `ModelError`s."""
        if self._model is None:
            model = await self._embedding.open()
            queued = await self._store.without_vectors(model.name, JOB)
            if queued:
                LOG.info("%d items are embedded with %s in the background", queued, model.name)
            self._model = model
        return self._model

    async def _embed(self, item: Item) -> list[bytes]:
        pieces = await self._embedding.passage(indexed_text(item))
        return [piece.vector.astype(STORED).tobytes() for piece in pieces]

    async def _keep(self, model: Embedder, rows: Mapping[int, Sequence[bytes]], items: Mapping[int, Item]) -> None:
        """Store the vectors of items, but of those that changed meanwhile: they are embedded anew."""
        seen = {seq: item.updated_at for seq, item in items.items()}
        kept = await self._store.save_vectors(model.name, model.dims, rows, done=JOB, seen=seen)
        rows = {seq: pieces for seq, pieces in rows.items() if seq in kept}
        for partition in self._catalogue.loaded():
            held: _Held | None = partition.indexes.get(self._key(model))
            if held is not None:
                async with partition.lock:
                    await _put(partition, held, rows)

    async def _probe(self, probe: str | Sequence[float], model: Embedder, centre: Array) -> Array:
        """A centred unit vector."""
        if not isinstance(probe, str):
            if len(probe) != model.dims:
                raise ValueError(f"the embedding has {len(probe)} numbers, the model's have {model.dims}")
            return unit(np.asarray(probe, np.float32))
        pieces = await self._embedding.passage(probe)
        rows = np.stack([piece.vector for piece in pieces]) if pieces else np.zeros((1, model.dims), np.float32)
        # as it would come back from the store, so that a text is exactly like itself
        return unit(rows[0].astype(STORED).astype(np.float32) - centre)

    async def _centred(self) -> Array:
        """The model's centre, which only similarities by hand need. Raises `ModelError`s."""
        if self._centre is None:
            self._centre = await centre_of(self._embedding)
        return self._centre

    def _key(self, model: Embedder) -> str:
        return f"{self.name}:{model.name}"

    async def _up_to_date(self, partition: Partition, model: Embedder) -> _Held:
        """The partition's vectors of this model, with every doc that has one in the store."""
        key, columns = self._key(model), partition.columns
        held: _Held | None = partition.indexes.get(key)
        if held is None:
            graph = GraphKeeper(self._folder, partition.owner, model.name)
            held = partition.indexes[key] = _Held(Vectors(model.dims), graph)
        # a caller whose time is up leaves; what is loaded stays loaded
        with anyio.CancelScope(shield=True):
            async with partition.lock:
                await _drop(partition, held, partition.take_died(key))
                while len(held.vectors.known) < len(columns):
                    start = len(held.vectors.known)
                    seqs = columns.seq[start : start + LOADED].tolist()
                    rows = await self._store.vectors(model.name, seqs)
                    held.vectors.resize(start + len(seqs))
                    await _put(partition, held, rows)
        return held


async def _drop(partition: Partition, held: _Held, died: Sequence[int]) -> None:
    """Let go of the vectors of docs that died."""
    if not died:
        return
    seqs = partition.columns.seq[np.asarray(died)].tolist()
    if len(died) > PIECE:
        await anyio.to_thread.run_sync(held.vectors.drop, partition.columns, died)
    else:
        held.vectors.drop(partition.columns, died)
    held.graph.erase(seqs)


async def _put(partition: Partition, held: _Held, rows: Mapping[int, Sequence[bytes]]) -> None:
    """Take stored vectors in for docs that live here and have none yet."""
    vectors = held.vectors
    docs = {partition.columns.doc(seq): pieces for seq, pieces in rows.items() if pieces}
    fresh = {doc: pieces for doc, pieces in docs.items() if 0 <= doc < len(vectors.known) and doc not in vectors}

    def run() -> None:
        vectors.put(partition.columns, list(fresh), [_decoded(pieces) for pieces in fresh.values()])

    await anyio.to_thread.run_sync(run) if len(fresh) > PIECE else run()
    if fresh:
        held.graph.look_again(min(fresh))


def _ranked(partition: Partition, held: _Held, query: Array, mask: Array | None, limit: int) -> Found:
    """The best docs, or all of them in a small memory: fusion then knows each one's similarity."""
    columns, vectors = partition.columns, held.vectors
    allowed = vectors.docs(columns, mask, pieces=False)
    asked = int(np.count_nonzero(columns.alive if mask is None else mask))
    embedded = len(allowed) / max(asked, 1)
    candidates = None
    if len(allowed) > EVERY_DOC and len(allowed) * 2 > len(vectors):
        # a graph cannot be asked for few of many; then, and in a small memory, all are compared
        candidates = held.graph.candidates(columns, vectors, query, limit)
    if candidates is not None:
        near = neighbourhood(columns, candidates, len(vectors.known))
        allowed = near[np.isin(near, allowed, assume_unique=True)]
        similar = vectors.compare(columns, query, allowed)
    elif len(allowed) * 2 > len(vectors):
        everything = vectors.compare_all(columns, query)
        similar = Similarities(allowed, everything.distinct[allowed], everything.near[allowed], everything.own[allowed])
    else:
        similar = vectors.compare(columns, query, allowed)
    wanted = len(allowed) if len(allowed) <= EVERY_DOC else limit
    best = foremost(similar.distinct, wanted)
    return Found(
        seqs=columns.seq[similar.docs[best]],
        scores=similar.distinct[best],
        features={"distinct": similar.distinct[best], "near": similar.near[best], "own": similar.own[best]},
        notes={"embedded": embedded, "typical": vectors.typical(query)},
    )


def _decoded(pieces: Sequence[bytes]) -> Array:
    return np.stack([np.frombuffer(piece, STORED) for piece in pieces]).astype(np.float32)

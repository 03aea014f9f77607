"""Meaning: vectors of the turns, made in the background by a quantised model on the device."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
import numpy as np

from ..embedding.base import Embedder
from ..embedding.worker import EmbeddingWorker
from ..index.catalogue import Catalogue, Partition
from ..index.vectors import Vectors
from ..records import Item
from ..store.base import Store
from .base import Array, BaseBackend, Found, Query
from .lexical import indexed_text

LOG = logging.getLogger(__name__)
JOB = "embed"
PIECE = 8  # items embedded between two looks at the store
EVERY_DOC = 3_000  # docs up to which all are answered: fusion then knows each one's similarity
STORED = np.dtype("<f2")  # float16 loses nothing that a ranking could tell


class Semantic(BaseBackend):
    """Ranks by `distinct` (see index/vectors.py); `near` and `own` are plain centred cosines."""

    name = "semantic"
    jobs = (JOB,)

    def __init__(self, store: Store, catalogue: Catalogue, embedding: EmbeddingWorker) -> None:
        self._store, self._catalogue, self._embedding = store, catalogue, embedding
        self._model: Embedder | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        self._model = None
        yield

    async def search(self, query: Query) -> Found:
        vector = await self._embedding.query(query.text)
        model = await self._ready()
        partition = await self._catalogue.partition(query.owner)
        vectors = await self._up_to_date(partition, model)
        if not len(vectors):
            return Found()
        mask = await self._catalogue.mask(partition, query.filter)
        return await anyio.to_thread.run_sync(self._ranked, partition, vectors, vector, mask, query.limit)

    async def work(self) -> bool:
        jobs = await self._store.due(JOB, PIECE)
        if not jobs:
            return False
        model = await self._ready()
        items = await self._store.by_seq(job.seq for job in jobs)
        rows = {seq: await self._embed(item) for seq, item in items.items()}
        await self._store.save_vectors(model.name, model.dims, rows, done=JOB)
        await self._store.finish(JOB, [job.seq for job in jobs if job.seq not in items])
        for partition in self._catalogue.loaded():
            held: Vectors | None = partition.indexes.get(self._key(model))
            if held is not None:
                self._put(partition, held, rows)
        return True

    def status(self) -> Mapping[str, Any]:
        if self._model is None:
            return {"model": None}
        key = self._key(self._model)
        held = [p.indexes[key] for p in self._catalogue.loaded() if key in p.indexes]
        return {"model": self._model.name, "owners": len(held), "indexed": sum(len(v) for v in held)}

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

    def _key(self, model: Embedder) -> str:
        return f"{self.name}:{model.name}"

    async def _up_to_date(self, partition: Partition, model: Embedder) -> Vectors:
        """The partition's vectors of this model, with every doc that has one in the store."""
        key, columns = self._key(model), partition.columns
        vectors: Vectors = partition.indexes.setdefault(key, Vectors(model.dims))
        vectors.drop(columns, partition.take_died(key))
        if len(vectors.known) < len(columns):
            async with partition.lock:
                new = columns.seq[len(vectors.known) :].tolist()
                vectors.resize(len(columns))
                self._put(partition, vectors, await self._store.vectors(model.name, new))
        return vectors

    def _put(self, partition: Partition, vectors: Vectors, rows: Mapping[int, Sequence[bytes]]) -> None:
        """Take stored vectors in for docs that live here and have none yet."""
        docs = {partition.columns.doc(seq): pieces for seq, pieces in rows.items() if pieces}
        fresh = {doc: pieces for doc, pieces in docs.items() if 0 <= doc < len(vectors.known) and doc not in vectors}
        vectors.put(partition.columns, list(fresh), [_decoded(pieces) for pieces in fresh.values()])

    def _ranked(self, partition: Partition, vectors: Vectors, query: Array, mask: Array | None, limit: int) -> Found:
        columns = partition.columns
        similar = vectors.compare(columns, query)
        size = len(similar.own)
        keep = vectors.known[:size] & columns.alive[:size]
        if mask is not None:
            keep[: len(mask)] &= mask[:size]
        docs = np.nonzero(keep)[0]
        scores = similar.distinct[docs]
        wanted = len(docs) if len(docs) <= EVERY_DOC else limit
        if wanted < len(docs):
            docs = docs[np.argpartition(-scores, wanted)[:wanted]]
        docs = docs[np.argsort(-similar.distinct[docs], kind="stable")]
        return Found(
            seqs=columns.seq[docs],
            scores=similar.distinct[docs],
            features={"distinct": similar.distinct[docs], "near": similar.near[docs], "own": similar.own[docs]},
        )


def _decoded(pieces: Sequence[bytes]) -> Array:
    return np.stack([np.frombuffer(piece, STORED) for piece in pieces]).astype(np.float32)

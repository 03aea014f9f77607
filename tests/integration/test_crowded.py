"""A few items among very many: a filter is applied inside the search, so that what is there is found (fault kind 6)."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import anyio
import anyio.lowlevel
import numpy as np
import pytest

from ovos_memory_bus.actor import Actor
from ovos_memory_bus.backends.centre import SENTENCES
from ovos_memory_bus.backends.registry import Parts, build
from ovos_memory_bus.backends.semantic import STORED, Semantic
from ovos_memory_bus.config import parse
from ovos_memory_bus.coordinator import Coordinator
from ovos_memory_bus.embedding.hashed import HashEmbedder
from ovos_memory_bus.embedding.worker import embedding_worker
from ovos_memory_bus.index.catalogue import Catalogue
from ovos_memory_bus.messages.context import ContextRequest
from ovos_memory_bus.messages.identity import Caller
from ovos_memory_bus.messages.items import SearchRequest, SimilarRequest
from ovos_memory_bus.operations.forgetting import Forgetter
from ovos_memory_bus.operations.managing import Librarian
from ovos_memory_bus.planning import Planner
from ovos_memory_bus.store.base import NewItem
from ovos_memory_bus.store.sqlite import SqliteStore, open_store

pytestmark = pytest.mark.anyio
CROWD, BATCH, FEW, STEP, DIMS = 50_000, 5_000, 50, 20, 64
T0 = datetime(2026, 1, 1, tzinfo=timezone.utc)
ADJECTIVES = ("red", "old", "tiny", "round", "wooden", "heavy", "cheap", "broken", "shiny", "green")
THINGS = ("kettle", "ladder", "violin", "blanket", "compass", "wheel", "mirror", "hammer", "basket", "clock")
PLACES = ("attic", "cellar", "garage", "kitchen", "hallway", "shed", "balcony", "office", "nursery", "larder")
EMBEDDER = HashEmbedder(DIMS)

ALONE = Caller("alone", "session:alone")  # has 20 items, and nothing else
ANNA = Caller("home", "user:anna")  # has 50,000, and 50 more under each of these scopes
SCOPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "agent": ({"agent_id": "cook"}, {"agent_id": "cook"}),
    "session": ({"session_id": "cabin"}, {"session_id": "cabin"}),
    "metadata": ({"metadata": {"trip": {"to": "Oslo"}}}, {"metadata": {"trip": {"to": "Oslo"}}}),
    "date": ({"created_at": T0 + timedelta(days=400)}, {"since": "2027-01-01T00:00:00Z"}),
    "kind": ({"kind": "document"}, {"kind": "document"}),
}


def statement(number: int) -> str:
    """One of a thousand sentences."""
    return f"The {ADJECTIVES[number % 10]} {THINGS[number // 10 % 10]} is in the {PLACES[number // 100 % 10]}"


def note(number: int, caller: Caller, **more: Any) -> NewItem:
    values = {"session_id": caller.session_id, "kind": "note", "created_at": T0 + timedelta(minutes=number), **more}
    return NewItem(
        id=str(uuid.uuid4()), owner=caller.owner, role="user", content=statement(number), lang="en", **values
    )


@dataclass(frozen=True)
class Memory:
    """A memory without a bus, as each owner has it and as the only one of a home with `scope: global`; `few` are the
    ids of the items under each scope."""

    store: SqliteStore
    coordinators: dict[str, Coordinator]
    librarians: dict[str, Librarian]
    few: dict[str, list[str]]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[Memory]:
    folder = tmp_path_factory.mktemp("crowded")
    config = parse({"data_dir": str(folder), "backends": ["lexical", "semantic"]})
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(folder))
        worker = await stack.enter_async_context(embedding_worker(lambda: EMBEDDER))
        catalogue, planner = await stack.enter_async_context(Catalogue(store, 8)), Planner()
        backends = build(Parts(config, store, catalogue, worker, planner))
        semantic = next(backend for backend in backends if isinstance(backend, Semantic))
        actors = [Actor(backend, config.mailbox) for backend in backends]
        coordinators = {
            scope: Coordinator(replace(config, scope=scope), store, catalogue, actors) for scope in ("owner", "global")
        }
        librarians = {}
        for scope, coordinator in coordinators.items():
            forgetter = Forgetter(store, coordinator, worker, lambda ids: anyio.lowlevel.checkpoint(), planner, False)
            librarians[scope] = Librarian(store, coordinator, planner, forgetter, semantic)
        few = await filled(store)
        tasks = await stack.enter_async_context(anyio.create_task_group())
        for actor in actors:
            await tasks.start(actor.run)
        yield Memory(store, coordinators, librarians, few)
        tasks.cancel_scope.cancel()


async def filled(store: SqliteStore) -> dict[str, list[str]]:
    """Store all with vectors made beforehand; the ids of the few."""
    rows = {n: EMBEDDER.embed_query(statement(n)).astype(STORED).tobytes() for n in range(1_000)}

    async def put(numbers: range, caller: Caller, **values: Any) -> list[str]:
        added = await store.add([note(number, caller, **values) for number in numbers])
        vectors = {seq: [rows[number % 1_000]] for seq, number in zip(added.seqs, numbers, strict=True)}
        await store.save_vectors(EMBEDDER.name, DIMS, vectors)
        return list(added.ids)

    few = {"alone": await put(range(0, 20 * STEP, STEP), ALONE)}
    for start in range(0, CROWD, BATCH):
        await put(range(start, start + BATCH), ANNA)
        if start == CROWD // 2:
            few |= {name: await put(range(0, FEW * STEP, STEP), ANNA, **values) for name, (values, _) in SCOPES.items()}
    return few


def exactly(query: str, texts: list[str]) -> dict[str, float]:
    """The similarity of texts to a query, one by one."""
    centre = np.mean([EMBEDDER.embed_query(sentence) for sentence in SENTENCES], axis=0)
    asked, *others = (EMBEDDER.embed_query(text) - centre for text in (query, *texts))
    return {t: float(asked @ o / np.linalg.norm(asked) / np.linalg.norm(o)) for t, o in zip(texts, others, strict=True)}


@pytest.mark.parametrize("scope", ["owner", "global"])
async def test_one_of_twenty_is_found_among_fifty_thousand_of_others(memory: Memory, scope: str) -> None:
    librarian, here = memory.librarians[scope], {"session_id": ALONE.session_id}
    for number in (0, 140, 380):
        text = statement(number)
        searched = await librarian.search(SearchRequest.from_data({"query": text, **here}), ALONE)
        similar = await librarian.similar(SimilarRequest.from_data({"query": text, **here}), ALONE)
        for answer in (searched, similar):
            assert text in [item["content"] for item in answer["items"][:3]]
            assert {item["id"] for item in answer["items"]} <= set(memory.few["alone"])
        asked = {
            "utterance": "was " + text.replace("The", "the").replace(" is ", " ") + "?",
            "scope": "session",
            "timeout": 30,
            "min_score": 0,
        }
        hits = (await memory.coordinators[scope].recall(ContextRequest.from_data(asked), ALONE)).hits
        assert text in [hit.item.content for hit in hits[:3]]
        assert {hit.item.id for hit in hits} <= set(memory.few["alone"])


@pytest.mark.parametrize("name", SCOPES)
async def test_similar_within_a_scope_is_an_exact_search_over_it(memory: Memory, name: str) -> None:
    data = {"query": statement(260), "limit": FEW, "similarity_threshold": 0, **SCOPES[name][1]}
    found = (await memory.librarians["owner"].similar(SimilarRequest.from_data(data), ANNA))["items"]
    assert {item["id"] for item in found} == set(memory.few[name])
    exact = exactly(statement(260), [item["content"] for item in found])
    similarities = [item["similarity"] for item in found]
    assert similarities == sorted(similarities, reverse=True)
    assert similarities == pytest.approx([max(0.0, exact[item["content"]]) for item in found], abs=2e-3)


@pytest.mark.parametrize("use_embedding", [True, False])
@pytest.mark.parametrize("name", SCOPES)
async def test_search_within_a_scope_finds_what_is_there(memory: Memory, name: str, use_embedding: bool) -> None:
    for number in (0, 260, 980):
        data = {"query": statement(number), "use_embedding": use_embedding, **SCOPES[name][1]}
        found = (await memory.librarians["owner"].search(SearchRequest.from_data(data), ANNA))["items"]
        assert statement(number) in [item["content"] for item in found[:3]]
        assert {item["id"] for item in found} <= set(memory.few[name])


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("order_by", ["relevance", "created_at"])
async def test_pages_of_what_matches_are_parts_of_the_whole(memory: Memory, order_by: str, order: str) -> None:
    librarian, here = memory.librarians["owner"], {"agent_id": "cook", "order_by": order_by, "order": order}

    async def searched(**page: int) -> list[dict[str, Any]]:
        data = {"query": "the old violin in the attic", "use_embedding": False, **here, **page}
        return list((await librarian.search(SearchRequest.from_data(data), ANNA))["items"])

    async def similar(**page: int) -> list[dict[str, Any]]:
        data = {"query": statement(260), "similarity_threshold": 0, **here, **page}
        return list((await librarian.similar(SimilarRequest.from_data(data), ANNA))["items"])

    for ask, score in ((searched, "score"), (similar, "similarity")):
        whole = await ask(limit=1_000)
        keys = [item[score if order_by == "relevance" else "created_at"] for item in whole]
        assert keys == sorted(keys, reverse=order == "desc")
        assert len(whole) > 10
        parts = [await ask(limit=7, offset=offset) for offset in range(0, len(whole) + 7, 7)]
        assert [item["id"] for part in parts for item in part] == [item["id"] for item in whole]
        assert [item["id"] for item in await ask(limit=50, page_size=3)] == [item["id"] for item in whole[:3]]

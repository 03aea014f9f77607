"""What a backend is: it answers a query with what it found, and works off its background jobs in short pieces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..filters import ItemFilter
from ..records import Item
from ..store.base import NewItem

EMBED_JOB = "embed"  # what the semantic backend does on every item
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a backend. `owner` None is everybody; `deadline` is on anyio's clock; `limit` the number of
    candidates wanted; `text` what to search for, `utterance` what was said; `preferred` are stretches of time in which
    an answer was likely told."""

    text: str
    utterance: str
    lang: str | None
    owner: str | None
    session_id: str
    filter: ItemFilter
    limit: int
    now: datetime
    deadline: float
    max_history: int = 0
    agent_id: str | None = None
    caller: str = ""
    preferred: tuple[tuple[datetime, datetime], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a backend found, best first.

    `seqs` are items of the store with the backend's own `scores` and, each aligned with them, further `features`;
    `notes` are figures about the query as a whole. `foreign` are hits that this store does not hold, with their
    scores; `probable` says that all these scores are probabilities in [0, 1]. `items` is what a backend contributes
    without ranking: history turns, facts, a summary. `outdated` are the seqs of items that no longer hold and are not
    to be recalled as if they did."""

    seqs: Array = field(default_factory=lambda: np.empty(0, np.int64))
    scores: Array = field(default_factory=lambda: np.empty(0, np.float32))
    features: Mapping[str, Array] = field(default_factory=dict)
    notes: Mapping[str, float] = field(default_factory=dict)
    foreign: tuple[tuple[Item, float], ...] = ()
    probable: bool = False
    items: tuple[Item, ...] = ()
    outdated: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """How many hits or items."""
        return len(self.seqs) + len(self.foreign) + len(self.items)


@runtime_checkable
class Backend(Protocol):
    """A kind of memory, hosted by an actor (see actor.py), which calls one `search` at a time.

    `kind` is `retriever` (ranked hits), `context` (items that stand in every context) or `worker` (never asked).
    `jobs` names the kinds of job in the store that `work` does; they are empty while it cannot do any. All methods may
    be cancelled at any await and must stay usable then.
    """

    name: str
    kind: str

    @property
    def jobs(self) -> Sequence[str]: ...

    @property
    def unfinished(self) -> int:
        """Background work left that is no job in the store, an index to be saved, say."""

    def wants(self, item: NewItem) -> Sequence[str]:
        """The kinds of job that a new item means for this backend."""

    def opened(self) -> AbstractAsyncContextManager[None]:
        """The backend's life: entered before the first search, left at shutdown or before a restart."""

    async def search(self, query: Query) -> Found:
        """What is found for `query` within its owner and filter: at most `query.limit` hits, or more where a backend
        knows them all anyway."""

    async def work(self) -> bool:
        """Do one short piece of background work; whether there may be more."""

    def status(self) -> Mapping[str, Any]:
        """Figures for `memory.status`, plain JSON."""


class BaseBackend:
    """What most backends do where they have nothing to do."""

    name = ""
    kind = "retriever"

    @property
    def jobs(self) -> Sequence[str]:
        return ()

    @property
    def unfinished(self) -> int:
        return 0

    def wants(self, item: NewItem) -> Sequence[str]:
        return ()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield

    async def work(self) -> bool:
        return False

    def status(self) -> Mapping[str, Any]:
        return {}

"""What a store must do, whatever database is behind it. The contract tests run over every implementation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from ..filters import ItemFilter
from ..records import Item

ALL_OWNERS = None  # as an owner argument: everybody's


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to store; `created_at` None is the moment of the commit. `sources` are the seqs it was drawn from.

    For `merge` alone: `drawn_from` names the sources by id, `history_only` keeps it out of every search, `withheld`
    are marks of what is not to be drawn from it (see `Store.remove`), `vectors` the float16 bytes of its pieces by
    model."""

    id: str
    owner: str
    session_id: str
    kind: str
    role: str
    content: str
    created_at: datetime | None = None
    updated_at: datetime | None = None
    lang: str | None = None
    name: str | None = None
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[int, ...] = ()
    jobs: tuple[str, ...] = ()
    drawn_from: tuple[str, ...] = ()
    history_only: bool = False
    withheld: tuple[bytes, ...] = ()
    vectors: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Added:
    """What an `add` stored: ids and seqs in the order given; `repeated` when the request had been stored before."""

    ids: tuple[str, ...]
    seqs: tuple[int, ...] = ()
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal took: the items asked for and those drawn from them."""

    ids: tuple[str, ...] = ()
    seqs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What an index keeps of an item: what a filter can ask for and how its text looks, but not the text.

    `created_at` in µs since 1970; `length` in characters; `asks` when the text holds a question mark."""

    seq: int
    created_at: int
    session_id: str
    kind: str
    role: str
    agent_id: str | None
    graph_id: str | None
    task_id: str | None
    name: str | None
    length: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to an owner's items after a point: `change` is the new point to ask from."""

    change: int
    present: tuple[Outline, ...]
    gone: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the matching items, and how many match in all."""

    items: tuple[Item, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Job:
    """Background work on one item."""

    kind: str
    seq: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Queue:
    """Background work left: `pending` to do, `failed` given up on, `waiting` for a part that is not there (a model
    to be installed, say), `oldest` pending one's age in seconds."""

    pending: int = 0
    failed: int = 0
    waiting: int = 0
    oldest: float = 0.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """What background work drew from items, to be stored at once with the end of its jobs.

    `adds` are new items with their sources; `metadata` replaces that of items by seq; `sources` are further
    (derived, source) pairs; `removes` are derived items that no longer hold; `done` the jobs that this ends; `seen` the
    `updated_at` of the items as they were read, `withheld` the marks. Where one of these changed since, or a job of
    `done` is no longer open, nothing is stored: the work is to be done anew, or was done already."""

    adds: tuple[NewItem, ...] = ()
    metadata: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    sources: tuple[tuple[int, int], ...] = ()
    removes: tuple[int, ...] = ()
    done: tuple[tuple[str, int], ...] = ()
    seen: Mapping[int, datetime] = field(default_factory=dict)
    withheld: Mapping[int, frozenset[bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """An item with all that a store holds about it, for a copy elsewhere: the ids of its sources, its open jobs, the
    marks of what is not to be drawn from it and, by model, the float16 vectors of its pieces."""

    item: Item
    history_only: bool = False
    sources: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    vectors: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict)
    withheld: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What keeps a forgotten item from being brought back; nothing of its content."""

    id: str
    owner: str
    forgotten_at: datetime


@dataclass(frozen=True, slots=True)
class Holding:
    """What an owner has: how many items, the newest one's time, and their sessions, those with a pause that holds
    apart."""

    owner: str
    items: int
    newest: datetime
    sessions: tuple[str, ...] = ()
    paused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """Those of some ids that are here, and those that were forgotten here."""

    present: frozenset[str]
    forgotten: frozenset[str]


class Store(Protocol):
    """Items with their derived words and vectors, jobs, tombstones and pauses.

    An `owner` of None is everybody. Every method may raise `StorageError`s; those that write, `Busy` and
    `ShuttingDown`, and then nothing of them is stored. What returned is on disk.
    """

    @property
    def change(self) -> int:
        """The newest change known here; indexes that have seen it are up to date."""

    async def add(self, items: Sequence[NewItem], request: str | None = None) -> Added:
        """Store `items` with new ids and their jobs at once. A `request` that their owner sent before is not stored
        again: its ids are answered."""

    async def merge(self, items: Sequence[NewItem], *, revive: bool = False) -> Added:
        """Store those of `items` whose ids are neither here nor, unless `revive`, named by a tombstone, with vectors.

        Left out too: what was drawn from sources none of which is here, and a summary of turns that have one."""

    async def known(self, ids: Sequence[str]) -> Known:
        """Which of these ids `merge` would find here or forgotten."""

    async def records(
        self, after: int, limit: int, *, derived: bool, jobs: Sequence[str] = (), vectors: bool = False
    ) -> list[Record]:
        """Everybody's items with a seq above `after`, ascending, those in histories alone included: either all that
        were said or stored, or all `derived` from others. With their open jobs of these kinds."""

    async def tombstones(self, after: str, limit: int) -> list[Tombstone]:
        """Everybody's tombstones with an id above `after`, in order."""

    async def entomb(self, tombstones: Sequence[Tombstone]) -> int:
        """Keep tombstones of another store, but none for an item that is here; how many are new."""

    async def models(self) -> dict[str, int]:
        """The dimensions of each model that vectors were ever stored of."""

    async def get(self, ids: Sequence[str], owner: str | None, *, hidden: bool = False) -> list[Item]:
        """The items with these ids, in that order, without those that do not exist for `owner`; with `hidden`, those
        in histories alone too."""

    async def by_seq(self, seqs: Iterable[int]) -> dict[int, Item]:
        """Items by their seqs; missing ones are missing."""

    async def page(
        self, owner: str | None, where: ItemFilter, *, order_by: str, descending: bool, limit: int, offset: int
    ) -> Page:
        """Matching items ordered by `created_at` or `updated_at`."""

    async def matching(self, owner: str | None, where: ItemFilter) -> list[int]:
        """The seqs of all matching items, ascending."""

    async def everything(self, owner: str | None, where: ItemFilter) -> list[Item]:
        """All matching items, those in histories alone included: what forgetting must reach."""

    async def hidden(self, owner: str | None, where: ItemFilter) -> list[Item]:
        """The matching items in histories alone."""

    async def history(
        self, owner: str, session_id: str, agent_id: str | None, limit: int, *, hidden: bool = True
    ) -> list[Item]:
        """The newest `limit` turns of a session by their own time, oldest first, those of one moment as they were
        stored; without `hidden`, those in histories alone are left out."""

    async def update(self, id: str, owner: str | None, values: Mapping[str, Any], jobs: Sequence[str]) -> Item | None:
        """Change the columns named; `metadata` is put into what is there, key by key. New content, or the same in
        another language or of another speaker, drops the words and vectors of the old and what was drawn from it, and
        queues the `jobs`. Raises `InvalidRequest` where the metadata would grow too large."""

    async def draw(self, drawn: Drawn) -> None:
        """Store what was drawn, in one transaction. An addition of which a source has gone is left out: its text holds
        what was forgotten."""

    async def of_kind(self, owner: str | None, kind: str, session_id: str | None = None) -> list[Item]:
        """All items of one kind, oldest first."""

    async def sources_of(self, seqs: Sequence[int]) -> dict[int, list[int]]:
        """The sources of derived items."""

    async def drawn_from(self, seqs: Sequence[int]) -> list[Item]:
        """The items drawn from these, and from those in turn."""

    async def remove(
        self, seqs: Sequence[int], *, tombstones: bool = True, withhold: Mapping[int, Sequence[bytes]] | None = None
    ) -> Removed:
        """Take items away with all that was drawn from them, in one transaction. What other sources of the latter
        still say is drawn from those anew.

        `withhold` has, by a derived item's seq, marks of what it says: they are kept with each of its sources, so that
        it is not drawn from these again."""

    async def withheld(self, seqs: Sequence[int]) -> dict[int, frozenset[bytes]]:
        """The marks of what is not to be drawn from these items; every one of `seqs` has an entry."""

    async def hide(self, seqs: Sequence[int]) -> Removed:
        """Take items out of every search and list but leave them in their session's history."""

    async def purge(self, texts: Sequence[str]) -> bool:
        """Leave no byte of `texts` in any file; False where another process keeps us from it for now."""

    async def refresh(self) -> int:
        """`change` as it is on disk: another process may have written."""

    async def changes(self, owner: str | None, since: int) -> Changes:
        """What an index must do to catch up from `since`."""

    async def terms(self, seqs: Sequence[int], scheme: int) -> dict[int, bytes]:
        """The stored term hashes (uint32, little endian) of these items under the analysis `scheme`."""

    async def save_terms(
        self,
        rows: Mapping[int, bytes],
        scheme: int,
        done: str | None = None,
        seen: Mapping[int, datetime] | None = None,
    ) -> None:
        """Keep term hashes and, in the same transaction, end the jobs of kind `done` of these items. Items gone
        meanwhile are left out, and those that are not as they were `seen` (by their `updated_at`): their jobs stay."""

    async def vectors(self, model: str, seqs: Sequence[int]) -> dict[int, list[bytes]]:
        """The stored vectors of these items' pieces."""

    async def save_vectors(
        self,
        model: str,
        dims: int,
        rows: Mapping[int, Sequence[bytes]],
        done: str | None = None,
        seen: Mapping[int, datetime] | None = None,
    ) -> frozenset[int]:
        """Keep the vectors of items' pieces and end their jobs of kind `done`; the items not left out, see
        `save_terms`."""

    async def without_vectors(self, model: str, job: str) -> int:
        """Queue a `job` for each item that has no vector of `model`; how many."""

    async def due(self, kind: str, limit: int) -> list[Job]:
        """Jobs of a kind that may be done now, oldest first."""

    async def finish(self, kind: str, seqs: Sequence[int]) -> None:
        """These jobs are done."""

    async def postpone(self, kind: str, seq: int, delay: float | None) -> None:
        """Try this job again after `delay` seconds; None gives it up."""

    async def drop_jobs(self, kind: str, keep: int, max_age: float) -> None:
        """Give up jobs older than `max_age` seconds, and the oldest beyond `keep`."""

    async def queue(self, kinds: Sequence[str]) -> Queue:
        """How much background work is left; jobs of other than these kinds wait."""

    async def sessions(self) -> list[tuple[str, str]]:
        """Every (owner, session id) under which something is stored."""

    async def holdings(self) -> list[Holding]:
        """Every owner of something, whose items are newest first."""

    async def counts(self) -> dict[str, int]:
        """How many items of each kind, and `owners`."""

    async def pause(self, owner: str, session_id: str, until: datetime | None) -> None:
        """Nothing of this session is to be stored until then (None: until resumed)."""

    async def resume(self, owner: str, session_id: str) -> None:
        """End a pause."""

    async def paused(self, owner: str, session_id: str) -> bool:
        """Whether a pause holds now."""

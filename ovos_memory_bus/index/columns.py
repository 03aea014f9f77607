"""One owner's items as arrays, in the order they were stored: what filters, neighbours and dates are read from.

A *doc* is a position in these arrays. An edited item becomes a new doc in its old place among its neighbours; the
old doc and those of removed items are dead.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..filters import ItemFilter
from ..store.base import Changes, Outline
from ..store.rows import to_micros
from .arrays import Array, GrowingArray

TALK_GAP = 3_600_000_000  # µs of silence after which a turn no longer belongs to the same talk as the one before
NONE = -1


class Codes:
    """Small whole numbers for repeated texts."""

    def __init__(self) -> None:
        self._codes: dict[str | None, int] = {}
        self.texts: list[str | None] = []

    def of(self, text: str | None) -> int:
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = len(self.texts)
            self.texts.append(text)
        return code

    def find(self, text: str | None) -> int:
        return self._codes.get(text, NONE)


class Columns:
    """The arrays, and `apply()` that brings them up to date."""

    def __init__(self) -> None:
        self.change = 0
        self.codes = Codes()
        self._seq = GrowingArray(np.int64)
        self._created = GrowingArray(np.int64)
        self._alive = GrowingArray(np.bool_)
        self._previous = GrowingArray(np.int32)
        self._next = GrowingArray(np.int32)
        self._labels = {
            name: GrowingArray(np.int32)
            for name in ("session_id", "kind", "role", "agent_id", "graph_id", "task_id", "name")
        }
        self._length = GrowingArray(np.float32)
        self._asks = GrowingArray(np.bool_)
        self._talk = GrowingArray(np.int32)
        self._talks = 0
        self._docs: dict[int, int] = {}
        self._last_of_session: dict[int, int] = {}

    def __len__(self) -> int:
        """All docs, dead ones included."""
        return len(self._seq)

    @property
    def count(self) -> int:
        """Living docs."""
        return len(self._docs)

    @property
    def seq(self) -> Array:
        return self._seq.view()

    @property
    def created(self) -> Array:
        """µs since 1970."""
        return self._created.view()

    @property
    def alive(self) -> Array:
        return self._alive.view()

    @property
    def previous(self) -> Array:
        """The doc of the turn before in the same talk, or -1."""
        return self._previous.view()

    @property
    def next(self) -> Array:
        """The doc of the turn after in the same talk, or -1."""
        return self._next.view()

    @property
    def length(self) -> Array:
        """Characters of each doc's text."""
        return self._length.view()

    @property
    def asks(self) -> Array:
        """Whether a doc's text holds a question mark."""
        return self._asks.view()

    @property
    def talk(self) -> Array:
        """A number for the talk that a turn belongs to; other docs have one each."""
        return self._talk.view()

    def label(self, name: str) -> Array:
        """Codes (see `codes`) of `session_id`, `kind`, `role`, `agent_id`, `graph_id`, `task_id` or `name`."""
        return self._labels[name].view()

    def doc(self, seq: int) -> int:
        """The living doc of an item, or -1."""
        return self._docs.get(seq, NONE)

    def docs(self, seqs: Iterable[int]) -> list[int]:
        """The living docs of items; unknown ones are left out."""
        return [self._docs[seq] for seq in seqs if seq in self._docs]

    def apply(self, changes: Changes) -> list[int]:
        """Bring the arrays up to date; the docs that died. New docs stand at the end."""
        died = [doc for doc in (self._docs.pop(seq, NONE) for seq in changes.gone) if doc != NONE]
        for doc in died:
            self._unlink(doc)
        for outline in changes.present:
            old = self._docs.get(outline.seq, NONE)
            self._append(outline, old)
            if old != NONE:
                died.append(old)
        for doc in died:
            self._alive[doc] = False
        self.change = changes.change
        return died

    def mask(self, where: ItemFilter) -> Array | None:
        """Which docs live and pass `where`, its `metadata` aside; None when that is all of them."""
        if where.empty and self.count == len(self):
            return None
        mask = self.alive.copy()
        for name in ("session_id", "agent_id", "graph_id", "task_id"):
            value = getattr(where, name)
            if value is not None:
                mask &= self.label(name) == self.codes.find(value)
        if where.kinds is not None:
            mask &= np.isin(self.label("kind"), [self.codes.find(kind) for kind in where.kinds])
        if where.since is not None:
            mask &= self.created >= to_micros(where.since)
        if where.until is not None:
            mask &= self.created < to_micros(where.until)
        if where.during:
            inside = np.zeros(len(mask), np.bool_)
            for start, end in where.during:
                inside |= (self.created >= to_micros(start)) & (self.created < to_micros(end))
            mask &= inside
        passed: Array = mask
        return passed

    def _append(self, outline: Outline, replaces: int) -> None:
        doc = len(self)
        self._seq.append(outline.seq)
        self._created.append(outline.created_at)
        self._alive.append(True)
        self._length.append(outline.length)
        self._asks.append(bool(outline.asks))
        for name, column in self._labels.items():
            column.append(self.codes.of(getattr(outline, name)))
        self._docs[outline.seq] = doc
        if replaces != NONE:
            self._link(doc, int(self._previous[replaces]), int(self._next[replaces]))
            if self._last_of_session.get(int(self._labels["session_id"][replaces])) == replaces:
                self._last_of_session[int(self._labels["session_id"][doc])] = doc
        elif outline.kind == "turn":
            self._link(doc, self._last_turn(outline), NONE)
            self._last_of_session[self.codes.of(outline.session_id)] = doc
        else:
            self._link(doc, NONE, NONE)

    def _last_turn(self, outline: Outline) -> int:
        """The turn before this one, if it was said in the same talk."""
        last = self._last_of_session.get(self.codes.of(outline.session_id), NONE)
        if last == NONE or abs(outline.created_at - int(self._created[last])) > TALK_GAP:
            return NONE
        return last

    def _link(self, doc: int, previous: int, following: int) -> None:
        self._previous.append(previous)
        self._next.append(following)
        neighbour = previous if previous != NONE else following
        self._talk.append(self._talk[neighbour] if neighbour != NONE else self._talks)
        self._talks += neighbour == NONE
        if previous != NONE:
            self._next[previous] = doc
        if following != NONE:
            self._previous[following] = doc

    def _unlink(self, doc: int) -> None:
        previous, following = int(self._previous[doc]), int(self._next[doc])
        if previous != NONE:
            self._next[previous] = following
        if following != NONE:
            self._previous[following] = previous
        session = int(self._labels["session_id"][doc])
        if self._last_of_session.get(session) == doc:
            if previous == NONE:
                del self._last_of_session[session]
            else:
                self._last_of_session[session] = previous

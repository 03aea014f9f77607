"""What a recall did, kept for `memory.explain`: each backend's ranked hits and time, and what fusion made of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from .actor import Reply
from .fusing import Ranked
from .messages.context import ContextRequest
from .messages.identity import Caller
from .records import Hit, to_wire_time

SHOWN = 20  # hits kept a backend


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate in the fused order: which item, how it scored, whether and why it was left out."""

    id: str
    score: float
    fusion_score: float
    backends: tuple[str, ...]
    kept: bool
    why: str


@dataclass(frozen=True, slots=True)
class Trace:
    """One recall. Holds ids and scores of items and no text but the utterance."""

    request_id: str
    owner: str
    utterance: str
    at: datetime
    took: float
    fusion: str | None
    backends: Mapping[str, Mapping[str, Any]]
    candidates: tuple[Candidate, ...]

    @classmethod
    def of(
        cls,
        request: ContextRequest,
        caller: Caller,
        replies: Mapping[str, Reply],
        ranked: Sequence[Ranked],
        hits: Sequence[Hit],
        took: float,
    ) -> Trace:
        names = {hit.item.seq: hit.item.id for hit in (r.hit for r in ranked) if hit is not None}
        return cls(
            request_id=request.request_id or "",
            owner=caller.owner,
            utterance=request.utterance,
            at=datetime.now(timezone.utc),
            took=took,
            fusion=request.fusion,
            backends={name: {**reply.to_data(), "ranked": _ranked(reply, names)} for name, reply in replies.items()},
            candidates=tuple(
                Candidate(r.hit.item.id, r.hit.score, r.hit.fusion_score, r.hit.backends, r.kept, r.why)
                for r in ranked
                if r.hit is not None
            ),
        )

    def to_data(self) -> dict[str, Any]:
        return {
            "recall_id": self.request_id,
            "utterance": self.utterance,
            "at": to_wire_time(self.at),
            "took": round(self.took, 6),
            "fusion": self.fusion,
            "backends": {name: dict(part) for name, part in self.backends.items()},
            "candidates": [
                {
                    "id": c.id,
                    "score": c.score,
                    "fusion_score": c.fusion_score,
                    "backends": list(c.backends),
                    "kept": c.kept,
                    "why": c.why,
                }
                for c in self.candidates
            ],
        }


def _ranked(reply: Reply, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """A backend's first hits with their places and scores, those that fusion looked at."""
    pairs = list(zip(reply.found.seqs[:SHOWN].tolist(), reply.found.scores[:SHOWN].tolist(), strict=True))
    return [
        {"rank": place, "id": names[seq], "score": round(score, 6)}
        for place, (seq, score) in enumerate(pairs, 1)
        if seq in names
    ]


class Traces:
    """The newest traces, at most `size`; each owner sees their own."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._traces: OrderedDict[int, Trace] = OrderedDict()
        self._count = 0
        self._watchers: list[Callable[[Trace], None]] = []

    @contextmanager
    def watched(self, seen: Callable[[Trace], None]) -> Iterator[None]:
        """Have `seen` called with each new trace; it must return at once and raise nothing."""
        self._watchers.append(seen)
        try:
            yield
        finally:
            self._watchers.remove(seen)

    def keep(self, trace: Trace) -> None:
        self._count += 1
        self._traces[self._count] = trace
        while len(self._traces) > self._size:
            self._traces.popitem(last=False)
        for seen in self._watchers:
            seen(trace)

    def find(self, owner: str | None, request_id: str | None) -> Trace | None:
        """An owner's (None: anybody's) newest trace with this request id, or their newest of all."""
        for trace in reversed(self._traces.values()):
            if owner in (None, trace.owner) and request_id in (None, trace.request_id):
                return trace
        return None

    def recent(self) -> list[Trace]:
        """All traces kept, newest first."""
        return list(reversed(self._traces.values()))

    def forget(self, ids: Collection[str], owners: Collection[str]) -> None:
        """Drop every trace in which a forgotten item stands, and all of its owner's: an utterance is recalled for
        before it is stored, so its trace may repeat what is forgotten without naming the item."""
        gone = set(ids)
        for key, trace in list(self._traces.items()):
            if trace.owner in owners or gone & {candidate.id for candidate in trace.candidates}:
                del self._traces[key]

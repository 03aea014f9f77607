"""What backends outside of our store claim to have found, made into hits: nothing wrong, foreign or forgotten passes.

An item of our own store is taken from the store, by its id and only within the query's owner and filter. Whatever else
is claimed becomes a document of the backend's own.
"""

from __future__ import annotations

import itertools
import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from ..errors import InvalidRequest
from ..filters import ItemFilter
from ..messages.fields import MAX_SHORT, Fields, clean_text, is_invisible, parse_time
from ..records import ROLES, UNDATED, Item
from ..store.base import Store
from .base import BaseBackend, Found, Query

MAX_CLAIMS = 100  # of one answer
MAX_CONTENT = 20_000  # characters of one hit that our store does not hold
FOREIGN_KINDS = ("document", "note")  # it is no turn of a session of ours
NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_places = itertools.count(1)  # foreign hits need numbers that no other hit of a recall has


@dataclass(frozen=True, slots=True)
class Claim:
    """One hit as a backend gave it, its types checked. `score` is a probability, None where it gave none; `owner` whose
    it says that it is."""

    id: str | None
    content: str
    score: float | None = None
    owner: str | None = None
    kind: str = "document"
    role: str = "user"
    created_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_data(cls, raw: Any) -> Claim | None:
        """A hit as it came over the bus; None where it is none."""
        if not isinstance(raw, Mapping):
            return None
        id_, content = _text(raw.get("id"), MAX_SHORT), _text(raw.get("content"), MAX_CONTENT)
        if id_ is None and (content is None or is_invisible(content)):
            return None
        kind, role = raw.get("kind"), raw.get("role")
        return cls(
            id=id_,
            content=content or "",
            score=probability(raw.get("score")),
            owner=_text(raw.get("owner"), MAX_SHORT),
            kind=kind if kind in FOREIGN_KINDS else "document",
            role=role if role in ROLES else "user",
            created_at=_moment(raw.get("created_at")),
            metadata=_metadata(raw),
        )


class Outside(BaseBackend):
    """A retriever that is not of this process or not of this package: asked for turns, never for a search by hand,
    which is about items of our store."""


def probability(value: Any) -> float | None:
    """A stated score as a probability in [0, 1]; None where it is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return min(max(float(value), 0.0), 1.0)


def by_place(place: int) -> float:
    """The probability of the hit at a place (from 0) of a list whose scores say nothing: 1/2, 1/3, 1/4, …"""
    return 1.0 / (place + 2)


async def believed(store: Store, query: Query, claims: Sequence[Claim], backend: str) -> Found:
    """What of `claims` (best first) may be recalled for `query`, each thing once; `Found.probable` holds."""
    ids = [claim.id for claim in claims if claim.id is not None]
    known = await store.known(ids)
    ours = {item.id: item for item in await store.get(ids, query.owner)}
    seen: set[str] = set()
    own: list[tuple[int, float]] = []
    foreign: list[tuple[Item, float]] = []
    for place, claim in enumerate(claims[: min(MAX_CLAIMS, query.limit)]):
        id_ = claim.id or str(uuid.uuid5(NAMESPACE, f"{backend}\n{claim.content}"))
        score = by_place(place) if claim.score is None else claim.score
        if id_ in seen:
            continue
        seen.add(id_)
        if id_ in known.present:
            if id_ in ours and passes(query.filter, ours[id_]):
                own.append((ours[id_].seq, score))
        elif id_ not in known.forgotten:
            item = _item(id_, claim, query)
            if claim.owner in (None, query.owner, query.caller) and claim.content and passes(query.filter, item):
                foreign.append((item, score))
    own.sort(key=lambda pair: -pair[1])
    foreign.sort(key=lambda pair: -pair[1])
    return Found(
        seqs=np.array([seq for seq, _ in own], np.int64),
        scores=np.array([score for _, score in own], np.float32),
        foreign=tuple(foreign),
        probable=True,
    )


def passes(where: ItemFilter, item: Item) -> bool:
    """Whether an item meets every condition; what is undated is of no time that anybody asks for."""
    labels = ("agent_id", "graph_id", "task_id", "session_id")
    if any(getattr(where, name) not in (None, getattr(item, name)) for name in labels):
        return False
    if where.kinds is not None and item.kind not in where.kinds:
        return False
    if item.created_at == UNDATED and (where.since or where.until or where.during):
        return False
    if (where.since and item.created_at < where.since) or (where.until and item.created_at >= where.until):
        return False
    if where.during and not any(start <= item.created_at < end for start, end in where.during):
        return False
    return all(item.metadata.get(key) == value for key, value in where.metadata.items())


def _item(id_: str, claim: Claim, query: Query) -> Item:
    """A thing that our store does not hold, as if it had been kept in the session that asks."""
    moment = claim.created_at or UNDATED
    return Item(
        seq=-next(_places),
        id=id_,
        owner=query.caller,
        session_id=query.session_id,
        kind=claim.kind,
        role=claim.role,
        content=claim.content,
        created_at=moment,
        updated_at=moment,
        lang=query.lang,
        agent_id=query.filter.agent_id,
        graph_id=query.filter.graph_id,
        task_id=query.filter.task_id,
        metadata=claim.metadata,
    )


def _text(value: Any, limit: int) -> str | None:
    return clean_text(value) if isinstance(value, str) and 0 < len(value) <= limit else None


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        return parse_time(value, "created_at")
    except InvalidRequest:
        return None


def _metadata(raw: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return Fields(raw).mapping("metadata") or {}
    except InvalidRequest:
        return {}

"""`memory.item.*`: what is remembered, managed one item at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..filters import ItemFilter
from ..records import KINDS, ROLES
from .fields import MAX_SHORT, Fields

PREFIX = "memory.item."
ADDABLE_KINDS = ("note", "document", "turn")
LIST_ORDERS = ("created_at", "updated_at")
SEARCH_ORDERS = ("relevance", *LIST_ORDERS)
DIRECTIONS = ("asc", "desc")
METRICS = ("cosine", "euclidean")
MAX_LIMIT = 10_000


def filter_from(fields: Fields) -> ItemFilter:
    """The list filters that most item requests share."""
    since, until = fields.moment("since"), fields.moment("until")
    if since and until and since > until:
        raise fields.refuse("since", "lies after until")
    kind = fields.choice("kind", KINDS, None)
    return ItemFilter(
        session_id=fields.label("session_id"),
        agent_id=fields.label("agent_id"),
        graph_id=fields.label("graph_id"),
        task_id=fields.label("task_id"),
        kinds=(kind,) if kind else None,
        since=since,
        until=until,
        metadata=fields.conditions("metadata"),
    )


@dataclass(frozen=True, slots=True)
class AddRequest:
    """One item to store; `role` only for a turn by hand."""

    content: str
    kind: str
    role: str
    lang: str | None
    agent_id: str | None
    graph_id: str | None
    task_id: str | None
    metadata: Mapping[str, Any]

    @classmethod
    def from_data(cls, data: Any) -> AddRequest:
        fields = Fields.of(data)
        return cls._read(fields, fields.choice("kind", ADDABLE_KINDS, "note") or "note", "user")

    @classmethod
    def remember_from_data(cls, data: Any) -> AddRequest:
        """`memory.item.remember`: a conversation turn by hand."""
        fields = Fields.of(data)
        role = fields.choice("role", ROLES, None)
        if role is None:
            raise fields.refuse("role", "is missing")
        return cls._read(fields, "turn", role)

    @classmethod
    def _read(cls, fields: Fields, kind: str, role: str) -> AddRequest:
        return cls(
            content=fields.visible_text("content"),
            kind=kind,
            role=role,
            lang=fields.short("lang"),
            agent_id=fields.label("agent_id"),
            graph_id=fields.label("graph_id"),
            task_id=fields.label("task_id"),
            metadata=fields.mapping("metadata") or {},
        )


@dataclass(frozen=True, slots=True)
class IdRequest:
    """`get`, `delete` and `embed`: one item by its id."""

    id: str
    include_embedding: bool = False
    force: bool = False

    @classmethod
    def from_data(cls, data: Any) -> IdRequest:
        fields = Fields.of(data)
        return cls(
            fields.required_text("id", limit=MAX_SHORT),
            fields.flag("include_embedding", False),
            fields.flag("force", False),
        )


@dataclass(frozen=True, slots=True)
class PageSpec:
    """Which of the items in order are answered: at most `size`, from `offset` on."""

    offset: int
    size: int

    @property
    def end(self) -> int:
        """The place after the last one."""
        return self.offset + self.size

    @classmethod
    def read(cls, fields: Fields, limit: int) -> PageSpec:
        """From `limit` (that many by default), `offset` and `page_size`, at most so many in one answer."""
        wanted = fields.integer("limit", limit, 0, MAX_LIMIT)
        return cls(fields.integer("offset", 0), min(wanted, fields.integer("page_size", MAX_LIMIT, 1, MAX_LIMIT)))


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A page of items in the order of one of their times."""

    filter: ItemFilter
    page: PageSpec
    order_by: str
    order: str
    include_embedding: bool

    @classmethod
    def from_data(cls, data: Any) -> ListRequest:
        fields = Fields.of(data)
        return cls(
            filter=filter_from(fields),
            page=PageSpec.read(fields, 100),
            order_by=fields.choice("order_by", LIST_ORDERS, "created_at") or "created_at",
            order=fields.choice("order", DIRECTIONS, "desc") or "desc",
            include_embedding=fields.flag("include_embedding", False),
        )


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Items by words and meaning; `threshold` bounds the score, a probability, from below."""

    filter: ItemFilter
    query: str
    lang: str | None
    page: PageSpec
    threshold: float | None
    use_embedding: bool
    order_by: str
    order: str
    include_embedding: bool

    @property
    def best_first(self) -> bool:
        return (self.order_by, self.order) == ("relevance", "desc")

    @classmethod
    def from_data(cls, data: Any) -> SearchRequest:
        fields = Fields.of(data)
        return cls(
            filter=filter_from(fields),
            query=fields.required_text("query"),
            lang=fields.short("lang"),
            page=PageSpec.read(fields, 10),
            threshold=fields.number("similarity_threshold", None, 0.0, 1.0),
            use_embedding=fields.flag("use_embedding", True),
            order_by=fields.choice("order_by", SEARCH_ORDERS, "relevance") or "relevance",
            order=fields.choice("order", DIRECTIONS, "desc") or "desc",
            include_embedding=fields.flag("include_embedding", False),
        )


@dataclass(frozen=True, slots=True)
class SimilarRequest:
    """Items near a text or a vector; exactly one of `query` and `embedding` is given."""

    filter: ItemFilter
    query: str | None
    embedding: tuple[float, ...] | None
    threshold: float
    page: PageSpec
    metric: str
    order_by: str
    order: str
    include_embedding: bool

    @property
    def best_first(self) -> bool:
        return (self.order_by, self.order) == ("relevance", "desc")

    @classmethod
    def from_data(cls, data: Any) -> SimilarRequest:
        fields = Fields.of(data)
        query, embedding = fields.text("query"), fields.vector("embedding")
        if (query is None) == (embedding is None):
            raise fields.refuse("query", "or embedding is needed, and not both")
        return cls(
            filter=filter_from(fields),
            query=query,
            embedding=embedding,
            threshold=fields.number("similarity_threshold", 0.7, 0.0, 1.0) or 0.0,
            page=PageSpec.read(fields, 10),
            metric=fields.choice("metric", METRICS, "cosine") or "cosine",
            order_by=fields.choice("order_by", SEARCH_ORDERS, "relevance") or "relevance",
            order=fields.choice("order", DIRECTIONS, "desc") or "desc",
            include_embedding=fields.flag("include_embedding", False),
        )


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """`memory.item.update`: the keys named change, the others stay."""

    id: str
    content: str | None = None
    metadata: Mapping[str, Any] | None = None
    labels: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Any) -> ChangeRequest:
        fields = Fields.of(data)
        labels = {n: fields.label(n) for n in ("agent_id", "graph_id", "task_id") if n in fields}
        labels |= {"lang": fields.short("lang")} if "lang" in fields else {}
        request = cls(
            id=fields.required_text("id", limit=MAX_SHORT),
            content=fields.visible_text("content") if fields.has("content") else None,
            metadata=fields.mapping("metadata"),
            labels=labels,
        )
        if request.content is None and request.metadata is None and not labels:
            raise fields.refuse("content", "or another key to change is needed")
        return request


@dataclass(frozen=True, slots=True)
class ClearRequest:
    """Everything the filter matches; `sync_context` False leaves the running session histories alone."""

    filter: ItemFilter
    sync_context: bool

    @classmethod
    def from_data(cls, data: Any) -> ClearRequest:
        fields = Fields.of(data)
        return cls(filter_from(fields), fields.flag("sync_context", True))

"""`memory.context.request`: an utterance in, the messages for the chat model out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .fields import MAX_SHORT, Fields

TOPIC = "memory.context.request"
INJECT_MODES = ("system", "developer", "system_prompt", "user", "tool")
QUERY_MODES = ("utterance", "history")
FUSIONS = ("calibrated", "rrf", "weighted", "merge", "priority", "interleave")
SCOPES = ("owner", "session", "global")
MAX_TIMEOUT = 30.0
MAX_RESULTS = 1_000

RENDER_TEXTS = (
    "header",
    "facts_header",
    "summary_header",
    "chunk_prefix",
    "chunk_separator",
    "tool_name",
    "system_prompt",
    "system_prompt_template",
    "user_template",
)


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What is worth knowing for `utterance`; every None means the service's configuration decides.

    `timeout` is in seconds; `min_score` a probability in [0, 1]; `rendering` holds the given ones of `RENDER_TEXTS`
    and `include_sources`; `members` are backend names with weights in order, `primary` the one whose history counts.
    """

    utterance: str
    lang: str | None = None
    timeout: float | None = None
    max_results: int | None = None
    min_score: float | None = None
    backends: tuple[str, ...] | None = None
    scope: str | None = None
    inject_mode: str | None = None
    rendering: Mapping[str, Any] = field(default_factory=dict)
    max_history: int | None = None
    query_mode: str | None = None
    query_history_turns: int | None = None
    fusion: str | None = None
    rrf_k: int | None = None
    dedup: bool = True
    weights: Mapping[str, float] = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None
    now: datetime | None = None
    agent_id: str | None = None
    graph_id: str | None = None
    task_id: str | None = None
    fetch_k: int | None = None
    primary: str | None = None
    request_id: str | None = None

    @classmethod
    def from_data(cls, data: Any) -> ContextRequest:
        """Raises `InvalidRequest` naming the first field that is missing or wrong."""
        fields = Fields.of(data)
        rendering: dict[str, Any] = {name: fields.text(name) for name in RENDER_TEXTS if fields.has(name)}
        if fields.has("include_sources"):
            rendering["include_sources"] = fields.flag("include_sources", False)
        since, until = fields.moment("since"), fields.moment("until")
        if since and until and since > until:
            raise fields.refuse("since", "lies after until")
        members = _members(fields)
        return cls(
            utterance=fields.required_text("utterance"),
            lang=fields.short("lang"),
            timeout=fields.number("timeout", None, 0.001, MAX_TIMEOUT),
            max_results=_optional_integer(fields, "max_results", 0, MAX_RESULTS),
            min_score=fields.number("min_score", None, 0.0, 1.0),
            backends=fields.strings("backends") if members is None else tuple(members),
            scope=fields.choice("scope", SCOPES, None),
            inject_mode=fields.choice("inject_mode", INJECT_MODES, None),
            rendering=rendering,
            max_history=_optional_integer(fields, "max_history", 0, 10_000),
            query_mode=fields.choice("query_mode", QUERY_MODES, None),
            query_history_turns=_optional_integer(fields, "query_history_turns", 0, 1_000),
            fusion=fields.choice("fusion", FUSIONS, None),
            rrf_k=_optional_integer(fields, "rrf_k", 1, 1_000_000),
            dedup=fields.flag("dedup", True),
            weights={**(members or {}), **_weights(fields)},
            since=since,
            until=until,
            now=fields.moment("now"),
            agent_id=fields.label("agent_id"),
            graph_id=fields.label("graph_id"),
            task_id=fields.label("task_id"),
            fetch_k=_optional_integer(fields, "member_fetch_k", 1, MAX_RESULTS),
            primary=fields.short("primary"),
            request_id=fields.text("request_id", limit=MAX_SHORT),
        )


def _optional_integer(fields: Fields, name: str, minimum: int, maximum: int) -> int | None:
    return fields.integer(name, 0, minimum, maximum) if fields.has(name) else None


def _weights(fields: Fields) -> dict[str, float]:
    weights = fields.mapping("weights") or {}
    inner = Fields.of(weights, "weights")
    return {name: inner.number(name, 1.0, 0.0, 1e6) or 0.0 for name in weights}


def _members(fields: Fields) -> dict[str, float] | None:
    """Backend names in order with their weights, from `["lexical", {"module": "semantic", "weight": 2}]`."""
    entries = fields.list("members", limit=100)
    if entries is None:
        return None
    members: dict[str, float] = {}
    for i, entry in enumerate(entries):
        if isinstance(entry, str):
            members[entry] = 1.0
            continue
        inner = Fields.of(entry, f"members.{i}")
        name = inner.short("module") or inner.short("name")
        if name is None:
            raise inner.refuse("module", "is missing")
        members[name] = inner.number("weight", 1.0, 0.0, 1e6) or 0.0
    return members

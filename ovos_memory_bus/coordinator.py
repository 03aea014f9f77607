"""One recall: the question goes to every backend at once; what has come when the deadline strikes is fused."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import anyio

from .actor import OK, SKIPPED, Actor, Reply
from .analysis import is_blank
from .backends.base import Query
from .backends.outside import Outside
from .config import Config
from .errors import InvalidRequest
from .filters import ItemFilter
from .fusing import Fuser, Ranked
from .history import as_message, context_history, recall_query, visible_items
from .index.catalogue import Catalogue
from .messages.context import ContextRequest
from .messages.identity import Caller
from .records import ChatMessage, Hit, Item
from .rendering import Recalled, RenderOptions, render
from .retention import Retention
from .store.base import Store
from .temporal import describe
from .timeline import Plan, plan
from .tracing import Trace, Traces

LOG = logging.getLogger(__name__)
RECALLED = ("turn", "note", "document")  # facts and summaries stand in a context by themselves
CANDIDATES = 400  # asked of each backend: fusion needs more than it returns
ASKED = 1_000  # characters of either end of an utterance that are searched for: nobody asks a longer question
SEARCH_TIMEOUT = 10.0  # seconds for a search by hand, which no turn waits for
MARGIN, MARGIN_SHARE = 0.06, 0.2  # of the timeout, kept for fusing, rendering and sending: at most so many seconds
LAST_MOMENT = 0.3  # of that margin, for rendering and sending alone


@dataclass(frozen=True, slots=True)
class Recollection:
    """The outcome of one recall; see `memory.context.request` in docs/bus-messages.md for the fields."""

    messages: tuple[ChatMessage, ...]
    hits: tuple[Hit, ...] = ()
    facts: tuple[Item, ...] = ()
    summary: str | None = None
    backends: Mapping[str, Reply] = field(default_factory=dict)
    took: float = 0.0
    late: bool = False

    @property
    def partial(self) -> bool:
        """Whether a backend that was asked did not answer, or there was no time left to fuse."""
        return self.late or any(reply.status not in (OK, SKIPPED) for reply in self.backends.values())

    def to_data(self) -> dict[str, Any]:
        return {
            "messages": [message.to_data() for message in self.messages],
            "hits": [hit.to_data() for hit in self.hits],
            "facts": [fact.to_data() for fact in self.facts],
            "summary": self.summary,
            "backends": {name: reply.to_data() for name, reply in self.backends.items()},
            "partial": self.partial,
            "took": round(self.took, 6),
        }


def within_bounds(text: str) -> str:
    """What of a text is searched for: its beginning and end where it is a dictation."""
    return text if len(text) <= 2 * ASKED else f"{text[:ASKED]} {text[-ASKED:]}"


class Coordinator:
    """Asks the actors, fuses, renders. Holds no state but the traces of recent recalls."""

    def __init__(self, config: Config, store: Store, catalogue: Catalogue, actors: Sequence[Actor]) -> None:
        self._config, self._store, self._catalogue = config, store, catalogue
        self.actors = {actor.name: actor for actor in actors}
        self._retention = Retention.from_config(config.retention)
        self.traces = Traces(config.recall.traces)
        self._fuser = Fuser(store, catalogue)

    async def recall(self, request: ContextRequest, caller: Caller) -> Recollection:
        """The context for an utterance, before its timeout. Raises `InvalidRequest`s."""
        started = anyio.current_time()
        settings = self._config.recall
        timeout = request.timeout or settings.timeout
        deadline = started + timeout - min(MARGIN, MARGIN_SHARE * timeout)
        owner, where = self.visible(request.scope, caller)
        wanted = ItemFilter(
            since=request.since,
            until=request.until,
            agent_id=request.agent_id,
            graph_id=request.graph_id,
            task_id=request.task_id,
            kinds=RECALLED,
        )
        where = where.narrowed(wanted) or wanted
        lang, now = request.lang or self._config.lang, request.now or datetime.now(timezone.utc)
        asked = within_bounds(request.utterance)
        timed = Plan(where, asked, restricts=False)
        if request.since is None and request.until is None:  # a time that the request gives rules
            with anyio.CancelScope(deadline=deadline):
                timed = await self._timed(asked, lang, now, caller, owner, where)
        query = Query(
            text=timed.text,
            utterance=asked,
            lang=lang,
            owner=owner,
            session_id=caller.session_id,
            filter=timed.where,
            limit=request.fetch_k or CANDIDATES,
            now=now,
            deadline=deadline,
            preferred=timed.preferred,
            max_history=self._max_history(request),
            agent_id=request.agent_id,
            caller=caller.owner,
        )
        chosen = self._chosen(request.backends)
        query = query if timed.restricts else await self._worded(query, request)
        replies = await self._ask(chosen, query)
        ranked: list[Ranked] = []
        around: list[Item] = []
        with anyio.CancelScope(deadline=started + timeout - LAST_MOMENT * (started + timeout - deadline)) as scope:
            ranked = await self._fuse(request, query, replies, timed)
            hits = [r.hit for r in ranked if r.kept and r.hit is not None]
            around = await self._fuser.neighbours(query, hits) if hits else []
        recollection = self._composed(request, caller, query, replies, ranked, around)
        took = anyio.current_time() - started
        recollection = replace(recollection, took=took, late=scope.cancelled_caught)
        self.traces.keep(Trace.of(request, caller, replies, ranked, recollection.hits, recollection.took))
        return recollection

    async def search(
        self,
        text: str,
        lang: str | None,
        owner: str | None,
        where: ItemFilter,
        caller: Caller,
        *,
        limit: int,
        backends: tuple[str, ...] | None = None,
        min_score: float | None = None,
    ) -> list[Hit]:
        """Items that answer `text`, best first, repeats told apart; `backends` None asks all that rank."""
        query = Query(
            text=within_bounds(text),
            utterance=within_bounds(text),
            lang=lang or self._config.lang,
            owner=owner,
            session_id=caller.session_id,
            filter=where,
            limit=max(CANDIDATES, limit),
            now=datetime.now(timezone.utc),
            deadline=anyio.current_time() + SEARCH_TIMEOUT,
            caller=caller.owner,
        )
        asked = self._chosen(backends)
        actors = [a for a in asked if a.backend.kind == "retriever" and not isinstance(a.backend, Outside)]
        replies = await self._ask(actors, query)
        ranked = await self._fuser.fuse(
            "calibrated",
            query,
            {name: reply.found for name, reply in replies.items() if reply.status == OK},
            weights={},
            rrf_k=self._config.recall.rrf_k,
            dedup=False,
            order=[],
            limit=limit,
            min_score=min_score,
        )
        return [r.hit for r in ranked if r.kept and r.hit is not None]

    def visible(self, scope: str | None, caller: Caller) -> tuple[str | None, ItemFilter]:
        """Whose items a caller sees: an owner (None: everybody's) and a filter; never wider than configured, and
        nothing that should be gone by now."""
        widest = self._config.scope
        wanted = scope or widest
        kept = ItemFilter(since=self.cutoff(caller))
        if wanted == "global" and widest == "global":
            return None, kept
        if "session" in (wanted, widest):
            return caller.owner, replace(kept, session_id=caller.session_id)
        return caller.owner, kept

    def cutoff(self, caller: Caller) -> datetime | None:
        """What is older than this has run out for the caller; None where everything is kept."""
        return self._retention.cutoff(caller.owner, caller.session_id, datetime.now(timezone.utc))

    def zone(self, caller: Caller) -> tzinfo:
        """The user's time zone: the session's, else the configured one, else UTC."""
        for name in (caller.timezone, self._config.timezone):
            try:
                if name:
                    return ZoneInfo(name)
            except (ValueError, OSError, KeyError):
                LOG.warning("unknown time zone %r", name)
        return timezone.utc

    def _max_history(self, request: ContextRequest) -> int:
        return self._config.recall.max_history if request.max_history is None else request.max_history

    def _chosen(self, names: tuple[str, ...] | None) -> list[Actor]:
        """The actors asked. An unknown name is the caller's mistake and is answered as one."""
        asked = {name: actor for name, actor in self.actors.items() if actor.backend.kind != "worker"}
        if names is None:
            return list(asked.values())
        unknown = [name for name in names if name not in asked]
        if unknown:
            raise InvalidRequest(f"no backend named {unknown[0]!r}; there are {', '.join(asked)}", "backends")
        return [self.actors[name] for name in dict.fromkeys(names)]

    async def _timed(
        self, utterance: str, lang: str | None, now: datetime, caller: Caller, owner: str | None, where: ItemFilter
    ) -> Plan:
        """What the utterance says about a time, settled in this memory."""
        partition = await self._catalogue.partition(owner)
        mask = await self._catalogue.mask(partition, where)
        return plan(utterance, lang, now, self.zone(caller), partition.columns, mask, where)

    async def _worded(self, query: Query, request: ContextRequest) -> Query:
        """The query with what was said before put in front, where `query_mode` asks for that."""
        settings = self._config.recall
        if (request.query_mode or settings.query_mode) != "history":
            return query
        turns = settings.query_history_turns if request.query_history_turns is None else request.query_history_turns
        recent = await self._store.history(query.caller, query.session_id, query.agent_id, 2 * turns + 2)
        return replace(query, text=recall_query(query.utterance, [as_message(turn) for turn in recent], turns))

    async def _ask(self, actors: Sequence[Actor], query: Query) -> dict[str, Reply]:
        """Every actor's reply, in the order of the actors. A blank query is put to no retriever."""
        replies: dict[str, Reply] = {}
        blank = is_blank(query.text)

        async def ask(actor: Actor) -> None:
            replies[actor.name] = await actor.ask(query)

        async with anyio.create_task_group() as tasks:
            for actor in sorted(actors, key=lambda actor: -actor.took):  # the slowest gets its start first
                if blank and actor.backend.kind == "retriever":
                    replies[actor.name] = Reply(SKIPPED, 0.0)
                else:
                    tasks.start_soon(ask, actor)
        return {actor.name: replies[actor.name] for actor in self.actors.values() if actor.name in replies}

    async def _fuse(
        self, request: ContextRequest, query: Query, replies: Mapping[str, Reply], timed: Plan
    ) -> list[Ranked]:
        settings = self._config.recall
        found = {
            name: reply.found
            for name, reply in replies.items()
            if reply.status == OK and self.actors[name].backend.kind == "retriever"
        }
        weights = {b.name: b.weight for b in self._config.backends} | dict(request.weights)
        return await self._fuser.fuse(
            request.fusion or settings.fusion,
            query,
            found,
            weights=weights,
            rrf_k=request.rrf_k or settings.rrf_k,
            dedup=request.dedup,
            order=[request.primary] if request.primary else list(replies),
            limit=settings.max_results if request.max_results is None else request.max_results,
            min_score=settings.min_score if request.min_score is None else request.min_score,
            order_in_time=(timed.order or "spread") if timed.restricts else None,
            outdated=_outdated(replies),
        )

    def _composed(
        self,
        request: ContextRequest,
        caller: Caller,
        query: Query,
        replies: Mapping[str, Reply],
        ranked: Sequence[Ranked],
        around: Sequence[Item],
    ) -> Recollection:
        """Hits with the turns `around` them, history, facts and summary as messages."""
        hits = tuple(r.hit for r in ranked if r.kept and r.hit is not None)
        cutoff = self.cutoff(caller)
        turns = tuple(t for t in self._items(replies, "turn") if cutoff is None or t.created_at >= cutoff)
        facts = self._items(replies, "fact")
        summary = next((item.content for item in self._items(replies, "summary")), None)
        outdated = _outdated(replies)
        recalled = Recalled(
            hits=hits,
            facts=facts,
            summary=summary,
            neighbours=[item for item in around if item.seq not in outdated],
            visible=visible_items(turns, query.max_history),
            position=self._fuser.position(query, [*(hit.item for hit in hits), *around]),
        )
        history = context_history([as_message(turn) for turn in turns], query.max_history)
        messages = render(
            request.utterance,
            [replace(message, name=None) for message in history],
            recalled,
            self._render_options(request, caller, query.now),
            tool_call_id=f"memory-{request.request_id or uuid.uuid4().hex}",
        )
        return Recollection(tuple(messages), hits, facts, summary, replies)

    def _items(self, replies: Mapping[str, Reply], kind: str) -> tuple[Item, ...]:
        return tuple(item for reply in replies.values() for item in reply.found.items if item.kind == kind)

    def _render_options(self, request: ContextRequest, caller: Caller, now: datetime) -> RenderOptions:
        given = {**self._config.rendering, **request.rendering}
        mode = request.inject_mode or self._config.recall.inject_mode
        zone, lang = self.zone(caller), request.lang or self._config.lang
        return RenderOptions(
            **given,
            inject_mode=mode,
            time_zone=zone,
            describe_date=lambda moment: describe(moment, now, zone, lang),
        )


def _outdated(replies: Mapping[str, Reply]) -> frozenset[int]:
    """The items that no longer hold, by any backend."""
    return frozenset(seq for reply in replies.values() for seq in reply.found.outdated)

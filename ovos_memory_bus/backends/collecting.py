"""The bus's collect convention, our end: one `memory.query` goes out, acknowledgements and answers come in."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

import anyio

from ..errors import BackendAway
from ..messages.service import QUERY
from ..records import to_wire_time
from .base import Query

LOG = logging.getLogger(__name__)
HANDLING, ANSWER = QUERY + ".handling", QUERY + ".response"
MAX_ANSWER = 1_000_000  # characters of an answer; reading a longer one would hold up everybody
ACKNOWLEDGED = 0.25  # seconds in which whoever is there says so; the convention answers at once
Send = Callable[[str, Mapping[str, Any], Mapping[str, Any]], Awaitable[bool]]


@dataclass(slots=True, eq=False)
class _Round:
    """One question to all: who said that they are at it, and what came."""

    query: Query
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    asking: int = 0
    sent: float = 0.0
    handlers: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    answers: dict[str, Any] = field(default_factory=dict)
    changed: anyio.Event = field(default_factory=anyio.Event)


class Collector:
    """Asks the backends in other processes. `connect` gives it the bus; `take` is to be shown the `topics`' frames."""

    topics = (HANDLING, ANSWER)

    def __init__(self) -> None:
        self._silent: set[str] = set()
        self._rounds: dict[str, _Round] = {}
        self._send: Send | None = None

    def connect(self, send: Send) -> None:
        self._send = send

    async def ask(self, name: str, query: Query) -> Any:
        """The raw `hits` that the backend `name` answers to `query`; backends that ask the same share one question.
        Raises `BackendAway` where nobody is there by that name. Waits for as long as it is let; not at all for one that
        was given up and has not answered anything since."""
        round_ = next((one for one in self._rounds.values() if one.query is query), None)
        if round_ is None:
            round_ = _Round(query, sent=anyio.current_time())
            self._rounds[round_.id] = round_
        round_.asking += 1
        try:
            if round_.asking == 1 and not await self._sent(round_):
                raise BackendAway(f"{name} cannot be asked: the messagebus is away")
            if name in self._silent:
                raise BackendAway(f"{name} did not answer lately; it is asked, but not waited for")
            return await self._answer(name, round_)
        finally:
            round_.asking -= 1
            if not round_.asking:
                self._rounds.pop(round_.id, None)

    def give_up(self, name: str) -> None:
        """Wait for this one no more, until it answers something, however late."""
        self._silent.add(name)

    def take(self, topic: str, data: Mapping[str, Any]) -> None:
        """One frame of the convention, whatever it holds."""
        id_, handler, name = data.get("query"), data.get("handler"), data.get("backend_id")
        if topic == ANSWER and isinstance(name, str):
            self._silent.discard(name)
        round_ = self._rounds.get(id_) if isinstance(id_, str) else None
        if round_ is None or not isinstance(handler, str):
            return
        round_.handlers.add(handler)
        if topic == ANSWER:
            round_.answered.add(handler)
            if isinstance(name, str):
                round_.answers.setdefault(name, data.get("hits"))
        round_.changed.set()
        round_.changed = anyio.Event()

    async def _answer(self, name: str, round_: _Round) -> Any:
        while name not in round_.answers:
            since = anyio.current_time() - round_.sent
            if since >= ACKNOWLEDGED and round_.handlers <= round_.answered:
                raise BackendAway(f"no process answers as {name}")
            wait = ACKNOWLEDGED - since if since < ACKNOWLEDGED else None
            with anyio.move_on_after(wait):
                await round_.changed.wait()
        return round_.answers[name]

    async def _sent(self, round_: _Round) -> bool:
        if self._send is None:
            return False
        query = round_.query
        left = max(0.0, query.deadline - anyio.current_time())
        scope = "global" if query.owner is None else "session" if query.filter.session_id else "owner"
        data = {
            "query": query.text,
            "lang": query.lang,
            "owner": query.owner,
            "scope": scope,
            "session_id": query.session_id,
            "limit": query.limit,
            "deadline": to_wire_time(datetime.now(timezone.utc) + timedelta(seconds=left)),
            "now": to_wire_time(query.now),
        }
        context = {"__collect_id__": round_.id, "session": {"session_id": query.session_id}}
        return await self._send(QUERY, data, context)

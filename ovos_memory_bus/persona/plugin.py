"""`MemoryBusPlugin`: an OVOS persona's memory, synchronous, over the messagebus."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from datetime import datetime, timedelta, timezone
from threading import Lock
from typing import Any, TypeVar

import anyio
from ovos_bus_client.conf import load_message_bus_config
from ovos_bus_client.message import dig_for_message
from ovos_plugin_manager.templates.agents import AgentContextManager, AgentMessage
from ovos_utils.log import LOG

from ovos_memory_bus import errors
from ovos_memory_bus.client.aio import AsyncMemoryClient
from ovos_memory_bus.client.identity import DEFAULT_SESSION, known_session, raw_session
from ovos_memory_bus.client.results import ContextAnswer
from ovos_memory_bus.persona.agent_messages import KNOWS_TOOLS, to_agent_messages, to_chat_messages
from ovos_memory_bus.persona.link import Link
from ovos_memory_bus.persona.outbox import UNSTORABLE, Outbox, Recording
from ovos_memory_bus.persona.settings import PersonaSettings, offered_only
from ovos_memory_bus.persona.short_term import ShortTermHistory, Talk
from ovos_memory_bus.records import ChatMessage, to_wire_time

R = TypeVar("R")

CALL_DEPTH = 20  # frames between a bus handler and us
MARGIN = 0.05  # seconds of a context's time left for the way over the bus
IDENTITY_KEYS = ("user_id", "auth_level", "lang")


class MemoryBusPlugin(AgentContextManager):  # type: ignore[misc]  # ovos-plugin-manager has no types
    """What a persona remembers is asked of the memory service, within `timeout` seconds a call.

    While the service is away the persona goes on with what was said since it started: that is told once, and what is
    said meanwhile is sent when the service is back. Config keys are those of ovos-memory-plugins' composite, and
    `timeout`, `agent_id`, `max_pending`, `host`, `port`, `route`, `ssl` (docs/configuration.md). Raises
    `PersonaConfigError`, a ValueError, for a wrong one. Safe from several threads.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__(config)
        self.settings = PersonaSettings.from_config(self.config)
        self._request = {**self.settings.request}
        if self._request.get("inject_mode") == "tool" and not KNOWS_TOOLS:
            LOG.warning("this ovos-plugin-manager has no tool messages: what is recalled comes as a system message")
            self._request["inject_mode"] = "system"
        self._short_term = ShortTermHistory(self.settings.max_history)
        short_term = self._short_term
        self._link = Link(self._make_client, self.settings.max_pending, short_term.forget, short_term.doubt)
        self._away = False
        self._lock = Lock()

    def get_history(self, session_id: str) -> list[AgentMessage]:
        """This session's history, oldest first, after the history rules."""
        session = _session(session_id)
        limit = self.settings.max_history

        async def history(client: AsyncMemoryClient, outbox: Outbox) -> tuple[ChatMessage, ...]:
            await self._delivered(outbox)
            return await client.on_behalf_of(session).history(limit=limit)

        messages = self._asked(history)
        return to_agent_messages(self._short_term.messages(_talk(session)) if messages is None else messages)

    def update_history(self, new_messages: list[AgentMessage], session_id: str) -> None:
        """Record an exchange; returns once it is stored, or queued because the memory does not answer."""
        said = to_chat_messages(new_messages)
        if not said:
            return
        session = _session(session_id)
        turns = self._short_term.add(_talk(session), said)
        recording = Recording(session, _timed(said, datetime.now(timezone.utc)), lang=session.get("lang"))
        recording.stored.add_done_callback(
            lambda stored: None if stored.exception() else self._short_term.stored(turns, stored.result())
        )
        try:
            self._link.record(recording)
            if not self._away:  # else it is sent when the service is back, and nobody waits for that
                recording.stored.result(self.settings.timeout)
        except FutureTimeout:
            self._note_away(errors.DeadlineExceeded("an update was not acknowledged"))
        except UNSTORABLE as error:
            LOG.debug(f"an exchange is only in this persona's short-term history: {error}")
        except errors.MemoryBusError as error:
            self._note_away(error)

    def build_conversation_context(self, utterance: str, session_id: str) -> list[AgentMessage]:
        """What is worth knowing before `utterance` is answered: maybe a system message first, the utterance last."""
        session = _session(session_id)
        deadline = time.monotonic() + self.settings.timeout

        async def recall(client: AsyncMemoryClient, outbox: Outbox) -> Sequence[ChatMessage]:
            await self._delivered(outbox)
            subject = client.on_behalf_of(session)
            try:
                answer = await self._context(subject, utterance, session, deadline)
            except errors.InvalidRequest as error:
                if error.field != "backends":
                    raise
                LOG.warning(f"the persona asks for a kind of memory that this one does not have: {error}")
                self._request = offered_only(self._request, {backend.name for backend in await client.backends()})
                answer = await self._context(subject, utterance, session, deadline)
            if not answer.messages or answer.messages[-1].role != "user":
                raise errors.MemoryBusError("the answer's context does not end with the utterance")
            await self._confirmed(subject, _talk(session), deadline)
            return answer.messages

        messages = self._asked(recall)
        if messages is None:
            messages = self._short_term.context(_talk(session), utterance, self.settings.system_prompt)
        return to_agent_messages(messages)

    def close(self) -> None:
        """Disconnect; the next call connects again. Turns that still wait for the service are lost."""
        self._link.close()

    shutdown = close

    def _make_client(self) -> AsyncMemoryClient:
        bus = load_message_bus_config(**self.settings.bus)
        url = f"{'wss' if bus.ssl else 'ws'}://{bus.host}:{bus.port}{bus.route}"
        return AsyncMemoryClient(url, timeout=self.settings.timeout, agent_id=self.settings.agent_id)

    async def _context(
        self, subject: AsyncMemoryClient, utterance: str, session: dict[str, Any], deadline: float
    ) -> ContextAnswer:
        left = max(MARGIN, deadline - time.monotonic() - MARGIN)
        return await subject.context(utterance, timeout=left, **{**self._request, "lang": session.get("lang")})

    async def _confirmed(self, subject: AsyncMemoryClient, talk: Talk, deadline: float) -> None:
        """Drop from the short-term history what the memory forgot while it was out of hearing, if time permits."""
        if not self._short_term.doubts(talk):
            return
        try:
            with anyio.move_on_after(deadline - time.monotonic() - MARGIN):
                turns = await subject.list_memories(kind="turn", session_id=talk[0], limit=self._short_term.size)
                self._short_term.confirm(talk, {turn.id for turn in turns})
        except errors.MemoryBusError as error:  # what was asked for is there already; next time then
            LOG.debug(f"the short-term history could not be compared with the memory: {error}")

    async def _delivered(self, outbox: Outbox) -> None:
        """Give what was said before a chance to arrive before what is asked now."""
        outbox.retry()
        with anyio.move_on_after(self.settings.timeout / 2):
            await outbox.settled()

    def _asked(self, work: Callable[[AsyncMemoryClient, Outbox], Coroutine[Any, Any, R]]) -> R | None:
        """The result of `work`, or None when the memory is away."""
        try:
            result = self._link.call(work, self.settings.timeout)
        except errors.MemoryBusError as error:
            self._note_away(error)
            return None
        self._note_back()
        return result

    def _note_away(self, error: errors.MemoryBusError) -> None:
        with self._lock:
            if not self._away:
                self._short_term.doubt()
                LOG.warning(f"the memory does not answer ({error}): going on with what was said since the start")
            self._away = True

    def _note_back(self) -> None:
        with self._lock:
            if self._away:
                LOG.info("the memory answers again")
            self._away = False


def _session(session_id: str) -> dict[str, Any]:
    """On whose behalf to ask: the session of the message being handled, as far as it is the one meant."""
    dispatched = raw_session(dig_for_message(max_records=CALL_DEPTH)) or {}
    if dispatched and session_id in (None, "", dispatched.get("session_id") or DEFAULT_SESSION):
        return dispatched
    identity = {key: dispatched[key] for key in IDENTITY_KEYS if key in dispatched}
    return {**known_session(session_id or DEFAULT_SESSION), **identity}


def _talk(session: dict[str, Any]) -> Talk:
    return session.get("session_id") or DEFAULT_SESSION, session.get("user_id")


def _timed(messages: Sequence[ChatMessage], now: datetime) -> list[dict[str, Any]]:
    """The messages with the moment they were said, a microsecond apart so that their order is in their times too."""
    return [
        {**message.to_data(), "created_at": to_wire_time(now + timedelta(microseconds=index))}
        for index, message in enumerate(messages)
    ]

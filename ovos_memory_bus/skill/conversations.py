"""Who speaks in which session, and what the utterance before was about."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from ovos_memory_bus.client.identity import DEFAULT_SESSION, raw_session

if TYPE_CHECKING:
    from ovos_bus_client.message import Message

ENTRIES = ("recognizer_loop:utterance", "ovos.utterance.handle")  # old and new spelling; both can arrive for one turn
IDENTITY = ("user_id", "auth_level")
SAME_TURN = 1.0  # seconds within which the same words in the other spelling are no second utterance
MAX_SESSIONS = 256


@dataclass
class _Conversation:
    identity: dict[str, Any] = field(default_factory=dict)
    utterances: Any = None
    heard_at: float = 0.0
    topic: str = ""
    before: tuple[str, ...] = ()  # ids of the memories that the utterance before was about
    now: tuple[str, ...] = ()


class Conversations:
    """The sessions heard lately.

    An intent's message does not say who spoke: on its way through the intent service a session loses `user_id` and
    `auth_level`. So they are taken from the utterance as it entered the bus; one without a user is nobody's."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Conversation] = OrderedDict()
        self._lock = Lock()

    def hear(self, frame: str) -> None:
        """A frame of the bus, as it is: a parsed message is shared with other handlers, which change its session."""
        if not any(topic in frame for topic in ENTRIES):
            return
        message = json.loads(frame)
        topic, data, context = (message.get(key) for key in ("type", "data", "context"))
        if topic in ENTRIES and isinstance(data, Mapping) and isinstance(context, Mapping):
            session = context.get("session")
            self._heard(topic, data.get("utterances"), session if isinstance(session, Mapping) else {})

    def _heard(self, topic: str, utterances: Any, session: Mapping[str, Any]) -> None:
        moment = time.monotonic()
        with self._lock:
            talk = self._talk(session)
            talk.identity = {key: session[key] for key in IDENTITY if session.get(key) is not None}
            again = utterances == talk.utterances and topic != talk.topic and moment - talk.heard_at < SAME_TURN
            if not again:
                talk.before, talk.now = talk.now, ()
            talk.utterances, talk.heard_at, talk.topic = utterances, moment, topic

    def session(self, message: Message) -> dict[str, Any]:
        """The session of a message further down, with the identity it entered with."""
        session = {"session_id": DEFAULT_SESSION, **(raw_session(message) or {})}
        with self._lock:
            return {**session, **self._talk(session).identity}

    def about(self, message: Message, ids: Sequence[str]) -> None:
        """The utterance being handled is about these memories."""
        with self._lock:
            self._talk(raw_session(message) or {}).now = tuple(ids)

    def just_about(self, message: Message) -> tuple[str, ...]:
        """The memories that the utterance before this one was about."""
        with self._lock:
            return self._talk(raw_session(message) or {}).before

    def _talk(self, session: Mapping[str, Any]) -> _Conversation:
        session_id = str(session.get("session_id") or DEFAULT_SESSION)
        talk = self._known.setdefault(session_id, _Conversation())
        self._known.move_to_end(session_id)
        while len(self._known) > MAX_SESSIONS:
            self._known.popitem(last=False)
        return talk

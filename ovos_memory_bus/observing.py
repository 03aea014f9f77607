"""Turns as the bus shows them: what a user said and what was spoken until it was handled, each turn once. Pure.

Old and new spellings of a topic can both arrive for one event, and a persona records its turns itself: neither makes a
turn count twice. What never ends is forgotten again.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from .errors import InvalidRequest
from .messages.fields import MAX_SHORT, clean_text, is_invisible
from .messages.identity import Caller, caller_of
from .messages.turns import UPDATE, NewTurn, UpdateRequest

ENTRIES = ("ovos.utterance.handle", "recognizer_loop:utterance")
SPEAKS = ("ovos.utterance.speak", "speak")
HANDLED, CANCELLED = "ovos.utterance.handled", "ovos.utterance.cancelled"
MATCHED = "ovos.intent.matched"
TOPICS = (*ENTRIES, *SPEAKS, HANDLED, CANCELLED, MATCHED)
OWN_SKILL = "ovos-skill-memory-bus.openvoiceos"  # does what it is told itself; "forget …" is not to be remembered
PERSONA = "persona"  # is part of the skill id of whatever lets personas answer

SESSIONS = 256  # sessions with an open turn; the longest silent is forgotten for another
PARTS = 64  # messages of one session's open turns
CHARACTERS = 20_000  # of one message
SILENCE = 120.0  # seconds after which a turn that nobody handles is given up
ANSWER = 30.0  # seconds in which another utterance may be the answer to a skill's question
HELD = 512  # ended turns that wait to be stored; the oldest is given up for another
GRACE = 5.0  # seconds that a persona's turn waits for its memory plugin to record it


def _nothing_spoken() -> dict[str, Counter[str]]:
    """How often each text came in each spelling."""
    return {topic: Counter() for topic in SPEAKS}


@dataclass(slots=True)
class _Part:
    """One message of an open turn; `skill` is who spoke."""

    turn: NewTurn
    skill: str | None = None


@dataclass(slots=True)
class _Open:
    """A session in which something said was not handled yet. `spellings` are the entry topics seen of the newest."""

    caller: Caller
    lang: str | None
    touched: float
    parts: list[_Part] = field(default_factory=list)
    waiting: int = 0
    spellings: set[str] = field(default_factory=set)
    spoken: dict[str, Counter[str]] = field(default_factory=_nothing_spoken)
    barred: bool = False
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Observed:
    """A turn that has ended: what to store for whom. `due` is the moment, on the clock that `Observer` is given, until
    which somebody else may still record it."""

    caller: Caller
    request: UpdateRequest
    due: float


class Observer:
    """Follows the bus frame by frame. `barred` names skills (`skill_id`) and intents (`skill_id:intent`) whose turns
    are not for the memory. Times `now` are seconds on any steady clock, `at` is when a frame arrived."""

    def __init__(self, min_auth_level: int, barred: Collection[str] = (), *, satellite_users: bool = False) -> None:
        self._min_auth_level, self._satellite_users = min_auth_level, satellite_users
        self._barred = frozenset(name.removesuffix(".intent") for name in (OWN_SKILL, *barred))
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._held: list[Observed] = []

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics to be shown to `see`; intents that are barred are topics themselves."""
        intents = [name for name in self._barred if ":" in name]
        return (*TOPICS, UPDATE, *intents, *(name + ".intent" for name in intents))

    @property
    def held(self) -> int:
        """How many turns have ended and wait for their persona."""
        return len(self._held)

    def see(self, topic: str, data: Mapping[str, Any], context: Mapping[str, Any], now: float, at: datetime) -> None:
        """Take in one frame, whatever it holds."""
        try:
            caller = caller_of(context, self._min_auth_level, satellite_users=self._satellite_users)
        except InvalidRequest:
            return
        self._give_up(now)
        if topic in ENTRIES:
            self._enter(topic, data, context, caller, now, at)
            return
        if topic == UPDATE:
            self._claim(caller, data)
            return
        turn = self._open.get(caller.session_id)
        if turn is None:
            return
        turn.touched = now
        self._open.move_to_end(caller.session_id)
        if topic in SPEAKS:
            self._spoken(turn, topic, data, context, at)
        elif topic == CANCELLED:
            _drop_newest(turn)
        elif topic == HANDLED:
            turn.barred |= _skill(data, context) in self._barred
            self._ended(turn, now)
        else:
            turn.barred |= self._bars(topic, data)

    def take(self, now: float, *, everything: bool = False) -> Observed | None:
        """The oldest turn to be stored by now; each is given once."""
        for place, held in enumerate(self._held):
            if everything or held.due <= now:
                return self._held.pop(place)
        return None

    def give_back(self, observed: Observed, due: float) -> None:
        """A turn that could not be stored is to be tried again then."""
        self._held.insert(0, replace(observed, due=due))

    @property
    def next_due(self) -> float:
        """When `take` will have something, if nothing else happens."""
        return min((held.due for held in self._held), default=math.inf)

    def _enter(
        self,
        topic: str,
        data: Mapping[str, Any],
        context: Mapping[str, Any],
        caller: Caller,
        now: float,
        at: datetime,
    ) -> None:
        text = _first(data.get("utterances"))
        if text is None:
            return
        turn = self._opened(caller, now)
        newest = turn.parts[-1].turn if turn.parts else None
        if newest and newest.role == "user" and newest.content == text and topic not in turn.spellings:
            turn.spellings.add(topic)  # the other spelling of the same entry
            return
        if newest and newest.role == "user":
            turn.parts.pop()  # nobody answered it, and nobody will now
        if turn.recorded:
            turn.parts.clear()
        turn.caller, turn.lang, turn.touched = caller, _lang(data, context), now
        turn.spellings, turn.recorded = {topic}, False
        turn.spoken = _nothing_spoken()
        turn.waiting += 1
        turn.parts.append(_Part(NewTurn("user", text, at)))
        del turn.parts[:-PARTS]

    def _opened(self, caller: Caller, now: float) -> _Open:
        """The open turn of a session: one that a skill's question has left open, or a new one."""
        turn = self._open.get(caller.session_id)
        if turn is None or now - turn.touched > ANSWER:
            turn = self._open[caller.session_id] = _Open(caller, None, now)
        self._open.move_to_end(caller.session_id)
        while len(self._open) > SESSIONS:
            self._open.popitem(last=False)
        return turn

    def _spoken(
        self, turn: _Open, topic: str, data: Mapping[str, Any], context: Mapping[str, Any], at: datetime
    ) -> None:
        text = _visible(data.get("utterance"))
        if text is None or len(turn.parts) >= PARTS:
            return
        skill = _skill(data, context)
        turn.barred |= skill in self._barred
        own, other = (turn.spoken[name] for name in (SPEAKS if topic == SPEAKS[0] else SPEAKS[::-1]))
        own[text] += 1
        if own[text] > other[text]:  # else it is the other spelling of what was counted before
            metadata = {"skill_id": skill} if skill else {}
            turn.parts.append(_Part(NewTurn("assistant", text, at, metadata=metadata), skill))

    def _ended(self, turn: _Open, now: float) -> None:
        turn.waiting = max(0, turn.waiting - 1)
        parts, turn.parts = turn.parts, []
        if parts and not turn.barred and not turn.recorded:
            messages = tuple(part.turn for part in parts)
            persona = any(PERSONA in (part.skill or "") for part in parts)
            request = UpdateRequest(messages, turn.lang)
            self._held.append(Observed(turn.caller, request, now + GRACE if persona else now))
            del self._held[:-HELD]
        if not turn.waiting:
            self._open.pop(turn.caller.session_id, None)

    def _claim(self, caller: Caller, data: Mapping[str, Any]) -> None:
        """Somebody stores a turn: where it is one that we follow, it is theirs."""
        raw = data.get("messages")
        messages = raw if isinstance(raw, list) else []
        said = {_key(message.get("content")) for message in messages if _is_users(message)} - {""}
        if not said:
            return
        for held in self._held:
            if held.caller.session_id == caller.session_id and said & _questions(held.request):
                self._held.remove(held)
                return
        turn = self._open.get(caller.session_id)
        if turn is not None and said & {_key(part.turn.content) for part in turn.parts if part.turn.role == "user"}:
            turn.recorded = True

    def _bars(self, topic: str, data: Mapping[str, Any]) -> bool:
        """Whether the intent that takes a turn is barred."""
        if topic != MATCHED:
            return True  # only barred intents are shown to us
        skill = data.get("skill_id")
        intent = str(data.get("intent_name") or data.get("intent_id") or "").removesuffix(".intent")
        return not self._barred.isdisjoint((skill if isinstance(skill, str) else "", intent, f"{skill}:{intent}"))

    def _give_up(self, now: float) -> None:
        while self._open and now - next(iter(self._open.values())).touched > SILENCE:
            self._open.popitem(last=False)


def _drop_newest(turn: _Open) -> None:
    """Take the newest utterance away with what was answered."""
    while turn.parts and turn.parts.pop().turn.role != "user":
        continue


def _questions(request: UpdateRequest) -> set[str]:
    return {_key(message.content) for message in request.messages if message.role == "user"}


def _is_users(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") == "user"


def _key(text: Any) -> str:
    """A text as it is compared: transformers and engines change case, marks and spaces."""
    return "".join(char for char in text.casefold() if char.isalnum()) if isinstance(text, str) else ""


def _first(texts: Any) -> str | None:
    return _visible(texts[0]) if isinstance(texts, list) and texts else None


def _visible(text: Any) -> str | None:
    if not isinstance(text, str) or is_invisible(text):
        return None
    return clean_text(text[:CHARACTERS]).strip()


def _skill(data: Mapping[str, Any], context: Mapping[str, Any]) -> str | None:
    meta = data.get("meta")
    for found in (context.get("skill_id"), meta.get("skill") if isinstance(meta, Mapping) else None):
        if isinstance(found, str) and found:
            return clean_text(found[:MAX_SHORT])
    return None


def _lang(data: Mapping[str, Any], context: Mapping[str, Any]) -> str | None:
    session = context.get("session")
    for found in (data.get("lang"), session.get("lang") if isinstance(session, Mapping) else None):
        if isinstance(found, str) and 0 < len(found) <= MAX_SHORT:
            return clean_text(found)
    return None

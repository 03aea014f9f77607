"""Turns on the bus as the parts of OVOS send them, and what the memory made of them."""

from __future__ import annotations

from ovos_bus_client import MessageBusClient
from ovos_bus_client.message import Message
from ovos_bus_client.session import Session
from wire import Wire


class Turn:
    """One turn as the parts of OVOS send it, from the utterance to its end."""

    def __init__(self, core: MessageBusClient, session_id: str, text: str, *, topics: tuple[str, ...] = ()) -> None:
        self._core = core
        context = {"session": Session(session_id, lang="en-US").serialize(), "source": "audio"}
        for topic in topics or ("recognizer_loop:utterance",):
            self.entry = Message(topic, {"utterances": [text], "lang": "en-US"}, context)
            core.emit(self.entry)

    def speak(self, text: str, *topics: str, skill: str = "skill-date-time.openvoiceos") -> None:
        for topic in topics or ("speak",):
            data = {"utterance": text, "lang": "en-US", "expect_response": False, "meta": {"skill": skill}}
            message = self.entry.reply(topic, data)
            message.context["skill_id"] = skill
            self._core.emit(message)

    def end(self, *before: str) -> None:
        for topic in (*before, "ovos.utterance.handled"):
            self._core.emit(self.entry.reply(topic))


def history(wire: Wire, session_id: str) -> list[tuple[str, str]]:
    wire.settle()
    messages = wire.do("memory.history.get", {}, {"session_id": session_id})["messages"]
    return [(message["role"], message["content"]) for message in messages]


def recorded(wire: Wire, session_id: str, last: str) -> list[tuple[str, str]]:
    """The history once it ends with `last`."""
    return wire.until(  # type: ignore[no-any-return]
        lambda: (found := history(wire, session_id)) and found[-1][1] == last and found, f"{last!r} was not recorded"
    )

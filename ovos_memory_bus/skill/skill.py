"""`MemorySkill`: "remember that …", "what do you remember about …", "forget that", "don't remember this"."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ovos_bus_client.message import Message
from ovos_utils import classproperty
from ovos_utils.process_utils import RuntimeRequirements
from ovos_workshop.decorators import intent_handler
from ovos_workshop.skills import OVOSSkill

from ovos_memory_bus import errors
from ovos_memory_bus.client import Forgotten, Memory, MemoryClient
from ovos_memory_bus.skill.conversations import Conversations
from ovos_memory_bus.skill.wording import enumerated, slot_text, spoken_facts, worth_telling

TIMEOUT = 5.0  # seconds for one question to the memory; the setting `timeout` overrides it
MAX_FACTS = 40

Handler = Callable[["MemorySkill", Message], None]


def answering(handler: Handler) -> Handler:
    """A handler that says so when the memory does not answer."""

    @functools.wraps(handler)
    def answered(self: MemorySkill, message: Message) -> None:
        try:
            handler(self, message)
        except errors.MemoryBusError as error:
            self.log.warning(f"the memory does not answer: {error}")
            self.speak_dialog("unavailable")

    return answered


class MemorySkill(OVOSSkill):  # type: ignore[misc]  # ovos-workshop has no types
    """The memory by voice, on behalf of whoever speaks, in the language of the session."""

    @classproperty
    def runtime_requirements(self) -> RuntimeRequirements:
        return RuntimeRequirements(
            internet_before_load=False,
            network_before_load=False,
            requires_internet=False,
            requires_network=False,
            no_internet_fallback=True,
            no_network_fallback=True,
        )

    def initialize(self) -> None:
        self._conversations = Conversations()
        self.bus.on("message", self._conversations.hear)

    def shutdown(self) -> None:
        self.bus.remove("message", self._conversations.hear)

    @intent_handler("remember.intent")
    @answering
    def handle_remember(self, message: Message) -> None:
        thing = _slot(message, "thing")
        if not thing:
            return
        try:
            memory = self._memory(message).add_memory(thing, lang=self.lang)
        except errors.Forbidden:
            self.speak_dialog("not.while.paused")
            return
        self._conversations.about(message, [memory.id])
        self.speak_dialog("remembered")

    @intent_handler("recall.intent")
    @answering
    def handle_recall(self, message: Message) -> None:
        topic = _slot(message, "topic")
        if self._is_me(topic):
            self._tell_facts(message)
            return
        memory = self._memory(message)
        would = self._named(memory, topic)
        named = would.items[: would.named]
        told = [found.content for found in worth_telling(named)]
        if not told:
            told = self._facts_told([found for found in named if found.kind == "fact"])
        if told:
            self._conversations.about(message, [found.id for found in named])
            self.speak_dialog("recalled", {"memories": enumerated(told)})
            return
        near = worth_telling(memory.search_memories(topic, use_embedding=False, lang=self.lang)) if topic else []
        if near:
            self.speak_dialog("recalled.perhaps", {"memories": enumerated(found.content for found in near)})
        else:
            self.speak_dialog("recalled.nothing", {"topic": topic})

    @intent_handler("about.me.intent")
    @answering
    def handle_about_me(self, message: Message) -> None:
        self._tell_facts(message)

    @intent_handler("forget.last.intent")
    @answering
    def handle_forget_last(self, message: Message) -> None:
        # intent parsers guess where nothing fits well, and this cannot be undone: the word itself must be there
        if not self.voc_match(message.data.get("utterance"), "forget"):
            self.speak_dialog("kept")
            return
        ids = self._conversations.just_about(message)
        memory = self._memory(message)
        gone = memory.forget("ids", ids=ids) if ids else memory.forget("last")
        self.speak_dialog("forgotten" if gone.deleted else "nothing.to.forget")

    @intent_handler("forget.about.intent")
    @answering
    def handle_forget_about(self, message: Message) -> None:
        topic = _slot(message, "topic")
        if self._is_me(topic):
            self._forget_everything(message)
            return
        memory = self._memory(message)
        would = self._named(memory, topic)
        ids = would.ids[: would.named]
        if not ids:
            self.speak_dialog("recalled.nothing", {"topic": topic})
        elif self.ask_yesno("confirm.about", {"topic": topic}) == "yes":
            memory.forget("ids", ids=ids)  # exactly those it was asked about
            self.speak_dialog("forgotten.about", {"topic": topic})
        else:
            self.speak_dialog("kept")

    @intent_handler("forget.everything.intent")
    @answering
    def handle_forget_everything(self, message: Message) -> None:
        self._forget_everything(message)

    @intent_handler("pause.intent")
    @answering
    def handle_pause(self, message: Message) -> None:
        self._memory(message).pause()
        self.speak_dialog("paused")

    @intent_handler("resume.intent")
    @answering
    def handle_resume(self, message: Message) -> None:
        self._memory(message).resume()
        self.speak_dialog("resumed")

    def _memory(self, message: Message) -> MemoryClient:
        timeout = float(self.settings.get("timeout") or TIMEOUT)
        return MemoryClient(self.bus, timeout, self._conversations.session(message))

    def _named(self, memory: MemoryClient, topic: str) -> Forgotten:
        """What says every word of a topic itself: of what is only near in meaning nobody wants to be told for sure."""
        return memory.forget("query", query=topic, lang=self.lang, dry_run=True) if topic else Forgotten(0, ())

    def _tell_facts(self, message: Message) -> None:
        facts = self._memory(message).list_memories(kind="fact", limit=MAX_FACTS)
        told = self._facts_told([fact for fact in facts if not fact.metadata.get("valid_to")])
        if told:
            self.speak_dialog("known", {"facts": enumerated(told)})
        else:
            self.speak_dialog("known.nothing")

    def _facts_told(self, facts: Sequence[Memory]) -> list[str]:
        sentences: dict[str, Any] = self.resources.load_json_file("facts.json")
        return spoken_facts(facts, sentences)

    def _forget_everything(self, message: Message) -> None:
        memory = self._memory(message)
        if self.ask_yesno("confirm.everything") != "yes":
            self.speak_dialog("kept")
        elif memory.forget("owner").deleted:
            self.speak_dialog("forgotten.everything")
        else:
            self.speak_dialog("nothing.to.forget")

    def _is_me(self, topic: str) -> bool:
        return bool(self.voc_match(topic, "me", exact=True))


def _slot(message: Message, name: str) -> str:
    return slot_text(message.data.get(name), message.data.get("utterance"))

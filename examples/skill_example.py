"""A skill with a memory: "remember that the bin goes out on Tuesday", and later "what do you know about the bin".

The memory answers for the user whose utterance is being handled; nothing but `MemoryClient` is needed.
"""

from ovos_bus_client.message import Message
from ovos_workshop.decorators import intent_handler
from ovos_workshop.skills import OVOSSkill

from ovos_memory_bus.client import MemoryClient
from ovos_memory_bus.errors import MemoryBusError


class NotesSkill(OVOSSkill):
    @intent_handler("remember.intent")  # remember that {note}
    def handle_remember(self, message: Message) -> None:
        MemoryClient(self.bus).add_memory(message.data["note"], {"skill": self.skill_id})
        self.speak("I will remember that.")

    @intent_handler("recall.intent")  # what do you know about {subject}
    def handle_recall(self, message: Message) -> None:
        try:
            found = MemoryClient(self.bus, timeout=2).search_memories(message.data["subject"], limit=3)
        except MemoryBusError as error:  # also when the memory is not running
            self.log.warning(f"nothing recalled: {error}")
            found = []
        self.speak(found[0].content if found else "I know nothing about that.")

"""The memory of an OVOS persona whose JSON says `"memory_module": "ovos-memory-bus-plugin"`."""

from ovos_memory_bus.persona.plugin import MemoryBusPlugin
from ovos_memory_bus.persona.settings import PersonaConfigError, PersonaSettings

__all__ = ["MemoryBusPlugin", "PersonaConfigError", "PersonaSettings"]

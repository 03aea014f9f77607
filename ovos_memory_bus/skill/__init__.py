"""The voice skill: remembering, recalling and forgetting by word of mouth."""

from ovos_memory_bus.skill.skill import MemorySkill

__all__ = ["MemorySkill"]

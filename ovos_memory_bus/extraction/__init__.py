"""Durable facts about a user from what that user says, on the device, without a language model."""

from ovos_memory_bus.extraction.extractor import extract
from ovos_memory_bus.extraction.merging import merge
from ovos_memory_bus.extraction.model import (
    CATEGORIES,
    Category,
    Extraction,
    FactCandidate,
    FactChanges,
    Retraction,
    StoredFact,
)
from ovos_memory_bus.extraction.pack import Pack, PackError, build, languages, load

__all__ = [
    "CATEGORIES",
    "Category",
    "Extraction",
    "FactCandidate",
    "FactChanges",
    "Pack",
    "PackError",
    "Retraction",
    "StoredFact",
    "build",
    "extract",
    "languages",
    "load",
    "merge",
]

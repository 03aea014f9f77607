"""From slots of intents to texts, and from memories to what is spoken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ovos_memory_bus.client import Memory

PUNCTUATION = ' \t\n.,;:!?¿¡…"“”„«»'
SPOKEN = 4  # memories in one answer: more is not listened to


def slot_text(slot: str | None, utterance: str | None) -> str:
    """A slot as it was said: intent parsers give it in lower case, the utterance has the capitals."""
    text = (slot or "").strip(PUNCTUATION)
    said = utterance or ""
    place = said.lower().rfind(text.lower())
    # of the same length only: some letters have a lower case of another one
    return said[place : place + len(text)] if text and place >= 0 and len(said.lower()) == len(said) else text


def worth_telling(memories: Sequence[Memory]) -> list[Memory]:
    """Of the memories found for a topic those to tell: notes and documents, or else what the user said; newest first.

    Questions tell nothing, and of two with the same words one is enough."""
    kept = [memory for memory in memories if memory.kind in ("note", "document")]
    kept = kept or [memory for memory in memories if memory.kind == "turn" and memory.role == "user"]
    kept = [memory for memory in kept if not memory.content.rstrip().endswith("?")]
    kept.sort(key=lambda memory: memory.created_at.timestamp() if memory.created_at else 0.0, reverse=True)
    unique = {memory.content.casefold().strip(PUNCTUATION): memory for memory in reversed(kept)}
    return [memory for memory in kept if memory in unique.values()][:SPOKEN]


def enumerated(texts: Iterable[str]) -> str:
    """Several memories in one sentence."""
    return "; ".join(text.strip().rstrip(".") for text in texts)


def spoken_facts(facts: Iterable[Memory], sentences: Mapping[str, str]) -> list[str]:
    """Facts as sentences to the user, one a category: `sentences` has the user's language by category, with `{value}`.

    A fact of a category without a sentence, or without a value, is told as it is stored."""
    values: dict[str, list[str]] = {}
    others: list[str] = []
    for fact in facts:
        category, value = fact.metadata.get("category"), fact.metadata.get("value")
        if isinstance(category, str) and isinstance(value, str) and category in sentences:
            values.setdefault(category, []).append(value)
        else:
            others.append(fact.content)
    known = [category for category in sentences if category in values]
    return [sentences[category].replace("{value}", ", ".join(values[category])) for category in known] + others

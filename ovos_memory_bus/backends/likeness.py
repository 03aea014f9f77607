"""Which values of facts mean the same in two languages, by the embedding model where there is one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from ..embedding.base import Vector
from ..embedding.worker import EmbeddingWorker
from ..errors import Busy, ModelError, ShuttingDown
from ..extraction import Category, Extraction
from ..records import Item
from ..temporal.locales import base_language

LOG = logging.getLogger(__name__)

MEANT: frozenset[Category] = frozenset(
    ("like", "dislike", "diet", "health", "possession", "habit", "goal", "language_spoken")
)
"""Categories whose values are words; names, places, days and numbers mean only themselves."""

MOST = 32  # held values compared at most, newest first: the work of one turn stays bounded


async def likeness(
    embedding: EmbeddingWorker | None, new: Extraction, lang: str | None, held: Sequence[Item]
) -> Callable[[str, str], float] | None:
    """The cosine of a value said now in `lang` and one of `held` in another language, 0 for any other two.

    `held` is oldest first. None where there is nothing to compare, no model, or one that cannot answer: then words
    alone decide.
    """
    said = {fact.value for fact in new.facts if fact.category in MEANT}
    said |= {taken.value for taken in new.retractions if taken.value and taken.category in (None, *MEANT)}
    own = base_language(lang or "")
    foreign = [
        fact for fact in held if fact.metadata.get("category") in MEANT and base_language(fact.lang or "") != own
    ]
    known = {str(fact.metadata["value"]) for fact in foreign[-MOST:]}
    if embedding is None or not said or not known:
        return None
    try:
        vectors: dict[str, Vector] = {value: await embedding.query(value) for value in sorted(said | known)}
    except (ModelError, Busy, ShuttingDown) as error:
        LOG.debug("facts of other languages are compared by their words alone: %s", error)
        return None

    def cosine(one: str, other: str) -> float:
        if (one in said and other in known) or (one in known and other in said):
            return float(vectors[one] @ vectors[other])
        return 0.0

    return cosine

"""What extraction hands out: facts a user stated, facts a user took back, and the changes they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Category = Literal[
    "name", "nickname", "birthday", "age", "home", "origin", "job", "workplace", "family", "pet", "like", "dislike",
    "diet", "health", "possession", "habit", "goal", "preference_assistant", "contact", "language_spoken",
]  # fmt: skip

CATEGORIES: tuple[Category, ...] = (
    "name", "nickname", "birthday", "age", "home", "origin", "job", "workplace", "family", "pet", "like", "dislike",
    "diet", "health", "possession", "habit", "goal", "preference_assistant", "contact", "language_spoken",
)  # fmt: skip

USER = "user"
"""The subject of a fact about the user alone; family and pets have an English noun instead."""


@dataclass(frozen=True)
class FactCandidate:
    """One fact stated in one utterance.

    `value` is the smallest span that carries it, as it stands in the utterance. `subject` is `user`, or in English
    the relation (`wife`), the kind of animal (`dog`) or the kind of thing owned (`vehicle`). `confidence` is in
    (0, 1]. `correction` says that the utterance itself replaces what held before. `sentence` is the fact as a
    sentence in the user's language, fit for a prompt.
    """

    category: Category
    subject: str
    value: str
    confidence: float
    correction: bool
    sentence: str


@dataclass(frozen=True)
class Retraction:
    """Something the user took back: one value, one subject, or (both unset) all facts of the category.

    `category` is None where the utterance names only the value ("that about the opera is not true").
    """

    category: Category | None
    value: str | None = None
    subject: str | None = None


@dataclass(frozen=True)
class Extraction:
    """All that one utterance says about its speaker, in the order in which it was said."""

    facts: tuple[FactCandidate, ...] = ()
    retractions: tuple[Retraction, ...] = ()


@dataclass(frozen=True)
class StoredFact:
    """A fact that holds at present. `valid_from` is in seconds since the epoch, `uses` counts its recalls."""

    id: str
    category: Category
    subject: str
    value: str
    valid_from: float
    uses: int = 0


@dataclass(frozen=True)
class FactChanges:
    """What to write: ids to end at `at`, facts to add from `at` on, ids that were merely stated again."""

    at: float
    ends: tuple[str, ...] = ()
    adds: tuple[FactCandidate, ...] = ()
    touches: tuple[str, ...] = ()

"""A talk in a few of its own sentences: those nearest to what the whole is about and unlike each other. Pure.

Centrality as in Erkan and Radev, "LexRank" (2004), in its degree form; novelty by maximal marginal relevance
(Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .analysis import analyse
from .rendering import approximate_tokens
from .repeats import content_key

NOVELTY = 0.5  # how much likeness to what is already chosen costs
NAMED = 0.3  # bonus for a name or a number, in units of the best centrality
STATED = 0.6  # bonus for a turn that a fact was drawn from
ASKED = 0.3  # what a bare question costs: its answer says more
SHORTEST = 3  # words; a shorter sentence carries no talk
CANDIDATES = 200  # sentences weighed at most, the newest
ANALYSED = 2_000  # sentences whose terms are kept: a summary is redone over mostly the same turns

Matrix = np.ndarray[Any, np.dtype[np.float64]]

_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One turn of a talk: its words, who said them, and whether a fact about the user was drawn from it."""

    text: str
    speaker: str
    lang: str | None = None
    stated_fact: bool = False


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    line: str
    terms: frozenset[str]
    bonus: float


def summarise(turns: Sequence[Statement], max_tokens: int) -> str:
    """At most about `max_tokens` of the turns' own sentences, in the order in which they were said; "" for none."""
    sentences = _sentences(turns)
    if not sentences:
        return ""
    likeness = _likeness(sentences)
    central = likeness.sum(axis=1) - likeness.diagonal()
    value = central / (central.max() or 1.0) + np.array([one.bonus for one in sentences])
    closest = np.zeros(len(sentences))  # how like each is to the nearest chosen one
    chosen: list[_Sentence] = []
    spent = 0
    open_ = np.ones(len(sentences), bool)
    while open_.any() and spent < max_tokens:
        pick = int(np.argmax(np.where(open_, value - NOVELTY * closest, -np.inf)))
        open_[pick] = False
        tokens = approximate_tokens(_text([*chosen, sentences[pick]]))
        if tokens <= max_tokens:
            chosen.append(sentences[pick])
            closest = np.maximum(closest, likeness[pick])
            spent = tokens
    return _text(chosen)


def _text(chosen: Sequence[_Sentence]) -> str:
    return "\n".join(one.line for one in sorted(chosen, key=lambda one: one.place))


def _sentences(turns: Sequence[Statement]) -> list[_Sentence]:
    """The newest `CANDIDATES` sentences that say something, each where it was said first, in order."""
    found: dict[str, _Sentence] = {}
    place = 0
    for turn in reversed(turns):
        for sentence in reversed(_SENTENCE.findall(turn.text)):
            if len(found) == CANDIDATES:
                break
            key = content_key(sentence)
            words = sentence.split()
            if len(words) < SHORTEST or not (terms := _terms(sentence, turn.lang)):
                continue
            named = any(word[:1].isupper() or word[:1].isdigit() for word in words[1:])
            asked = sentence.rstrip().endswith(("?", "？"))
            bonus = NAMED * named + STATED * turn.stated_fact - ASKED * asked
            place -= 1
            found[key] = _Sentence(place, f"{turn.speaker}: {sentence.strip()}", terms, bonus)
    return sorted(found.values(), key=lambda one: one.place)


@lru_cache(maxsize=ANALYSED)
def _terms(sentence: str, lang: str | None) -> frozenset[str]:
    return frozenset(analyse(sentence, lang))


def _likeness(sentences: Sequence[_Sentence]) -> Matrix:
    """The weighted Jaccard overlap of any two, in [0, 1]; rare terms weigh more."""
    columns = {term: i for i, term in enumerate(sorted(set().union(*(one.terms for one in sentences))))}
    holds = np.zeros((len(sentences), len(columns)))
    for row, one in enumerate(sentences):
        holds[row, [columns[term] for term in one.terms]] = 1.0
    weighed = holds / (1.0 + holds.mean(axis=0) * 10)
    shared = weighed @ holds.T
    size = weighed.sum(axis=1)
    likeness: Matrix = shared / (size[:, None] + size[None, :] - shared)
    return likeness

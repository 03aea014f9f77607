"""A talk in a few of its own sentences: those nearest to what the whole is about and unlike each other. Pure.

Centrality as in Erkan and Radev, "LexRank" (2004), in its degree form; novelty by maximal marginal relevance
(Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .analysis import analyse
from .rendering import approximate_tokens
from .repeats import content_key

NOVELTY = 0.5  # how much likeness to what is already chosen costs
NAMED = 0.3  # bonus for a name or a number, in units of the best centrality
STATED = 0.6  # bonus for a turn that a fact was drawn from
ASKED = 0.3  # what a bare question costs: its answer says more
SHORTEST = 3  # words; a shorter sentence carries no talk
CANDIDATES = 200  # sentences weighed at most, the newest

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
    sentences = _sentences(turns)[-CANDIDATES:]
    if not sentences:
        return ""
    weights = _rarity(sentences)
    central = [_centrality(one, sentences, weights) for one in sentences]
    best = max(central) or 1.0
    value = {one.place: c / best + one.bonus for one, c in zip(sentences, central, strict=True)}
    chosen: list[_Sentence] = []
    left = list(sentences)
    while left:
        pick = max(left, key=lambda one: value[one.place] - NOVELTY * _closest(one, chosen, weights))
        left.remove(pick)
        if approximate_tokens(_text([*chosen, pick])) <= max_tokens:
            chosen.append(pick)
    return _text(chosen)


def _text(chosen: Sequence[_Sentence]) -> str:
    return "\n".join(one.line for one in sorted(chosen, key=lambda one: one.place))


def _sentences(turns: Sequence[Statement]) -> list[_Sentence]:
    found: list[_Sentence] = []
    seen: set[str] = set()
    for turn in turns:
        for sentence in _SENTENCE.findall(turn.text):
            words = sentence.split()
            key = content_key(sentence)
            terms = frozenset(analyse(sentence, turn.lang))
            if len(words) < SHORTEST or not terms or key in seen:
                continue
            seen.add(key)
            named = any(word[:1].isupper() or word[:1].isdigit() for word in words[1:])
            asked = sentence.rstrip().endswith(("?", "？"))
            bonus = NAMED * named + STATED * turn.stated_fact - ASKED * asked
            found.append(_Sentence(len(found), f"{turn.speaker}: {sentence.strip()}", terms, bonus))
    return found


def _rarity(sentences: Sequence[_Sentence]) -> dict[str, float]:
    counts = Counter(term for one in sentences for term in one.terms)
    return {term: 1.0 / (1.0 + count / len(sentences) * 10) for term, count in counts.items()}


def _likeness(one: _Sentence, other: _Sentence, weights: dict[str, float]) -> float:
    """Weighted Jaccard overlap in [0, 1]."""
    shared = sum(weights[term] for term in one.terms & other.terms)
    return shared / sum(weights[term] for term in one.terms | other.terms)


def _centrality(one: _Sentence, sentences: Sequence[_Sentence], weights: dict[str, float]) -> float:
    return sum(_likeness(one, other, weights) for other in sentences if other is not one)


def _closest(one: _Sentence, chosen: Sequence[_Sentence], weights: dict[str, float]) -> float:
    return max((_likeness(one, other, weights) for other in chosen), default=0.0)

"""What the weights of the default fusion are trained with: questions asked of memories that hold their answer and of
memories that do not, orders, and lines that are personal or not."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from offline_memory import CachedEmbedder, OfflineMemory
from personal import first_person, spoken
from talks import Question, Talk, multilingual
from utterances import ORDERS, PERSONAL

from ovos_memory_bus.relevance import all_notes, candidate_features

MODES = {"both": (True, True), "lexical": (True, False), "semantic": (False, True)}
SIZES = (1, 2, 3, 5, 8, 16, 32, 64)  # turns of a young memory
SAMPLES = 15  # young memories of each size a talk
TURNS_TOLD = 80  # turns of each talk that the probe is trained with: remarks, not questions


@dataclass
class Asked:
    """One question's candidates: features `[docs, features]`, which are gold, and the size of the memory."""

    matrix: np.ndarray
    gold: np.ndarray
    wanted: int
    count: int
    group: str
    vector: np.ndarray
    weight: float = 1.0
    notes: Mapping[str, float] = field(default_factory=dict)


def ask(memory: OfflineMemory, question: Question, mode: str, group: str, weight: float = 1.0) -> Asked:
    lexical, semantic = memory.evidence(question.text, question.lang)
    use_lexical, use_semantic = MODES[mode]
    docs, matrix = candidate_features(
        memory.columns,
        lexical if use_lexical else None,
        semantic if use_semantic else None,
        question.text,
        memory.timely(question.text, question.lang),
    )
    gold = np.array([memory.turns[doc].id in question.gold for doc in docs], bool)
    notes = all_notes(lexical if use_lexical else None, semantic if use_semantic else None)
    return Asked(
        matrix, gold, len(question.gold), memory.columns.count, group, memory.vector(question.text), weight, notes
    )


def strangers(talks: Sequence[Talk], place: int) -> list[Question]:
    """The questions of another talk, asked of this one under its speakers' names."""
    other, here = talks[place - 1], talks[place]
    asked = []
    for question in other.questions:
        text = question.text
        for theirs, ours in zip(other.speakers, here.speakers, strict=True):
            text = text.replace(theirs, ours)
        asked.append(Question(text, frozenset()))
    return asked


def _young(talk: Talk, embedder: CachedEmbedder, rng: random.Random) -> OfflineMemory:
    start = rng.randrange(len(talk.turns))
    return OfflineMemory(talk.turns[start : start + rng.choice(SIZES)], embedder)


def few_turns(talk: Talk, embedder: CachedEmbedder, mode: str, rng: random.Random) -> list[Asked]:
    """A young memory, a few turns of a talk, asked what they answer and what they do not."""
    places = {turn.id: place for place, turn in enumerate(talk.turns)}
    answerable = [q for q in talk.questions if q.category != 5]
    asked = []
    for size in SIZES:
        for _ in range(SAMPLES):
            question, other = rng.choice(answerable), rng.choice(answerable)
            start = max(0, places[rng.choice(sorted(question.gold))] - rng.randrange(size))
            turns = talk.turns[start : start + size]
            memory = OfflineMemory(turns, embedder)
            inside = {turn.id for turn in turns}
            asked.append(ask(memory, Question(question.text, question.gold & inside), mode, talk.id))
            if not other.gold & inside:
                asked.append(ask(memory, Question(other.text, frozenset()), mode, talk.id))
    return [a for a in asked if len(a.matrix)]


@dataclass
class Lines:
    """Vectors of lines for the probe: of the questions and turns of each talk, of the multilingual questions by fact,
    and of our own lines."""

    talks: list[np.ndarray]
    facts: dict[str, np.ndarray]
    personal: np.ndarray
    orders: np.ndarray


@dataclass
class Sets:
    """Everything asked, by talk; and of the small multilingual memories. `meaning`: whether vectors took part."""

    meaning: bool
    small: list[list[Asked]]
    own: list[list[Asked]]
    foreign: list[list[Asked]]
    orders: list[list[Asked]]  # aligned with ORDERS, as are those asked of young memories
    young_orders: list[list[Asked]]
    facts: list[Asked]
    missing: list[Asked]
    lines: Lines


def gather_lines(talks: Sequence[Talk], facts: Path, embedder: CachedEmbedder) -> Lines:
    def vectors(texts: Sequence[str]) -> np.ndarray:
        return np.stack([embedder.query(text) for text in texts])

    rng = random.Random(1)
    by_talk = []
    for talk in talks:
        asked = [question.text for question in talk.questions if question.category != 5]
        told = [spoken(turn.text) for turn in rng.sample(talk.turns, TURNS_TOLD)]
        by_talk.append(vectors([*map(spoken, asked), *(first_person(text, talk.speakers) for text in asked), *told]))
    by_fact: dict[str, set[str]] = {}
    for talk in multilingual(facts):
        for question in talk.questions:
            by_fact.setdefault(min(question.gold), set()).add(spoken(question.text))
    return Lines(
        by_talk,
        {id_: vectors(sorted(texts)) for id_, texts in by_fact.items()},
        vectors([text for _, text in PERSONAL]),
        vectors([text for _, text in ORDERS]),
    )


def gather(talks: Sequence[Talk], facts: Path, embedder: CachedEmbedder, mode: str) -> Sets:
    rng = random.Random(11)
    own, foreign, orders, young_orders = [], [], [], []
    for place, talk in enumerate(talks):
        memory = OfflineMemory(talk.turns, embedder)
        answerable = [q for q in talk.questions if q.category != 5]
        embedder.save()
        own.append([ask(memory, q, mode, talk.id) for q in answerable])
        foreign.append([ask(memory, q, mode, talk.id) for q in strangers(talks, place)])
        asked = [Question(text, frozenset(), lang=lang) for lang, text in ORDERS]
        orders.append([ask(memory, order, mode, talk.id) for order in asked])
        young_orders.append([ask(_young(talk, embedder, rng), order, mode, talk.id) for order in asked])
    small, missing = [], []
    for talk in multilingual(facts):
        memory = OfflineMemory(talk.turns, embedder)
        small += [ask(memory, q, mode, min(q.gold), 1.0 if q.lang == talk.id else 0.3) for q in talk.questions]
    for left_out in rng.sample(range(20), 10):
        for talk in multilingual(facts, left_out):
            if talk.questions:
                memory = OfflineMemory(talk.turns, embedder)
                missing += [
                    ask(memory, q, mode, str(left_out)) for q in rng.sample(talk.questions, min(3, len(talk.questions)))
                ]
    young = [few_turns(talk, embedder, mode, rng) for talk in talks]
    lines = gather_lines(talks, facts, embedder)
    return Sets(MODES[mode][1], young, own, foreign, orders, young_orders, small, missing, lines)

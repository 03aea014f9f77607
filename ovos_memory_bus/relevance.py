"""The default fusion: how likely each candidate is what the utterance asks for, from a few figures of every backend.

A linear model ranks the candidates of a query; a second one, over the best of them, says how likely it is that the
memory holds anything to the point at all. Their weights are data (relevance.json), trained by
`benchmarks/train_relevance.py`; there is one set for each combination of backends that answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from .index.columns import Columns

Array = np.ndarray[Any, np.dtype[Any]]

FEATURES = ("cover", "own", "share", "distinct", "near", "alone", "speaker", "asks", "length", "talk", "timely")
GATE_FEATURES = (
    "lead", "told", "fits", "about", "timely", "matched", "known", "words", "typical", "personal", "early", "size"
)  # fmt: skip
TOP = 3  # candidates whose mean figures the gate looks at
CERTAIN = 4.0  # logarithm of the odds from which on more tells the gate no more
MOST_WORDS = 6.0  # words of a query from which on their number tells the gate no more
LARGEST = 1_000  # docs from which on a memory's size tells the gate no more
YOUNG = 20  # docs up to which any doc with a word of a personal query answers: there is little to compare it with yet
VECTORS_NEEDED = 0.5  # share of the docs asked that must have a vector for meaning to be weighed
TALK_BEST = 3  # docs of a talk whose mean says how much the talk is about the query
ABSENT = -0.2  # the similarity of a candidate that the semantic backend did not list
NOTICEABLE = 0.1  # a similarity below which the best is near to nothing
TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What one backend says of some docs: arrays aligned with `docs`; `notes` about the query as a whole."""

    docs: Array
    features: Mapping[str, Array]
    notes: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidates, best first: `relevance` is the linear model's score, `probability` a calibrated one in [0, 1];
    `answers` says whether, by the trained threshold, the memory holds anything to the point at all."""

    docs: Array
    relevance: Array
    probability: Array
    answers: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """One trained model: `rank` over FEATURES; `gate` over GATE_FEATURES with `gate_bias`; `slope` and `bias` turn a
    candidate's distance from the best into its share of the gate's probability; below `threshold` nothing is recalled
    by default."""

    rank: Array
    gate: Array
    gate_bias: float
    slope: float
    threshold: float


@cache
def _models() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(files(__package__).joinpath("relevance.json").read_text(encoding="utf-8"))
    return loaded


@cache
def weights(lexical: bool, semantic: bool) -> Weights:
    """The model for the backends that answered."""
    model = _models()["both" if lexical and semantic else "lexical" if lexical else "semantic"]
    return Weights(
        np.array([model["rank"][name] for name in FEATURES], np.float32),
        np.array([model["gate"][name] for name in GATE_FEATURES], np.float32),
        float(model["gate_bias"]),
        float(model["slope"]),
        float(model["threshold"]),
    )


@cache
def _probe(family: str) -> tuple[Array, float] | None:
    probe = _models()["personal"].get(family)
    return (np.array(probe["weights"], np.float32), float(probe["bias"])) if probe else None


def personal(model: str, query: Array) -> float:
    """The logarithm of the odds that an utterance touches the speaker's own life and talks, rather than being an order,
    small talk or a question about the world, from its unit vector; 0 where the model has no such probe."""
    probe = _probe(next((family for family in _models()["personal"] if model.startswith(family)), ""))
    return float(query @ probe[0] + probe[1]) if probe is not None else 0.0


def candidate_features(
    columns: Columns, lexical: Evidence | None, semantic: Evidence | None, query: str, timely: Array | None = None
) -> tuple[Array, Array]:
    """The union of the backends' docs, and their FEATURES as `[docs, features]`. `timely` says of every doc whether it
    was told when the query's answer likely was."""
    parts = [evidence.docs for evidence in (lexical, semantic) if evidence is not None]
    docs = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)
    cover, own = _spread(docs, lexical, "coverage", 0.0), _spread(docs, lexical, "own", 0.0)
    distinct = _spread(docs, semantic, "distinct", ABSENT)
    share = cover / max(float(cover.max(initial=0.0)), TINY)
    closeness = distinct / max(float(distinct.max(initial=0.0)), NOTICEABLE) if semantic is not None else 0.0
    named = {
        "cover": cover,
        "own": own,
        "share": share,
        "distinct": distinct,
        "near": _spread(docs, semantic, "near", ABSENT),
        "alone": _spread(docs, semantic, "own", ABSENT),
        "speaker": speaker_match(columns, docs, query),
        "asks": columns.asks[docs].astype(np.float32),
        "length": np.log1p(columns.length[docs] / 6.0),
        "talk": _talk_scores(columns.talk[docs], share + closeness),
        "timely": np.zeros(len(docs)) if timely is None else timely[docs],
    }
    return docs, np.stack([named[name] for name in FEATURES], axis=1).astype(np.float32)


def gate_features(matrix: Array, relevance: Array, count: int, notes: Mapping[str, float]) -> Array:
    """GATE_FEATURES of a query from its candidates' features and ranking scores, in a memory of `count` docs.

    `lead`: how far the best leads the middle. `told`, `fits`: the best sums of words and meaning of a turn and of its
    neighbourhood. `about`: how much one talk is about the query. `timely`: whether the best were told when asked
    about. `matched`: the weight of the words that the best hold. From the backends' `notes`, `known`: the share of the
    query's weight that stands in the memory; `words`: how many it has; `typical`: how near it is to the mean of all
    vectors; `personal`: see the function; `early`: the same
    in a young memory, which has little else to go by. `size`: the logarithm of the size."""
    if not len(relevance):
        return np.zeros(len(GATE_FEATURES), np.float32)
    column = {name: matrix[:, place] for place, name in enumerate(FEATURES)}
    best = np.argsort(-relevance, kind="stable")[:TOP]
    size = float(np.log(min(max(count, 1), LARGEST)))
    personal = float(np.clip(notes.get("personal", 0.0), -CERTAIN, CERTAIN))
    values = {
        "lead": relevance.max() - np.median(relevance),
        "told": (column["own"] + column["alone"]).max(),
        "fits": (column["cover"] + column["distinct"]).max(),
        "about": column["talk"].max(),
        "timely": column["timely"][best].mean(),
        "matched": column["cover"][best].mean() * notes.get("possible", 0.0),
        "known": notes.get("known", 0.0),
        "words": min(notes.get("words", 0.0), MOST_WORDS),
        "typical": notes.get("typical", 0.0),
        "personal": personal,
        "early": personal * (1 - size / np.log(LARGEST)),
        "size": size,
    }
    return np.array([values[name] for name in GATE_FEATURES], np.float32)


def all_notes(*parts: Evidence | None) -> Mapping[str, float]:
    """What the backends say about the query as a whole."""
    return {name: value for part in parts if part is not None for name, value in part.notes.items()}


def rank(
    columns: Columns, lexical: Evidence | None, semantic: Evidence | None, query: str, timely: Array | None = None
) -> Ranking:
    """The candidates of a query, ranked; see `candidate_features` for `timely`. While most of the docs asked have no
    vector yet (`embedded` in the semantic backend's notes is their share), keywords speak alone."""
    if lexical is not None and semantic is not None and semantic.notes.get("embedded", 1.0) < VECTORS_NEEDED:
        semantic = None
    docs, matrix = candidate_features(columns, lexical, semantic, query, timely)
    if not len(docs):
        return Ranking(docs, np.empty(0, np.float32), np.empty(0, np.float32))
    model = weights(lexical is not None, semantic is not None)
    relevance = matrix @ model.rank
    notes = all_notes(lexical, semantic)
    gate = _sigmoid(float(gate_features(matrix, relevance, columns.count, notes) @ model.gate) + model.gate_bias)
    order = np.argsort(-relevance, kind="stable")
    relevance = relevance[order]
    probability = gate * np.exp(model.slope * (relevance - relevance[0]))
    mentioned = columns.count <= YOUNG and float(matrix[:, FEATURES.index("own")].max()) > 0
    mentioned = mentioned and notes.get("personal", 0.0) >= 0
    return Ranking(docs[order], relevance, probability, mentioned or gate >= model.threshold)


def speaker_match(columns: Columns, docs: Array, query: str) -> Array:
    """1 where the query names a doc's speaker, -1 where it names only others, 0 where it names none or everybody."""
    words = set(re.findall(r"\w+", query.casefold()))
    names = columns.label("name")[docs]
    speakers = {code: columns.codes.texts[code] for code in np.unique(columns.label("name")).tolist()}
    known = {code: text for code, text in speakers.items() if text}
    named = [code for code, text in known.items() if set(re.findall(r"\w+", text.casefold())) & words]
    if not named or len(named) == len(known):
        return np.zeros(len(docs), np.float32)
    return np.where(np.isin(names, named), 1.0, np.where(np.isin(names, list(known)), -1.0, 0.0))


def _spread(docs: Array, evidence: Evidence | None, name: str, absent: float) -> Array:
    """A feature of one backend over all candidates."""
    values = np.full(len(docs), absent if evidence is not None else 0.0, np.float32)
    if evidence is not None and len(evidence.docs):  # a backend that found nothing brings no features
        values[np.searchsorted(docs, evidence.docs)] = evidence.features[name]
    return values


def _talk_scores(talks: Array, scores: Array) -> Array:
    """For each doc the mean of the best scores in its talk."""
    order = np.lexsort((-scores, talks))
    _, starts, places = np.unique(talks[order], return_index=True, return_inverse=True)
    rank_in_talk = np.arange(len(order)) - starts[places]
    best = np.where(rank_in_talk < TALK_BEST, scores[order], 0.0)
    sums = np.bincount(places, best)
    result = np.empty(len(order), np.float32)
    result[order] = (sums / TALK_BEST)[places]
    return result


def _sigmoid(value: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(value, -30, 30))))


def names_of(values: Sequence[float], names: Sequence[str]) -> dict[str, float]:
    """Weights under their names, as they stand in relevance.json."""
    return {name: round(float(value), 5) for name, value in zip(names, values, strict=True)}

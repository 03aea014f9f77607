"""Train the weights of the default fusion (ovos_memory_bus/relevance.json) and report how they do on talks left out.

    python benchmarks/train_relevance.py LOCOMO_DIR MULTILINGUAL_JSON [--cache FILE] [--write]

The ranker is a linear model under a listwise softmax (Cao et al. 2007, "Learning to rank: from pairwise approach to
listwise approach"); the gate a logistic regression over the best candidates' figures, its negatives the questions of
one talk asked of another, questions whose fact was left out, and everyday commands. Each figure is of talks that the
weights did not see; the commands are the same lines in every talk, so `commands` is too good a figure. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from commands import COMMANDS
from offline_memory import CachedEmbedder, OfflineMemory
from scipy.optimize import minimize
from talks import Question, Talk, locomo, multilingual

from ovos_memory_bus import relevance
from ovos_memory_bus.relevance import FEATURES, GATE_FEATURES, candidate_features, gate_features

MODES = {"both": (True, True), "lexical": (True, False), "semantic": (False, True)}
STRANGERS = 0.3  # share of questions without an answer that may bring something by default: less costs too many answers
SIZES = (1, 2, 3, 5, 8, 16, 32, 64)  # turns of a young memory
SAMPLES = 15  # young memories of each size a talk
SLOPES = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)


@dataclass
class Asked:
    """One question's candidates: features `[docs, features]`, which are gold, and the size of the memory."""

    matrix: np.ndarray
    gold: np.ndarray
    wanted: int
    count: int
    group: str
    weight: float = 1.0


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
    return Asked(matrix, gold, len(question.gold), memory.columns.count, group, weight)


def train_ranker(asked: Sequence[Asked], l2: float = 1e-3) -> np.ndarray:
    """Weights over FEATURES."""
    usable = [a for a in asked if a.gold.any()]
    spread = np.concatenate([a.matrix for a in usable]).std(0) + 1e-6
    matrices = [a.matrix / spread for a in usable]
    targets = [a.gold / a.gold.sum() for a in usable]
    total = sum(a.weight for a in usable)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = l2 * float(weights @ weights), 2 * l2 * weights
        for a, matrix, target in zip(usable, matrices, targets, strict=True):
            scores = matrix @ weights
            scores -= scores.max()
            odds = np.exp(scores)
            share = odds / odds.sum()
            value -= a.weight * float(target @ np.log(share + 1e-12)) / total
            gradient = gradient + a.weight * (matrix.T @ (share - target)) / total
        return value, gradient

    found = minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return found.x / spread


def train_gate(rows: np.ndarray, labels: np.ndarray, weights: np.ndarray, l2: float = 1e-3) -> tuple[np.ndarray, float]:
    """Logistic regression over GATE_FEATURES."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    scaled = (rows - mean) / spread

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        z = scaled @ parameters[:-1] + parameters[-1]
        p = 1 / (1 + np.exp(-z))
        value = -np.average(labels * np.log(p + 1e-12) + (1 - labels) * np.log(1 - p + 1e-12), weights=weights)
        error = weights * (p - labels) / weights.sum()
        gradient = np.append(scaled.T @ error, error.sum())
        gradient[:-1] += 2 * l2 * parameters[:-1]
        return value + l2 * float(parameters[:-1] @ parameters[:-1]), gradient

    found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B")
    gate = found.x[:-1] / spread
    return gate, float(found.x[-1] - gate @ mean)


def gate_rows(asked: Sequence[Asked], ranker: np.ndarray) -> np.ndarray:
    return np.stack([gate_features(a.matrix, a.matrix @ ranker, a.count) for a in asked])


def recall_at(asked: Sequence[Asked], ranker: np.ndarray, k: int) -> tuple[float, float]:
    """(share of the gold turns among the first k, share of questions with any), averaged."""
    shares, hits = [], []
    for a in asked:
        best = np.argsort(-(a.matrix @ ranker), kind="stable")[:k]
        shares.append(a.gold[best].sum() / a.wanted)
        hits.append(bool(a.gold[best].any()))
    return float(np.mean(shares)), float(np.mean(hits))


def auroc(own: np.ndarray, foreign: np.ndarray) -> float:
    order = np.argsort(np.concatenate([own, foreign]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    return float((ranks[: len(own)].sum() - len(own) * (len(own) + 1) / 2) / (len(own) * len(foreign)))


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
class Sets:
    """Everything asked, by talk; and of the small multilingual memories. `meaning`: whether vectors took part."""

    meaning: bool
    small: list[list[Asked]]
    own: list[list[Asked]]
    foreign: list[list[Asked]]
    commands: list[list[Asked]]
    facts: list[Asked]
    missing: list[Asked]


def gather(talks: Sequence[Talk], facts: Path, embedder: CachedEmbedder, mode: str) -> Sets:
    rng = random.Random(11)
    own, foreign, commands = [], [], []
    for place, talk in enumerate(talks):
        memory = OfflineMemory(talk.turns, embedder)
        answerable = [q for q in talk.questions if q.category != 5]
        embedder.save()
        own.append([ask(memory, q, mode, talk.id) for q in answerable])
        foreign.append([ask(memory, q, mode, talk.id) for q in strangers(talks, place)])
        commands.append([ask(memory, Question(text, frozenset(), lang=lang), mode, talk.id) for lang, text in COMMANDS])
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
    return Sets(MODES[mode][1], young, own, foreign, commands, small, missing)


def fit(
    sets: Sets, leave_out: int | None, facts: Sequence[Asked], missing: Sequence[Asked]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Ranker, gate and the gate's bias, without one talk."""
    used = [place for place in range(len(sets.own)) if place != leave_out]
    own = [a for place in used for a in sets.own[place]]
    ranker = train_ranker([*own, *facts])
    negatives = [a for place in used for a in sets.foreign[place]]
    orders = [a for place in used for a in sets.commands[place]]
    held = [a for place in used for a in sets.small[place] if a.gold.any()]
    lacking = [a for place in used for a in sets.small[place] if not a.gold.any()]
    groups = (own, facts, held, negatives, orders, missing, lacking)
    # each kind counts by itself, however many lines it has; paraphrases and other languages tell nothing of keywords
    shares = (1.0, 1.2, 0.25, 1.0, 0.6, 0.2, 0.15) if sets.meaning else (1.0, 0.0, 0.8, 1.0, 0.6, 0.0, 0.6)
    everything = [a for group in groups for a in group]
    labels = np.array([i < 3 for i, group in enumerate(groups) for _ in group], float)
    weights = np.concatenate(
        [np.full(len(group), share / max(len(group), 1)) for group, share in zip(groups, shares, strict=True)]
    )
    gate, bias = train_gate(gate_rows(everything, ranker), labels, weights)
    return ranker, gate, bias


def report(sets: Sets, mode: str) -> float:
    """Print the figures of talks left out; the threshold that lets a given share of the strangers through."""
    ids = sorted({a.group for a in sets.facts})
    halves = (set(ids[0::2]), set(ids[1::2]))
    best, own, foreign, commands, small, missing, young, empty = [], [], [], [], [], [], [], []
    kept = []
    for place in range(len(sets.own)):
        seen = halves[place % 2]
        facts = [a for a in sets.facts if a.group in seen]
        lost = [a for a in sets.missing if a.group in seen]
        ranker, gate, bias = fit(sets, place, facts, lost)
        best.append([*(recall_at(sets.own[place], ranker, k) for k in (5, 10))])
        for target, asked in (
            (own, sets.own[place]),
            (foreign, sets.foreign[place]),
            (commands, sets.commands[place]),
            (small, [a for a in sets.facts if a.group not in seen]),
            (missing, [a for a in sets.missing if a.group not in seen]),
            (young, [a for a in sets.small[place] if a.gold.any()]),
            (empty, [a for a in sets.small[place] if not a.gold.any()]),
        ):
            target.append(gate_rows(asked, ranker) @ gate + bias)
        kept += [(a, ranker) for a in sets.own[place]]
        if place < 2:
            unseen = [a for a in sets.facts if a.group not in seen]
            for name, chosen in (("same", 1.0), ("cross", 0.3)):
                some = [a for a in unseen if a.weight == chosen]
                print(f"  {name}: hit@1 {recall_at(some, ranker, 1)[1]:.3f} hit@5 {recall_at(some, ranker, 5)[1]:.3f}")
    mean, by_talk = np.array(best).mean(0), np.array(best)[:, 1, 0].round(3)
    print(f"{mode}: R@5 {mean[0][0]:.4f}  R@10 {mean[1][0]:.4f}  hit@10 {mean[1][1]:.4f}  R@10 by talk {by_talk}")
    o, f, c, s, m = (np.concatenate(x) for x in (own, foreign, commands, small, missing))
    apart = np.mean([auroc(a, b) for a, b in zip(own, foreign, strict=True)])
    print(f"  AUROC by talk {apart:.4f}, pooled {auroc(o, f):.4f}, facts against missing {auroc(s, m):.4f}")
    threshold = float(np.quantile(f, 1 - STRANGERS))
    y, e = np.concatenate(young), np.concatenate(empty)
    loud = {
        name: float(np.mean(x > threshold))
        for name, x in (("strangers", f), ("commands", c), ("missing", m), ("young", e))
    }
    silent = {name: float(np.mean(x <= threshold)) for name, x in (("own", o), ("facts", s), ("young", y))}
    print(f"  at {1 / (1 + np.exp(-threshold)):.3f}: loud", {k: round(v, 3) for k, v in loud.items()}, end=" ")
    print("silent", {k: round(v, 3) for k, v in silent.items()})
    print(f"  R@10 lost by silence {_lost(kept, o, threshold):.4f}")
    return float(1 / (1 + np.exp(-threshold)))


def _lost(kept: Sequence[tuple[Asked, np.ndarray]], scores: np.ndarray, threshold: float) -> float:
    """The part of R@10 that silence below `threshold` costs."""
    lost = [recall_at([a], ranker, 10)[0] for (a, ranker), z in zip(kept, scores, strict=True) if z <= threshold]
    return sum(lost) / len(scores)


def slope_for(sets: Sets, ranker: np.ndarray) -> float:
    """How fast the chance of being an answer falls with the distance from the best, as the odds show it."""
    losses = {}
    for slope in SLOPES:
        values = []
        for a in (a for talk in sets.own for a in talk):
            scores = np.sort(a.matrix @ ranker)[::-1][:20]
            order = np.argsort(-(a.matrix @ ranker), kind="stable")[:20]
            p = np.clip(0.6 * np.exp(slope * (scores - scores[0])), 1e-6, 1 - 1e-6)
            values.append(-np.mean(np.where(a.gold[order], np.log(p), np.log(1 - p))))
        losses[slope] = float(np.mean(values))
    return min(losses, key=losses.__getitem__)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("relevance-vectors"))
    parser.add_argument("--model")
    parser.add_argument("--modes", nargs="*", choices=MODES, help="train these alone and keep the others")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args()
    embedder = CachedEmbedder(options.cache, options.model)
    talks = locomo(options.locomo)
    known = Path(relevance.__file__).with_suffix(".json")
    trained: dict[str, object] = json.loads(known.read_text("utf-8")) if options.modes else {}
    for mode in options.modes or MODES:
        sets = gather(talks, options.facts, embedder, mode)
        embedder.save()
        threshold = report(sets, mode)
        ranker, gate, bias = fit(sets, None, sets.facts, sets.missing)
        trained[mode] = {
            "rank": relevance.names_of(ranker, FEATURES),
            "gate": relevance.names_of(gate, GATE_FEATURES),
            "gate_bias": round(bias, 5),
            "slope": slope_for(sets, ranker),
            "threshold": round(threshold, 4),
        }
    text = json.dumps(trained, indent=2)
    print(text)
    if options.write:
        known.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Train the weights of the default fusion (ovos_memory_bus/relevance.json) and report how they do on talks left out.

    python benchmarks/train_relevance.py LOCOMO_DIR MULTILINGUAL_JSON [--cache FILE] [--write]

The ranker is a linear model under a listwise softmax (Cao et al. 2007, "Learning to rank: from pairwise approach to
listwise approach"); the gate a logistic regression over the best candidates' figures, its negatives the questions of
one talk asked of another, questions whose fact was left out, and orders. Whether an utterance is personal at all is
told by a probe (personal.py). Each figure is of talks, facts and lines that the weights did not see. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from asked import MODES, Asked, Sets, gather
from offline_memory import CachedEmbedder
from personal import Probe, train_probe
from scipy.optimize import minimize
from talks import locomo

from ovos_memory_bus import relevance
from ovos_memory_bus.relevance import FEATURES, GATE_FEATURES, gate_features

STRANGERS = 0.27  # share of questions without an answer that may bring something: less costs too many answers
# each kind counts by itself, however many lines it has: own questions, facts, young memories; then strangers, orders,
# missing facts and young memories without the answer
SHARES = (1.0, 2.0, 0.5, 1.5, 0.7, 0.03, 0.03)
SHARES_OF_WORDS = (1.0, 0.0, 0.6, 1.0, 1.0, 0.0, 0.6)  # paraphrases and other languages tell nothing of keywords
SLOPES = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)


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


def gate_rows(asked: Sequence[Asked], ranker: np.ndarray, probe: Probe | None) -> np.ndarray:
    """GATE_FEATURES of questions; without a probe, as without vectors, `personal` is 0."""
    rows = []
    for a in asked:
        notes = {**a.notes, "personal": float(probe(a.vector)) if probe else 0.0}
        rows.append(gate_features(a.matrix, a.matrix @ ranker, a.count, notes))
    return np.stack(rows)


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


@dataclass(frozen=True)
class Seen:
    """What is trained on: places of talks, ids of facts, and which of our own lines."""

    talks: Sequence[int]
    facts: frozenset[str]
    lines: slice

    @property
    def unseen_lines(self) -> slice:
        return slice(1 - (self.lines.start or 0), None, 2)


def fit_probe(sets: Sets, seen: Seen) -> Probe | None:
    if not sets.meaning:
        return None
    lines = sets.lines
    facts = np.concatenate([vectors for id_, vectors in lines.facts.items() if id_ in seen.facts])
    told = np.concatenate([lines.talks[place] for place in seen.talks])
    personal, orders = lines.personal[seen.lines], lines.orders[seen.lines]
    return train_probe([(told, True, 0.5), (facts, True, 0.15), (personal, True, 0.35), (orders, False, 1.0)])


def fit(sets: Sets, seen: Seen) -> tuple[np.ndarray, np.ndarray, float, Probe | None]:
    """Ranker, gate, the gate's bias, and the probe."""
    own = [a for place in seen.talks for a in sets.own[place]]
    facts = [a for a in sets.facts if a.group in seen.facts]
    ranker, probe = train_ranker([*own, *facts]), fit_probe(sets, seen)
    negatives = [a for place in seen.talks for a in sets.foreign[place]]
    orders = [a for asked in (sets.orders, sets.young_orders) for place in seen.talks for a in asked[place][seen.lines]]
    orders = [a for a in orders if len(a.matrix)]
    missing = [a for a in sets.missing if a.group in seen.facts]
    held = [a for place in seen.talks for a in sets.small[place] if a.gold.any()]
    lacking = [a for place in seen.talks for a in sets.small[place] if not a.gold.any()]
    groups = (own, facts, held, negatives, orders, missing, lacking)
    everything = [a for group in groups for a in group]
    labels = np.array([i < 3 for i, group in enumerate(groups) for _ in group], float)
    shares = SHARES if sets.meaning else SHARES_OF_WORDS
    weights = np.concatenate(
        [np.full(len(group), share / max(len(group), 1)) for group, share in zip(groups, shares, strict=True)]
    )
    gate, bias = train_gate(gate_rows(everything, ranker, probe), labels, weights)
    return ranker, gate, bias, probe


def report(sets: Sets, mode: str) -> float:
    """Print the figures of what was left out; the threshold that lets a given share of the strangers through."""
    ids = sorted({a.group for a in sets.facts})
    best, own, foreign, orders, young_orders, small, missing, young, empty = ([] for _ in range(9))
    kept = []
    for place in range(len(sets.own)):
        others = [other for other in range(len(sets.own)) if other != place]
        seen = Seen(others, frozenset(ids[place % 2 :: 2]), slice(place % 2, None, 2))
        ranker, gate, bias, probe = fit(sets, seen)
        best.append([*(recall_at(sets.own[place], ranker, k) for k in (5, 10))])
        for target, asked in (
            (own, sets.own[place]),
            (foreign, sets.foreign[place]),
            (orders, sets.orders[place][seen.unseen_lines]),
            (young_orders, sets.young_orders[place][seen.unseen_lines]),
            (small, [a for a in sets.facts if a.group not in seen.facts]),
            (missing, [a for a in sets.missing if a.group not in seen.facts]),
            (young, [a for a in sets.small[place] if a.gold.any()]),
            (empty, [a for a in sets.small[place] if not a.gold.any()]),
        ):
            target.append(gate_rows(asked, ranker, probe) @ gate + bias)
        kept += [(a, ranker) for a in sets.own[place]]
        if place < 2:
            unseen = [a for a in sets.facts if a.group not in seen.facts]
            for name, chosen in (("same", 1.0), ("cross", 0.3)):
                some = [a for a in unseen if a.weight == chosen]
                print(f"  {name}: hit@1 {recall_at(some, ranker, 1)[1]:.3f} hit@5 {recall_at(some, ranker, 5)[1]:.3f}")
    mean, by_talk = np.array(best).mean(0), np.array(best)[:, 1, 0].round(3)
    print(f"{mode}: R@5 {mean[0][0]:.4f}  R@10 {mean[1][0]:.4f}  hit@10 {mean[1][1]:.4f}  R@10 by talk {by_talk}")
    o, f, c, d, s, m = (np.concatenate(x) for x in (own, foreign, orders, young_orders, small, missing))
    apart = np.mean([auroc(a, b) for a, b in zip(own, foreign, strict=True)])
    print(f"  AUROC by talk {apart:.4f}, pooled {auroc(o, f):.4f}, facts against missing {auroc(s, m):.4f}")
    y, e = np.concatenate(young), np.concatenate(empty)
    for strange in (STRANGERS - 0.05, STRANGERS + 0.05, STRANGERS):
        threshold = float(np.quantile(f, 1 - strange))
        loud = {
            name: round(float(np.mean(x > threshold)), 3)
            for name, x in (("strangers", f), ("orders", c), ("orders to the young", d), ("missing", m), ("young", e))
        }
        silent = {
            name: round(float(np.mean(x <= threshold)), 3) for name, x in (("own", o), ("facts", s), ("young", y))
        }
        lost = _lost(kept, o, threshold)
        print(f"  at {1 / (1 + np.exp(-threshold)):.3f}: loud {loud} silent {silent} R@10 lost {lost:.4f}")
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
    trained: dict[str, object] = json.loads(known.read_text("utf-8"))
    for mode in options.modes or MODES:
        sets = gather(talks, options.facts, embedder, mode)
        embedder.save()
        threshold = report(sets, mode)
        everything = Seen(range(len(talks)), frozenset(a.group for a in sets.facts), slice(None))
        ranker, gate, bias, probe = fit(sets, everything)
        if probe is not None:
            trained["personal"] = {
                embedder.model.split("-latin")[0]: {
                    "weights": [round(float(weight), 3) for weight in probe.weights],
                    "bias": round(probe.bias, 4),
                }
            }
        trained[mode] = {
            "rank": relevance.names_of(ranker, FEATURES),
            "gate": relevance.names_of(gate, GATE_FEATURES),
            "gate_bias": round(bias, 5),
            "slope": slope_for(sets, ranker),
            "threshold": round(threshold, 4),
        }
    if options.write:
        known.write_text(json.dumps(trained, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

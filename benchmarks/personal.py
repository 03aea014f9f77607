"""Does an utterance touch the speaker's own life and talks? A logistic regression over the model's query vectors tells
such questions and remarks from orders, small talk and questions about the world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

L2 = 1e-3


@dataclass(frozen=True)
class Probe:
    """`weights @ vector + bias` is the logarithm of the odds."""

    weights: np.ndarray
    bias: float

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        return vectors @ self.weights + self.bias


def spoken(text: str) -> str:
    """As speech recognition writes it: small letters, no marks at the end."""
    return re.sub(r"[?!.¿¡]+", "", text).strip().lower()


def first_person(question: str, names: Sequence[str]) -> str:
    """A question about a named person as that person would ask it: "when did ann move" is "when did i move"."""
    text, named = spoken(question), "|".join(re.escape(name.lower()) for name in names)
    text = re.sub(rf"\b(?:{named})'s\b", "my", text)
    verbs = {"does": "do", "did": "did", "has": "have", "is": "am", "was": "was"}
    return re.sub(rf"\b(does|did|has|is|was) (?:{named})\b(?!')", lambda m: f"{verbs[m[1]]} i", text)


def train_probe(groups: Sequence[tuple[np.ndarray, bool, float]]) -> Probe:
    """From groups of (vectors `[n, dims]`, whether they are personal, the group's share of the whole)."""
    rows = np.concatenate([vectors for vectors, _, _ in groups]).astype(float)
    labels = np.concatenate([np.full(len(vectors), float(personal)) for vectors, personal, _ in groups])
    weights = np.concatenate([np.full(len(vectors), share / len(vectors)) for vectors, _, share in groups])
    weights /= weights.sum()
    middle = rows.mean(0)
    scaled = (rows - middle) * np.sqrt(rows.shape[1])

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        z = scaled @ parameters[:-1] + parameters[-1]
        value = float(weights @ (np.logaddexp(0, z) - labels * z))
        error = weights * (1 / (1 + np.exp(-z)) - labels)
        gradient = np.append(scaled.T @ error + 2 * L2 * parameters[:-1], error.sum())
        return value + L2 * float(parameters[:-1] @ parameters[:-1]), gradient

    found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B").x
    direction = found[:-1] * np.sqrt(rows.shape[1])
    return Probe(direction, float(found[-1] - direction @ middle))

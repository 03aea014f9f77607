"""Hits from outside: what is believed of them, and their place among our own."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.backends.base import Found
from ovos_memory_bus.backends.outside import MAX_CONTENT, Claim, by_place, passes
from ovos_memory_bus.blending import Believed, blended, further
from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.ranking import Fused
from ovos_memory_bus.records import Item

T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)


def item(seq: int, content: str = "", **more: Any) -> Item:
    made = Item(seq, str(seq), "user:a", "talk", "document", "user", content or f"text {seq}", T0, T0)
    return replace(made, **more)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["id", "content", "score", "owner", "kind", "role", "created_at", "metadata"])


@given(anything | st.dictionaries(keys, anything))
def test_any_value_is_a_sound_claim_or_none(raw: Any) -> None:
    claim = Claim.from_data(raw)
    if claim is None:
        return
    assert claim.id or claim.content.strip()
    assert claim.score is None or 0 <= claim.score <= 1
    assert claim.kind in ("document", "note")
    assert claim.created_at is None or claim.created_at.tzinfo
    assert isinstance(claim.metadata, dict)


@pytest.mark.parametrize(
    ("score", "right"), [(0.4, 0.4), (7, 1.0), (-1, 0.0), (math.nan, None), (True, None), ("1", None), (None, None)]
)
def test_a_stated_score_is_a_probability_or_nothing(score: Any, right: float | None) -> None:
    claim = Claim.from_data({"content": "x", "score": score})
    assert claim is not None
    assert claim.score == right


def test_a_content_of_any_length_is_no_content() -> None:
    assert Claim.from_data({"content": "x" * (MAX_CONTENT + 1)}) is None


@pytest.mark.parametrize(
    ("where", "right"),
    [
        (ItemFilter(), True),
        (ItemFilter(session_id="talk", agent_id="cook"), True),
        (ItemFilter(session_id="other"), False),
        (ItemFilter(agent_id="waiter"), False),
        (ItemFilter(kinds=("turn", "document")), True),
        (ItemFilter(kinds=("turn",)), False),
        (ItemFilter(since=T0), True),
        (ItemFilter(until=T0), False),
        (ItemFilter(since=T0 + timedelta(1)), False),
        (ItemFilter(during=((T0 - timedelta(2), T0 - timedelta(1)), (T0, T0 + timedelta(1)))), True),
        (ItemFilter(during=((T0 - timedelta(2), T0),)), False),
        (ItemFilter(metadata={"room": {"floor": 2}}), True),
        (ItemFilter(metadata={"room": 2}), False),
    ],
)
def test_a_filter_holds_for_foreign_items_too(where: ItemFilter, right: bool) -> None:
    assert passes(where, item(-1, agent_id="cook", metadata={"room": {"floor": 2}})) is right


FOUND = Found(seqs=np.array([3, 4]), scores=np.array([900.0, 20.0]))
SURE = Found(foreign=((item(-1), 0.75), (item(-2), 0.25)), probable=True)


def test_scores_without_a_scale_count_by_their_places() -> None:
    more = further({"lexical": FOUND, "other": FOUND, "sure": SURE, "off": SURE}, {"sure": 0.5, "off": 0}, ["lexical"])
    assert more == {
        3: Believed(by_place(0), ("other",)),
        4: Believed(by_place(1), ("other",)),
        -1: Believed(0.375, ("sure",)),
        -2: Believed(0.125, ("sure",)),
    }
    assert further({"o": FOUND}, {"o": 9.0}, [])[3].probability == by_place(0)  # nothing is more than certain


def test_further_hits_take_their_place_by_probability() -> None:
    ours = [Fused(1, 5.0, ("lexical",)), Fused(3, 2.0, ("lexical", "semantic")), Fused(2, 1.0, ("semantic",))]
    items = {seq: item(seq) for seq in (1, 2, 3, 4, -1)} | {-2: item(-2, "TEXT 1!")}
    more = {3: Believed(0.7, ("other",)), -1: Believed(0.5, ("sure",)), -2: Believed(0.4, ("sure",))}
    fused = blended(ours, {1: 0.6, 3: 0.1, 2: 0.05}, more, items, dedup=True)
    assert [(entry.id, entry.fusion_score, entry.backends) for entry in fused] == [
        (3, 0.7, ("lexical", "semantic", "other")),
        (1, 0.6, ("lexical",)),
        (-1, 0.5, ("sure",)),
        (2, 0.05, ("semantic",)),
    ]
    assert [entry.id for entry in blended(ours, {1: 0.6}, more, items, dedup=False)][:4] == [3, 1, -1, -2]


def test_without_further_backends_nothing_changes() -> None:
    ours = [Fused(1, 5.0, ("lexical",)), Fused(3, 2.0, ("lexical",))]
    assert blended(ours, {1: 0.1, 3: 0.9}, {}, {}, dedup=True) == ours

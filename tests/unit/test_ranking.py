"""Fusion of ranked lists: its modes by example, its promises by property."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.errors import InvalidRequest
from ovos_memory_bus.ranking import FUSION_MODES, Fused, RankedHit, collapse_repeats, fuse, rrf
from ovos_memory_bus.repeats import content_key

MODES = sorted(FUSION_MODES)
NAMES = ["facts", "lexical", "recency", "semantic"]

scores = st.one_of(st.floats(min_value=-10, max_value=30), st.floats())
SAID = ["", "I love jazz", "i love jazz.", "my cat is called Tom", "20:30"]
hits = st.builds(
    lambda id_, score: RankedHit(id_, score, SAID[id_ % len(SAID)], seq=id_ // 2),
    st.integers(0, 15),
    scores,
)
ranked_lists = st.dictionaries(st.sampled_from(NAMES), st.lists(hits, max_size=10))
weights = st.dictionaries(st.sampled_from(NAMES), st.floats(min_value=0, max_value=5))
orders = st.lists(st.sampled_from(NAMES), unique=True)


def ranked(*pairs: tuple[str, float]) -> list[RankedHit]:
    return [RankedHit(id_, score) for id_, score in pairs]


def ids(fused: list[Fused]) -> str:
    return "".join(str(hit.id) for hit in fused)


SEMANTIC = ranked(("a", 0.9), ("b", 0.8), ("c", 0.7))
LEXICAL = ranked(("c", 12.0), ("d", 9.0))
LISTS = {"semantic": SEMANTIC, "lexical": LEXICAL}


def test_rrf_sums_reciprocal_ranks() -> None:
    fused = fuse("rrf", LISTS)
    assert ids(fused) == "cadb"
    assert fused[0] == Fused("c", pytest.approx(1 / 61 + 1 / 63), ("lexical", "semantic"))
    assert fused[1].fusion_score == pytest.approx(1 / 61)


def test_rrf_takes_weights_and_k() -> None:
    fused = fuse("rrf", LISTS, weights={"semantic": 3.0}, rrf_k=0, order=["semantic", "lexical"])
    assert ids(fused) == "acbd"
    assert [hit.fusion_score for hit in fused] == pytest.approx([3.0, 2.0, 1.5, 0.5])


def test_weighted_sums_stretched_scores() -> None:
    fused = fuse("weighted", LISTS, weights={"lexical": 0.5})
    assert ids(fused) == "abcd"
    assert [hit.fusion_score for hit in fused] == pytest.approx([1.0, 0.5, 0.5, 0.0])


def test_merge_sorts_by_score() -> None:
    assert ids(fuse("merge", LISTS)) == "cdab"
    assert fuse("merge", LISTS)[0].fusion_score == 12.0


def test_priority_takes_the_first_that_found_something() -> None:
    assert ids(fuse("priority", LISTS, order=["semantic", "lexical"])) == "abc"
    assert ids(fuse("priority", {**LISTS, "facts": []}, order=["facts", "lexical"])) == "cd"
    assert fuse("priority", LISTS, order=["semantic"])[2].backends == ("semantic", "lexical")


def test_interleave_takes_turns() -> None:
    assert ids(fuse("interleave", LISTS, order=["semantic"])) == "acbd"
    assert ids(fuse("interleave", LISTS, order=["lexical"])) == "cadb"


def test_a_mode_can_be_a_function() -> None:
    assert ids(fuse(rrf, LISTS)) == ids(fuse("rrf", LISTS))
    by_feature = {"a": 0.1, "b": 0.7, "d": 0.4}
    assert ids(fuse(lambda lists, rrf_k: dict(by_feature), LISTS)) == "bda"


def test_backend_of_weight_zero_is_left_out() -> None:
    fused = fuse("rrf", LISTS, weights={"lexical": 0.0})
    assert ids(fused) == "abc"
    assert fused[2].backends == ("semantic",)


def test_ties_go_to_the_better_place_then_to_the_backend_named_first() -> None:
    lists = {"x": ranked(("p", 1.0), ("q", 1.0)), "y": ranked(("r", 1.0), ("s", 1.0))}
    assert ids(fuse("rrf", lists)) == "prqs"
    assert ids(fuse("rrf", lists, order=["y"])) == "rpsq"


def test_same_thing_said_often_counts_once_under_the_newest() -> None:
    first = RankedHit("monday", 3.0, "I take my pills at nine", created_at=100.0)
    again = RankedHit("tuesday", 2.9, "i take my pills at nine.", created_at=200.0)
    newest = RankedHit("wednesday", 0.8, "I take  my pills at NINE", created_at=300.0)
    other = RankedHit("other", 2.0, "the pharmacy closes at six", created_at=250.0)
    lists = {"lexical": [first, again, other], "semantic": [newest]}
    assert fuse("rrf", lists) == [
        Fused("wednesday", pytest.approx(2 / 61), ("lexical", "semantic")),
        Fused("other", pytest.approx(1 / 62), ("lexical",)),
    ]
    assert len(fuse("rrf", lists, dedup=False)) == 4


def test_seq_decides_between_repeats_of_one_moment() -> None:
    lists = {"lexical": [RankedHit(7, 1.0, "hello", seq=7), RankedHit(9, 1.0, "hello", seq=9)]}
    assert [hit.id for hit in fuse("rrf", lists)] == [9]


def test_repeats_keep_the_best_place_and_score() -> None:
    lists = {"lexical": [RankedHit(1, 5.0, "yes please", seq=1), RankedHit(2, 4.0, "Yes, please!", seq=2)]}
    assert collapse_repeats(lists) == {"lexical": [RankedHit(2, 5.0, "Yes, please!", seq=2)]}


def test_blank_contents_are_no_repeats() -> None:
    assert len(fuse("rrf", {"lexical": [RankedHit(1, 1.0), RankedHit(2, 1.0, "  ")]})) == 2


@pytest.mark.parametrize("mode", ["rrf", "weighted"])
def test_a_hit_that_one_backend_is_sure_of_does_not_sink(mode: str) -> None:
    shared = "bcdefgh"
    sure = ranked(("x", 20.0), *((id_, 3.0 - place / 10) for place, id_ in enumerate(shared)))
    unaware = ranked(*((id_, 0.9 - place / 100) for place, id_ in enumerate(shared)))
    fused = fuse(mode, {"lexical": sure, "semantic": unaware})
    assert "x" in ids(fused)[:3]
    assert [hit.fusion_score for hit in fused] == sorted((hit.fusion_score for hit in fused), reverse=True)


def test_scores_of_one_by_rank_make_no_standout() -> None:
    shared = "bcdefgh"
    sure = ranked(*((id_, 1 / rank) for rank, id_ in enumerate("x" + shared, start=1)))
    unaware = ranked(*((id_, 0.9 - place / 100) for place, id_ in enumerate(shared)))
    assert ids(fuse("rrf", {"recency": sure, "semantic": unaware})).endswith("x")


def test_scores_that_are_no_numbers_stay_within_their_list() -> None:
    odd = ranked(("a", math.inf), ("b", 4.0), ("c", 2.0), ("d", -math.inf), ("e", math.nan))
    fused = {hit.id: hit.fusion_score for hit in fuse("weighted", {"lexical": odd})}
    assert fused == {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 0.0}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"mode": "vote"}, "fusion"),
        ({"rrf_k": -1.0}, "rrf_k"),
        ({"rrf_k": math.nan}, "rrf_k"),
        ({"weights": {"lexical": -0.5}}, "weights"),
        ({"weights": {"lexical": math.inf}}, "weights"),
    ],
)
def test_impossible_settings_are_named(arguments: dict, field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        fuse(arguments.pop("mode", "rrf"), LISTS, **arguments)
    assert caught.value.field == field


@pytest.mark.parametrize("mode", MODES)
def test_nothing_found_fuses_to_nothing(mode: str) -> None:
    assert fuse(mode, {}) == []
    assert fuse(mode, {"lexical": [], "semantic": []}) == []


@pytest.mark.parametrize("mode", MODES)
@given(lists=ranked_lists, weights=weights, order=orders, dedup=st.booleans())
def test_each_id_once_best_first_with_all_its_backends(mode, lists, weights, order, dedup) -> None:
    fused = fuse(mode, lists, weights=weights, order=order, dedup=dedup)
    found = [hit.id for hit in fused]
    assert len(found) == len(set(found))
    assert all(not math.isnan(hit.fusion_score) for hit in fused)
    assert all(first.fusion_score >= second.fusion_score for first, second in pairwise(fused))
    assert all(hit.backends and set(hit.backends) <= set(lists) for hit in fused)
    if not dedup:
        for hit in fused:
            finders = {name for name, found in lists.items() if any(one.id == hit.id for one in found)}
            assert set(hit.backends) == {name for name in finders if weights.get(name, 1.0) > 0}


@pytest.mark.parametrize("mode", MODES)
@given(lists=ranked_lists, order=orders, data=st.data())
def test_order_of_arrival_does_not_matter(mode, lists, order, data) -> None:
    arrived = data.draw(st.permutations(list(lists.items())))
    assert fuse(mode, dict(arrived), order=order) == fuse(mode, lists, order=order)


@pytest.mark.parametrize("mode", ["rrf", "weighted", "merge", "interleave"])
@given(lists=ranked_lists)
def test_no_hit_is_lost(mode, lists) -> None:
    every = {hit.id for found in lists.values() for hit in found}
    assert {hit.id for hit in fuse(mode, lists, dedup=False)} == every


@given(lists=ranked_lists)
def test_what_repeats_say_is_not_lost(lists) -> None:
    said = {content_key(hit.content) for found in lists.values() for hit in found} - {""}
    kept = {content_key(hit.content) for found in collapse_repeats(lists).values() for hit in found}
    assert said <= kept


@pytest.mark.parametrize("mode", MODES)
@given(found=st.lists(hits, max_size=10, unique_by=lambda hit: hit.id))
def test_a_single_list_keeps_its_order(mode, found) -> None:
    found = sorted(found, key=lambda hit: -hit.score if math.isfinite(hit.score) else math.inf)
    finite = [hit for hit in found if math.isfinite(hit.score)]
    assert [hit.id for hit in fuse(mode, {"lexical": finite}, dedup=False)] == [hit.id for hit in finite]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What's the time?", "what's the time"),
        ("«Hola, ¿qué tal?»", "hola qué tal"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("cafe\u0301", "café"),
        ("straße", "STRASSE"),
    ],
)
def test_texts_that_say_the_same(one: str, other: str) -> None:
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("at 5", "at -5"), ("C", "C#"), ("1.5", "15"), ("?", "!"), ("café", "cafe")]
)
def test_texts_that_do_not(one: str, other: str) -> None:
    assert content_key(one) != content_key(other)


@given(st.text())
def test_key_of_a_key_is_the_key(text: str) -> None:
    assert content_key(content_key(text)) == content_key(text)

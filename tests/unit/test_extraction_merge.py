"""Merging: what ends, what begins, what was merely said again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.extraction import CATEGORIES, Category, Extraction, FactCandidate, Retraction, StoredFact, merge


def old(id_: str, category: Category, value: str, subject: str = "user") -> StoredFact:
    return StoredFact(id_, category, subject, value, 1.0)


def new(category: Category, value: str, subject: str = "user", correction: bool = False) -> FactCandidate:
    return FactCandidate(category, subject, value, 0.9, correction, f"{category}: {value}")


def test_a_new_home_ends_the_old_one() -> None:
    changes = merge([old("a", "home", "Bath"), old("b", "job", "cook")], Extraction((new("home", "Exeter"),)), 5.0)
    assert (changes.at, changes.ends, [f.value for f in changes.adds]) == (5.0, ("a",), ["Exeter"])


def test_the_same_value_is_touched() -> None:
    changes = merge([old("a", "name", "Zoë")], Extraction((new("name", "zoe"),)), 5.0)
    assert (changes.ends, changes.adds, changes.touches) == ((), (), ("a",))


def test_lists_grow_without_near_duplicates() -> None:
    stored = [old("a", "like", "sparkling water")]
    stated = (new("like", "chess"), new("like", "Chess"), new("like", "sparkling  water!"))
    changes = merge(stored, Extraction(stated), 5.0)
    assert ([f.value for f in changes.adds], changes.touches, changes.ends) == (["chess"], ("a",), ())


def test_a_longer_form_takes_the_place_of_a_shorter_one() -> None:
    stored, stated = [old("a", "possession", "electric bike")], (new("possession", "red electric bike"),)
    changes = merge(stored, Extraction(stated), 5.0)
    assert (changes.ends, [f.value for f in changes.adds]) == (("a",), ["red electric bike"])


def test_likes_and_dislikes_of_one_thing_flip() -> None:
    changes = merge([old("a", "like", "olives"), old("b", "like", "tea")], Extraction((new("dislike", "olives"),)), 5.0)
    assert (changes.ends, [f.category for f in changes.adds]) == (("a",), ["dislike"])


def test_similarity_merges_across_languages() -> None:
    stored, extraction = [old("a", "like", "chess")], Extraction((new("like", "schach"),))
    assert len(merge(stored, extraction, 5.0).adds) == 1
    assert merge(stored, extraction, 5.0, lambda a, b: 0.99).touches == ("a",)


def test_a_renamed_pet_replaces_the_one_of_its_kind() -> None:
    stored = [old("a", "pet", "Rex", "dog"), old("b", "pet", "Tom", "cat")]
    assert merge(stored, Extraction((new("pet", "Max", "dog", correction=True),)), 5.0).ends == ("a",)
    assert merge(stored, Extraction((new("pet", "Max", "dog"),)), 5.0).ends == ()


def test_retractions_end_what_they_name() -> None:
    stored = [old("a", "diet", "vegan"), old("b", "diet", "peanuts"), old("c", "like", "peanuts")]
    assert merge(stored, Extraction((), (Retraction("diet", "vegan"),)), 5.0).ends == ("a",)
    assert merge(stored, Extraction((), (Retraction("diet"),)), 5.0).ends == ("a", "b")
    assert merge(stored, Extraction((), (Retraction(None, "peanuts"),)), 5.0).ends == ("b", "c")


def test_a_retraction_of_a_relation_leaves_the_others() -> None:
    stored = [old("a", "family", "Ida", "daughter"), old("b", "family", "Emil", "son")]
    assert merge(stored, Extraction((), (Retraction("family", None, "son"),)), 5.0).ends == ("b",)


facts = st.builds(old, st.uuids().map(str), st.sampled_from(CATEGORIES), st.text(max_size=12))
candidates = st.builds(new, st.sampled_from(CATEGORIES), st.text(max_size=12))
retractions = st.builds(Retraction, st.sampled_from([*CATEGORIES, None]), st.none() | st.text(max_size=12))


@given(st.lists(facts, max_size=8), st.lists(candidates, max_size=6), st.lists(retractions, max_size=3))
def test_changes_are_consistent(stored: list[StoredFact], stated: list[FactCandidate], back: list[Retraction]) -> None:
    changes = merge(stored, Extraction(tuple(stated), tuple(back)), 5.0)
    known = {fact.id for fact in stored}
    assert set(changes.ends) <= known
    assert set(changes.touches) <= known - set(changes.ends)
    assert all(fact in stated for fact in changes.adds)

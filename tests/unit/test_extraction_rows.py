"""Names in a row behind a plural, statements that a later word takes back, and forgetting by topic."""

import pytest

from ovos_memory_bus.extraction import StoredFact, extract, merge


@pytest.mark.parametrize(
    ("lang", "text", "names"),
    [
        ("en", "i have three sons called hector, amos and levi", ["hector", "amos", "levi"]),
        ("en", "our two girls beatrix and maud are at school", ["beatrix", "maud"]),
        ("de", "wir haben zwei söhne die heißen anselm und veit", ["anselm", "veit"]),
        ("it", "abbiamo due figlie ottavia e livia", ["ottavia", "livia"]),
        ("nl", "ik heb twee zonen die heten sybren en douwe", ["sybren", "douwe"]),
    ],
)
def test_each_name_of_a_row_is_a_fact(lang: str, text: str, names: list[str]) -> None:
    assert [fact.value for fact in extract(text, lang).facts] == names


def test_a_plural_without_names_counts_only() -> None:
    assert [fact.value for fact in extract("i have two sons and a lot of work", "en").facts] == ["two sons"]


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "my name is grendel and i live in a cave in this game"),
        ("en", "i'm called elvis just kidding"),
        ("de", "ich heiße blaubart in dem spiel"),
        ("fr", "je m'appelle ulysse dans le film"),
        ("es", "en el juego me llamo drácula"),
    ],
)
def test_play_and_jokes_state_nothing_wherever_they_are_named(lang: str, text: str) -> None:
    assert extract(text, lang).facts == ()


def test_an_allergy_is_forgotten_as_diet_and_as_health() -> None:
    held = [StoredFact("1", "diet", "user", "nuts", 0.0), StoredFact("2", "health", "user", "pollen", 0.0)]
    assert merge(held, extract("forget what i said about my allergies", "en"), 1.0).ends == ("1", "2")
    assert merge(held, extract("forget what i said about my allergy to pollen", "en"), 1.0).ends == ("2",)


def test_an_animal_that_is_gone_ends_the_pet_whatever_its_name() -> None:
    held = [StoredFact("1", "pet", "dog", "rufus", 0.0), StoredFact("2", "pet", "cat", "tilly", 0.0)]
    assert merge(held, extract("we don't have the dog any more", "en"), 1.0).ends == ("1",)


def test_another_form_of_the_word_is_forgotten_too() -> None:
    held = [StoredFact("1", "diet", "user", "laktoseintolerant", 0.0)]
    assert merge(held, extract("vergiss das mit der laktoseintoleranz", "de"), 1.0).ends == ("1",)

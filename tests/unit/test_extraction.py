"""What the extraction engine promises beside its hit rate: spans, corrections, bounds, packs that speakers write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.extraction import Extraction, PackError, Retraction, build, extract, languages
from ovos_memory_bus.extraction.grammar import Notation, PatternError, compile_pattern
from ovos_memory_bus.extraction.text import MAX_CHARS, norm, read


def values(text: str, lang: str | None = "en") -> list[tuple[str, str]]:
    return [(fact.category, fact.value) for fact in extract(text, lang).facts]


def test_a_fact_has_its_span_subject_and_sentence() -> None:
    (fact,) = extract("Our tortoise is called Mildred, you know.", "en").facts
    assert (fact.category, fact.subject, fact.value) == ("pet", "tortoise", "Mildred")
    assert "Mildred" in fact.sentence
    assert 0 < fact.confidence <= 1
    assert not fact.correction


def test_a_transcribed_name_is_written_with_a_capital_in_the_sentence_only() -> None:
    (fact,) = extract("ich heiße gundula", "de-DE").facts
    assert fact.value == "gundula"
    assert "Gundula" in fact.sentence


def test_the_relation_is_english_in_every_language() -> None:
    said = {"de": "meine tochter heißt ida", "fr": "ma fille s'appelle ida", "it": "mia figlia si chiama ida",
            "es": "mi hija se llama ida", "nl": "mijn dochter heet ida", "ca": "la meva filla es diu ida",
            "pt": "a minha filha chama-se ida", "en": "my daughter is called ida"}  # fmt: skip
    for lang, text in said.items():
        (fact,) = extract(text, lang).facts
        assert (fact.category, fact.subject, fact.value) == ("family", "daughter", "ida"), lang


def test_a_repair_within_the_utterance_wins() -> None:
    assert values("i live in leeds no wait in exeter") == [("home", "exeter")]


def test_a_correction_says_so_and_takes_the_old_value_back() -> None:
    result = extract("i don't live in leeds any more i'm in exeter now", "en")
    assert [(f.value, f.correction) for f in result.facts] == [("exeter", True)]
    assert result.retractions == (Retraction("home", "leeds"),)


def test_what_is_forgotten_is_not_stated() -> None:
    result = extract("please forget that i live in leeds", "en")
    assert result == Extraction((), (Retraction("home", "leeds"),))


def test_forgetting_a_pet_names_its_kind() -> None:
    assert extract("forget what i said about my dog", "en").retractions == (Retraction("pet", None, "dog"),)


def test_the_language_is_found_when_none_is_given() -> None:
    assert values("ich wohne in lübeck und ich heiße hedwig", None) == [("home", "lübeck"), ("name", "hedwig")]
    assert extract("qqq zzz", None) == Extraction()


def test_a_language_without_a_pack_gives_nothing() -> None:
    assert extract("watashi wa tanaka desu", "ja") == Extraction()


def test_quotations_state_nothing() -> None:
    assert values('The sign reads "I am a baker and I live in Leeds".') == []


@pytest.mark.parametrize("lang", languages())
def test_nothing_is_read_beyond_the_bound(lang: str) -> None:
    assert extract("x " * MAX_CHARS + "my name is ida", lang) == Extraction()


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800 my name is \udfff", "?" * 9, "'" * 99, "i " * 500_000, "[" * 1_000_000]
)
def test_hostile_text_is_harmless(lang: str, text: str) -> None:
    assert isinstance(extract(text, lang), Extraction)


@given(text=st.text(st.characters()), lang=st.sampled_from([*languages(), None, "xx", ""]))
def test_any_text_is_harmless(text: str, lang: str | None) -> None:
    for fact in extract(text, lang).facts:
        assert fact.value in text


PIECES = ["my", "name", "is", "i'm", "a", "the", "and", "no", "not", "live", "in", "wait", ",", ".", "?", "called"]


@given(words=st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_order_of_pattern_words_is_harmless(words: list[str]) -> None:
    text = " ".join(words)
    assert all(fact.value in text for fact in extract(text, "en").facts)


def test_norm_folds_case_accents_and_punctuation() -> None:
    assert norm("  São-Tomé! ") == "sao tome"


def test_a_line_keeps_the_place_of_its_words() -> None:
    line = read("J'ai euh un Chien", elision=True, enclitics=(), fillers={"euh"})
    assert line.flat == "j' ai un chien "
    assert line.span(2, 4) == "un Chien"


NOTATION = Notation({"be": "am|are"}, {"kind": ["dog", "guinea pig"]}, "", str)


@pytest.mark.parametrize(
    ("pattern", "flat", "groups"),
    [
        ("i (@be) {x}", "i am here ", ("here ",)),
        ("i [really] like {x} a lot", "i like tea a lot ", ("tea ",)),
        ("my {kind} * is {x} $", "my guinea pig now is ida ", ("guinea pig ", "ida ")),
        ("^ so* {x}", "sometimes tea ", ("tea ",)),
    ],
)
def test_the_notation(pattern: str, flat: str, groups: tuple[str, ...]) -> None:
    match = compile_pattern(pattern, NOTATION).regex.search(flat)
    assert match
    assert match.groups() == groups


@pytest.mark.parametrize("pattern", ["i (am", "i am]", "@nobody {x}", "@loop"])
def test_a_pattern_that_breaks_the_notation_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_pattern(pattern, Notation({"loop": "x @loop"}, {}, "", str))


def test_a_pack_that_lacks_a_part_is_refused() -> None:
    with pytest.raises(PackError, match="xx"):
        build({"language": "xx"})

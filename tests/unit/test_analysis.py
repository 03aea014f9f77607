"""Any text yields terms, and a text's own words find it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.analysis import LONGEST_TERM, analyse, fold, is_blank, query_terms

LANGUAGES = ("en-US", "de-de", "es", "pt_BR", "it", "fr", "nl", "ca", "gl", "eu", "da", "ru", "tr", "zh", "xx", None)
languages = st.sampled_from(LANGUAGES)
anything = st.text(st.characters(codec=None), max_size=60) | st.text(max_size=200)


def found(query: str, text: str, lang: str | None, stored: str | None = None) -> int:
    """How many of the query's words a stored text has."""
    terms = set(analyse(text, stored or lang))
    return sum(bool(terms & set(term.variants)) for term in query_terms(query, lang))


@given(anything, languages)
def test_no_text_breaks_it(text, lang):
    terms = analyse(text, lang)
    for term in (*terms, *(v for q in query_terms(text, lang) for v in q.variants)):
        assert 0 < len(term) <= LONGEST_TERM
        assert not any(c.isspace() or (not c.isalnum() and c.isascii()) for c in term)
        term.encode()
    assert is_blank(text) == (not terms) == (not query_terms(text, lang))


@given(anything, languages)
def test_composed_and_decomposed_letters_are_one(text, lang):
    assert analyse(unicodedata.normalize("NFC", text), lang) == analyse(unicodedata.normalize("NFD", text), lang)


@given(anything)
def test_folding_again_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(anything, languages)
def test_a_text_has_all_its_own_words(text, lang):
    assert found(text, text, lang) == len(query_terms(text, lang))


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b", "!!!", "?!… —", "\x00", "\ud800", "\u0301", "+=<>|~^`$"])
def test_blank_texts(text):
    assert is_blank(text)
    assert analyse(text, "en") == []
    assert query_terms(text, "en") == []


@pytest.mark.parametrize("text", ["👍", "👍🏽", "a", "9", "猫", "é", "क्"])
def test_texts_with_something_to_find(text):
    assert not is_blank(text)
    assert found(text, text, "en") == 1


@pytest.mark.parametrize("mark", list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
def test_ascii_marks_alone_are_nothing_and_between_words_do_no_harm(mark):
    assert is_blank(mark)
    assert found("alpha beta", f"{mark}alpha{mark} {mark}beta{mark}", "en") == 2


@pytest.mark.parametrize("word", ["NOT", "OR", "NEAR", "AND"])
def test_operators_of_query_languages_are_words(word):
    assert found(word, f"the {word} word", "en") == 1


def test_a_query_full_of_operators_is_words():
    assert found('what\'s "this"? (AND NEAR/2 -x *: ^', "x near 2 and this", "en") == 2


@pytest.mark.parametrize("query", ["café Señor Ångström", "cafe senor angstrom", "CAFÉ SEÑOR ÅNGSTRÖM"])
@pytest.mark.parametrize("lang", ["en", "es", "sv", "pt", None])
def test_composed_decomposed_and_unaccented_letters_meet(query, lang):
    stored = unicodedata.normalize("NFD", "café Señor Ångström")
    assert found(query, stored, lang) == found(unicodedata.normalize("NFD", query), stored, lang) == 3


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße", "strasse"), ("IŞIK ışık", "isik isik"), ("Ærø Łódź Đặng", "aero lodz dang"), ("cœur", "coeur"),
        ("Ёлка й", "елка й"), ("Άθήνα", "αθηνα"), ("がぎ", "がぎ"), ("ｆｕｌｌ ①", "full 1"), ("co\u00adop", "coop"),
        ("हिन्दी", "हिन्दी"), ("한국", "한국"), ("שָׁלוֹם", "שלום"),
    ],
)  # fmt: skip
def test_folding(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(
    "text",
    ["x" * 1_000_000, "nine " * 20_000, "9" * 1_000_000, "a-" * 50_000, "猫" * 50_000, "\u202e\u0301" * 300_000,
     "million " * 10_000, "8:30 pm " * 10_000, "é" * 1_000_000, "'" * 1_000_000, "l'" * 300_000],
    ids=["word", "numbers", "digits", "compound", "han", "marks", "millions", "times", "accents", "quotes", "elisions"],
)  # fmt: skip
def test_huge_texts_are_read_to_the_end(text):
    terms = analyse(f"{text} bluehorse", "fr")
    assert terms[-1] == "bluehors"
    assert all(0 < len(term) <= LONGEST_TERM for term in terms)
    assert found(text[:20_000], text[:20_000], "fr") == len(query_terms(text[:20_000], "fr"))

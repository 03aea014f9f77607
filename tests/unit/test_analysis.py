"""Any text yields terms, and a text's own words find it."""

from __future__ import annotations

import unicodedata

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

"""The same questions in the other languages, as speech recognition writes them; and that every locale file is whole."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

from ovos_memory_bus.temporal import TimeIntent, parse
from ovos_memory_bus.temporal.locales import compile_locale, languages, load, numbers
from ovos_memory_bus.temporal.templates import TemplateError

NOW = datetime(2024, 5, 15, 14, 30, tzinfo=timezone.utc)  # a Wednesday
PHRASES = json.loads(Path(__file__).with_name("test_temporal_phrases.json").read_text(encoding="utf-8"))
LOCALES = Path(parse.__code__.co_filename).with_name("locale")


def moment(when: datetime) -> str:
    return f"{when:%y-%m-%d}" if when.hour == when.minute == 0 else f"{when:%y-%m-%d %H:%M}"


def meaning(intent: TimeIntent | None) -> str:
    """An intent in the notation of the phrase file: strength, ranges, s<conversations>, order, earlier, [topic]."""
    if intent is None:
        return "none"
    parts = [intent.strength, *(f"{moment(one.start)}..{moment(one.end)}" for one in intent.ranges)]
    if intent.sessions:
        parts.append(f"s{intent.sessions.first}:{intent.sessions.last}")
    if intent.order:
        parts.append(intent.order)
    if intent.earlier:
        parts.append("earlier")
    if intent.topic:
        parts.append(f"[{intent.topic}]")
    return " ".join(parts)


@pytest.mark.parametrize(
    ("lang", "utterance", "expected"),
    [(lang, utterance, expected) for lang, rows in PHRASES.items() for utterance, expected in rows],
)
def test_phrase(lang: str, utterance: str, expected: str) -> None:
    assert meaning(parse(utterance, lang, NOW, timezone.utc)) == expected


def test_eight_languages_are_there() -> None:
    assert set(languages()) >= {"ca", "de", "en", "es", "fr", "it", "nl", "pt"}
    assert load("pt-BR") is load("PT_pt")


@pytest.mark.parametrize("lang", languages())
def test_locale_names_every_section_the_english_one_names(lang: str) -> None:
    english = json.loads((LOCALES / "en.json").read_text(encoding="utf-8"))
    data = json.loads((LOCALES / f"{lang}.json").read_text(encoding="utf-8"))
    assert data.keys() == english.keys()
    assert len(data["weekdays"]) == len(data["rendering"]["last_weekdays"]) == 7
    assert len(data["months"]) == len(data["rendering"]["months"]) == 12
    assert len(data["cardinals"]) == 100
    assert len(data["ordinals"]) >= 59


def test_numbers_are_spelled_beyond_a_hundred() -> None:
    data = json.loads((LOCALES / "de.json").read_text(encoding="utf-8"))
    assert "zweihundertzweiundvierzig" in numbers(data)[242]


@pytest.mark.parametrize(
    "template", ["({unit} ago", "{count} {nothing}", "<nobody> ago", "[maybe]", "a ) b", "(a|[b])"]
)
def test_broken_template_is_named(template: str) -> None:
    data = json.loads((LOCALES / "en.json").read_text(encoding="utf-8"))
    data["periods"] = {"ago": [template]}
    with pytest.raises(TemplateError):
        compile_locale("en", data)


def test_unknown_kind_is_named() -> None:
    data = json.loads((LOCALES / "en.json").read_text(encoding="utf-8"))
    data["periods"] = {"some_day": ["someday"]}
    with pytest.raises(TemplateError, match="some_day"):
        compile_locale("en", data)

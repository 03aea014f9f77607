"""The page's files: texts complete in every language, and nothing that its content security policy would refuse."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

import ovos_memory_bus
from ovos_memory_bus.backends.registry import BUILT_IN
from ovos_memory_bus.extraction.model import CATEGORIES
from ovos_memory_bus.records import KINDS, ROLES

STATIC = Path(ovos_memory_bus.__file__).parent / "web" / "static"
LANGUAGES = ("en", "de", "es", "pt", "it", "fr")
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
FAMILIES = ("answer", "backend", "category", "figure", "kind", "role", "status", "why")  # keys made of a word


@cache
def texts(language: str) -> dict[str, str]:
    return dict(json.loads((STATIC / "i18n" / f"{language}.json").read_text(encoding="utf-8")))


def places(text: str) -> list[str]:
    """The names that values are put for."""
    return sorted(re.findall(r"\{(\w+)\}", text))


def used_keys() -> set[str]:
    """The keys that markup and scripts name in full; counted ones in both forms."""
    code = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    keys = set(re.findall(r'data-(?:text|placeholder|label)="([\w.]+)"', page))
    keys |= {key for key in re.findall(r'"([a-z]+(?:\.[a-z_]+)+)"', code) if not key.endswith(".js")}
    for key in re.findall(r'counted\("([\w.]+)"', code):
        keys.remove(key)
        keys |= {f"{key}.one", f"{key}.other"}
    return keys


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text(language: str) -> None:
    assert list(texts(language)) == list(texts("en"))
    assert [key for key, text in texts(language).items() if not text.strip()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_puts_the_same_values_into_its_texts(language: str) -> None:
    assert {key: places(text) for key, text in texts(language).items()} == {
        key: places(text) for key, text in texts("en").items()
    }


def test_the_page_offers_the_languages_that_there_are() -> None:
    offered = re.findall(r"^  (\w\w): \"", (STATIC / "js/texts.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(offered) == sorted(LANGUAGES) == sorted(file.stem for file in (STATIC / "i18n").iterdir())


def test_every_text_used_is_there_and_every_text_there_is_used() -> None:
    known = {key for key in texts("en") if key.partition(".")[0] not in FAMILIES}
    used = {key for key in used_keys() if key.partition(".")[0] not in FAMILIES}
    assert used == known


def test_every_word_of_the_service_has_a_text() -> None:
    wanted = [f"kind.{kind}" for kind in KINDS]
    wanted += [f"role.{role}" for role in ROLES]
    wanted += [f"backend.{name}" for name in BUILT_IN]
    wanted += [f"category.{category}" for category in CATEGORIES]
    wanted += [f"status.{status}" for status in ("ok", "timeout", "error", "skipped", "running", "restarting")]
    wanted += [f"why.{why}" for why in ("below_min_score", "over_max_results", "no_longer_holds", "gone")]
    assert [key for key in wanted if key not in texts("en")] == []


def test_the_markup_holds_no_inline_script_or_style_and_nothing_foreign() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?://", page) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_make_no_markup_of_text_and_ask_nobody_else(script: Path) -> None:
    code = script.read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://|javascript:"
    assert re.findall(forbidden, code) == []
    assert len(code.splitlines()) <= 300
    assert code.startswith("// "), "the first line says what a module is for"


def test_style_sheets_load_nothing_from_elsewhere() -> None:
    for sheet in (STATIC / "css").glob("*.css"):
        assert re.findall(r"@import|url\(", sheet.read_text(encoding="utf-8")) == [], sheet.name

"""How well each language pack does on sentences of our own: facts found, and nothing found where there is none."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest

from ovos_memory_bus.extraction import CATEGORIES, StoredFact, extract, languages, load, merge

SENTENCES = Path(__file__).with_name("test_extraction_sentences")
PRECISION = 0.95
RECALL = 0.85


@dataclass(frozen=True)
class Line:
    """`kind | utterance | category: value / other span ; … | category: value that it takes back`"""

    kind: str
    utterance: str
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    ended: tuple[str, str] | None


def lines(language: str) -> list[Line]:
    found = []
    for text in (SENTENCES / f"{language}.txt").read_text("utf-8").splitlines():
        if not text.strip() or text.startswith("#"):
            continue
        kind, utterance, facts, ended = (part.strip() for part in (text + "|||").split("|")[:4])
        stated = [fact.split(":", 1) for fact in facts.split(";") if fact.strip()]
        old = ended.split(":", 1) if ended else None
        found.append(
            Line(
                kind,
                utterance,
                tuple((c.strip(), tuple(v.strip() for v in values.split(" / "))) for c, values in stated),
                (old[0].strip(), old[1].strip()) if old else None,
            )
        )
    return found


def same(one: str, other: str) -> bool:
    a, b = (" ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())) for text in (one, other))
    short, long = sorted((a, b), key=len)
    return a == b or (bool(short) and short in long and len(short) >= 0.6 * len(long))


def test_every_language_has_sentences() -> None:
    assert languages() == ("ca", "de", "en", "es", "fr", "it", "nl", "pt")
    assert {path.stem for path in SENTENCES.glob("*.txt")} == set(languages())


@pytest.mark.parametrize("language", languages())
def test_precision_and_recall(language: str) -> None:
    right = wrong = missed = 0
    for line in lines(language):
        left = list(line.facts)
        for fact in extract(line.utterance, language).facts:
            hit = next((g for g in left if g[0] == fact.category and any(same(fact.value, v) for v in g[1])), None)
            if hit:
                left.remove(hit)
                right += 1
            else:
                wrong += 1
        missed += len(left)
    assert right / (right + wrong) >= PRECISION
    assert right / (right + missed) >= RECALL


@pytest.mark.parametrize("language", languages())
def test_what_is_taken_back_ends(language: str) -> None:
    ended = []
    for line in lines(language):
        if line.ended:
            category, value = line.ended
            old = StoredFact("old", category, "user", value, 0.0)  # type: ignore[arg-type]
            ended.append(merge([old], extract(line.utterance, language), 1.0).ends == ("old",))
    assert len(ended) >= 3
    assert all(ended)


@pytest.mark.parametrize("language", languages())
def test_a_request_to_forget_a_topic_is_understood(language: str) -> None:
    asked = [line for line in lines(language) if line.kind == "retraction" and line.ended is None]
    assert asked
    assert all(extract(line.utterance, language).retractions for line in asked)


@pytest.mark.parametrize("language", languages())
def test_each_pack_names_every_category(language: str) -> None:
    pack = load(language)
    assert set(pack.sentences) == set(CATEGORIES)
    assert {rule.category for rule in pack.rules} == set(CATEGORIES)
    assert {category for named in pack.topics.values() for category in named} == set(CATEGORIES)
    assert all("{value}" in sentence for sentence in pack.sentences.values())

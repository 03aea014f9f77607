"""Language packs: what a speaker wrote in `locale/<lang>.json`, checked and compiled for matching."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ovos_memory_bus.extraction.grammar import Notation, Pattern, PatternError, compile_pattern, phrases
from ovos_memory_bus.extraction.model import CATEGORIES, Category
from ovos_memory_bus.extraction.text import read

_GROUPED = ("relation", "animal", "possession")
_ALTERNATED = ("relation", "animal", "offspring", "count")


class PackError(ValueError):
    """A language pack lacks a part, or one of its parts cannot be used."""


@dataclass(frozen=True)
class Rule:
    """A pattern and the category of what it finds."""

    category: Category
    pattern: Pattern
    correction: bool = False


@dataclass(frozen=True)
class Pack:
    """A compiled language pack; docs/facts.md says what each part of the file is for."""

    language: str
    also: tuple[str, ...]
    elision: bool
    subject_drop: bool
    enclitics: frozenset[str]
    fillers: frozenset[str]
    negators: frozenset[str]
    clitics: frozenset[str]
    coordinators: frozenset[str]
    starters: frozenset[str]
    preps: frozenset[str]
    joiners: frozenset[str]
    links: frozenset[str]
    verbs: frozenset[str]
    verb_endings: tuple[str, ...]
    lexicon: Mapping[str, frozenset[str]]
    subjects: Mapping[str, Mapping[str, str]]
    suffixes: Mapping[str, tuple[str, ...]]
    reject: Mapping[str, frozenset[str]]
    stop: re.Pattern[str]
    compound: re.Pattern[str]
    lead: re.Pattern[str]
    tail: re.Pattern[str]
    repair: re.Pattern[str]
    number: re.Pattern[str]
    number_links: frozenset[str]
    months: frozenset[str]
    dotted: re.Pattern[str]
    blockers: tuple[Pattern, ...]
    disclaimers: tuple[Pattern, ...]
    resets: re.Pattern[str]
    cues: tuple[Pattern, ...]
    rules: tuple[Rule, ...]
    retractions: tuple[Rule, ...]
    followups: tuple[Rule, ...]
    forget: tuple[Pattern, ...]
    topics: Mapping[str, tuple[Category, ...]]
    sentences: Mapping[str, str]


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a pack, sorted."""
    folder = resources.files(__package__).joinpath("locale")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".json")))


@cache
def load(language: str) -> Pack:
    """The pack of a language in `languages()`, compiled once a process. Raises `PackError`."""
    return build(_content(language))


@cache
def function_words(language: str) -> frozenset[str]:
    """The frequent words of a language in `languages()`, without compiling its pack."""
    return frozenset(_words(_content(language).get("function_words", ())))


def _content(language: str) -> Any:
    text = resources.files(__package__).joinpath("locale").joinpath(f"{language}.json").read_text("utf-8")
    return json.loads(text)


def build(data: Mapping[str, Any]) -> Pack:
    """Check and compile the content of a pack file. Raises `PackError`."""
    try:
        return _build(data)
    except (KeyError, TypeError, AttributeError, PatternError, re.error) as error:
        raise PackError(f"language pack {data.get('language', '?')}: {error!r}") from error


class _Source:
    """The content of a pack file, read with the pack's own way of parting words."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.elision = bool(data.get("elision", False))
        self.enclitics = frozenset(_words(data.get("enclitics", ())))
        self.subjects = {
            kind: {word: subject for subject, entries in data["lexicon"][kind].items() for word in self.spelt(entries)}
            for kind in _GROUPED
        }
        self.lexicon = {
            kind: frozenset(self.subjects[kind] if kind in _GROUPED else self.spelt(entries))
            for kind, entries in data["lexicon"].items()
        }
        alternated = {kind: self.lexicon[kind] for kind in _ALTERNATED}
        self._notation = Notation(data.get("macros", {}), alternated, phrases(self.spelt(data["openers"])), self.spell)

    def spell(self, phrase: str) -> str:
        """The phrase as it stands on a flat line."""
        first, _, rest = phrase.partition(" ")
        if first in self.enclitics:
            return f"{first} {self.spell(rest)}".strip()
        return read(phrase, elision=self.elision, enclitics=self.enclitics, fillers=()).flat.strip()

    def spelt(self, entries: str | Iterable[str]) -> list[str]:
        return [self.spell(word) for word in _words(entries)]

    def word_lists(self) -> dict[str, Any]:
        """The fields that are sets of words, and those that are expressions for any of some phrases."""
        words = {key: frozenset(self.spelt(self.data.get(key, ()))) for key in _WORD_LISTS}
        runs = {key[:-1]: _phrase_regex(words.pop(key), repeat=key in ("leads", "tails")) for key in _PHRASE_LISTS}
        return {**words, **runs, "enclitics": self.enclitics}

    def patterns(self, sources: Iterable[str]) -> tuple[Pattern, ...]:
        return tuple(compile_pattern(source, self._notation) for source in sources)

    def rules(self, part: str, *, correction: bool = False, bare: bool = False) -> tuple[Rule, ...]:
        """The rules of one part of the file; only with `bare` may a pattern have no slot."""
        found = tuple(
            Rule(_category(name), pattern, correction)
            for name, sources in self.data.get(part, {}).items()
            for pattern in self.patterns(sources)
        )
        for rule in found:
            if not bare and not rule.pattern.kinds:
                raise PackError(f"{rule.pattern.source!r} of {part} has no slot to take a value from")
        return found

    def topics(self) -> dict[str, tuple[Category, ...]]:
        """The categories that a word names, in the file's order: an allergy is a matter of diet and of health."""
        found: dict[str, tuple[Category, ...]] = {}
        for name, entries in self.data["topics"].items():
            for word in self.spelt(entries):
                found[word] = (*found.get(word, ()), _category(name))
        return found


def _build(data: Mapping[str, Any]) -> Pack:
    source = _Source(data)
    months = _words(data["months"])
    return Pack(
        language=data["language"],
        also=tuple(data.get("also", ())),
        elision=source.elision,
        subject_drop=bool(data.get("subject_drop", False)),
        **source.word_lists(),
        verb_endings=tuple(_words(data.get("verb_endings", ()))),
        lexicon=source.lexicon,
        subjects=source.subjects,
        suffixes={kind: tuple(_words(endings)) for kind, endings in data.get("suffixes", {}).items()},
        reject={kind: frozenset(source.spelt(entries)) for kind, entries in data.get("reject", {}).items()},
        number=_number_regex(_words(data["number_words"])),
        months=frozenset(months),
        dotted=_dotted_regex(months),
        blockers=source.patterns(data["blockers"]),
        disclaimers=source.patterns(data.get("disclaimers", ())),
        resets=_phrase_regex(source.spelt(data["resets"])),
        cues=source.patterns(data["correction_cues"]),
        rules=source.rules("rules") + source.rules("corrections", correction=True),
        retractions=source.rules("retractions", bare=True),
        followups=source.rules("followups", correction=True),
        forget=source.patterns(data["forget"]),
        topics=source.topics(),
        sentences={_category(name): template for name, template in data["sentences"].items()},
    )


_PHRASE_LISTS = ("stops", "leads", "tails", "repairs", "compounds")
_WORD_LISTS = (
    "fillers", "negators", "clitics", "coordinators", "starters", "preps", "joiners", "links", "verbs",
    "number_links", *_PHRASE_LISTS,
)  # fmt: skip


def _words(entries: str | Iterable[str]) -> list[str]:
    """Words and phrases, given as a list or, shorter to write, in strings parted by commas."""
    lines = [entries] if isinstance(entries, str) else entries
    return [word.strip() for line in lines for word in line.split(",") if word.strip()]


def _phrase_regex(entries: Iterable[str], *, repeat: bool = False) -> re.Pattern[str]:
    """Any of the phrases at a word boundary; `repeat` takes a run of them."""
    inner = phrases(entries) or r"(?!)"
    return re.compile(rf"(?<![^ ])(?:{inner}){'+' if repeat else ''}")


def _number_regex(morphemes: Iterable[str]) -> re.Pattern[str]:
    """A number of up to three digits, or written as one word ("dreiundfünfzig") of these parts."""
    parts = "|".join(re.escape(part) for part in sorted(morphemes, key=len, reverse=True))
    return re.compile(rf"(?:\d{{1,3}}|(?:{parts})+'?)\Z")


def _dotted_regex(months: Iterable[str]) -> re.Pattern[str]:
    """A full stop that makes an ordinal of the number before it: "4. Juli"."""
    names = "|".join(re.escape(month) for month in months)
    return re.compile(rf"(?<=\d)\.(?=\s*(?:{names})\b)", re.IGNORECASE)


def _category(name: str) -> Category:
    for category in CATEGORIES:
        if category == name:
            return category
    raise PackError(f"unknown category {name!r}")

"""Languages as data: reads `locale/<language>.json` once and compiles its templates and word lists.

A language is added by adding its file; docs/time.md says what stands in it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from .kinds import BUILDERS
from .templates import Table, Template, TemplateError
from .tokens import Lexicon, Spelling, Tags, fold, words

_FOLDER = files(__package__).joinpath("locale")


@dataclass(frozen=True, slots=True)
class Locale:
    """Everything the grammar knows of one language."""

    language: str
    lexicon: Lexicon
    spelling: Spelling
    periods: Table
    spans: Table
    sessions: Table
    orders: Table
    earlier: Table
    said: Table
    unsaid: Table
    openers: Table
    past: Table
    fillers: frozenset[str]
    said_words: frozenset[str]
    joiners: frozenset[str]
    rendering: Mapping[str, Any]


def base_language(lang: str) -> str:
    """ "pt-BR" and "PT_br" are "pt"."""
    return lang.replace("_", "-").split("-")[0].casefold()


@cache
def languages() -> tuple[str, ...]:
    """The languages with a file, sorted."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def load(lang: str) -> Locale | None:
    """The locale of a language tag, None for a language without a file. Raises TemplateError for a broken file."""
    language = base_language(lang)
    return _load(language) if language in languages() else None


@cache
def _load(language: str) -> Locale:
    return compile_locale(language, json.loads(_FOLDER.joinpath(f"{language}.json").read_text(encoding="utf-8")))


def compile_locale(language: str, data: Mapping[str, Any]) -> Locale:
    """A locale from the contents of its file. Raises TemplateError for an unknown kind, slot or list."""
    lists = data["lists"]

    def table(name: str) -> Table:
        section = data[name]
        kinds = section.items() if isinstance(section, Mapping) else [(name, section)]
        return Table((kind, Template(text, lists)) for kind, texts in kinds for text in texts)

    unknown = {kind.split(":")[0] for kind in data["periods"]} - set(BUILDERS)
    if unknown:
        raise TemplateError(f"unknown kinds of period in {language}: {sorted(unknown)}")
    return Locale(
        language=language,
        lexicon=_lexicon(data),
        spelling=Spelling(
            ordinal_suffixes=frozenset(map(fold, data["ordinal_suffixes"])),
            month_first=data["month_first"],
            compounds={fold(word): words(phrase) for word, phrase in data["compounds"].items()},
        ),
        periods=table("periods"),
        spans=table("spans"),
        sessions=table("sessions"),
        orders=table("orders"),
        earlier=table("earlier"),
        said=table("said"),
        unsaid=table("unsaid"),
        openers=table("openers"),
        past=table("past"),
        fillers=frozenset(word for entry in data["fillers"] for word in words(entry)),
        said_words=frozenset(word for entry in lists["said"] for word in words(entry)),
        joiners=frozenset(map(fold, data["joiners"])),
        rendering=data["rendering"],
    )


def _lexicon(data: Mapping[str, Any]) -> Lexicon:
    entries: defaultdict[tuple[str, ...], dict[str, Any]] = defaultdict(dict)

    def add(phrases: str | Sequence[str], tag: str, value: Any) -> None:
        for phrase in phrases.split("|") if isinstance(phrases, str) else phrases:
            entries[words(phrase)].setdefault(tag, value)

    for value, phrases in numbers(data).items():
        add(phrases, "n", value)
    for value, phrases in enumerate(data["ordinals"], start=1):
        add(phrases, "o", value)
    for position, phrases in enumerate(data["weekdays"]):
        add(phrases, "w", position)
    for position, phrases in enumerate(data["months"], start=1):
        add(phrases, "m", position)
    add(data["articles"], "a", 1)
    for count, phrases in data["pairs"].items():
        add(phrases, "a", int(count))
    for unit, (singular, plural) in data["units"].items():
        add(singular, "u", unit)
        add(plural, "u", unit)
        add(plural, "v", unit)
    for phrases, hours in data["parts"]:
        add(phrases, "t", tuple(hours))
    for hour, phrases in data["halves"].items():
        add(phrases, "h", int(hour))
    add(data["session_words"], "s", None)
    for value, phrases in years(data).items():
        add([phrase for phrase in phrases if words(phrase) not in entries], "y", value)
    return _by_first_word(entries)


def numbers(data: Mapping[str, Any]) -> Mapping[int, Sequence[str]]:
    """Number words up to 399: those of the file, and hundreds followed by them, in one word or with the joiners."""
    ones = {value: phrases.split("|") for value, phrases in enumerate(data["cardinals"])}
    spelled: dict[int, Sequence[str]] = dict(ones)
    for index, hundreds in enumerate(data["hundreds"], start=1):
        spelled[index * 100] = hundreds.split("|")
        for value, phrases in ones.items():
            if 0 < value < 100:
                spelled[index * 100 + value] = [
                    f"{hundred}{joiner}{phrase}"
                    for hundred in hundreds.split("|")
                    for joiner in data["hundred_joiners"]
                    for phrase in phrases
                ]
    return spelled


def years(data: Mapping[str, Any]) -> Mapping[int, Sequence[str]]:
    """Year words from 1980 to 2049: a century's words ("two thousand and", "twenty") followed by a number below 100."""
    spelled: defaultdict[int, list[str]] = defaultdict(list)
    for century, prefixes in data["centuries"].items():
        for prefix in prefixes:
            for value, phrases in enumerate(data["cardinals"]):
                year = int(century) + value
                if 1980 <= year < 2050 and 0 < value < 100:
                    spelled[year].extend(f"{prefix}{phrase}" for phrase in phrases.split("|"))
    return spelled


def _by_first_word(entries: Mapping[tuple[str, ...], Tags]) -> Lexicon:
    index: defaultdict[str, list[tuple[tuple[str, ...], Tags]]] = defaultdict(list)
    for phrase in sorted(entries, key=len, reverse=True):
        index[phrase[0]].append((phrase, entries[phrase]))
    return dict(index)

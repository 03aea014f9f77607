"""What analysis knows of each language, read once from `languages/<code>.json`: the place to add or mend one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import Stemmer

from .folding import normalise, unaccent

FOLDER = Path(__file__).parent / "languages"

_STEMMERS = {
    "ar": "arabic", "cs": "czech", "el": "greek", "eo": "esperanto", "et": "estonian", "fa": "persian", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "lt": "lithuanian", "ne": "nepali",
    "ro": "romanian", "sr": "serbian", "ta": "tamil", "yi": "yiddish",
}  # fmt: skip
"""Snowball's stemmers for languages without a data file; what the installed PyStemmer lacks is not stemmed."""

_ALIASES = {"nb": "no", "nn": "no", "iw": "he", "in": "id"}


@dataclass(frozen=True, slots=True)
class Number:
    """What a number word counts: `multiplies` for hundred and thousand, `ordinal` for third, `alone` when the word
    by itself means the number (not so for articles: `un`, `ein`)."""

    value: int
    multiplies: bool = False
    ordinal: bool = False
    alone: bool = True


@dataclass(frozen=True, slots=True)
class ClockPattern:
    """A way to say a time around its hour: `before` and `after` are words without accents, `M` a number of minutes.
    The minutes to add are `minutes`, or `sign` times M's."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    minutes: int
    sign: int = 0


@dataclass(frozen=True)
class Language:
    """One language's words, all normalised; keys of `numbers`, `months` and `weekdays` also without accents."""

    code: str
    stem: Callable[[str], str]
    stop_words: frozenset[str] = frozenset()
    elisions: frozenset[str] = frozenset()
    enclitics: frozenset[str] = frozenset()
    numbers: Mapping[str, Number] = field(default_factory=dict)
    multipliers: tuple[tuple[str, int], ...] = ()
    joiners: Mapping[str, int] = field(default_factory=dict)
    glued: bool = False
    vigesimal: bool = False
    years_in_pairs: bool = False
    ordinal: re.Pattern[str] | None = None
    months: Mapping[str, int] = field(default_factory=dict)
    month_abbreviations: Mapping[str, int] = field(default_factory=dict)
    month_cues: frozenset[str] = frozenset()
    weekdays: Mapping[str, int] = field(default_factory=dict)
    clock: tuple[ClockPattern, ...] = ()
    day_halves: Mapping[tuple[str, ...], int] = field(default_factory=dict)


def primary(tag: str | None) -> str:
    """The language of a tag as OVOS writes them: `en-US`, `pt_BR` → `en`, `pt`; `` for none."""
    code = re.split(r"[-_]", (tag or "").strip().lower(), maxsplit=1)[0]
    return _ALIASES.get(code, code)


@lru_cache(maxsize=1)
def described() -> tuple[str, ...]:
    """Codes of the languages that have a data file."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@lru_cache(maxsize=256)
def language(tag: str | None) -> Language:
    """The language of a tag; one that nothing is known of has neither stemmer nor stop words."""
    code = primary(tag)
    if code not in described():
        return Language(code=code, stem=_stemmer(_STEMMERS.get(code)), ordinal=_ordinal_pattern(""))
    data = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    numbers = data.get("numbers", {})
    return Language(
        code=code,
        stem=_stemmer(data.get("stemmer")),
        stop_words=frozenset(_both(" ".join(data.get("stop_words", {}).values()).split())),
        elisions=frozenset(_both(data.get("elisions", "").split())),
        enclitics=frozenset(data.get("enclitics", "").split()),
        numbers=_numbers(numbers),
        multipliers=tuple(sorted(numbers.get("multipliers", {}).items(), key=lambda pair: -pair[1])),
        joiners=numbers.get("joiners", {}),
        glued=numbers.get("glued", False),
        vigesimal=numbers.get("vigesimal", False),
        years_in_pairs=numbers.get("years_in_pairs", False),
        ordinal=_ordinal_pattern(numbers.get("ordinal_suffixes", "")),
        months=_positions(data.get("months", ()), slice(0, 1)),
        month_abbreviations=_positions(data.get("months", ()), slice(1, None)),
        month_cues=frozenset(_both(data.get("month_cues", "").split())),
        weekdays=_positions(data.get("weekdays", ()), slice(None)),
        clock=_clock(data.get("times", {})),
        day_halves={
            tuple(unaccent(normalise(phrase)).split()): half
            for half, name in enumerate(("morning", "evening"))
            for phrase in data.get(name, "").split("|")
            if phrase.strip()
        },
    )


def _stemmer(name: str | None) -> Callable[[str], str]:
    if name is None or name not in Stemmer.algorithms():
        return str
    stemmer: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord  # no cache of its own: whole words are cached
    return stemmer


def _both(words: Iterable[str]) -> list[str]:
    """Words as they are and without accents: people leave them out."""
    spelled = [normalise(word) for word in words]
    return spelled + [unaccent(word) for word in spelled]


def _positions(rows: Any, part: slice) -> dict[str, int]:
    return {word: number for number, row in enumerate(rows, 1) for word in _both(row.split()[part]) if word != "-"}


def _clock(data: Mapping[str, str]) -> tuple[ClockPattern, ...]:
    """`{"half past H": "30", "M to H": "-M"}` as patterns, those of most words first."""
    found = []
    for phrase, minutes in data.items():
        words = [word if word in ("H", "M") else unaccent(normalise(word)) for word in phrase.split()]
        hour = words.index("H")
        spoken = minutes.endswith("M")
        sign = -1 if minutes.startswith("-") else 1
        before, after = tuple(words[:hour]), tuple(words[hour + 1 :])
        found.append(ClockPattern(before, after, 0 if spoken else int(minutes), sign if spoken else 0))
    return tuple(sorted(found, key=lambda pattern: -len(pattern.before) - len(pattern.after)))


def _ordinal_pattern(suffixes: str) -> re.Pattern[str]:
    """`9th`, `14ste`, `3er`: digits with an ending that makes them ordinal; English endings are understood anywhere."""
    endings = sorted({"st", "nd", "rd", "th", *_both(suffixes.split())}, key=len, reverse=True)
    return re.compile(rf"(\d+)(?:{'|'.join(map(re.escape, endings))})")


def _numbers(data: Mapping[str, Any]) -> dict[str, Number]:
    """All number words of a language: listed ones, tens, what its rule glues of ten and unit, and ordinals."""
    units = dict(enumerate(data.get("words", "").split()))
    tens = dict(zip(range(30, 100, 10), data.get("tens", "").split(), strict=False))
    spelled = {word: value for value, word in {**units, **tens}.items()} | data.get("more", {})
    rule = data.get("compound")
    if rule:
        spelled |= _compounds(rule, {v: w for v, w in units.items() if 0 < v < 10}, {20: units[20], **tens}, data)
    ordinals = {word: value for value, word in enumerate(data.get("ordinals", "").split())}
    ordinals |= dict(zip(data.get("ordinal_tens", "").split(), range(30, 100, 10), strict=False))
    ordinals |= data.get("more_ordinals", {})
    if "ordinal_from_20" in data:
        ordinals |= {word + data["ordinal_from_20"]: value for word, value in spelled.items() if value >= 20}
    endings = ["" if e == "-" else e for e in data.get("ordinal_endings", "-").split()]
    found = {stem + end: Number(value, ordinal=True) for stem, value in ordinals.items() for end in endings}
    articles = {normalise(word) for word in data.get("not_alone", "").split()}
    found |= {word: Number(value, alone=word not in articles) for word, value in spelled.items()}
    found |= {word: Number(value, multiplies=True) for word, value in data.get("multipliers", {}).items()}
    normal = {normalise(word): number for word, number in found.items()}
    return {unaccent(word): number for word, number in normal.items()} | normal


def _compounds(rule: str, units: Mapping[int, str], tens: Mapping[int, str], data: Mapping[str, Any]) -> dict[str, int]:
    """Two-digit numbers written in one word: `{unit}und{ten}`; `{ten}{unit}` also without the ten's last vowel."""
    found = {}
    for ten_value, ten in tens.items():
        for unit_value, unit in units.items():
            unit = data.get("unit_in_compound", {}).get(unit, unit)
            found[rule.format(unit=unit, ten=ten)] = ten_value + unit_value
            found[rule.format(unit=unit, ten=ten[:-1] if rule.startswith("{ten}") else ten)] = ten_value + unit_value
    return found

"""Which facts a user's utterance states: patterns of a language pack, minus all that is not meant as a statement.

Callers pass the user's own words only. What the assistant says is never evidence about the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ovos_memory_bus.extraction.blocking import Ranges, asked, blocked, inside
from ovos_memory_bus.extraction.grammar import Pattern
from ovos_memory_bus.extraction.model import Category, Extraction, FactCandidate, Retraction
from ovos_memory_bus.extraction.pack import Pack, Rule, function_words, languages, load
from ovos_memory_bus.extraction.reading import Found, reading
from ovos_memory_bus.extraction.taking_back import forgotten, retracted
from ovos_memory_bus.extraction.text import Line, norm, read

_PROPER: frozenset[Category] = frozenset(("name", "nickname", "home", "origin"))
_ASKABLE: Category = "preference_assistant"  # "could you always …?" asks and yet states what is wanted
_MAX_FACTS = 12


def extract(text: str, lang: str | None) -> Extraction:
    """The durable facts that `text`, one utterance of a user, states about that user, and those it takes back.

    `lang` is a BCP 47 tag or None, then the pack whose function words fit best is taken; a language without a pack
    gives nothing. Pure, never raises, reads `MAX_CHARS` characters at most.
    """
    pack = _pack(text, lang)
    if pack is None or not text.strip():
        return Extraction()
    result = _extract(text, pack)
    for other in pack.also:
        result = _joined(result, _extract(text, load(other)), pack)
    return result


def _pack(text: str, lang: str | None) -> Pack | None:
    if lang:
        primary = re.split(r"[-_]", lang.lower())[0]
        return load(primary) if primary in languages() else None
    words = re.findall(r"\w+", text[:400].lower())
    scores = {language: sum(word in function_words(language) for word in words) for language in languages()}
    best = max(scores, key=lambda language: scores[language], default=None)
    return load(best) if best and scores[best] else None


def _joined(mine: Extraction, other: Extraction, pack: Pack) -> Extraction:
    """Facts of a second pack beside those of the first, where speakers mix languages."""
    known = {norm(fact.value) for fact in mine.facts}
    added = tuple(
        replace(fact, sentence=pack.sentences[fact.category].format(value=fact.value, word=fact.value))
        for fact in other.facts
        if not any(norm(fact.value) in value or value in norm(fact.value) for value in known)
    )
    return Extraction(mine.facts + added, mine.retractions or other.retractions)


def _extract(text: str, pack: Pack) -> Extraction:
    line = read(text, elision=pack.elision, enclitics=pack.enclitics, fillers=pack.fillers, dotted=pack.dotted)
    if not line.tokens:
        return Extraction()
    words = frozenset(token.norm for token in line.tokens)
    unstated = blocked(line, pack, words)
    requests = list(forgotten(line, pack, words))
    silent = unstated + asked(line, unstated)
    dropped, resumed = retracted(line, pack, words, silent)
    spans = [(start, end) for start, end, _ in requests]
    found = [
        found
        for rule in pack.rules
        for found in _found(rule, line, pack, words, unstated if rule.category == _ASKABLE else silent)
    ] + resumed
    stated = [f for f in found if not inside(line.offsets[f.start], spans)]
    taken = [f for f in found if inside(line.offsets[f.start], spans)]
    corrected = bool(dropped) or any(_matches(cue, line, words) for cue in pack.cues)
    chosen = _chosen(stated, dropped, line)
    facts = tuple(_candidate(f, line, pack, corrected) for f in chosen)
    retractions = [Retraction(f.category, line.span(f.span.first, f.span.last)) for f in taken]
    retractions += [Retraction(f.category, line.span(f.old.first, f.old.last)) for f in chosen if f.old]
    if not taken:
        retractions += [retraction for _, _, topics in requests for retraction in topics]
    return Extraction(facts[:_MAX_FACTS], (*retractions, *dropped.values()))


def _matches(pattern: Pattern, line: Line, words: frozenset[str]) -> bool:
    return pattern.possible(words) and pattern.regex.search(line.flat) is not None


def _found(rule: Rule, line: Line, pack: Pack, words: frozenset[str], unstated: Ranges) -> Iterator[Found]:
    if not rule.pattern.possible(words):
        return
    for match in rule.pattern.regex.finditer(line.flat):
        start = line.index(match.start())
        if inside(match.start(), unstated) or _turned(line, start, pack) or _negated(rule, match, line, pack):
            continue
        for found in reading(rule, match, line, pack):
            if not inside(line.offsets[found.span.first], unstated):
                yield found


def _turned(line: Line, start: int, pack: Pack) -> bool:
    """Whether the word before a verb without a subject turns its sense: "non mi piace", "ti adoro"."""
    return pack.subject_drop and start > 0 and line.tokens[start - 1].norm in pack.negators | pack.clitics


def _negated(rule: Rule, match: re.Match[str], line: Line, pack: Pack) -> bool:
    """Whether a word that the pattern leaves open denies it: "my son * is called" on "my son is not called"."""
    last = line.index(match.end(match.lastindex) - 1) if match.lastindex else line.index(match.end() - 1)
    value = line.index(match.start(match.lastindex)) if match.lastindex else last
    words = {token.norm for token in line.tokens[line.index(match.start()) : value]}
    return not pack.negators.isdisjoint(words - rule.pattern.words)


def _chosen(found: list[Found], dropped: dict[int, Retraction], line: Line) -> list[Found]:
    """At most one reading of each stretch: the heaviest pattern wins, and nothing just taken back is stated."""
    accepted: list[Found] = []
    taken_back = {norm(r.value) for r in dropped.values() if r.value}
    gone: set[tuple[Category, str]] = set()
    for candidate in sorted(found, key=lambda f: (-f.rule.pattern.weight, -f.confidence, f.span.first)):
        value = (candidate.category, norm(line.span(candidate.span.first, candidate.span.last)))
        if (
            value in gone
            or not value[1]
            or value[1] in taken_back
            or any(_clash(candidate, other) for other in accepted)
        ):
            continue
        gone.add(value)
        accepted.append(candidate)
    return sorted(accepted, key=lambda f: f.span.first)


def _clash(one: Found, other: Found) -> bool:
    if one.span.first < other.span.last and other.span.first < one.span.last:
        return True
    if one.category != other.category or (one.rule is other.rule and one.start == other.start):
        return False
    return one.start < other.span.last and other.start < one.span.last


def _candidate(found: Found, line: Line, pack: Pack, corrected: bool) -> FactCandidate:
    value = line.span(found.span.first, found.span.last)
    named = found.category in _PROPER or (found.category in ("family", "pet") and norm(value) != norm(found.word))
    shown = " ".join(w[:1].upper() + w[1:] for w in value.split()) if named and value.islower() else value
    template = pack.sentences[found.category]
    return FactCandidate(
        category=found.category,
        subject=found.span.subject,
        value=value,
        confidence=round(found.confidence, 2),
        correction=found.rule.correction or corrected,
        sentence=template.format(value=shown, word=found.word or value),
    )

"""Which facts a user's utterance states: patterns of a language pack, minus all that is not meant as a statement.

Callers pass the user's own words only. What the assistant says is never evidence about the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ovos_memory_bus.extraction.grammar import START, Pattern
from ovos_memory_bus.extraction.model import USER, Category, Extraction, FactCandidate, Retraction
from ovos_memory_bus.extraction.pack import Pack, Rule, function_words, languages, load
from ovos_memory_bus.extraction.resolvers import resolve
from ovos_memory_bus.extraction.slots import Slot, Span
from ovos_memory_bus.extraction.text import Line, norm, read

_SUBJECT_KINDS = ("relation", "animal", "count", "offspring")
_NAMING = ("name", "named", "hello")
_COUNTED = ("number", "age", "date", "language")  # "soixante et un": a conjunction inside
_SENTENCE_END = re.compile(r"[.!?] ")
_PROPER: frozenset[Category] = frozenset(("name", "nickname", "home", "origin"))
_ASKABLE: Category = "preference_assistant"  # "could you always …?" asks and yet states what is wanted
_BY_SUBJECT: dict[str, Category] = {"relation": "family", "animal": "pet", "possession": "possession"}
_MAX_FACTS = 12


@dataclass(frozen=True)
class _Found:
    """A candidate with its place: the tokens of its value and the token its pattern began at.

    `old` is the value that the same words put away: "not anna but …".
    """

    rule: Rule
    span: Span
    start: int
    word: str
    confidence: float
    old: Span | None = None

    @property
    def category(self) -> Category:
        return self.rule.category


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
    blocked = _blocked(line, pack, words)
    forgotten = list(_forgotten(line, pack, words))
    asked = blocked + _asked(line, blocked)
    dropped, resumed = _retracted(line, pack, words, asked)
    spans = [(start, end) for start, end, _ in forgotten]
    found = [
        found
        for rule in pack.rules
        for found in _found(rule, line, pack, words, blocked if rule.category == _ASKABLE else asked)
    ] + resumed
    stated = [f for f in found if not _inside(line.offsets[f.start], spans)]
    taken = [f for f in found if _inside(line.offsets[f.start], spans)]
    corrected = bool(dropped) or any(_matches(cue, line, words) for cue in pack.cues)
    chosen = _chosen(stated, dropped, line)
    facts = tuple(_candidate(f, line, pack, corrected) for f in chosen)
    retractions = [Retraction(f.category, line.span(f.span.first, f.span.last)) for f in taken]
    retractions += [Retraction(f.category, line.span(f.old.first, f.old.last)) for f in chosen if f.old]
    if not taken:
        retractions += [retraction for _, _, found_topics in forgotten for retraction in found_topics]
    return Extraction(facts[:_MAX_FACTS], (*retractions, *dropped.values()))


def _matches(pattern: Pattern, line: Line, words: frozenset[str]) -> bool:
    return pattern.possible(words) and pattern.regex.search(line.flat) is not None


def _inside(offset: int, ranges: list[tuple[int, int]]) -> bool:
    return any(start <= offset < end for start, end in ranges)


def _blocked(line: Line, pack: Pack, words: frozenset[str]) -> list[tuple[int, int]]:
    """Stretches of the line that state nothing: questions, conditions, quotations, pretence."""
    ranges = []
    for pattern in pack.blockers:
        if not pattern.possible(words):
            continue
        for match in pattern.regex.finditer(line.flat):
            end = _SENTENCE_END.search(line.flat, match.end())
            reset = pack.resets.search(line.flat, match.end())
            stops = [len(line.flat), *(m.start() for m in (end, reset) if m)]
            ranges.append((match.start(), min(stops)))
    for pattern in pack.disclaimers:
        for match in pattern.regex.finditer(line.flat) if pattern.possible(words) else ():
            ends = [end.end() for end in _SENTENCE_END.finditer(line.flat, 0, match.start())]
            ranges.append((ends[-1] if ends else 0, match.end()))
            ranges.append((match.start(), _sentence_end(line, match.end())))
    return ranges


def _sentence_end(line: Line, start: int) -> int:
    end = _SENTENCE_END.search(line.flat, start)
    return end.start() if end else len(line.flat)


def _asked(line: Line, blocked: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sentences that end in a question mark, without a statement before the question's comma."""
    ranges, start = [], 0
    for end in _SENTENCE_END.finditer(line.flat):
        if end[0] == "? ":
            comma = line.flat.rfind(", ", start, end.start())
            asks = comma >= 0 and any(start < first <= comma + 2 for first, _ in blocked)
            ranges.append((comma + 2 if asks else start, end.start()))
        start = end.end()
    return ranges


def _found(
    rule: Rule, line: Line, pack: Pack, words: frozenset[str], blocked: list[tuple[int, int]]
) -> Iterator[_Found]:
    if not rule.pattern.possible(words):
        return
    for match in rule.pattern.regex.finditer(line.flat):
        start = line.index(match.start())
        if _inside(match.start(), blocked) or _turned(line, start, pack) or _negated(rule, match, line, pack):
            continue
        for found in _read(rule, match, line, pack):
            if not _inside(line.offsets[found.span.first], blocked):
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


def _read(rule: Rule, match: re.Match[str], line: Line, pack: Pack) -> Iterator[_Found]:
    """The candidates of one match: its value slot resolved, its subject from the nouns beside it."""
    start, subject, word, value = line.index(match.start()), USER, "", None
    open_kind, begin, old, enclosed = "", None, None, False
    for group, kind in enumerate(rule.pattern.kinds, 1):
        if kind == START:
            begin = line.index(match.start(group))
            continue
        first, last = line.index(match.start(group)), line.index(match.end(group) - 1) + 1
        if kind in ("relation", "animal"):
            word = match[group].strip()
            subject = pack.subjects[kind][word]
        if kind.startswith("old"):  # what the utterance itself replaces: it must be there, but is no value
            replaced = resolve(kind, Slot(line, pack, first, last))
            if not replaced:
                return
            old = replaced[0]
        elif kind not in _SUBJECT_KINDS:
            if open_kind and value and not resolve(open_kind, value):
                return
            value, open_kind = Slot(line, pack, first, last), kind
            enclosed = kind in _NAMING and match.end(group) <= match.end()
            if kind not in _COUNTED and match.end(group) <= match.end() and value.clause_end(first) < last:
                return  # the pattern goes on behind the slot, but the clause does not
        elif value is None or not open_kind:
            value = Slot(line, pack, value.first if value else first, last)
    if value is None and begin is not None:
        value = Slot(line, pack, begin, line.index(match.end() - 1) + 1)
    if value is None:
        return
    spans = resolve(open_kind, value) if open_kind else [Span(value.first, value.last)]
    if enclosed and spans and spans[-1].last < value.last:
        return  # a name that a pattern encloses is all that stands there
    if "offspring" in rule.pattern.kinds:
        subject = "child" if open_kind else "children"
    if begin is not None and spans:
        if line.tokens[begin].norm in pack.reject.get(open_kind, ()):
            return
        spans = [replace(spans[0], first=begin)]
    for span in spans:
        confidence = _confidence(rule, open_kind)
        named = span if span.subject != USER else replace(span, subject=subject)
        yield _Found(rule, named, start, word, confidence, old)


def _confidence(rule: Rule, open_kind: str) -> float:
    """Higher the more words a pattern has; lower for a name that nothing announces, or none at all ("two sons")."""
    if open_kind == "mention":
        return 0.7
    return min(0.95, 0.75 + 0.05 * rule.pattern.weight) - (0.0 if open_kind else 0.03)


def _chosen(found: list[_Found], dropped: dict[int, Retraction], line: Line) -> list[_Found]:
    """At most one reading of each stretch: the heaviest pattern wins, and nothing just taken back is stated."""
    accepted: list[_Found] = []
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


def _clash(one: _Found, other: _Found) -> bool:
    if one.span.first < other.span.last and other.span.first < one.span.last:
        return True
    if one.category != other.category or (one.rule is other.rule and one.start == other.start):
        return False
    return one.start < other.span.last and other.start < one.span.last


def _retracted(
    line: Line, pack: Pack, words: frozenset[str], blocked: list[tuple[int, int]]
) -> tuple[dict[int, Retraction], list[_Found]]:
    """What "I don't … any more" takes back, by category and token, and what follows in its place ("now in …")."""
    dropped: dict[int, Retraction] = {}
    resumed: list[_Found] = []
    for rule in pack.retractions:
        if not rule.pattern.possible(words):
            continue
        for match in rule.pattern.regex.finditer(line.flat):
            start = line.index(match.start())
            if start in dropped or _inside(match.start(), blocked):
                continue  # the first category that a pack lists is the most telling one
            old = list(_read(rule, match, line, pack)) if rule.pattern.kinds else []
            if rule.pattern.kinds and not old:
                continue
            value = line.span(old[0].span.first, old[0].span.last) if old else None
            after = line.offsets[old[0].span.last - 1] if old else match.start()
            if old and set(rule.pattern.kinds) <= {"relation", "animal"}:
                dropped[start] = Retraction(rule.category, None, old[0].span.subject)  # "we no longer have the dog"
            else:
                dropped[start] = Retraction(rule.category, value)
            for follow in (f for f in pack.followups if f.category == rule.category and f.pattern.possible(words)):
                resumption = follow.pattern.regex.search(line.flat, after)
                resumed += _read(follow, resumption, line, pack) if resumption else ()
    return dropped, resumed


def _forgotten(line: Line, pack: Pack, words: frozenset[str]) -> Iterator[tuple[int, int, list[Retraction]]]:
    """Requests to forget: their stretch of the line and what they name."""
    for pattern in pack.forget:
        match = pattern.regex.search(line.flat) if pattern.possible(words) else None
        if match and not _denied(line, line.index(match.start()), pattern, pack):
            first = line.index(match.start(1))
            last = line.index(match.end(1) - 1) + 1
            yield match.start(), match.end(1), _topics(Slot(line, pack, first, last))
            return


def _denied(line: Line, verb: int, pattern: Pattern, pack: Pack) -> bool:
    """Whether "forget" is denied: "don't forget that …" asks for the opposite."""
    if not pack.negators.isdisjoint(re.findall(r"[\w']+", pattern.source)):
        return False  # "it is not true that …" brings its own
    near = [token.norm for token in line.tokens[max(0, verb - 2) : verb + 2]]
    return any(word in pack.negators for word in near)


def _topics(slot: Slot) -> list[Retraction]:
    """What a request to forget names: the first topic, relation, animal or thing of it, else its own words."""
    subjects = slot.pack.subjects
    for first in range(slot.first, slot.last):
        for last in range(min(slot.last, first + 3), first, -1):
            phrase = slot.phrase(first, last)
            if phrase in slot.pack.topics:
                value = _specific(slot, last)
                return [Retraction(category, value) for category in slot.pack.topics[phrase]]
            for kind, category in _BY_SUBJECT.items():
                if phrase in subjects[kind]:
                    return [Retraction(category, None, subjects[kind][phrase])]
    return [Retraction(None, slot.line.span(span.first, span.last)) for span in resolve("thing", slot)[:1]]


def _specific(slot: Slot, first: int) -> str | None:
    """What a topic is narrowed to: the pollen of "my allergy to pollen"."""
    begin = first
    while slot.word(begin) in slot.pack.preps and begin < slot.last:
        begin += 1
    found = resolve("food", Slot(slot.line, slot.pack, begin, slot.last)) if first < begin < slot.last else []
    found = found or resolve("allergen", Slot(slot.line, slot.pack, begin, slot.last)) if begin > first else []
    return slot.line.span(found[0].first, found[0].last) if found else None


def _candidate(found: _Found, line: Line, pack: Pack, corrected: bool) -> FactCandidate:
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

"""From the words in a pattern's slot to the smallest span that carries a value, or to nothing.

Each kind of slot has a resolver: it trims determiners, stops where the clause ends and refuses words that cannot be
a value of its kind. Refusing is the safe side: a wrong fact is worse than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ovos_memory_bus.extraction.model import USER
from ovos_memory_bus.extraction.pack import Pack
from ovos_memory_bus.extraction.text import PUNCTUATION, Line

_DIGITS = re.compile(r"\+?[\d·/]+\Z")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|e|er|º|ª)?\Z")
_MAX_ITEMS = 6


@dataclass(frozen=True)
class Span:
    """Tokens `first` up to and without `last`; `subject` where the words tell one."""

    first: int
    last: int
    subject: str = USER


@dataclass(frozen=True)
class Slot:
    """The words a pattern left for one slot, tokens `first` up to and without `last`."""

    line: Line
    pack: Pack
    first: int
    last: int

    def word(self, index: int) -> str:
        """The token's norm, empty beyond the end of the line."""
        return self.line.tokens[index].norm if 0 <= index < len(self.line.tokens) else ""

    def phrase(self, first: int, last: int) -> str:
        """The norms of tokens `first` up to and without `last`."""
        return " ".join(token.norm for token in self.line.tokens[first:last])

    def begin(self) -> int:
        """The first token that is no determiner or intensifier."""
        if self.first >= self.last:
            return self.last
        match = self.pack.lead.match(self.line.flat, self.line.offsets[self.first])
        return min(self.line.index(match.end() - 1) + 1, self.last) if match else self.first

    def clause_end(self, first: int) -> int:
        """The first token from `first` on that starts another clause or an adverbial, else the slot's end."""
        if first >= self.last:
            return self.last
        end = self.line.offsets[self.last] if self.last < len(self.line.offsets) else len(self.line.flat)
        match = self.pack.stop.search(self.line.flat, self.line.offsets[first], end)
        return self.line.index(match.start()) if match else self.last

    def phrase_end(self, first: int, joined: frozenset[str] = frozenset()) -> int:
        """Like `clause_end`, but prepositions end it too, save those of `joined` that hold a phrase together."""
        end = self.clause_end(first)
        index = first
        while index < end:
            word = self.word(index)
            if word in self.pack.preps or word in self.pack.starters:
                follows = index > first and word in joined and index + 1 < end
                if not follows or self.word(index + 1) in self.pack.starters:
                    return index
            index += 1
        return end

    def trimmed(self, first: int, last: int) -> int:
        """`last` moved before trailing adverbs."""
        while last > first + 1:
            if not self.pack.tail.fullmatch(self.word(last - 1) + " "):
                break
            last -= 1
        return last

    def refused(self, kind: str, first: int) -> bool:
        """Whether no value of this kind can begin with this token."""
        word = self.word(first)
        return word in self.pack.negators or word in self.pack.starters or word in self.pack.reject.get(kind, ())

    def after(self, first: int) -> Slot:
        """The slot from `first` on to the end of the sentence."""
        last = first
        while last < len(self.line.tokens) and self.word(last) not in ".;!?:":
            last += 1
        return Slot(self.line, self.pack, first, last)


Resolver = Callable[[Slot], list[Span]]


def resolve(kind: str, slot: Slot) -> list[Span]:
    """The values in a slot, most often one; several for a list ("english and french"); none if it holds no value."""
    resolver = RESOLVERS.get(kind, _thing)
    found = resolver(slot)
    if not found:
        return found
    end = found[-1].last
    if end < len(slot.line.tokens):
        offset = slot.line.offsets[min(end + (slot.word(end) in PUNCTUATION), len(slot.line.tokens) - 1)]
        repair = slot.pack.repair.match(slot.line.flat, offset)
        if repair and repair.end() < len(slot.line.flat):
            rest = slot.after(slot.line.index(repair.end()))
            while rest.word(rest.first) in slot.pack.preps | frozenset(","):
                rest = rest.after(rest.first + 1)
            return resolver(rest) or found
    return found


def _name(slot: Slot) -> list[Span]:
    first = slot.begin()
    last = slot.phrase_end(first)
    if slot.line.mixed_case and first < last and slot.line.capitalised(first):
        last = next((i for i in range(first, last) if not slot.line.capitalised(i)), last)
    last = slot.trimmed(first, last)
    if last - first > 3:
        last = first + 1
    if first >= last or any(_no_name(slot, i) for i in range(first, last)):
        return []
    return [Span(first, last)]


def _no_name(slot: Slot, index: int) -> bool:
    word = slot.word(index)
    return not word.replace("'", "").isalpha() or slot.refused("name", index) or bool(slot.pack.number.match(word))


def _named(slot: Slot) -> list[Span]:
    """A name where a noun or an adjective may stand as well ("unser sohn ist der max")."""
    found = _name(slot)
    kinds = ("job", "relation", "animal", "demonym", "condition", "diet", "offspring", "possession")
    if not found or (slot.line.mixed_case and not slot.line.capitalised(found[0].first)):
        return []
    words = [slot.word(i) for i in range(found[0].first, found[0].last)]
    if any(slot.refused("named", i) for i in range(found[0].first, found[0].last)):
        return []
    nouns = any(word in slot.pack.lexicon.get(kind, ()) for word in words for kind in kinds)
    return [] if nouns or any(_ends(slot, "job", word) for word in words if len(word) > 6) else found


def _proper(slot: Slot) -> list[Span]:
    """A name that only its capital tells from an adjective."""
    return _named(slot) if slot.line.mixed_case else []


def _hello(slot: Slot) -> list[Span]:
    """A name in "hi i'm …": one word that looks like no state."""
    found = _named(slot)
    if not found or found[0].last - found[0].first > 2:
        return []
    return [] if slot.word(found[0].first).endswith(slot.pack.verb_endings) or slot.word(found[0].first) in slot.pack.verbs else found


def _mention(slot: Slot) -> list[Span]:
    """A name right behind "my sister": without "is called" only what stands next tells it from a verb."""
    if slot.first >= slot.last or _no_name(slot, slot.first):
        return []
    pack, word, following = slot.pack, slot.word(slot.first), slot.word(slot.first + 1)
    if word in pack.verbs or word in pack.preps or pack.lead.match(word + " ") or pack.stop.match(word + " ") or len(word) < 2:
        return []
    named = [Span(slot.first, slot.first + 1)]
    if slot.line.mixed_case:
        return named if slot.line.capitalised(slot.first) else []
    if following in pack.verbs or following in pack.negators:
        return named
    return [] if word.endswith(pack.verb_endings) else named


def _place(slot: Slot) -> list[Span]:
    first = slot.begin()
    dwelling = slot.pack.reject.get("place", frozenset())
    for _ in range(2):  # "a flat in the north of leeds"
        last = slot.phrase_end(first, slot.pack.joiners)
        general = [i for i in range(first, last) if slot.word(i) in dwelling]
        if not general and first < last:
            break
        beyond = (general[-1] if general else first) + 1
        if beyond >= slot.last or slot.word(beyond) not in slot.pack.preps or slot.refused("beyond", beyond):
            return []
        while beyond < slot.last and slot.word(beyond) in slot.pack.preps:
            beyond += 1
        first = Slot(slot.line, slot.pack, beyond, slot.last).begin()
    if slot.line.mixed_case and first < last and slot.line.capitalised(first):
        small = (i for i in range(first, last) if not slot.line.capitalised(i) and slot.word(i) not in slot.pack.joiners)
        last = next(small, last)
    last = slot.trimmed(first, last)
    if last - first > 4:
        last = first + 1
    bad = first >= last or slot.refused("place", first) or slot.word(first) in slot.pack.preps or _DIGITS.match(slot.word(first))
    return [] if bad else [Span(first, last)]


def _job(slot: Slot) -> list[Span]:
    first = slot.begin()
    last = min(slot.phrase_end(first), first + 5)
    modifiers = slot.pack.lexicon.get("job_modifier", frozenset())
    while first < last and slot.word(first) in modifiers:
        first += 1
    if first >= last or slot.refused("job", first):
        return []
    for end in range(last, first, -1):
        if slot.phrase(first, end) in slot.pack.lexicon["job"]:
            return [Span(first, end)]
    for end in range(min(last, first + 3), first, -1):
        head = slot.word(end - 1)
        if head in slot.pack.lexicon["job"] or (len(head) > 5 and _ends(slot, "job", head)):
            return [Span(first, end)]
    return []


def _title(slot: Slot) -> list[Span]:
    """An occupation after words that say so ("i work as a"): any noun will do."""
    known = _job(slot)
    if known:
        return known
    first = slot.begin()
    last = slot.phrase_end(first)
    return [] if last <= first or last - first > 3 or slot.refused("job", first) else [Span(first, last)]


def _ends(slot: Slot, kind: str, word: str) -> bool:
    return word.endswith(slot.pack.suffixes.get(kind, ())) and word not in slot.pack.reject.get(kind, ())


def _work(slot: Slot) -> list[Span]:
    return _phrase(slot, "work", 5)


def _food(slot: Slot) -> list[Span]:
    def one(part: Slot) -> list[Span]:
        found = _phrase(part, "food", 4)
        # An allergy to pollen is a matter of health, not of the kitchen.
        return [span for span in found if part.phrase(span.first, span.last) not in part.pack.lexicon["allergen"]]

    return _listed(slot, one)


def _ailment(slot: Slot) -> list[Span]:
    return _phrase(slot, "ailment", 4)


def _phrase(slot: Slot, kind: str, longest: int) -> list[Span]:
    first = slot.begin()
    last = slot.trimmed(first, min(slot.phrase_end(first, slot.pack.links), first + longest))
    return [] if first >= last or slot.refused(kind, first) or slot.refused(kind, last - 1) else [Span(first, last)]


def _thing(slot: Slot) -> list[Span]:
    return _listed(slot, lambda part: _clause(part, "thing", 6))


def _clause(slot: Slot, kind: str, longest: int) -> list[Span]:
    first = slot.begin()
    last = slot.clause_end(first)
    if last - first > longest:
        last = min(slot.phrase_end(first, slot.pack.links), first + longest)
    last = slot.trimmed(first, last)
    return [] if first >= last or slot.refused(kind, first) else [Span(first, last)]


def _activity(slot: Slot) -> list[Span]:
    return _clause(slot, "activity", 10)


def _preference(slot: Slot) -> list[Span]:
    last = slot.trimmed(slot.first, min(slot.clause_end(slot.first), slot.first + 8))
    return [] if slot.first >= last or slot.word(slot.first) in slot.pack.reject.get("preference", ()) else [Span(slot.first, last)]


def _origin(slot: Slot) -> list[Span]:
    """A place after a preposition that also says whose or what for ("soy de letras"): no common noun."""
    found = _place(slot)
    return [span for span in found if not slot.refused("origin", span.first)]


def _liked(slot: Slot) -> list[Span]:
    """A thing preferred in general: with an article, so that "prefiero ir" and "prefiero azul" say nothing."""
    return _thing(slot) if slot.begin() > slot.first else []


def _address(slot: Slot) -> list[Span]:
    """A form of address: "de usted", "mit du"."""
    words = slot.pack.lexicon.get("address", frozenset())
    for last in range(min(slot.last, slot.first + 3), slot.first, -1):
        if slot.word(last - 1) in words:
            return [Span(slot.first, last)]
    return []


def _hobby(slot: Slot) -> list[Span]:
    """An activity named by its verb alone: "ich tanze gern"."""
    return [] if slot.last - slot.first > 3 else _clause(slot, "hobby", 3)


def _goal(slot: Slot) -> list[Span]:
    return _clause(slot, "goal", 8)


def _intent(slot: Slot) -> list[Span]:
    """What one wants to do, where the verb tells a lasting goal from a wish of the moment."""
    return _clause(slot, "goal", 8) if slot.word(slot.first) in slot.pack.lexicon["intent"] else []


def _answers(slot: Slot) -> list[Span]:
    """A way of answering, known by its noun: "short answers", "celsius"."""
    found = _clause(slot, "preference", 5)
    words = {slot.word(i) for span in found for i in range(span.first, span.last)}
    return found if words & slot.pack.lexicon["answers"] else []


def _listed(slot: Slot, one: Resolver) -> list[Span]:
    """The first value and those coordinated with it, which must look like it: an article where it has one."""
    found = one(slot)
    if not found:
        return found
    article = found[0].first > slot.first
    rest = slot.after(found[0].last)
    while len(found) < _MAX_ITEMS:
        at = rest.first
        while rest.word(at) == "," or (rest.word(at) in slot.pack.coordinators and rest.word(at)):
            at += 1
        if at == rest.first or at >= rest.last:
            break
        part = Slot(slot.line, slot.pack, at, next((i for i in range(at, rest.last) if rest.word(i) == ","), rest.last))
        end = part.clause_end(part.begin())
        short = end - part.begin() <= (3 if article else 2)
        item = one(Slot(slot.line, slot.pack, at, end)) if short and (part.begin() > at) == article else []
        if not item or item[-1].last != end or _starts_clause(part, at):
            break
        found += item
        rest = rest.after(item[-1].last)
    return found


def _starts_clause(slot: Slot, at: int) -> bool:
    offset = slot.line.offsets[at]
    return any(rule.pattern.regex.match(slot.line.flat, offset) for rule in slot.pack.rules if rule.pattern.kinds[0] != "name")


def _owned(slot: Slot) -> list[Span]:
    """Things one owns, known by a noun of the lexicon: "a second hand cello", but no "a question"."""

    def one(part: Slot) -> list[Span]:
        found = _phrase(part, "owned", 5)
        if not found:
            return found
        nouns = slot.pack.subjects["possession"]
        for size in (2, 1):
            for i in range(found[0].last - size, found[0].first - 1, -1):
                kind = nouns.get(part.phrase(i, i + size))
                if kind is None and size == 1:
                    kind = next((nouns[e] for e in slot.pack.suffixes.get("possession", ()) if part.word(i).endswith(e)), None)
                if kind:
                    return [Span(found[0].first, found[0].last, kind)]
        return []

    return _listed(slot, one)


def _belonging(slot: Slot) -> list[Span]:
    return _listed(slot, lambda part: _phrase(part, "owned", 5))


def _language(slot: Slot) -> list[Span]:
    found: list[Span] = []
    index = slot.first
    tongue = slot.pack.lexicon["language"]
    rest = slot.after(slot.first)
    while index < rest.last and len(found) < _MAX_ITEMS:
        word = slot.word(index)
        if word in tongue:
            found.append(Span(index, index + 1))
        elif lead := slot.pack.lead.match(slot.line.flat, slot.line.offsets[index]):
            index = slot.line.index(lead.end() - 1)
        elif not (word == "," or word in slot.pack.coordinators or word in slot.pack.joiners):
            break
        index += 1
    return found


def _from_lexicon(kind: str) -> Resolver:
    def one(slot: Slot) -> list[Span]:
        first = slot.begin()
        entries = slot.pack.lexicon.get(kind, frozenset())
        for start in range(first, min(first + 3, slot.last)):
            for end in range(min(slot.last, start + 4), start, -1):
                if slot.phrase(start, end) in entries or (end == start + 1 and _ends(slot, kind, slot.word(start))):
                    return [Span(start, end)]
            if slot.pack.stop.match(slot.word(start) + " ") or slot.word(start) in slot.pack.starters:
                break
        return []

    return lambda slot: _listed(slot, one)


def _number(slot: Slot) -> list[Span]:
    first = slot.begin()
    last = first
    while last < slot.last:
        word = slot.word(last)
        linked = last > first and word in slot.pack.number_links and slot.pack.number.match(slot.word(last + 1))
        if not (slot.pack.number.match(word) or linked):
            break
        last += 1
    return [Span(first, last)] if last > first else []


def _age(slot: Slot) -> list[Span]:
    """A number that is no amount: nothing, a conjunction or a mark follows it."""
    found = _number(slot)
    follower = slot.word(found[0].last) if found else ""
    free = not follower or follower in PUNCTUATION or slot.pack.stop.match(follower + " ") or follower in slot.pack.starters
    if not found or not free:
        return []
    return found


def _date(slot: Slot) -> list[Span]:
    pack = slot.pack
    days = pack.lexicon.get("holiday", frozenset())
    for start in range(slot.first, slot.last):
        for end in range(min(slot.last, start + 4), start, -1):
            if slot.phrase(start, end) in days:
                return [Span(start, end)]
    dated = [i for i in range(slot.first, slot.last) if _dated(slot, slot.word(i))]
    if not any(slot.word(i) in pack.months or "/" in slot.word(i) or slot.word(i).count("·") > 1 for i in dated):
        return []
    last = dated[0] + 1
    while last < slot.last and (last in dated or (slot.word(last) in pack.number_links | pack.joiners and last + 1 in dated)):
        last += 1
    return [Span(dated[0], last)]


def _dated(slot: Slot, word: str) -> bool:
    pack = slot.pack
    return (
        word in pack.months or word in pack.lexicon.get("ordinal", ()) or bool(pack.number.match(word) or _ORDINAL.match(word) or _DIGITS.match(word))
    )


def _contact(slot: Slot) -> list[Span]:
    signs = slot.pack.lexicon.get("at_sign", frozenset())
    end = min(slot.after(slot.first).last, slot.first + 14)
    words = [slot.word(i) for i in range(slot.first, end)]
    mail = next((i for i, word in enumerate(words) if "@" in word), None)
    if mail is not None:
        return [Span(slot.first + mail, slot.first + mail + 1, "email")]
    first = slot.first
    if any(word in signs for word in words):
        last = slot.clause_end(first)
        return [Span(first, min(last, end), "email")]
    last = first
    while last < end and (slot.pack.number.match(slot.word(last)) or re.match(r"\+?\d", slot.word(last))):
        last += 1
    digits = sum(len(slot.word(i)) if slot.word(i)[-1:].isdigit() else 1 for i in range(first, last))
    return [Span(first, last, "phone")] if digits >= 5 else []


RESOLVERS: dict[str, Resolver] = {
    "name": _name,
    "oldname": _name,
    "named": _named,
    "proper": _proper,
    "hello": _hello,
    "mention": _mention,
    "place": _place,
    "job": _job,
    "title": _title,
    "work": _work,
    "food": _food,
    "ailment": _ailment,
    "thing": _thing,
    "activity": _activity,
    "weekly": _activity,
    "origin": _origin,
    "liked": _liked,
    "address": _address,
    "hobby": _hobby,
    "goal": _goal,
    "intent": _intent,
    "answers": _answers,
    "preference": _preference,
    "owned": _owned,
    "belonging": _belonging,
    "language": _language,
    "number": _number,
    "age": _age,
    "date": _date,
    "contact": _contact,
    "diet": _from_lexicon("diet"),
    "condition": _from_lexicon("condition"),
    "demonym": _from_lexicon("demonym"),
    "allergen": _from_lexicon("allergen"),
}

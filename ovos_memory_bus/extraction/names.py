"""Names of people, animals and places: which words of a slot are one, and which only stand where one could."""

from __future__ import annotations

import re

from ovos_memory_bus.extraction.slots import Slot, Span

_DIGITS = re.compile(r"[\d·/]+\Z")
_MAX_NAMES = 6
_NOUNS = ("job", "relation", "animal", "demonym", "condition", "diet", "offspring", "possession")


def name(slot: Slot) -> list[Span]:
    """A name where a pattern announces one ("my name is …"): up to three words, none of them a common one."""
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


def names(slot: Slot) -> list[Span]:
    """Names in a row ("called anna ben and zoe"): one, or all up to the word behind the last conjunction or comma."""
    pack, rest = slot.pack, slot.after(slot.first)
    found: list[Span] = []
    while rest.first < rest.last and len(found) < _MAX_NAMES:
        end = next((i for i in range(rest.first, rest.last) if _joins(rest, i)), rest.last)
        goes_on = end < rest.last and end - rest.first <= _MAX_NAMES
        words = [i for i in range(rest.first, end) if not pack.lead.match(rest.word(i) + " ")]
        taken = words if goes_on else words[:1]
        if not taken or any(_no_name(rest, i) or rest.word(i) in pack.verbs for i in taken):
            break
        found += [Span(i, i + 1) for i in taken]
        if not goes_on:
            break
        rest = rest.after(next((i for i in range(end, rest.last) if not _joins(rest, i)), rest.last))
    return found


def _joins(slot: Slot, index: int) -> bool:
    return slot.word(index) == "," or slot.word(index) in slot.pack.coordinators


def row(slot: Slot) -> list[Span]:
    """At least two names behind a plural ("our two boys tom and ben"), as a single word may be anything."""
    found = names(slot)
    proper_only = all(named(Slot(slot.line, slot.pack, span.first, span.last)) for span in found)
    return found if len(found) > 1 and proper_only else []


def named(slot: Slot) -> list[Span]:
    """A name where a noun or an adjective may stand as well ("unser sohn ist der max")."""
    found = name(slot)
    if not found or (slot.line.mixed_case and not slot.line.capitalised(found[0].first)):
        return []
    words = [slot.word(i) for i in range(found[0].first, found[0].last)]
    if any(slot.refused("named", i) for i in range(found[0].first, found[0].last)):
        return []
    nouns = any(word in slot.pack.lexicon.get(kind, ()) for word in words for kind in _NOUNS)
    return (
        []
        if nouns or any(slot.ends_like("job", i) for i in range(found[0].first, found[0].last) if len(slot.word(i)) > 6)
        else found
    )


def proper(slot: Slot) -> list[Span]:
    """A name that only its capital tells from an adjective."""
    return named(slot) if slot.line.mixed_case else []


def hello(slot: Slot) -> list[Span]:
    """A name in "hi i'm …": one word that looks like no state."""
    found = named(slot)
    if not found or found[0].last - found[0].first > 2:
        return []
    return (
        []
        if slot.word(found[0].first).endswith(slot.pack.verb_endings) or slot.word(found[0].first) in slot.pack.verbs
        else found
    )


def mention(slot: Slot) -> list[Span]:
    """A name right behind "my sister": without "is called" only what stands next tells it from a verb."""
    if slot.first >= slot.last or _no_name(slot, slot.first):
        return []
    pack, word, following = slot.pack, slot.word(slot.first), slot.word(slot.first + 1)
    if (
        word in pack.verbs
        or word in pack.preps
        or pack.lead.match(word + " ")
        or pack.stop.match(word + " ")
        or len(word) < 2
    ):
        return []
    named = [Span(slot.first, slot.first + 1)]
    if slot.line.mixed_case:
        return named if slot.line.capitalised(slot.first) else []
    if following in pack.negators or (following in pack.verbs and not pack.stop.match(following + " ")):
        return named
    if following in pack.preps and following not in pack.starters:
        return []  # "my wife drives to work": more often a verb than a name
    return [] if word.endswith(pack.verb_endings) else named


def housemate(slot: Slot) -> list[Span]:
    """A name behind "the cat": only if a verb follows, as anybody's cat may be meant."""
    following = slot.word(slot.first + 1)
    return mention(slot) if following in slot.pack.verbs or following in slot.pack.negators else []


def place(slot: Slot) -> list[Span]:
    """A town or country; of a dwelling ("a flat in the north of leeds") only where it stands."""
    first = slot.begin()
    dwelling = slot.pack.reject.get("place", frozenset())
    for _ in range(2):  # "a flat in the north of leeds"
        last = slot.phrase_end(first, slot.pack.joiners)
        general = [i for i in range(first, last) if slot.word(i) in dwelling]
        if first < last and not general:
            break
        if general and slot.first == first < general[0]:  # "lugo capital": a name first, without an article
            last = general[0]
            break
        beyond = (general[-1] if general else first) + 1
        if beyond >= slot.last or slot.word(beyond) not in slot.pack.preps or slot.refused("beyond", beyond):
            return []
        while beyond < slot.last and slot.word(beyond) in slot.pack.preps:
            beyond += 1
        first = Slot(slot.line, slot.pack, beyond, slot.last).begin()
    if slot.line.mixed_case and first < last and slot.line.capitalised(first):
        small = (
            i for i in range(first, last) if not slot.line.capitalised(i) and slot.word(i) not in slot.pack.joiners
        )
        last = next(small, last)
    last = slot.trimmed(first, last)
    if last - first > 4:
        last = first + 1
    bad = (
        first >= last
        or slot.refused("place", first)
        or slot.word(first) in slot.pack.preps
        or any(slot.word(i) in slot.pack.months for i in range(first, last))
        or slot.phrase(first, last) in slot.pack.lexicon.get("holiday", ())
        or _DIGITS.match(slot.word(first))
    )
    return [] if bad else [Span(first, last)]


def origin(slot: Slot) -> list[Span]:
    """A place after a preposition that also says whose or what for ("soy de letras"): no common noun."""
    jobs = slot.pack.lexicon["job"]  # "sono dal parrucchiere"
    return [
        span for span in place(slot) if not slot.refused("origin", span.first) and slot.word(span.first) not in jobs
    ]

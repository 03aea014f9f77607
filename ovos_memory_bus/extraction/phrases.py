"""Things, activities, food, work and whatever else is a phrase: its smallest span, alone or in a list."""

from __future__ import annotations

from ovos_memory_bus.extraction.slots import Resolver, Slot, Span

_MAX_ITEMS = 6


def job(slot: Slot) -> list[Span]:
    """An occupation, known by the lexicon or its ending; without modifiers such as "freelance"."""
    first = slot.begin()
    last = min(slot.phrase_end(first), first + 5)
    modifiers = slot.pack.lexicon.get("job_modifier", frozenset())
    while first < last and slot.word(first) in modifiers:
        first += 1
    if first >= last or slot.refused("job", first):
        return []
    whole = min(slot.clause_end(first), first + 4)  # "chauffeur de bus" goes beyond a preposition
    for end in range(max(last, whole), first, -1):
        if slot.phrase(first, end) in slot.pack.lexicon["job"]:
            return [Span(first, _speciality(slot, end))]
    for end in range(min(last, first + 3), first, -1):
        head = slot.word(end - 1)
        if head in slot.pack.lexicon["job"] or (len(head) > 5 and slot.ends_like("job", end - 1)):
            return [Span(first, end)]
    return []


def _speciality(slot: Slot, end: int) -> int:
    """`end` beyond "de piano" in "professeur de piano", but not beyond "de la poste", which is a place of work."""
    link, noun = slot.word(end), slot.word(end + 1)
    joined = end + 1 < slot.last and link in slot.pack.links and link in ("de", "d'", "di")
    bare = noun.isalpha() and not slot.pack.lead.match(noun + " ") and noun not in slot.pack.links | slot.pack.starters
    return end + 2 if joined and bare and slot.clause_end(end + 1) > end + 1 else end


def title(slot: Slot) -> list[Span]:
    """An occupation after words that say so ("i work as a"): any noun will do."""
    known = job(slot)
    if known:
        return known
    first = slot.begin()
    last = slot.phrase_end(first)
    return [] if last <= first or last - first > 3 or slot.refused("job", first) else [Span(first, last)]


def work(slot: Slot) -> list[Span]:
    """Where someone works: a firm or a kind of place, not a time or a manner."""
    return phrase(slot, "work", 5)


def food(slot: Slot) -> list[Span]:
    """What is not eaten or tolerated; an allergen that is no food belongs to health."""

    def one(part: Slot) -> list[Span]:
        found = phrase(part, "food", 4)
        # An allergy to pollen is a matter of health, not of the kitchen.
        return [span for span in found if part.phrase(span.first, span.last) not in part.pack.lexicon["allergen"]]

    return listed(slot, one)


def ailment(slot: Slot) -> list[Span]:
    """An illness where a pattern announces one ("i suffer from …"): a known one, else any noun."""
    first, known = slot.begin(), slot.pack.lexicon["condition"]
    last = next((end for end in range(min(slot.last, first + 4), first, -1) if slot.phrase(first, end) in known), None)
    return [Span(first, last)] if last else phrase(slot, "ailment", 4)


def phrase(slot: Slot, kind: str, longest: int) -> list[Span]:
    """A noun phrase: up to the next preposition that does not hold it together."""
    first = slot.begin()
    last = slot.trimmed(first, min(slot.phrase_end(first, slot.pack.links), first + longest))
    return [] if first >= last or slot.refused(kind, first) or slot.refused(kind, last - 1) else [Span(first, last)]


def thing(slot: Slot) -> list[Span]:
    """Something liked or disliked: a noun phrase or an activity, with its prepositions."""
    return listed(slot, lambda part: _clause(part, "thing", 6))


def _clause(slot: Slot, kind: str, longest: int) -> list[Span]:
    first = slot.begin()
    if kind == "thing" and slot.word(first) in slot.pack.preps:
        return []  # "because of my illness i can't eat …"
    last = slot.clause_end(first)
    if last - first > longest:
        last = min(slot.phrase_end(first, slot.pack.links), first + longest)
    last = slot.trimmed(first, last)
    verb = kind == "goal" and slot.word(first) in slot.pack.lexicon["intent"]  # "play the banjo" begins no order here
    return [] if first >= last or (slot.refused(kind, first) and not verb) else [Span(first, last)]


def activity(slot: Slot) -> list[Span]:
    """What someone does, to the end of the clause."""
    first = slot.first  # "do pilates" begins with a word that elsewhere begins a question
    if first < slot.last and slot.word(first) in slot.pack.negators | slot.pack.reject.get("activity", frozenset()):
        return []
    last = slot.clause_end(slot.begin())
    last = last if last - first <= 10 else min(slot.phrase_end(first, slot.pack.links), first + 10)
    last = slot.trimmed(first, last)
    return [Span(first, last)] if first < last else []


def preference(slot: Slot) -> list[Span]:
    """How the assistant should be: the words as they stand, articles included."""
    last = slot.trimmed(slot.first, min(slot.clause_end(slot.first), slot.first + 8))
    return (
        []
        if slot.first >= last or slot.word(slot.first) in slot.pack.reject.get("preference", ())
        else [Span(slot.first, last)]
    )


def liked(slot: Slot) -> list[Span]:
    """A thing preferred in general: with an article, so that "prefiero ir" and "prefiero azul" say nothing."""
    return thing(slot) if slot.begin() > slot.first else []


def address(slot: Slot) -> list[Span]:
    """A form of address: "de usted", "mit du"."""
    words = slot.pack.lexicon.get("address", frozenset())
    for last in range(min(slot.last, slot.first + 3), slot.first, -1):
        if slot.word(last - 1) in words:
            return [Span(slot.first, last)]
    return []


def hobby(slot: Slot) -> list[Span]:
    """An activity named by its verb alone: "ich tanze gern"."""
    return [] if slot.last - slot.first > 3 else _clause(slot, "hobby", 3)


def goal(slot: Slot) -> list[Span]:
    """What someone strives for, to the end of the clause."""
    return _clause(slot, "goal", 8)


def intent(slot: Slot) -> list[Span]:
    """What one wants to do, where the verb tells a lasting goal from a wish of the moment."""
    return _clause(slot, "goal", 8) if slot.word(slot.first) in slot.pack.lexicon["intent"] else []


def answers(slot: Slot) -> list[Span]:
    """A way of answering, known by its noun: "short answers", "celsius"."""
    found = _clause(slot, "preference", 5)
    words = {slot.word(i) for span in found for i in range(span.first, span.last)}
    return found if words & slot.pack.lexicon["answers"] else []


def listed(slot: Slot, one: Resolver, *, alike: bool = True) -> list[Span]:
    """The first value and those coordinated with it; where they are to be `alike`, with an article if it has one."""
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
        short = end - part.begin() <= (3 if article or not alike else 2)
        fits = short and (not alike or (part.begin() > at) == article)
        item = one(Slot(slot.line, slot.pack, at, end)) if fits else []
        if not item or item[-1].last != end or _starts_clause(part, at):
            break
        found += item
        rest = rest.after(item[-1].last)
    return found


def _starts_clause(slot: Slot, at: int) -> bool:
    offset = slot.line.offsets[at]
    return any(
        rule.pattern.regex.match(slot.line.flat, offset) for rule in slot.pack.rules if rule.pattern.kinds[0] != "name"
    )

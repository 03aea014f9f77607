"""What another program remembered, made into items of ours that are the same whenever it is read again."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from ..messages.fields import MAX_SHORT, clean_text, is_invisible
from ..store.base import NewItem
from .lines import Arrival

NAMESPACE = uuid.UUID("0f7c2f0e-8d0b-5b43-9a53-6c0a4b7f5a11")
APART = timedelta(seconds=1)  # between things of one file that nobody dated, so that they keep their order
TURN, NOTE = "turn", "note"


@dataclass(frozen=True, slots=True)
class Said:
    """One thing another program kept: a turn, or a note where it is a fact or a summary. `at` None: it has no date."""

    session_id: str
    role: str
    content: str
    at: datetime | None = None
    kind: str = TURN


@dataclass(frozen=True, slots=True)
class Found:
    """What one file or folder holds, in the order in which it was kept. `store` names its format, `latest` is when it
    was last written, `skipped` says why it was left out."""

    path: Path
    store: str
    said: tuple[Said, ...]
    latest: datetime
    skipped: str = ""


def arrivals(found: Sequence[Found], source: str, user: str | None = None) -> list[Arrival]:
    """Everything as items, oldest first, each thing once, however many files hold it.

    An item's id comes from its session, role, text and the how-manieth of its kind it is in its file, so that the same
    turn in two files, or in a later run, is the same item; of these a dated one is taken. What is undated gets times
    just before its file was last written. `user` is whose it all is; without one each session has its own owner."""
    items: dict[str, tuple[datetime, NewItem]] = {}
    dated: set[str] = set()
    for one in found:
        counts: Counter[tuple[str, str, str]] = Counter()
        moment = one.latest - APART * len(one.said)
        for said in one.said:
            moment += APART
            if is_invisible(said.content):
                continue
            at = said.at or moment
            item = _item(said, counts, at, source, one.store, user)
            if item.id not in items or (said.at and item.id not in dated):
                items[item.id] = (at, item)
            if said.at:
                dated.add(item.id)
    return [Arrival(item, None, {}) for _, item in sorted(items.values(), key=lambda pair: pair[0])]


def exchange(session_id: str, document: str) -> tuple[Said, ...]:
    """The two turns of a stored `Q: …` and `A: …`; a text of another form is a note."""
    question, mark, answer = document.partition("\nA: ")
    if not mark or not question.startswith("Q:"):
        return (Said(session_id, "user", document, kind=NOTE),)
    turns = (Said(session_id, "user", question[2:].strip()), Said(session_id, "assistant", answer.strip()))
    return tuple(turn for turn in turns if turn.content)


def _item(
    said: Said, counts: Counter[tuple[str, str, str]], at: datetime, source: str, store: str, user: str | None
) -> NewItem:
    session_id = clean_text(said.session_id)[:MAX_SHORT] or "default"
    content = clean_text(said.content).strip()
    place = (session_id, said.role, content)
    counts[place] += 1
    owner = f"user:{user}" if user else f"session:{session_id}"
    name = "\n".join((owner, *place, said.kind, str(counts[place])))
    return NewItem(
        id=str(uuid.uuid5(NAMESPACE, name)),
        owner=owner,
        session_id=session_id,
        kind=said.kind,
        role=said.role,
        content=content,
        created_at=at,
        updated_at=at,
        metadata={"imported_from": source, "store": store},
    )


def batches(entries: Sequence[Arrival], size: int) -> Iterable[Sequence[Arrival]]:
    """The entries, so many at a time."""
    return (entries[start : start + size] for start in range(0, len(entries), size))

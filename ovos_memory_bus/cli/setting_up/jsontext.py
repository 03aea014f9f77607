"""Changes one member of a JSON object in its text: everything else, comments too, stays as it was written.

OVOS allows lines of comment in its JSON: those that begin with `//` or `#`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_WHITE = re.compile(r"\s*")
_COMMENT = re.compile(r"^[^\S\n]*(?://|#).*$", re.MULTILINE)
_DECODER = json.JSONDecoder()
INDENT = "  "


@dataclass(frozen=True, slots=True)
class Member:
    """Where a member stands in the text: from its key to the end of its value."""

    key: str
    start: int
    value_start: int
    end: int


def read(text: str) -> dict[str, Any]:
    """The object that the text is; blank text is an empty one. Raises `ValueError`."""
    plain = _without_comments(text)
    value = json.loads(plain) if plain.strip() else {}
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value


def with_member(text: str, key: str, value: Any) -> str:
    """The text with that member, in place of one of the same name or else as the last. Raises `ValueError`."""
    if not _without_comments(text).strip():
        text += "{}\n"
    members = _members(text)
    indent = _indent(text, members)
    written = json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", "\n" + indent)
    held = next((member for member in members if member.key == key), None)
    if held:
        changed = text[: held.value_start] + written + text[held.end :]
    elif members:
        end = members[-1].end
        changed = f'{text[:end]},\n{indent}"{key}": {written}{text[end:]}'
    else:
        start = _without_comments(text).index("{") + 1
        changed = f'{text[:start]}\n{indent}"{key}": {written}\n{text[start:]}'
    return _checked(changed, {**read(text), key: value})


def without_member(text: str, key: str) -> str:
    """The text without that member. Raises `ValueError`."""
    members = _members(text)
    place = next((place for place, member in enumerate(members) if member.key == key), None)
    if place is None:
        return text
    held, plain = members[place], _without_comments(text)
    if place + 1 < len(members):
        changed = text[: held.start] + text[members[place + 1].start :]
    elif place:
        before = members[place - 1].end
        comma = plain.index(",", before)
        kept = text[comma + 1 : held.start]  # comments between the two
        changed = text[:before] + (kept.rstrip() if kept.strip() else "") + text[held.end :]
    else:
        changed = text[: held.start].rstrip() + text[held.end :].lstrip()
    return _checked(changed, {name: value for name, value in read(text).items() if name != key})


def _checked(text: str, wanted: dict[str, Any]) -> str:
    if read(text) != wanted:
        raise ValueError("it cannot be changed without disturbing the rest")
    return text


def _without_comments(text: str) -> str:
    """Comments as blanks, so that every place stays where it is."""
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text)


def _members(text: str) -> list[Member]:
    read(text)  # what follows relies on a whole object
    return list(_scanned(_without_comments(text)))


def _scanned(plain: str) -> Iterator[Member]:
    place = _seen(plain, plain.index("{") + 1)
    while plain[place] != "}":
        start = place
        key, place = _DECODER.raw_decode(plain, start)
        value_start = _seen(plain, _seen(plain, place) + 1)
        _, end = _DECODER.raw_decode(plain, value_start)
        yield Member(key, start, value_start, end)
        place = _seen(plain, end)
        if plain[place] == ",":
            place = _seen(plain, place + 1)


def _seen(plain: str, place: int) -> int:
    """The next place where something stands."""
    found = _WHITE.match(plain, place)
    return found.end() if found else place


def _indent(text: str, members: list[Member]) -> str:
    """What stands before the first key on its line, where that is white space."""
    if not members:
        return INDENT
    line = text[text.rfind("\n", 0, members[0].start) + 1 : members[0].start]
    return line if line and not line.strip() else INDENT

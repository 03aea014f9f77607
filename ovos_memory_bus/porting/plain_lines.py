"""Reads conversations as plain JSON lines: `{role, content, created_at, session_id?}`, one turn a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..errors import InvalidRequest
from ..messages.fields import Fields
from ..records import ROLES
from .moving import Found, Said

SOURCE = "jsonl"


def read(paths: Sequence[Path]) -> list[Found]:
    """What the files hold. Raises `InvalidRequest` naming the first line that cannot be read."""
    return [_file(path.expanduser()) for path in paths]


def _file(path: Path) -> Found:
    said: list[Said] = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    said.append(_line(path, number, line))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path} cannot be read: {error}") from error
    moments = [one.at for one in said if one.at is not None]
    if not moments:
        raise InvalidRequest(f"{path} holds nothing")
    return Found(path, SOURCE, tuple(said), max(moments))


def _line(path: Path, number: int, line: str) -> Said:
    try:
        fields = Fields(json.loads(line), "line")
        role, at = fields.choice("role", ROLES, None), fields.moment("created_at")
        if role is None or at is None:
            raise fields.refuse("role" if role is None else "created_at", "is missing")
        return Said(fields.label("session_id") or "default", role, fields.visible_text("content"), at)
    except (ValueError, RecursionError):
        raise InvalidRequest(f"line {number} of {path} cannot be used: it is no JSON; nothing was imported") from None
    except InvalidRequest as error:
        raise InvalidRequest(f"line {number} of {path} cannot be used: {error}; nothing was imported") from None

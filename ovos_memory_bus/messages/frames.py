"""What fits into one frame of the bus: it passes 25 MB, and hangs up on who sends more."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

MAX_SENT = 25 * 2**20 - 2**16  # bytes of a frame with all that stands around its data
ROOM = 8 * 2**20  # bytes that the items of one answer may take, unless it is a single one


def fitting(items: Iterable[dict[str, Any]], room: int = ROOM) -> list[dict[str, Any]]:
    """As many of the first items as take `room` bytes as JSON, but at least one."""
    chosen: list[dict[str, Any]] = []
    for item in items:
        room -= size(item)
        if room < 0 and chosen:
            break
        chosen.append(item)
    return chosen


def size(data: Mapping[str, Any]) -> int:
    """Bytes as JSON in ASCII, as frames are sent."""
    return len(json.dumps(data))

"""Items to store, as the tests of stores need them."""

from __future__ import annotations

import uuid
from typing import Any

from ovos_memory_bus.store.base import NewItem


def turn(content: str, owner: str = "session:a", **more: Any) -> NewItem:
    """A user's turn with all jobs, in the session of its owner."""
    values = {"session_id": owner.partition(":")[2], "kind": "turn", "role": "user", "jobs": ("terms", "embed")}
    return NewItem(id=str(uuid.uuid4()), owner=owner, content=content, **{**values, **more})

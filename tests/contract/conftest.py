"""Every kind of store and backend that the contract tests run over."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from ovos_memory_bus.store.base import NewItem
from ovos_memory_bus.store.sqlite import SqliteStore, open_store


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def turn(content: str, owner: str = "session:a", **more: Any) -> NewItem:
    """A user's turn with all jobs, in the session of its owner."""
    values = {"session_id": owner.partition(":")[2], "kind": "turn", "role": "user", "jobs": ("terms", "embed")}
    return NewItem(id=str(uuid.uuid4()), owner=owner, content=content, **{**values, **more})


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(open_store(tmp_path / "data"))

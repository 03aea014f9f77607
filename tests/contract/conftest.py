"""Every kind of store that the contract tests run over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ovos_memory_bus.store.sqlite import SqliteStore, open_store

STORES = {"sqlite": open_store}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=STORES)
async def store(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[SqliteStore]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(STORES[request.param](tmp_path / "data"))

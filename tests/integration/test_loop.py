"""The event loop of a whole service is never held up while turns come in, are worked on, recalled and forgotten."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from daemon import needs_model
from rig import Bus

from ovos_memory_bus.client import AsyncMemoryClient
from ovos_memory_bus.config import Config
from ovos_memory_bus.service import Service
from ovos_memory_bus.testing import watched_loop

TURNS, AT_ONCE = 600, 50
PLACES = ("Lisbon", "Graz", "Ghent", "Turin", "Lyon", "Vigo")


def told(number: int) -> dict[str, str]:
    text = f"i moved to {PLACES[number % 6]} for job number {number} and my sister {number % 40} plays the cello there"
    return {"role": "user" if number % 2 == 0 else "assistant", "content": text}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@needs_model
@pytest.mark.anyio
async def test_no_part_of_the_service_holds_up_the_others(shared_bus: Bus, tmp_path: Path) -> None:
    service = Service(Config(data_dir=tmp_path / "data"), shared_bus.url)
    async with anyio.create_task_group() as tasks:
        await tasks.start(service.run)
        async with AsyncMemoryClient(shared_bus.url, timeout=60) as client:
            await client.context("where do i live")  # what is loaded once is loaded
            async with watched_loop() as watch:
                for start in range(0, TURNS, AT_ONCE):
                    await client.update([told(number) for number in range(start, start + AT_ONCE)], lang="en")
                    found = await client.context(f"who plays the cello in {PLACES[start % 6]}", lang="en")
                    assert found.messages
                assert await client.clear_memories()
            service.stop()
    assert watch.gross == [], watch.report()

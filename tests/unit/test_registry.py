"""Which backends the configuration makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ovos_memory_bus import config
from ovos_memory_bus.backends.registry import Parts, build
from ovos_memory_bus.errors import ConfigError
from ovos_memory_bus.index.catalogue import Catalogue
from ovos_memory_bus.planning import Planner
from ovos_memory_bus.store.sqlite import open_store

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def names(folder: Path, raw: dict[str, object]) -> list[str]:
    chosen = config.parse({"data_dir": str(folder), "backends": ["recency", "lexical", "facts", "summary"], **raw})
    async with open_store(folder) as store, Catalogue(store, 4) as catalogue:
        return [one.name for one in build(Parts(chosen, store, catalogue, None, Planner()))]


async def test_what_is_switched_off_is_not_made(tmp_path: Path) -> None:
    assert await names(tmp_path / "a", {}) == ["recency", "lexical", "facts", "summary"]
    off: dict[str, object] = {"facts": {"enabled": False}, "summary": {"enabled": False}}
    assert await names(tmp_path / "b", off) == ["recency", "lexical"]


async def test_an_unknown_backend_and_one_that_cannot_be_made_cost_their_own_part(tmp_path: Path) -> None:
    found = await names(tmp_path, {"backends": ["lexical", "no-such", "semantic", {"name": "recency", "weight": 2}]})
    assert found == ["lexical", "recency"]


def test_an_entry_without_a_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="name"):
        config.parse({"backends": [{"weight": 2}]})

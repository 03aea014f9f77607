"""What skills and programs import: `MemoryClient` over an OVOS bus client, `AsyncMemoryClient` with its own socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ovos_memory_bus.client.results import (
    BackendInfo,
    BackendReport,
    ContextAnswer,
    EmbeddingResult,
    Forgotten,
    Memory,
    MemoryPage,
    PauseState,
    QueueState,
    RecalledHit,
    Status,
    Trace,
)
from ovos_memory_bus.client.sync import MemoryClient

if TYPE_CHECKING:
    from ovos_memory_bus.client.aio import AsyncMemoryClient

__all__ = [
    "AsyncMemoryClient",
    "BackendInfo",
    "BackendReport",
    "ContextAnswer",
    "EmbeddingResult",
    "Forgotten",
    "Memory",
    "MemoryClient",
    "MemoryPage",
    "PauseState",
    "QueueState",
    "RecalledHit",
    "Status",
    "Trace",
]


def __getattr__(name: str) -> Any:
    """Import the asynchronous client on first use: a skill that has a bus already does not pay for aiohttp."""
    if name == "AsyncMemoryClient":
        from ovos_memory_bus.client.aio import AsyncMemoryClient

        return AsyncMemoryClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""`MemoryRetrieval`: the memory as a retrieval engine (`opm.agents.retrieval`) of personas and other agents."""

from __future__ import annotations

from typing import Any

from ovos_plugin_manager.templates.agents import RetrievalEngine

from ovos_memory_bus.client import MemoryClient
from ovos_memory_bus.tools.own_bus import OwnBus

TIMEOUT = 5.0  # seconds; the config key `timeout` overrides it


class MemoryRetrieval(RetrievalEngine):  # type: ignore[misc]  # ovos-plugin-manager has no types
    """Searches on behalf of the message that is being handled, so within its owner and scope.

    Config: `timeout` in seconds, `kinds`, a list of what to search (`turn`, `note`, `fact`, `summary`, `document`).
    """

    def __init__(self, config: dict[str, Any] | None = None, bus: Any = None) -> None:
        super().__init__(config)
        self.bus = bus
        self._own_bus = OwnBus()

    def query(self, query: str, lang: str | None = None, k: int = 3) -> list[tuple[str, float]]:
        """At most `k` memories as (text, probability that it is what is looked for), best first.

        Raises the client's errors, `BusUnavailable` and `DeadlineExceeded` among them."""
        if not query.strip() or k < 1:
            return []
        client = MemoryClient(self.bus or self._own_bus.get(), float(self.config.get("timeout", TIMEOUT)))
        kinds = self.config.get("kinds")
        searches = [{"kind": kind} for kind in kinds] if kinds else [{}]
        found = [hit for search in searches for hit in client.search_memories(query, limit=k, lang=lang, **search)]
        best = sorted(((hit.content, hit.score or 0.0) for hit in found), key=lambda pair: -pair[1])
        return best[:k]

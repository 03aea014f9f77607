"""Going through a long list a page at a time, without saying how a page is fetched."""

from __future__ import annotations

from typing import Any

from ovos_memory_bus.client import calls
from ovos_memory_bus.client.call import Call
from ovos_memory_bus.client.results import Memory, MemoryPage


class Pages:
    """The position in a list: `call()` asks for the next page, `take()` notes it; `limit` bounds all pages together."""

    def __init__(self, page_size: int, limit: int | None = None, offset: int | None = None, **options: Any) -> None:
        self._size, self._left, self._offset, self._options = page_size, limit, offset or 0, options
        self.more = limit is None or limit > 0

    def call(self) -> Call[MemoryPage]:
        size = self._size if self._left is None else min(self._size, self._left)
        return calls.list_memories(limit=size, offset=self._offset, page_size=size, **self._options)

    def take(self, page: MemoryPage) -> tuple[Memory, ...]:
        """The memories of `page`, which has come."""
        self._offset += len(page)
        if self._left is not None:
            self._left -= len(page)
        self.more = len(page) > 0 and self._offset < page.total and (self._left is None or self._left > 0)
        return page.items

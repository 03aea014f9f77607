"""`AsyncMemoryClient`: the memory for asyncio programs, over a websocket of its own that reconnects by itself."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, cast

import anyio

from ovos_memory_bus.client import calls
from ovos_memory_bus.client.call import Call, R
from ovos_memory_bus.client.connection import BusConnection
from ovos_memory_bus.client.identity import DEFAULT_SESSION, session_of
from ovos_memory_bus.client.pages import Pages
from ovos_memory_bus.client.results import Memory
from ovos_memory_bus.client.waiting import patience, read_answer, request_data, request_session

P = ParamSpec("P")
Method = Callable[Concatenate["AsyncMemoryClient", P], Coroutine[Any, Any, R]]

DEFAULT_URL = "ws://127.0.0.1:8181/core"


def _method(build: Callable[P, Call[R]]) -> Method[P, R]:
    @functools.wraps(build)
    async def method(self: AsyncMemoryClient, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._perform(build(*args, **kwargs))

    return cast(Method[P, R], method)


class AsyncMemoryClient:
    """The memory over the bus at `url`, to be used in `async with` on an asyncio event loop (anyio's or plain).

    `session` (a message, a session or a session id; `default` otherwise), `timeout` in seconds and `agent_id` are as
    for `MemoryClient`. A call waits for the connection within its timeout; one that is in flight when the connection
    breaks raises `BusUnavailable`.
    """

    def __init__(
        self, url: str = DEFAULT_URL, timeout: float = 5.0, session: Any = None, agent_id: str | None = None
    ) -> None:
        self.timeout = timeout
        self.agent_id = agent_id
        self.connection = BusConnection(url)
        self._session = session_of(session) or {"session_id": DEFAULT_SESSION}
        self._stack = AsyncExitStack()

    def on_behalf_of(self, session: Any) -> AsyncMemoryClient:
        """The same client for another message, session or session id, over the same connection."""
        other = AsyncMemoryClient(self.connection.url, self.timeout, session, self.agent_id)
        other.connection = self.connection
        return other

    async def __aenter__(self) -> AsyncMemoryClient:
        tasks = await self._stack.enter_async_context(anyio.create_task_group())
        self._stack.callback(tasks.cancel_scope.cancel)
        tasks.start_soon(self.connection.run, name="bus connection")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._stack.aclose()  # without the error: a task group would wrap the caller's own in an exception group

    async def _perform(self, call: Call[R]) -> R:
        session = request_session(call, self._session) or self._session
        data, timeout = request_data(call, self.agent_id), patience(call, self.timeout)
        return read_answer(call, await self.connection.ask(call.topic, data, session, timeout))

    async def iter_memories(self, *, page_size: int = 100, **options: Any) -> AsyncIterator[Memory]:
        """All memories that `list_memories` with these options matches, fetched a page at a time.

        `limit` bounds them all together. To delete what it yields, collect it first: pages move up."""
        pages = Pages(page_size, **options)
        while pages.more:
            for memory in pages.take(await self._perform(pages.call())):
                yield memory

    add_memory = _method(calls.add_memory)
    remember_conversation = _method(calls.remember_conversation)
    get_memory = _method(calls.get_memory)
    search_memories = _method(calls.search_memories)
    search_memories_by_similarity = _method(calls.search_memories_by_similarity)
    list_memories = _method(calls.list_memories)
    update_memory = _method(calls.update_memory)
    delete_memory = _method(calls.delete_memory)
    generate_embedding_for_memory = _method(calls.generate_embedding_for_memory)
    clear_memories = _method(calls.clear_memories)
    context = _method(calls.context)
    update = _method(calls.update)
    history = _method(calls.history)
    forget = _method(calls.forget)
    pause = _method(calls.pause)
    resume = _method(calls.resume)
    status = _method(calls.status)
    backends = _method(calls.backends)
    explain = _method(calls.explain)

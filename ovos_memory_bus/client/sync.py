"""`MemoryClient`: the memory for skills and other synchronous code, over the OVOS bus client they have already."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from threading import Lock
from typing import Any, Concatenate, ParamSpec, cast
from weakref import WeakKeyDictionary, ref

from ovos_bus_client.message import Message

from ovos_memory_bus import errors
from ovos_memory_bus.client import calls
from ovos_memory_bus.client.call import Call, R
from ovos_memory_bus.client.identity import dispatching_session, session_of
from ovos_memory_bus.client.pages import Pages
from ovos_memory_bus.client.quickack import acknowledge_at_once
from ovos_memory_bus.client.results import Memory
from ovos_memory_bus.client.waiting import (
    ANSWER,
    Answer,
    Waiting,
    no_answer,
    patience,
    read_answer,
    request_data,
    request_session,
)

P = ParamSpec("P")
Method = Callable[Concatenate["MemoryClient", P], R]


class _Exchange:
    """Requests and answers on one bus: one handler a topic for as long as the bus lives, whoever asks."""

    def __init__(self, bus: Any) -> None:
        self._bus = ref(bus)
        self._waiting = Waiting()
        self._topics: set[str] = set()
        self._lock = Lock()
        if hasattr(bus, "client"):  # a FakeBus has no socket
            bus.on("message", self._acknowledge)

    def _acknowledge(self, _frame: Any = None) -> None:
        app = getattr(self._bus(), "client", None)
        acknowledge_at_once(getattr(getattr(app, "sock", None), "sock", None))

    def _on_answer(self, message: Message) -> None:
        self._waiting.resolve(message.msg_type, message.data)

    def _listen(self, bus: Any, topic: str) -> None:
        with self._lock:
            if topic not in self._topics:
                bus.on(topic + ANSWER, self._on_answer)
                self._topics.add(topic)

    def ask(self, bus: Any, message: Message, timeout: float) -> Answer:
        """Send and wait for the answer. Raises `BusUnavailable` and `DeadlineExceeded`."""
        deadline = time.monotonic() + timeout
        connected = getattr(bus, "connected_event", None) if hasattr(bus, "client") else None
        # emit() of a bus client that is not connected blocks for ten seconds and longer
        if connected is not None and not connected.wait(timeout):
            raise errors.BusUnavailable(f"the bus client did not get connected within {timeout:g} s")
        topic, request_id = message.msg_type, message.data["request_id"]
        self._listen(bus, topic)
        future = self._waiting.add(topic, request_id)
        try:
            self._acknowledge()
            bus.emit(message)
            return future.result(max(0.0, deadline - time.monotonic()))
        except FutureTimeout:
            raise errors.DeadlineExceeded(no_answer(topic, timeout)) from None
        finally:
            self._waiting.discard(topic, request_id, future)


_exchanges: WeakKeyDictionary[Any, _Exchange] = WeakKeyDictionary()
_exchanges_lock = Lock()


def _exchange_on(bus: Any) -> _Exchange:
    with _exchanges_lock:
        exchange = _exchanges.get(bus)
        if exchange is None:
            exchange = _exchanges[bus] = _Exchange(bus)
        return exchange


def _method(build: Callable[P, Call[R]]) -> Method[P, R]:
    @functools.wraps(build)
    def method(self: MemoryClient, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._perform(build(*args, **kwargs))

    return cast(Method[P, R], method)


class MemoryClient:
    """The memory over `bus`, a running `MessageBusClient` of ovos-bus-client or a `FakeBus`.

    `session` says on whose behalf to ask: a message, a session or a session id. Without it the message that is being
    handled decides, and outside of handlers the bus client's own session. `timeout` is in seconds; `agent_id` keeps
    what this client remembers apart from what others do. Cheap to make, safe from several threads, nothing to close.

    A call blocks its thread. Handlers of a bus client share a small pool of threads: when all of them wait for the
    memory at once, no answer can be delivered before the timeout.
    """

    def __init__(self, bus: Any, timeout: float = 5.0, session: Any = None, agent_id: str | None = None) -> None:
        self.bus = bus
        self.timeout = timeout
        self.agent_id = agent_id
        self._session = session_of(session)
        self._exchange = _exchange_on(bus)

    def on_behalf_of(self, session: Any) -> MemoryClient:
        """The same client for another message, session or session id."""
        return MemoryClient(self.bus, self.timeout, session, self.agent_id)

    def _perform(self, call: Call[R]) -> R:
        session = request_session(call, self._session or dispatching_session())
        context = {} if session is None else {"session": session}
        message = Message(call.topic, request_data(call, self.agent_id), context)
        return read_answer(call, self._exchange.ask(self.bus, message, patience(call, self.timeout)))

    def iter_memories(self, *, page_size: int = 100, **options: Any) -> Iterator[Memory]:
        """All memories that `list_memories` with these options matches, fetched a page at a time.

        `limit` bounds them all together. To delete what it yields, collect it first: pages move up."""
        pages = Pages(page_size, **options)
        while pages.more:
            yield from pages.take(self._perform(pages.call()))

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

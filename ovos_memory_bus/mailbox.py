"""A bounded mailbox that is fair between senders: each in turn, however much one of them sends."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

import anyio

from .errors import Busy, ShuttingDown

T = TypeVar("T")
SHARE = 0.75  # of the places, for one sender at most


class Mailbox(Generic[T]):
    """`put()` never waits: a full mailbox is an answer. Iterating yields until `close()`, then what is left."""

    def __init__(self, size: int) -> None:
        self._share = max(1, int(size * SHARE))
        # one token an envelope: the stream does the bounding, the waiting and the closing
        self._send, self._receive = anyio.create_memory_object_stream[None](max(1, size))
        self._queues: OrderedDict[str, deque[T]] = OrderedDict()

    def __len__(self) -> int:
        return sum(len(queue) for queue in self._queues.values())

    def put(self, sender: str, envelope: T) -> None:
        """Raises `Busy` when the mailbox or this sender's share of it is full, `ShuttingDown` when it is closed."""
        if len(self._queues.get(sender, ())) >= self._share:
            raise Busy("too many requests of this caller are waiting; try again")
        try:
            self._send.send_nowait(None)
        except anyio.WouldBlock:
            raise Busy("too many requests are waiting; try again") from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ShuttingDown("the service is stopping") from None
        self._queues.setdefault(sender, deque()).append(envelope)

    def close(self) -> None:
        self._send.close()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for _ in self._receive:
            sender, queue = next(iter(self._queues.items()))
            envelope = queue.popleft()
            del self._queues[sender]
            if queue:
                self._queues[sender] = queue  # to the end of the round
            yield envelope

"""`observe: true`: stores the turns that the bus shows and nobody else records."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

import anyio

from ..errors import InvalidRequest, MemoryBusError
from ..observing import Observed, Observer
from .recording import Recorder

LOG = logging.getLogger(__name__)
AGAIN = 1.0  # seconds until a turn that could not be stored is tried again


class Bystander:
    """Shows frames to the observer and stores what it makes of them. `run()` lives in the service's task group."""

    def __init__(self, observer: Observer, recorder: Recorder) -> None:
        self._observer, self._recorder = observer, recorder
        self._changed = anyio.Event()

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that `see` is to be called for."""
        return self._observer.topics

    @property
    def unfinished(self) -> int:
        """Turns that have ended and are not stored yet."""
        return self._observer.held

    def see(self, topic: str, data: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        """One frame, in the order of the bus."""
        self._observer.see(topic, data, context, anyio.current_time(), datetime.now(timezone.utc))
        self._changed.set()

    async def run(self) -> None:
        """Store turns as they end, until cancelled."""
        while True:
            self._changed = anyio.Event()
            while observed := self._observer.take(anyio.current_time()):
                if not await self._stored(observed):
                    self._observer.give_back(observed, anyio.current_time() + AGAIN)
            with anyio.move_on_after(max(0.0, min(self._observer.next_due - anyio.current_time(), math.inf))):
                await self._changed.wait()

    async def finish(self) -> None:
        """Store what has ended, without waiting for anybody."""
        while observed := self._observer.take(anyio.current_time(), everything=True):
            await self._stored(observed)

    async def _stored(self, observed: Observed) -> bool:
        """Whether a turn is done with."""
        try:
            await self._recorder.update(observed.request, observed.caller)
        except InvalidRequest as error:
            LOG.warning("a turn seen on the bus cannot be stored: %s", error)
        except MemoryBusError as error:
            LOG.warning("a turn seen on the bus is not stored yet: %s", error)
            return False
        return True

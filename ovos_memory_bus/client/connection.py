"""A websocket to the messagebus that stays connected: asks, listens, reconnects with jittered back-off."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
import anyio
from ovos_utils.log import LOG

from ovos_memory_bus import errors
from ovos_memory_bus.client.quickack import acknowledge_at_once
from ovos_memory_bus.client.waiting import ANSWER, Answer, Waiting, no_answer

MAX_FRAME = 25 * 1024 * 1024  # bytes, as the bus allows
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between two attempts to connect
HEARTBEAT = 30.0  # seconds; finds out when the other side is gone without a word

Handler = Callable[[Mapping[str, Any]], None]


class BusConnection:
    """One connection, kept up by `run()`; to be used on the event loop that runs it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._waiting = Waiting()
        self._handlers: dict[str, Handler] = {}
        self._socket: aiohttp.ClientWebSocketResponse[Any] | None = None
        self._connected = anyio.Event()
        self._opened: list[Callable[[], None]] = []

    @property
    def connected(self) -> bool:
        return self._socket is not None

    def on(self, topic: str, handler: Handler) -> None:
        """Call `handler` with each message `{type, data, context}` of that topic; it must not block."""
        self._handlers[topic] = handler

    def on_open(self, handler: Callable[[], None]) -> None:
        """Call `handler` whenever the connection is there (again)."""
        self._opened.append(handler)

    async def run(self) -> None:
        """Stay connected until cancelled."""
        pause = FIRST_PAUSE
        async with aiohttp.ClientSession() as http:
            while True:
                try:
                    async with http.ws_connect(self.url, max_msg_size=MAX_FRAME, heartbeat=HEARTBEAT) as socket:
                        pause = FIRST_PAUSE
                        await self._serve(socket)
                except (aiohttp.ClientError, OSError, asyncio.TimeoutError) as error:
                    LOG.debug(f"no messagebus at {self.url}: {error!r}")
                await anyio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _serve(self, socket: aiohttp.ClientWebSocketResponse[Any]) -> None:
        self._socket = socket
        self._acknowledge()
        self._connected.set()
        try:
            for opened in self._opened:
                opened()
            async for frame in socket:
                self._acknowledge()
                if frame.type == aiohttp.WSMsgType.TEXT:
                    self._take(frame.data)
        finally:
            self._socket, self._connected = None, anyio.Event()
            self._waiting.fail(lambda: errors.BusUnavailable("the connection to the messagebus was lost"))

    def _acknowledge(self) -> None:
        if self._socket is not None:
            acknowledge_at_once(self._socket.get_extra_info("socket"))

    def _take(self, frame: str) -> None:
        # every client sees every frame of the bus: look before parsing
        if not (ANSWER in frame and len(self._waiting)) and not any(topic in frame for topic in self._handlers):
            return
        try:
            message = json.loads(frame)
        except ValueError:
            return
        topic = message.get("type") if isinstance(message, dict) else None
        if not isinstance(topic, str):
            return
        if topic in self._handlers:
            self._handlers[topic](message)
        elif topic.endswith(ANSWER):
            self._waiting.resolve(topic, message.get("data"))

    async def send(self, topic: str, data: Mapping[str, Any], session: Mapping[str, Any]) -> None:
        """Send one message, without waiting for the connection. Raises `BusUnavailable`."""
        if self._socket is None:
            raise errors.BusUnavailable(f"no connection to the messagebus at {self.url}")
        frame = json.dumps({"type": topic, "data": data, "context": {"session": session}})
        try:
            await self._socket.send_str(frame)
        except (aiohttp.ClientError, OSError) as error:
            raise errors.BusUnavailable(f"the messagebus at {self.url} did not take the message: {error!r}") from error

    async def ask(self, topic: str, data: Mapping[str, Any], session: Mapping[str, Any], within: float) -> Answer:
        """Send, once connected, and wait for the answer. Raises `BusUnavailable` and `DeadlineExceeded`."""
        request_id = data["request_id"]
        future = self._waiting.add(topic, request_id)
        try:
            with anyio.fail_after(within):
                await self._connected.wait()
                await self.send(topic, data, session)
                return await asyncio.wrap_future(future)
        except TimeoutError:
            if not self.connected:
                raise errors.BusUnavailable(f"no messagebus at {self.url} within {within:g} s") from None
            raise errors.DeadlineExceeded(no_answer(topic, within)) from None
        finally:
            self._waiting.discard(topic, request_id, future)

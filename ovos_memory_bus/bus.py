"""The websocket to the OVOS messagebus: frames in, frames out, connected again whenever it breaks.

Our own on aiohttp: the clients of ovos-bus-client end their receive loop for good at the first malformed or large
frame. A stock bus sends two small frames in a row, so without quick acknowledgement every answer takes 40 ms more.
"""

from __future__ import annotations

import asyncio  # on Python 3.10 its TimeoutError is a class of its own
import inspect
import json
import logging
import random
import socket
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import aiohttp
import anyio

from .messages.frames import MAX_SENT

LOG = logging.getLogger(__name__)
MAX_FRAME = 32 * 2**20  # bytes; the bus itself passes 25 MB
FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0  # seconds between attempts to connect
HEARTBEAT = 20.0  # seconds between pings: a bus that vanished without a word is noticed
SEND_TIMEOUT = 10.0  # seconds until a bus that does not read counts as gone
CLOSE_TIMEOUT = 2.0  # seconds for a goodbye
# the bus relays bytes that are no UTF-8 as text: they must cost one frame, not the connection (aiohttp before 3.14 can
# only close it, and we connect again)
UNDECODED: Mapping[str, Any] = (
    {"decode_text": False} if "decode_text" in inspect.signature(aiohttp.ClientSession.ws_connect).parameters else {}
)
HEAD = 64  # characters of a frame in which its type stands
NO_BOUNDS: Mapping[str, int] = MappingProxyType({})
ECHO = "memory.echo"  # goes out to come back: what the bus took before it has been handled by then


class FrameTooLarge(ValueError):
    """The bus would hang up on who sends this."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message of the bus, as it arrived."""

    topic: str
    data: Mapping[str, Any]
    context: Mapping[str, Any]


Connection: TypeAlias = "aiohttp.ClientWebSocketResponse[bool]"
Handler = Callable[[Frame], Awaitable[None]]


def default_url() -> str:
    """The address of the bus in OVOS' configuration."""
    from ovos_bus_client.conf import load_message_bus_config  # not at import time: it reads several files

    config = load_message_bus_config()
    scheme = "wss" if config.ssl else "ws"
    return f"{scheme}://{config.host}:{config.port}{config.route}"


def parse(text: str | bytes) -> Frame | None:
    """The frame of a text, or None where it is malformed: no JSON object, no type, a session that is no object."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        return None
    data, context = raw.get("data") or {}, raw.get("context") or {}
    if not isinstance(data, dict) or not isinstance(context, dict):
        return None
    if context.get("session") is not None and not isinstance(context["session"], dict):
        return None
    return Frame(raw["type"], data, context)


def reply_context(context: Mapping[str, Any]) -> dict[str, Any]:
    """The context of an answer: back to where the request came from, the session as it arrived."""
    swapped = dict(context)
    if "source" in context or "destination" in context:
        swapped["source"], swapped["destination"] = context.get("destination"), context.get("source")
    return swapped


def quick_acknowledgement(connection: Connection) -> None:
    """Have the kernel acknowledge at once what it received; Linux forgets it after a while, others do not know it."""
    sock = connection.get_extra_info("socket")
    if sock is not None and hasattr(socket, "TCP_QUICKACK"):
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        except OSError:
            return  # the connection has just gone; the receive loop will see it


class Bus:
    """Calls `handler` for frames whose topic is one of `topics`; `run()` lives in a task group, `send()` is for all."""

    def __init__(
        self, url: str, topics: Sequence[str], handler: Handler, bounds: Mapping[str, int] = NO_BOUNDS
    ) -> None:
        """`bounds` are the longest frames of topics, in characters: reading a long one holds up everybody."""
        self.url = url
        self._topics = frozenset(topics)
        self._handler = handler
        self._connection: Connection | None = None
        self._sending = anyio.Lock()
        self._echoes: dict[str, anyio.Event] = {}
        # most frames are other people's: a look for these is much cheaper than reading the whole frame
        self._bounds = tuple((json.dumps(topic), bound) for topic, bound in bounds.items())
        self._marks = tuple({json.dumps(topic.rsplit(".", 1)[0])[:-1] for topic in (*topics, ECHO)})

    @property
    def connected(self) -> bool:
        return self._connection is not None

    async def run(self) -> None:
        """Connect, receive, and connect again, until cancelled."""
        delay = FIRST_DELAY
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    connection = await session.ws_connect(
                        self.url, max_msg_size=MAX_FRAME, heartbeat=HEARTBEAT, **UNDECODED
                    )
                except (aiohttp.ClientError, OSError, asyncio.TimeoutError) as error:
                    if delay == FIRST_DELAY:
                        LOG.warning("no messagebus at %s yet (%s); trying on", self.url, error)
                    await anyio.sleep(delay * random.uniform(0.5, 1.5))
                    delay = min(delay * 2, LONGEST_DELAY)
                    continue
                LOG.info("connected to the messagebus at %s", self.url)
                delay = FIRST_DELAY
                try:
                    self._connection = connection
                    await self._receive(connection)
                finally:
                    self._connection = None
                    with anyio.CancelScope(shield=True), anyio.move_on_after(CLOSE_TIMEOUT):
                        await connection.close()  # answers on their way still leave
                LOG.warning("the messagebus at %s is gone; connecting again", self.url)
                await anyio.sleep(delay * random.uniform(0.5, 1.5))

    async def send(self, topic: str, data: Mapping[str, Any], context: Mapping[str, Any] | None = None) -> bool:
        """Send one message; False where the bus is away or does not take it. Raises `FrameTooLarge`."""
        text = json.dumps({"type": topic, "data": data, "context": context or {}})
        if len(text) > MAX_SENT:
            raise FrameTooLarge(f"{topic} would be a frame of {len(text)} bytes")
        with anyio.move_on_after(SEND_TIMEOUT):
            async with self._sending:
                connection = self._connection
                if connection is None:
                    return False
                try:
                    await connection.send_str(text)
                except (ConnectionError, aiohttp.ClientError, RuntimeError) as error:
                    LOG.warning("an answer could not be sent: %s", error)
                    return False
                return True
        return False

    async def caught_up(self) -> bool:
        """Wait until every frame that the bus has taken by now has been handled; False where the bus is away."""
        name, came_back = uuid.uuid4().hex, anyio.Event()
        self._echoes[name] = came_back
        try:
            if not await self.send(ECHO, {"name": name}):
                return False
            await came_back.wait()
            return True
        finally:
            del self._echoes[name]

    async def _receive(self, connection: Connection) -> None:
        quick_acknowledgement(connection)
        async for received in connection:
            quick_acknowledgement(connection)
            if received.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                continue
            await self._take(received.data)

    def _too_long(self, text: str) -> bool:
        """Whether a frame is longer than its topic may be. As frames are usually written, the topic stands first."""
        head = text[:HEAD]
        return any(len(text) > bound and topic in head for topic, bound in self._bounds)

    async def _take(self, text: str | bytes) -> None:
        """One frame; whatever is wrong with it costs that frame only."""
        try:
            text = text if isinstance(text, str) else text.decode()
        except UnicodeDecodeError:
            LOG.warning("a frame that is no text was dropped")
            return
        if not any(mark in text for mark in self._marks):
            return
        if self._too_long(text):
            LOG.warning("an answer of %d characters was dropped", len(text))
            return
        frame = parse(text)
        if frame is None:
            LOG.warning("a malformed frame of %d characters was dropped", len(text))  # not its text: logs are kept
        elif frame.topic in self._topics:
            await self._handler(frame)
        elif frame.topic == ECHO:
            came_back = self._echoes.get(str(frame.data.get("name")))
            if came_back is not None:
                came_back.set()

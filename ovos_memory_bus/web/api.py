"""The routes under `/api/v1`: every operation of the bus, and what only an operator asks."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio.to_thread
from aiohttp import web

from ..errors import Busy, ShuttingDown, StorageError
from ..messages.identity import Caller
from ..porting.exporting import lines_of
from ..records import to_wire_time
from ..store.base import Holding
from .access import COOKIE, LIFETIME
from .asking import DEFAULT_OWNER, body_of, caller_for, caller_of_owner
from .disk import usage
from .guard import LOGIN, Guard
from .live import Live
from .openapi import document
from .parts import Parts
from .replies import answer

LOG = logging.getLogger(__name__)
BASE = "/api/v1/"
PREFIX = "memory."  # topics about the service's being there have another one: /health says that
TOGETHER = 64  # requests being answered at once
OWN_KEYS = ("owner", "session")  # of a body: whose memory; the rest is the topic's data


def path_of(topic: str) -> str:
    """`memory.item.list` is asked at `/api/v1/item/list`."""
    return BASE + topic.removeprefix(PREFIX).replace(".", "/")


class Api:
    """Answers requests that the guard let through."""

    def __init__(self, parts: Parts, guard: Guard, live: Live) -> None:
        self._parts, self._guard, self._live = parts, guard, live
        self._paths = {topic: path_of(topic) for topic in parts.topics if topic.startswith(PREFIX)}
        self._answering = 0

    def add_routes(self, router: web.UrlDispatcher) -> None:
        for topic, path in self._paths.items():
            router.add_post(path, self._asked(topic))
        router.add_post(LOGIN, self.log_in)
        router.add_delete(LOGIN, self.log_out)
        router.add_get(BASE + "owners", self._told(self.owners))
        router.add_get(BASE + "disk", self._told(self.disk))
        router.add_get(BASE + "openapi.json", self._told(self.described))
        router.add_get(BASE + "recalls", self._told(self._live.recalls))
        router.add_get(BASE + "recalls/live", self._live.stream, allow_head=False)
        router.add_get(BASE + "export", self.export, allow_head=False)

    async def log_in(self, request: web.Request) -> web.Response:
        """The token for a cookie: `{"token"}`."""
        token = (await body_of(request)).get("token")
        if not self._guard.knows(request, isinstance(token, str) and self._guard.access.is_token(token)):
            return self._guard.unknown(request)
        response = web.Response(status=204)
        response.set_cookie(
            COOKIE, self._guard.access.make_cookie(), max_age=LIFETIME, path="/", httponly=True, samesite="Strict"
        )
        return response

    async def log_out(self, request: web.Request) -> web.Response:
        response = web.Response(status=204)
        response.del_cookie(COOKIE, path="/", httponly=True, samesite="Strict")
        return response

    async def owners(self, request: web.Request) -> Mapping[str, Any]:
        """Whose memories there are, the newest first."""
        return {"owners": [_owner(holding) for holding in await self._parts.store.holdings()]}

    async def disk(self, request: web.Request) -> Mapping[str, Any]:
        """Bytes that the memory takes, and that are left."""
        found = await anyio.to_thread.run_sync(usage, self._parts.folder)
        return {"used": found.used, "free": found.free}

    async def described(self, request: web.Request) -> Mapping[str, Any]:
        return document(self._paths)

    async def export(self, request: web.Request) -> web.StreamResponse:
        """Everything of one owner as a file of JSON lines, which `ovos-memory-bus import` takes."""
        caller = caller_of_owner(request.query.get("owner") or DEFAULT_OWNER)
        LOG.info("the page exports the memory of %r", caller.owner)
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", caller.owner)
        response = web.StreamResponse(
            headers={
                "Content-Type": "application/x-ndjson; charset=utf-8",
                "Content-Disposition": f'attachment; filename="memory-{name}.jsonl"',
            }
        )
        await response.prepare(request)
        try:
            async for part in lines_of(self._parts.store, caller.owner):
                await response.write(part.encode())
        except StorageError as error:
            LOG.error("the export of the page broke off: %s", error)
            if request.transport is not None:
                request.transport.abort()  # half a file must not look like a whole one
        return response

    def _asked(self, topic: str) -> Callable[[web.Request], Awaitable[web.Response]]:
        """The handler of one topic."""

        async def handle(request: web.Request) -> web.Response:
            data = await body_of(request)
            caller = caller_for(data, request.headers)
            if caller.owner != DEFAULT_OWNER:
                LOG.info("the page asks %s on behalf of %r", topic, caller.owner)
            return answer(await self._answer(topic, {k: v for k, v in data.items() if k not in OWN_KEYS}, caller))

        return handle

    def _told(self, look: Callable[[web.Request], Awaitable[Mapping[str, Any]]]) -> Any:
        async def handle(request: web.Request) -> web.Response:
            return answer(await look(request))

        return handle

    async def _answer(self, topic: str, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        if not self._parts.is_ready():
            raise ShuttingDown("the service is stopping")
        if self._answering >= TOGETHER:
            raise Busy("too many requests are being answered; try again")
        self._answering += 1
        try:
            return await self._parts.answer(topic, data, caller)
        finally:
            self._answering -= 1


def _owner(holding: Holding) -> dict[str, Any]:
    return {
        "owner": holding.owner,
        "items": holding.items,
        "newest": to_wire_time(holding.newest),
        "sessions": list(holding.sessions),
        "paused": list(holding.paused),
    }

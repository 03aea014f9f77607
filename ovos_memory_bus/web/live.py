"""Recalls as they happen: Server-Sent Events, one a recall, and the newest ones at a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
from aiohttp import web

from ..errors import Busy, InvalidRequest
from ..tracing import Trace, Traces

STREAMS = 16  # watchers at once
WAITING = 64  # recalls that wait for a slow watcher; further ones are not shown to it
KEEP_ALIVE = 15.0  # seconds of silence after which a comment shows that the service is there
SHOWN = 20  # recalls listed unless the request says otherwise


class Live:
    """The watchers of this service's recalls."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._feeds: set[anyio.abc.ObjectSendStream[Trace]] = set()

    async def recalls(self, request: web.Request) -> Mapping[str, Any]:
        """The newest recalls, at most `limit`, of one `owner` where the request names one."""
        limit, owner = _limit(request.query.get("limit")), request.query.get("owner")
        found = [trace for trace in self._traces.recent() if owner in (None, trace.owner)]
        return {"recalls": [shown(trace) for trace in found[:limit]]}

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Send each recall until the watcher goes or the service stops. Raises `Busy` over the bound."""
        if len(self._feeds) >= STREAMS:
            raise Busy("too many pages watch the recalls; close one")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        feed, recalls = anyio.create_memory_object_stream[Trace](WAITING)

        def seen(trace: Trace) -> None:
            if feed.statistics().current_buffer_used < WAITING:
                feed.send_nowait(trace)

        self._feeds.add(feed)
        try:
            with self._traces.watched(seen), recalls:
                await response.write(b": recalls follow\n\n")
                while True:
                    event = ": still here\n\n"
                    with anyio.move_on_after(KEEP_ALIVE):
                        event = f"data: {json.dumps(shown(await recalls.receive()), ensure_ascii=False)}\n\n"
                    await response.write(event.encode())
        except (anyio.EndOfStream, ConnectionResetError):
            return response  # the service stops, or the watcher has gone
        finally:
            self._feeds.discard(feed)

    async def close(self, app: web.Application) -> None:
        """End all streams."""
        for feed in tuple(self._feeds):
            await feed.aclose()


def shown(trace: Trace) -> dict[str, Any]:
    """A trace as `memory.explain` answers it, with its owner: the page shows everybody's."""
    return {"owner": trace.owner, **trace.to_data()}


def _limit(text: str | None) -> int:
    try:
        limit = SHOWN if text is None else int(text)
    except ValueError:
        limit = -1
    if not 0 <= limit <= 1_000:
        raise InvalidRequest("limit must be a whole number from 0 to 1000", "limit")
    return limit

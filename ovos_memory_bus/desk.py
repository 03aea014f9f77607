"""Every topic with what answers it: a request is read, done and answered, exactly once, whatever goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import InvalidRequest, MemoryBusError, NotFound
from .messages import forgetting, items, service, turns
from .messages.context import TOPIC as CONTEXT
from .messages.context import ContextRequest
from .messages.fields import MAX_SHORT, Fields
from .messages.frames import fitting
from .messages.identity import Caller
from .operations.forgetting import Forgetter
from .operations.managing import Librarian
from .operations.recalling import Recaller
from .operations.recording import Recorder
from .records import to_wire_time

IDS_TOLD = 400_000  # ids in one answer: 16 MB
LOG = logging.getLogger(__name__)
Answer = Callable[[Mapping[str, Any], Caller], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Desk:
    """Turns raw request data into answer data by topic."""

    recaller: Recaller
    recorder: Recorder
    librarian: Librarian
    forgetter: Forgetter
    status: Callable[[], Awaitable[dict[str, Any]]]
    backends: Callable[[], dict[str, Any]]
    is_ready: Callable[[], bool]

    def topics(self) -> dict[str, Answer]:
        """All topics answered."""
        return {
            CONTEXT: self._context,
            turns.UPDATE: self._update,
            turns.HISTORY: self._history,
            items.PREFIX + "add": self._add,
            items.PREFIX + "remember": self._remember,
            items.PREFIX + "get": self._get,
            items.PREFIX + "list": self._list,
            items.PREFIX + "search": self._search,
            items.PREFIX + "similar": self._similar,
            items.PREFIX + "update": self._change,
            items.PREFIX + "delete": self._delete,
            items.PREFIX + "embed": self._embed,
            items.PREFIX + "clear": self._clear,
            forgetting.FORGET: self._forget,
            forgetting.PAUSE: self._pause,
            forgetting.RESUME: self._resume,
            service.STATUS: self._status,
            service.BACKENDS: self._backends,
            service.EXPLAIN: self._explain,
            service.IS_ALIVE: self._alive,
            service.IS_READY: self._ready,
        }

    async def answer(self, topic: str, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """The answer's data with the request's id echoed; an `error` object where it could not be done."""
        try:
            Fields(data).text("request_id", limit=MAX_SHORT)  # what could not be echoed is refused
            answer = await self.topics()[topic](data, caller)
        except Exception as error:
            answer = {"error": described(topic, error)}
        return with_request_id(answer, data)

    async def _context(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return (await self.recaller.recall(ContextRequest.from_data(data), caller)).to_data()

    async def _update(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"ids": list(await self.recorder.update(turns.UpdateRequest.from_data(data), caller))}

    async def _history(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        messages = await self.recaller.history(turns.HistoryRequest.from_data(data), caller)
        return {"messages": [message.to_data() for message in messages]}

    async def _add(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"item": (await self.recorder.add(items.AddRequest.from_data(data), caller)).to_data()}

    async def _remember(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"item": (await self.recorder.add(items.AddRequest.remember_from_data(data), caller)).to_data()}

    async def _get(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"item": await self.librarian.get(items.IdRequest.from_data(data), caller)}

    async def _list(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return await self.librarian.page(items.ListRequest.from_data(data), caller)

    async def _search(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return await self.librarian.search(items.SearchRequest.from_data(data), caller)

    async def _similar(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return await self.librarian.similar(items.SimilarRequest.from_data(data), caller)

    async def _change(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"item": await self.librarian.update(items.ChangeRequest.from_data(data), caller)}

    async def _delete(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"deleted": await self.librarian.delete(items.IdRequest.from_data(data), caller)}

    async def _embed(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return await self.librarian.embed(items.IdRequest.from_data(data), caller)

    async def _clear(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"deleted": len(await self.forgetter.clear(items.ClearRequest.from_data(data), caller))}

    async def _forget(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        request = forgetting.ForgetRequest.from_data(data)
        if request.dry_run:
            named, drawn = await self.forgetter.look(request, caller)
            would = [*named, *drawn]
            ids, shown = [item.id for item in would[:IDS_TOLD]], fitting(item.to_data() for item in would)
            return {"deleted": 0, "ids": ids, "named": len(named), "items": shown}
        removed = await self.forgetter.forget(request, caller)
        return {"deleted": len(removed.ids), "ids": list(removed.ids[:IDS_TOLD])}

    async def _pause(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        until = await self.recorder.pause(caller, forgetting.PauseRequest.from_data(data).duration)
        return {"paused": True, "until": to_wire_time(until) if until else None}

    async def _resume(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        await self.recorder.resume(caller)
        return {"paused": False}

    async def _status(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return await self.status()

    async def _backends(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return self.backends()

    async def _explain(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        trace = self.recaller.trace(service.ExplainRequest.from_data(data), caller)
        if trace is None:
            raise NotFound("no recall of yours with this id is remembered")
        return trace.to_data()

    async def _alive(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"status": True}

    async def _ready(self, data: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        return {"status": self.is_ready()}


def described(topic: str, error: Exception) -> dict[str, Any]:
    """The `error` object of an answer; what we did not foresee is logged with its trace and told without."""
    if isinstance(error, InvalidRequest):
        LOG.debug("%s was refused: %s", topic, error)
        return error.to_data()
    if isinstance(error, MemoryBusError):
        LOG.info("%s could not be done: %s", topic, error)
        return error.to_data()
    LOG.error("%s failed", topic, exc_info=error)
    return {"code": MemoryBusError.code, "message": f"{topic} failed: {type(error).__name__}; see the service's log"}


def with_request_id(answer: dict[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The answer with the request's id, where it has one that can be echoed."""
    request_id = data.get("request_id")
    return {**answer, "request_id": request_id} if isinstance(request_id, str) else answer

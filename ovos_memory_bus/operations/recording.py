"""`memory.update`, pauses, and items by hand: everything that stores something new passes here."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta, timezone

from ..analysis import is_blank
from ..errors import Forbidden, InvalidRequest
from ..messages.identity import Caller
from ..messages.items import AddRequest
from ..messages.turns import UpdateRequest
from ..planning import Planner
from ..records import Item
from ..store.base import NewItem, Store

Broadcast = Callable[[Sequence[int]], Awaitable[None]]


class Recorder:
    """Writes to the store and tells the backends that there is work."""

    def __init__(self, store: Store, planner: Planner, recorded: Broadcast) -> None:
        self._store, self._planner, self._recorded = store, planner, recorded

    async def update(self, request: UpdateRequest, caller: Caller) -> tuple[str, ...]:
        """Store turns; their ids, once they are on disk. While the session is paused nothing is stored: no ids.
        Raises `StorageError`s and `Busy`."""
        if await self._store.paused(caller.owner, caller.session_id):
            return ()
        items = [
            NewItem(
                id=str(uuid.uuid4()),
                owner=caller.owner,
                session_id=caller.session_id,
                kind="turn",
                role=message.role,
                content=message.content,
                created_at=message.created_at,
                lang=request.lang,
                name=message.name,
                agent_id=request.agent_id,
                graph_id=request.graph_id,
                task_id=request.task_id,
                metadata=message.metadata,
            )
            for message in request.messages
        ]
        return await self.store(items, request.request_id)

    async def add(self, request: AddRequest, caller: Caller) -> Item:
        """Store one item by hand. Raises as `update`, `InvalidRequest` where the content has no word, and `Forbidden`
        while the session is paused."""
        if is_blank(request.content):
            raise InvalidRequest("the content is blank", "content")
        if await self._store.paused(caller.owner, caller.session_id):
            raise Forbidden("this session is paused: nothing is stored until memory.resume")
        item = NewItem(
            id=str(uuid.uuid4()),
            owner=caller.owner,
            session_id=caller.session_id,
            kind=request.kind,
            role=request.role,
            content=request.content,
            lang=request.lang,
            agent_id=request.agent_id,
            graph_id=request.graph_id,
            task_id=request.task_id,
            metadata=request.metadata,
        )
        (id_,) = await self.store([item], None)
        (stored,) = await self._store.get([id_], caller.owner)
        return stored

    async def store(self, items: Sequence[NewItem], request_id: str | None) -> tuple[str, ...]:
        """Store items with the jobs that the backends want, then wake the backends."""
        added = await self._store.add([self._planner.planned(item) for item in items], request_id)
        if added.seqs:
            self._planner.wake()
            await self._recorded(added.seqs)
        return added.ids

    async def pause(self, caller: Caller, duration: float | None) -> datetime | None:
        """Store nothing of this session for `duration` seconds (None: until resumed); until when."""
        until = None if duration is None else datetime.now(timezone.utc) + timedelta(seconds=duration)
        await self._store.pause(caller.owner, caller.session_id, until)
        return until

    async def resume(self, caller: Caller) -> None:
        await self._store.resume(caller.owner, caller.session_id)

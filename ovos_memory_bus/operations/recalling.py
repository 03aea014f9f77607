"""`memory.context.request`, `memory.history.get` and `memory.explain`."""

from __future__ import annotations

from ..coordinator import Coordinator, Recollection
from ..history import as_message, cut, normalise
from ..messages.context import ContextRequest
from ..messages.identity import Caller
from ..messages.service import ExplainRequest
from ..messages.turns import HistoryRequest
from ..records import ChatMessage
from ..store.base import Store
from ..tracing import Trace

ALL = 10_000  # turns of a session read at most
SPARE = 3  # rows read for each message wanted: normalisation merges and drops some


class Recaller:
    """Asks the coordinator, and reads histories."""

    def __init__(self, store: Store, coordinator: Coordinator, max_history: int) -> None:
        self._store, self._coordinator, self._max_history = store, coordinator, max_history

    async def recall(self, request: ContextRequest, caller: Caller) -> Recollection:
        return await self._coordinator.recall(request, caller)

    async def history(self, request: HistoryRequest, caller: Caller) -> list[ChatMessage]:
        """This session's newest messages after normalisation, oldest first."""
        limit = self._max_history if request.limit is None else request.limit
        wanted = ALL if limit == 0 else limit * SPARE + SPARE
        turns = await self._store.history(caller.owner, caller.session_id, request.agent_id, wanted)
        cutoff = self._coordinator.cutoff(caller)
        turns = [turn for turn in turns if cutoff is None or turn.created_at >= cutoff]
        return cut(normalise([as_message(turn) for turn in turns]), limit)

    def trace(self, request: ExplainRequest, caller: Caller) -> Trace | None:
        """The trace of a recall of this caller's that was asked for; None where it is not kept."""
        traces = self._coordinator.traces
        if request.recall_id is not None:
            return traces.find(caller.owner, request.recall_id)
        named = traces.find(caller.owner, request.request_id) if request.request_id else None
        return named or traces.find(caller.owner, None)

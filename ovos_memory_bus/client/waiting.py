"""Who waits for which answer: requests in flight by their topic and `request_id`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Lock
from typing import Any

from ovos_memory_bus import errors
from ovos_memory_bus.client.call import Call, R
from ovos_memory_bus.client.failures import error_from_data

ANSWER = ".response"
GRACE = 0.5  # seconds beyond what a request itself allows, for both ways over the bus

Answer = Mapping[str, Any]


class Waiting:
    """The requests in flight, each with the future that its answer resolves. Safe from any thread."""

    def __init__(self) -> None:
        self._futures: dict[tuple[str, str], list[Future[Answer]]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return sum(len(futures) for futures in self._futures.values())

    def add(self, topic: str, request_id: str) -> Future[Answer]:
        """A future for the answer on `topic + ".response"`."""
        future: Future[Answer] = Future()
        with self._lock:
            self._futures.setdefault((topic + ANSWER, request_id), []).append(future)
        return future

    def discard(self, topic: str, request_id: str, future: Future[Answer]) -> None:
        """Nobody waits for this one any more."""
        key = (topic + ANSWER, request_id)
        with self._lock:
            futures = self._futures.get(key, [])
            if future in futures:
                futures.remove(future)
            if not futures:
                self._futures.pop(key, None)

    def resolve(self, topic: str, data: Any) -> None:
        """An answer came; those of other clients are not ours and are left alone."""
        request_id = data.get("request_id") if isinstance(data, Mapping) else None
        if not isinstance(request_id, str):
            return
        with self._lock:
            futures = self._futures.pop((topic, request_id), [])
        for future in futures:
            if future.set_running_or_notify_cancel():
                future.set_result(data)

    def fail(self, make_error: Callable[[], Exception]) -> None:
        """None of the answers will come: the connection is gone."""
        with self._lock:
            futures = [future for waiting in self._futures.values() for future in waiting]
            self._futures.clear()
        for future in futures:
            if future.set_running_or_notify_cancel():
                future.set_exception(make_error())


def request_data(call: Call[R], agent_id: str | None) -> dict[str, Any]:
    """The data of a call as it is sent: with the client's `agent_id` where the call names none, and a `request_id`."""
    data = dict(call.data)
    if call.agent and agent_id is not None:
        data.setdefault("agent_id", agent_id)
    data.setdefault("request_id", uuid.uuid4().hex)
    return data


def request_session(call: Call[R], session: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The session a call is made in: the caller's, or for another session's id that one, still as the same user."""
    if call.session_id is None:
        return None if session is None else dict(session)
    return {**(session or {}), "session_id": call.session_id}


def patience(call: Call[R], timeout: float) -> float:
    """Seconds to wait for the answer: the client's timeout, or longer where the request gives the service longer."""
    return max(timeout, call.takes + GRACE if call.takes else 0.0)


def no_answer(topic: str, timeout: float) -> str:
    """The words for an answer that did not come."""
    return f"no answer to {topic} within {timeout:g} s; is the memory service running?"


def read_answer(call: Call[R], data: Answer) -> R:
    """The result of a call. Raises the error that was answered, or `MemoryBusError` where the answer makes no sense."""
    if data.get("error") is not None:
        raise error_from_data(data["error"])
    try:
        return call.read(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise errors.MemoryBusError(f"the answer to {call.topic} could not be read: {error!r}") from error

"""A plain websocket on the messagebus: any frame goes out as it is, answers are matched by their `request_id`."""

from __future__ import annotations

import itertools
import json
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Condition, Thread
from typing import Any

import websocket

from ovos_memory_bus.client.quickack import acknowledge_at_once

Data = dict[str, Any]
PATIENCE = 60.0  # seconds until a missing answer fails a test: no timing is asserted
POLL = 0.05  # seconds between two looks at a status

_numbers = itertools.count(1)


def user(name: str, *, session_id: str = "default", auth_level: int = 3) -> Data:
    """The session of a recognised user."""
    return {"session_id": session_id, "user_id": name, "auth_level": auth_level}


def said(*texts: str, role: str = "user") -> Data:
    """The data of a `memory.update` with these turns of one role."""
    return {"messages": [{"role": role, "content": text} for text in texts]}


class Wire:
    """One client of the bus. Every method may be called from any thread."""

    def __init__(self, url: str) -> None:
        self.frames: list[Data] = []  # every message seen that was no answer to us
        self._waiting: dict[tuple[str, str], Future[Data]] = {}
        self._changed = Condition()
        self._socket = websocket.create_connection(url, timeout=30, enable_multithread=True, skip_utf8_validation=True)
        self._socket.settimeout(None)
        self._thread = Thread(target=self._receive, daemon=True)
        self._thread.start()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, AttributeError):  # the bus may have been first
            self._socket.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread, which closing would not
        self._thread.join(30)

    # -- asking

    def begin(
        self, topic: str, data: Mapping[str, Any] | None = None, session: Any = None, **context: Any
    ) -> Future[Data]:
        """Send a request, with a `request_id` of ours unless it has one; the future of its answer's data."""
        filled = {"request_id": f"wire-{next(_numbers)}", **(data or {})}
        if session is not None:
            context["session"] = session
        answer: Future[Data] = Future()
        self._waiting[(topic + ".response", filled["request_id"])] = answer
        self.send(topic, filled, context)
        return answer

    def ask(self, topic: str, data: Mapping[str, Any] | None = None, session: Any = None, **context: Any) -> Data:
        """The answer's data, an `error` included."""
        return self.begin(topic, data, session, **context).result(PATIENCE)

    def ask_all(self, requests: Iterable[tuple[Any, ...]], together: int = 64) -> list[Data]:
        """The answers to (topic, data[, session]) requests in their order, `together` of them in flight."""
        answers: list[Data] = []
        waiting = list(requests)
        for start in range(0, len(waiting), together):
            begun = [self.begin(*request) for request in waiting[start : start + together]]
            answers += [future.result(PATIENCE) for future in begun]
        return answers

    def do(self, topic: str, data: Mapping[str, Any] | None = None, session: Any = None) -> Data:
        """The answer's data, which must be no error."""
        answer = self.ask(topic, data, session)
        assert "error" not in answer, answer
        return answer

    # -- what most tests do

    def say(self, *texts: str, session: Any = None, role: str = "user", **more: Any) -> list[str]:
        """Store turns; their ids."""
        ids: list[str] = self.do("memory.update", {**said(*texts, role=role), **more}, session)["ids"]
        return ids

    def add(self, content: str, session: Any = None, **more: Any) -> Data:
        """Store a note; the item."""
        item: Data = self.do("memory.item.add", {"content": content, **more}, session)["item"]
        return item

    def recall(self, utterance: str, session: Any = None, **more: Any) -> Data:
        """A context, with time enough for a busy machine."""
        return self.do("memory.context.request", {"utterance": utterance, "timeout": 30, **more}, session)

    def recalled(self, utterance: str, session: Any = None, **more: Any) -> list[str]:
        """The texts of a context's hits, best first."""
        return [hit["content"] for hit in self.recall(utterance, session, **more)["hits"]]

    def settle(self) -> Data:
        """Wait until no background work is left; the status then."""
        return self.until(
            lambda: self._status(lambda status: status["queue"]["pending"] == 0), "background work goes on"
        )

    def until(self, look: Callable[[], Any], complaint: str) -> Any:
        """What `look` gives once it is true."""
        deadline = time.monotonic() + 2 * PATIENCE
        while not (found := look()):
            assert time.monotonic() < deadline, complaint
            time.sleep(POLL)
        return found

    def _status(self, good: Callable[[Data], bool]) -> Data | None:
        status = self.do("memory.status")
        return status if good(status) else None

    # -- raw frames

    def send(self, topic: str, data: Any = None, context: Any = None) -> None:
        self.send_raw(json.dumps({"type": topic, "data": data, "context": context}))

    def send_raw(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            self._socket.send_binary(frame)
        else:
            self._socket.send(frame)

    def seen(self, topic: str, count: int = 1) -> list[Data]:
        """The data of the first `count` messages on a topic, once they are there."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._of(topic)) >= count, PATIENCE), f"no {topic}"
            return self._of(topic)[:count]

    def _of(self, topic: str) -> list[Data]:
        return [frame["data"] for frame in self.frames if frame.get("type") == topic]

    def _receive(self) -> None:
        while True:
            try:
                _, text = self._socket.recv_data()
            except (websocket.WebSocketException, OSError):
                return
            acknowledge_at_once(self._socket.sock)
            try:
                frame = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(frame, dict):
                self._take(frame)

    def _take(self, frame: Data) -> None:
        data = frame.get("data")
        key = (frame.get("type"), data.get("request_id")) if isinstance(data, dict) else None
        waiting = self._waiting.pop(key, None) if key and all(isinstance(part, str) for part in key) else None
        if waiting is not None:
            waiting.set_result(data)
            return
        with self._changed:
            self.frames.append(frame)
            self._changed.notify_all()


def contents(items: Sequence[Data]) -> list[str]:
    """The texts of items or hits."""
    return [item["content"] for item in items]

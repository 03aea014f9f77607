"""A real messagebus in a process of its own, and a memory that answers by script."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import websocket
from ovos_bus_client import MessageBusClient
from ovos_bus_client.message import Message

from ovos_memory_bus.client.quickack import acknowledge_at_once

Answer = Callable[[Message], "dict[str, Any] | None"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Bus:
    """`ovos-messagebus` on a port of its own; `start()` after `stop()` is the same bus come back."""

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()
        self.url = f"ws://127.0.0.1:{self.port}/core"
        folder = home / "config" / "mycroft"
        folder.mkdir(parents=True)
        (folder / "mycroft.conf").write_text(
            json.dumps({"websocket": {"host": "127.0.0.1", "port": self.port, "route": "/core"}})
        )
        self.env = {**os.environ, "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(Path(sys.executable).parent / "ovos-messagebus")]
        with (self.home / "bus.log").open("ab") as log:
            self._process = subprocess.Popen(command, env=self.env, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise RuntimeError((self.home / "bus.log").read_text()) from None
                time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @contextmanager
    def client(self) -> Iterator[MessageBusClient]:
        client = MessageBusClient(host="127.0.0.1", port=self.port, route="/core")
        client.run_in_thread()
        assert client.connected_event.wait(30)
        try:
            yield client
        finally:
            client.close()


class ScriptedMemory:
    """What a real service does only on a bad day: answers each topic by `script[topic](message)`; None, or a topic
    without a script, is silence.

    On a plain websocket of its own: a stock bus client of 1.5 loses its connection over the first malformed frame."""

    def __init__(self, url: str, script: dict[str, Answer]) -> None:
        self.script = script
        self.asked: list[Message] = []
        self._socket = websocket.create_connection(url, timeout=30)
        self._socket.settimeout(None)
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> ScriptedMemory:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, AttributeError):  # the bus was first
            self._socket.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread, which closing would not
        self._thread.join(30)

    def send_raw(self, frame: str) -> None:
        self._socket.send(frame)

    def emit(self, topic: str, data: dict[str, Any]) -> None:
        self.send_raw(json.dumps({"type": topic, "data": data, "context": {"session": {"session_id": "default"}}}))

    def asked_about(self, topic: str) -> list[Message]:
        return [message for message in self.asked if message.msg_type == topic]

    def _serve(self) -> None:
        while True:
            try:
                frame = self._socket.recv()
            except (websocket.WebSocketException, OSError):
                return
            acknowledge_at_once(self._socket.sock)
            try:
                content = json.loads(frame)
                message = Message(content["type"], content["data"], content["context"])
            except (ValueError, TypeError, KeyError, AssertionError):
                continue
            if message.msg_type in self.script:
                self._answer(message)

    def _answer(self, message: Message) -> None:
        self.asked.append(message)
        data = self.script[message.msg_type](message)
        if data is not None:
            self.emit(message.msg_type + ".response", {"request_id": message.data.get("request_id"), **data})

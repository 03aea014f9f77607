"""The memory service in a process of its own, with any configuration and environment."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import Any

import pytest
from rig import Bus
from wire import POLL, Wire

from ovos_memory_bus.models.folders import installed
from ovos_memory_bus.models.manifest import manifest

PROGRAM = str(Path(sys.executable).parent / "ovos-memory-bus")
KEYWORDS_ONLY = {"backends": ["recency", "lexical"]}
needs_model = pytest.mark.skipif(
    not installed(manifest()), reason="the embedding model is not installed: ovos-memory-bus models install"
)
START = 120.0  # seconds until a service that is not ready fails a test


class Daemon:
    """`ovos-memory-bus run` over one data folder; `start()` after `stop()` or `kill()` is the same memory come back."""

    options: tuple[str, ...] = ()  # of the command, further ones

    def __init__(
        self, bus: Bus, data: Path, config: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self.bus, self.data, self.config, self.env = bus, data, config, dict(env or {})
        self.log = data.parent / f"{data.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> Daemon:
        command = [PROGRAM, "run", "--bus", self.bus.url, "--data-dir", str(self.data), *self.options]
        if self.config is not None:
            file = self.data.parent / f"{self.data.name}.json"
            file.write_text(json.dumps(self.config))
            command += ["--config", str(file)]
        with self.log.open("ab") as log:
            env = {**self.bus.env, **self.env}
            self.process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
        if wait:
            self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        """Until `memory.status` says so over the bus."""
        assert self.process is not None
        deadline = time.monotonic() + START
        with Wire(self.bus.url) as wire:
            while time.monotonic() < deadline and self.process.poll() is None:
                try:
                    if wire.begin("memory.status").result(1)["ready"]:
                        return
                except FutureTimeout:
                    continue
        raise AssertionError("the service did not get ready:\n" + self.logged())

    def finish(self) -> int:
        """The exit code of a service that ends by itself."""
        assert self.process is not None
        return self.process.wait(START)

    def stop(self) -> int | None:
        """Ask it to stop as systemd does; its exit code."""
        if self.process is None:
            return None
        self.process.terminate()
        code = self.process.wait(START)
        self.process = None
        return code

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def logged(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait_for_line(self, text: str) -> None:
        """Until the log says `text`."""
        deadline = time.monotonic() + START
        while text not in self.logged():
            assert time.monotonic() < deadline, f"{text!r} was never logged:\n{self.logged()}"
            time.sleep(POLL)


StartService = Callable[..., Daemon]
"""The type of the fixture `service`: `service(data?, config=…, env=…, wait=…, on=bus)`."""

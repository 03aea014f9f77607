"""A device: the built wheel as a new user installs it, set up, started by the unit's own line, used, removed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from built import build_wheel
from homes import NOBODY_THERE, Home
from rig import Bus
from web_client import Browser
from wire import Wire

SOMEBODY = 60_123  # a user id that nobody has
PATIENCE = 120.0


@dataclass(frozen=True)
class NewUser:
    """A user in a home of their own with the wheel in an environment there; another user than ours where we may."""

    home: Home
    identity: dict[str, Any]

    @property
    def program(self) -> str:
        return str(self.home.path / "venv" / "bin" / "ovos-memory-bus")

    @property
    def setting(self) -> dict[str, Any]:
        """Arguments for subprocesses of the user's."""
        return {"env": self.home.env, "cwd": self.home.path, **self.identity}

    def do(self, *command: str) -> str:
        """What a command of the user's prints; it must not fail."""
        done = subprocess.run(
            command,
            env=self.home.env,
            cwd=self.home.path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            **self.identity,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def somebody() -> tuple[str, dict[str, Any]]:
    """A Python, and arguments that make a subprocess another user's, who can read it and this environment; where
    there is none, our own."""
    another = {"user": SOMEBODY, "group": SOMEBODY, "extra_groups": []}
    imports = f"import ensurepip, sys; sys.path.append({sysconfig.get_path('purelib')!r}); import hnswlib, onnxruntime"
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}") if os.geteuid() == 0 else ():
        try:
            if subprocess.run([python, "-c", imports], cwd="/", capture_output=True, **another).returncode == 0:
                return python, another
        except OSError:
            continue
    return sys.executable, {}


@pytest.fixture(scope="module")
def newcomer(shared_bus: Bus) -> Iterator[NewUser]:
    """Outside of the folders for tests, which are root's alone."""
    folder = Path(tempfile.mkdtemp(prefix="newcomer-"))
    folder.chmod(0o755)
    try:
        home = Home.make(folder / "home", NOBODY_THERE)
        websocket = {"host": "127.0.0.1", "port": shared_bus.port, "route": "/core"}
        mine = {"websocket": websocket, "memory": {"web": {"port": 0}}}  # any free port
        home.configure("// my device\n" + json.dumps(mine, indent=2) + "\n")
        (folder / "built").mkdir()
        wheel = build_wheel(folder / "built")
        python, identity = somebody()
        for path in (home.path, *home.path.rglob("*")) if identity else ():
            shutil.chown(path, SOMEBODY, SOMEBODY)
        user = NewUser(home, identity)
        user.do(python, "-m", "venv", "venv")
        (site,) = (home.path / "venv" / "lib").glob("python*/site-packages")
        (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")  # those of this environment
        user.do("venv/bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel))
        yield user
    finally:
        shutil.rmtree(folder)


def exec_start(unit: str) -> list[str]:
    """The command of a unit, as systemd would run it."""
    line = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert line is not None
    return [word.replace("%%", "%") for word in shlex.split(line[1])]


def test_a_newcomer_gets_a_memory_that_starts_by_its_unit(newcomer: NewUser, shared_bus: Bus) -> None:
    home = newcomer.home
    where = newcomer.do("venv/bin/python", "-c", "import ovos_memory_bus; print(ovos_memory_bus.__file__)")
    assert Path(where.strip()).is_relative_to(home.path / "venv")
    newcomer.do(newcomer.program, "setup", "--keywords-only", "--web", "--json")
    command = exec_start(home.unit.read_text())
    assert command == [newcomer.program, "run"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(home.path / "notify"))
        (home.path / "notify").chmod(0o777)
        systemd.settimeout(PATIENCE)
        setting = {**newcomer.setting, "env": {**home.env, "NOTIFY_SOCKET": str(home.path / "notify")}}
        log = home.path / "service.log"
        with log.open("wb") as output:
            service = subprocess.Popen(command, **setting, stdout=output, stderr=output)
        try:
            assert systemd.recv(100) == b"READY=1", log.read_text()
            used(newcomer, shared_bus)
            service.send_signal(signal.SIGTERM)
            assert systemd.recv(100) == b"STOPPING=1"
            assert service.wait(PATIENCE) == 0, log.read_text()
        finally:
            service.kill()
            service.wait()


def is_answered(wire: Wire) -> bool:
    try:
        return bool(wire.begin("memory.status").result(1)["ready"])
    except FutureTimeout:
        return False


def used(newcomer: NewUser, bus: Bus) -> None:
    """The memory works over the bus, by command and on its page; its files are its user's."""
    home = newcomer.home
    with Wire(bus.url) as wire:
        wire.until(lambda: is_answered(wire), "the service never came to the bus")
        wire.say("the spare key hangs in the shed")
        assert wire.recalled("where does the spare key hang") == ["the spare key hangs in the shed"]
    told = json.loads(newcomer.do(newcomer.program, "search", "spare key", "--json"))
    assert "the spare key hangs in the shed" in json.dumps(told)
    url, _, token = newcomer.do(newcomer.program, "inspect", "--print").strip().partition("#token=")
    assert Browser(url, token).do("item/list")["total"] == 1
    assert (home.data.stat().st_mode & 0o777, home.data.stat().st_uid) == (
        0o700,
        newcomer.identity.get("user", os.geteuid()),
    )


def test_a_newcomer_who_leaves_leaves_nothing(newcomer: NewUser) -> None:
    newcomer.do(newcomer.program, "uninstall", "--purge", "--yes")
    ours = re.compile(r"memory|persona|systemd/user/.")
    paths = (str(path.relative_to(newcomer.home.path)) for path in newcomer.home.path.rglob("*") if path.is_file())
    left = [path for path in paths if not path.startswith("venv") and ours.search(path)]
    assert left == []
    assert newcomer.home.conf.read_text().startswith("// my device\n")
    assert "memory" not in newcomer.home.conf.read_text()

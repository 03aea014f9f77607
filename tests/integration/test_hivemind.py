"""Two satellites behind a real HiveMind hub: each has a memory of its own, and neither reaches the other's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from daemon import KEYWORDS_ONLY, StartService
from rig import Bus, free_port
from wire import PATIENCE, Wire, contents

HUB = os.environ.get("OVOS_MEMORY_TEST_HIVEMIND", "")
DOCS = Path(__file__).parents[2] / "docs" / "hivemind.md"
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not HUB, reason="a HiveMind hub is in an environment that script/test --all makes"),
]
NAMES = ("kitchen", "hall")


def allowed() -> list[str]:
    """The message types that docs/hivemind.md says to allow."""
    block = re.findall(r"```sh\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)[0]
    return re.findall(r"--allow (\S+)", block)


class Satellite:
    """One satellite; `ask` is a request and its answer."""

    def __init__(self, name: str, port: int, home: Path) -> None:
        home.mkdir(exist_ok=True)  # the hub knows a satellite by the key that it keeps there
        script = Path(__file__).with_name("satellite.py")
        command = [f"{HUB}/bin/python", str(script), *credentials(name), str(port)]
        self._process = subprocess.Popen(
            command,
            env=at_home(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._heard: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        assert self._heard.get(timeout=2 * PATIENCE)["topic"] == "ready"

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def ask(self, topic: str, data: dict[str, Any], **session: Any) -> dict[str, Any]:
        """The answer, or the hub's refusal."""
        request = {"topic": topic, "data": data, "session": {"session_id": "living", **session}}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._heard.get(timeout=PATIENCE)

    def recalled(self, utterance: str, **session: Any) -> list[str]:
        answer = self.ask("memory.context.request", {"utterance": utterance, "timeout": 30}, **session)
        return contents(answer["data"]["hits"])

    def say(self, text: str, **session: Any) -> list[str]:
        data = {"messages": [{"role": "user", "content": text}]}
        ids: list[str] = self.ask("memory.update", data, **session)["data"]["ids"]
        return ids

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("SATELLITE "):
                self._heard.put(json.loads(line.removeprefix("SATELLITE ")))


def credentials(name: str) -> tuple[str, str]:
    return f"key-of-{name}-0123456789abcdef", f"correct horse battery {name} 9831"


def at_home(home: Path, **more: str) -> dict[str, str]:
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    return {**os.environ, **folders, "HOME": str(home), **more}


@pytest.fixture(scope="module")
def hub(shared_bus: Bus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a hub on the bus with two satellites registered as docs/hivemind.md says."""
    home, port = tmp_path_factory.mktemp("hub"), free_port()
    agent, network = "hivemind-ovos-agent-plugin", "hivemind-websocket-plugin"
    server = {
        "agent_protocol": {"module": agent, agent: {"host": "127.0.0.1", "port": shared_bus.port}},
        "network_protocol": {network: {"host": "127.0.0.1", "port": port, "ssl": False}},
    }
    (home / "config" / "hivemind-core").mkdir(parents=True)
    (home / "config" / "hivemind-core" / "server.json").write_text(json.dumps(server))
    command, env = f"{HUB}/bin/hivemind-core", at_home(home)
    grants = [word for topic in allowed() for word in ("--allow", topic)]
    for name in NAMES:
        key, password = credentials(name)
        told = ["--name", name, "--access-key", key, "--password", password]
        subprocess.run([command, "add-client", *told, *grants], env=env, check=True, capture_output=True)
    process = subprocess.Popen(
        [command, "listen"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    assert any("listener started" in line for line in process.stdout), "the hub did not start"
    threading.Thread(target=process.stdout.read, daemon=True).start()
    yield port
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the satellites have their homes."""
    return tmp_path_factory.mktemp("satellites")


@pytest.fixture
def satellites(hub: int, homes: Path) -> Iterator[tuple[Satellite, Satellite]]:
    with ExitStack() as stack:
        kitchen, hall = (Satellite(name, hub, homes / name) for name in NAMES)
        stack.callback(kitchen.close)
        stack.callback(hall.close)
        yield kitchen, hall


def test_each_satellite_has_its_own_memory(
    satellites: tuple[Satellite, Satellite], hub: int, homes: Path, service: StartService, wire: Wire
) -> None:
    kitchen, hall = satellites
    service(config=KEYWORDS_ONLY)
    (secret,) = kitchen.say("the biscuits are behind the flour")
    hall.say("the umbrella is behind the door")
    wire.say("the device itself has the biscuits too")
    assert kitchen.recalled("where are the biscuits") == ["the biscuits are behind the flour"]
    assert hall.recalled("biscuits") == []
    assert hall.recalled("where is the umbrella") == ["the umbrella is behind the door"]
    for claim in ({"session_id": "default"}, {"user_id": "ana", "auth_level": 5}, {"session_id": "kitchen"}):
        assert hall.recalled("biscuits", **claim) == []
    assert hall.ask("memory.forget", {"what": "ids", "ids": [secret]})["data"]["deleted"] == 0
    assert hall.ask("memory.forget", {"what": "all"})["data"]["error"]["code"] == "forbidden"
    kitchen.close()
    again = Satellite("kitchen", hub, homes / "kitchen")  # another connection of the same satellite
    assert again.recalled("where are the biscuits") == ["the biscuits are behind the flour"]
    again.close()


def test_a_satellite_is_not_believed_who_speaks_unless_that_is_configured(
    satellites: tuple[Satellite, Satellite], service: StartService, wire: Wire
) -> None:
    kitchen, hall = satellites
    ana = {"user_id": "ana", "auth_level": 4}
    daemon = service(config=KEYWORDS_ONLY)
    wire.say("the diary is in the drawer", session={"session_id": "default", **ana})
    assert hall.recalled("where is the diary", **ana) == []
    daemon.stop()
    trusting = service(daemon.data, config={**KEYWORDS_ONLY, "satellite_users": True})
    assert hall.recalled("where is the diary", **ana) == ["the diary is in the drawer"]
    assert kitchen.recalled("where is the diary") == []
    assert trusting.stop() == 0


def test_what_is_not_allowed_does_not_reach_the_memory(
    satellites: tuple[Satellite, Satellite], service: StartService, wire: Wire
) -> None:
    service(config=KEYWORDS_ONLY)
    (kitchen, _) = satellites
    for topic in ("memory.status", "memory.recorded", "memory.forgotten", "memory.query.response"):
        assert topic not in allowed()
        assert kitchen.ask(topic, {"ids": ["x"]})["topic"] == "hive.policy.denied"
    assert wire.frames == [frame for frame in wire.frames if not frame["type"].startswith("memory.recorded")]

"""The files in `examples/` do what they say, with the real service."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from daemon import KEYWORDS_ONLY, Daemon
from ovos_bus_client.message import Message
from rig import Bus

from ovos_memory_bus.persona import MemoryBusPlugin

EXAMPLES = Path(__file__).parents[2] / "examples"
CONFIG = KEYWORDS_ONLY


def test_the_skill_remembers_for_whom_it_is_told(
    shared_bus: Bus, memory: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from skill_example import NotesSkill

    class Skill(NotesSkill):
        def __del__(self) -> None:
            """Nothing: a skill shuts down once more when it is collected. Its bus is gone by then, so that it would
            wait for ever, in whichever thread that happens and with whatever lock that holds."""

    said: list[str] = []
    monkeypatch.setattr(NotesSkill, "speak", lambda self, text: said.append(text))

    def intent(user: str, **data: Any) -> Message:
        return Message("intent", data, {"session": {"session_id": "hall", "user_id": user, "auth_level": 3}})

    with shared_bus.client() as bus:
        skill = Skill(bus=bus, skill_id="notes.example")
        skill.handle_remember(intent("alice", note="the bin goes out on Tuesday"))
        skill.handle_recall(intent("alice", subject="the bin"))
        skill.handle_recall(intent("bob", subject="the bin"))
        skill.default_shutdown()
    assert said == ["I will remember that.", "the bin goes out on Tuesday", "I know nothing about that."]


def test_the_program_runs(shared_bus: Bus, memory: Daemon) -> None:
    command = [sys.executable, str(EXAMPLES / "async_example.py"), shared_bus.url]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=shared_bus.env)
    assert "user: where is my car?" in done.stdout.splitlines()
    assert "I parked the car in the Rue Haute" in done.stdout


def test_the_persona_is_understood() -> None:
    persona = json.loads((EXAMPLES / "persona.json").read_text())
    plugin = MemoryBusPlugin(persona[persona["memory_module"]])
    assert plugin.system_prompt == "You are helpful."

"""A real ovos-core with the skill, and somebody who speaks to it over the bus."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rig import Bus
from wire import POLL, Data, Wire

SKILL = "ovos-skill-memory-bus.openvoiceos"
PIPELINE = [
    "ovos-converse-pipeline-plugin",
    "ovos-padacioso-pipeline-plugin-high",
    "ovos-padacioso-pipeline-plugin-medium",
]
HANDLED, ASKED = "ovos.utterance.handled", "skill.converse.get_response.enable"
READY = "mycroft.skills.is_ready.response"
START = 120.0  # seconds until a core that is not ready fails a test


class Core:
    """`ovos-core` in a process of its own, with the skills that are installed, in these languages."""

    def __init__(self, bus: Bus, home: Path, langs: Sequence[str]) -> None:
        self.log = home / "core.log"
        folder = home / "config" / "mycroft"
        folder.mkdir(parents=True)
        settings = {
            "lang": langs[0],
            "secondary_langs": list(langs[1:]),
            "websocket": {"host": "127.0.0.1", "port": bus.port, "route": "/core"},
            "intents": {"pipeline": PIPELINE},
        }
        (folder / "mycroft.conf").write_text(json.dumps(settings))
        homes = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "STATE", "DATA", "CACHE")}
        command = [str(Path(sys.executable).parent / "ovos-core")]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env={**os.environ, **homes}, stdout=log, stderr=subprocess.STDOUT, cwd=home
            )

    def wait_until_ready(self, wire: Wire) -> None:
        """Until the skill service says that all skills are loaded."""
        deadline = time.monotonic() + START
        asked = False
        while not any(frame["data"]["status"] for frame in wire.frames if frame["type"] == READY):
            assert time.monotonic() < deadline, self.logged()
            assert self._process.poll() is None, self.logged()
            if not asked and any(frame["type"] == "mycroft.skills.train" for frame in wire.frames):
                wire.send("mycroft.skills.trained")  # this intent parser has nothing to train and does not answer
                asked = True
            wire.send("mycroft.skills.is_ready", {}, {"session": {"session_id": "default"}})
            time.sleep(POLL)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def logged(self) -> str:
        return self.log.read_text(errors="replace")[-8_000:]


class Speaker:
    """One who speaks in a session, and hears what is spoken in it."""

    def __init__(self, wire: Wire, session: Data, lang: str = "en-US") -> None:
        self._wire, self._lang = wire, lang
        self.session = {"lang": lang, "pipeline": PIPELINE, **session}

    def say(self, utterance: str) -> list[str]:
        """What is spoken until the utterance is handled."""
        return _spoken(self._until(self._utter(utterance, self.session), HANDLED))

    def say_and_answer(self, utterance: str, answer: str) -> tuple[str, list[str]]:
        """The question that an utterance leads to, and what is spoken after its answer."""
        asked = self._until(self._utter(utterance, self.session), ASKED, "speak")
        # that an answer is waited for stands in the session, which whoever speaks takes over
        (waiting,) = (frame["context"]["session"] for frame in asked if frame["type"] == ASKED)
        session = {**waiting, **self.session}
        self._wire.send("recognizer_loop:audio_output_end", {}, {"session": session})  # the question has been heard
        return _spoken(asked)[-1], _spoken(self._until(self._utter(answer, session), "speak"))

    def _utter(self, utterance: str, session: Data) -> int:
        start = len(self._wire.frames)
        data = {"utterances": [utterance], "lang": self._lang}
        self._wire.send("recognizer_loop:utterance", data, {"session": session, "source": "a test"})
        return start

    def _until(self, start: int, *ends: str) -> list[Data]:
        """The messages in this session after `start`, once there is one of each of `ends`."""

        def heard() -> list[Data] | None:
            frames = [frame for frame in self._wire.frames[start:] if self._here(frame)]
            return frames if set(ends) <= {frame["type"] for frame in frames} else None

        frames: list[Data] = self._wire.until(heard, f"no {' and '.join(ends)}")
        return frames

    def _here(self, frame: Data) -> bool:
        context: Any = frame.get("context")
        session = context.get("session") if isinstance(context, dict) else None
        return isinstance(session, dict) and session.get("session_id") == self.session["session_id"]


def _spoken(frames: Sequence[Data]) -> list[str]:
    return [frame["data"]["utterance"] for frame in frames if frame["type"] == "speak"]

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
        return self._spoken(self._utter(utterance), "ovos.utterance.handled")

    def say_and_answer(self, utterance: str, answer: str) -> tuple[str, list[str]]:
        """The question that an utterance leads to, and what is spoken after its answer."""
        start = self._utter(utterance)
        question = self._spoken(start, "skill.converse.get_response.enable", "speak")[-1]
        self._wire.send("recognizer_loop:audio_output_end", {}, {"session": self.session})  # it has been heard
        answered = self._utter(answer)
        # the answer's own turn and that of the first utterance end
        return question, self._spoken(answered, "ovos.utterance.handled", "ovos.utterance.handled")

    def _utter(self, utterance: str) -> int:
        start = len(self._wire.frames)
        data = {"utterances": [utterance], "lang": self._lang}
        self._wire.send("recognizer_loop:utterance", data, {"session": self.session, "source": "a test"})
        return start

    def _spoken(self, start: int, *ends: str) -> list[str]:
        """What is spoken in this session after `start` until a message of each of `ends` has come."""

        def heard() -> list[Data] | None:
            frames = [frame for frame in self._wire.frames[start:] if self._here(frame)]
            left = list(ends)
            for frame in frames:
                if frame["type"] in left:
                    left.remove(frame["type"])
            return None if left else frames

        frames: list[Data] = self._wire.until(heard, f"no {' and '.join(ends)}")
        return [frame["data"]["utterance"] for frame in frames if frame["type"] == "speak"]

    def _here(self, frame: Data) -> bool:
        context: Any = frame.get("context")
        session = context.get("session") if isinstance(context, dict) else None
        return isinstance(session, dict) and session.get("session_id") == self.session["session_id"]

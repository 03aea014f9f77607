"""The command `ovos-memory-bus` as people and scripts run it, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daemon import KEYWORDS_ONLY, PROGRAM, Daemon
from rig import Bus

WITHOUT_MODEL = {"backends": [*KEYWORDS_ONLY["backends"], "facts", "summary"]}


@dataclass(frozen=True)
class Done:
    """What a command that ended left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def run(*arguments: Any, env: Mapping[str, str] | None = None, stdin: str = "") -> Done:
    """Run the command to its end, piped."""
    command = [PROGRAM, *map(str, arguments)]
    done = subprocess.run(
        command, env=dict(env or os.environ), input=stdin, capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def ask(bus: Bus, *arguments: Any) -> Any:
    """What a command over the bus prints as JSON."""
    done = run(*arguments, "--json", env=bus.env)
    assert done.code == 0, done.err
    return done.data


def on_folder(daemon: Daemon, *arguments: Any, code: int = 0) -> Any:
    """What a command on a service's folder prints as JSON."""
    done = run(*arguments, "--json", "--data-dir", daemon.data, env=daemon.bus.env)
    assert done.code == code, done.err
    return done.data

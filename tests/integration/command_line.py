"""The command `ovos-memory-bus`, in a process of its own as people run it or in this one where its work counts."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner
from daemon import KEYWORDS_ONLY, PROGRAM, Daemon
from rig import Bus

from ovos_memory_bus.cli.main import cli

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


def run(*arguments: Any, env: Mapping[str, str] | None = None) -> Done:
    """Run the command to its end in a process of its own, piped."""
    command = [PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, env=dict(env or os.environ), capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def run_here(*arguments: Any, stdin: str | None = None) -> Done:
    """The same in this process, which has paid for the imports."""
    done = CliRunner(catch_exceptions=False).invoke(cli, [*map(str, arguments)], input=stdin)
    return Done(done.exit_code, done.stdout, done.stderr)


def ask(bus: Bus, *arguments: Any) -> Any:
    """What a command over the bus prints as JSON."""
    done = run_here(*arguments, "--json", "--bus", bus.url, "--timeout", "60")
    assert done.code == 0, done.err
    return done.data


def on_folder(daemon: Daemon, *arguments: Any, code: int = 0) -> Any:
    """What a command on a service's folder prints as JSON."""
    config = daemon.data.parent / "command.json"
    config.write_text(json.dumps(WITHOUT_MODEL))
    done = run_here(*arguments, "--json", "--data-dir", daemon.data, "--config", config)
    assert done.code == code, done.err
    return done.data

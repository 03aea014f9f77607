"""A home of its own for commands that change one, with a `systemctl` that answers by script and notes the requests."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SYSTEMCTL = """#!/bin/sh
shift  # --user
echo "$*" >>"$HOME/asked"
case "$1" in
cat) [ -e "$HOME/has-ovos" ] ;;
is-enabled | is-active) [ -e "$HOME/enabled" ] ;;
enable) [ ! -e "$HOME/broken" ] || { echo "Failed to enable unit" >&2; exit 1; } && touch "$HOME/enabled" ;;
disable) rm -f "$HOME/enabled" ;;
esac
"""
NOBODY_THERE = "#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n"


@dataclass(frozen=True)
class Home:
    """One user's home; `env` is what their commands get."""

    path: Path

    @classmethod
    def make(cls, path: Path, systemctl: str = SYSTEMCTL) -> Home:
        (path / "bin").mkdir(parents=True)
        script = path / "bin" / "systemctl"
        script.write_text(systemctl)
        script.chmod(0o755)
        return cls(path)

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.path), "PATH": f"{self.path / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}

    @property
    def conf(self) -> Path:
        return self.path / ".config" / "mycroft" / "mycroft.conf"

    @property
    def unit(self) -> Path:
        return self.path / ".config" / "systemd" / "user" / "ovos-memory-bus.service"

    @property
    def persona(self) -> Path:
        return self.path / ".config" / "ovos_persona" / "Echo.json"

    @property
    def data(self) -> Path:
        return self.path / ".local" / "share" / "ovos-memory-bus"

    def configure(self, text: str) -> None:
        self.conf.parent.mkdir(parents=True, exist_ok=True)
        self.conf.write_text(text)

    def configured(self) -> Any:
        return json.loads(self.conf.read_text())

    def files(self) -> dict[str, bytes]:
        """All that lies there but the script and its notes."""
        found = {str(file.relative_to(self.path)): file for file in self.path.rglob("*") if file.is_file()}
        return {name: file.read_bytes() for name, file in found.items() if "/" in name and name != "bin/systemctl"}

    def asked(self) -> list[str]:
        """What `systemctl --user` was asked to change."""
        notes = self.path / "asked"
        lines = notes.read_text().splitlines() if notes.exists() else []
        return [line for line in lines if not line.startswith(("show", "cat", "is-"))]

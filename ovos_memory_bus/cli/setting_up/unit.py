"""The unit of the user's systemd: written for this environment, enabled where systemd runs for the user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from ...errors import StorageError
from .files import config_home, read_text, replace_text
from .step import DONE, FAILED, PLANNED, SKIPPED, UNCHANGED, Step, done

PART, NAME = "service", "ovos-memory-bus.service"
TEMPLATE = Path(__file__).with_name(NAME)
PROGRAM = "ovos-memory-bus"
KEPT = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "OVOS_MEMORY_MODELS")  # of this environment, which systemd's may not have
OVOS = "ovos.service"
PATIENCE = 60.0  # seconds for systemd to do one thing


def unit_file() -> Path:
    return config_home() / "systemd" / "user" / NAME


def program() -> Path:
    """The command as this environment has it."""
    places = [Path(sysconfig.get_path("scripts"), PROGRAM), Path(sys.argv[0]), Path(shutil.which(PROGRAM) or "")]
    return next((place.absolute() for place in places if place.name == PROGRAM and place.is_file()), places[0])


def set_up(data_dir: Path, dry_run: bool) -> list[Step]:
    """Write the unit, enable and start it. Raises `StorageError`."""
    file, manager = unit_file(), Systemd.find()
    text = written(program(), data_dir, under_ovos=manager is not None and manager.knows(OVOS))
    same = read_text(file) == text
    if not same and not dry_run:
        try:
            replace_text(file, text)
        except OSError as error:
            raise StorageError(f"{file} cannot be written: {error.strerror}") from error
    steps = [Step("unit", UNCHANGED, str(file)) if same else done("unit", str(file), dry_run)]
    if manager is None:
        mend = f"start the memory by hand: {PROGRAM} run; or log in as its user with systemd and run setup again"
        return [*steps, Step(PART, SKIPPED, "systemd does not run for this user, so nothing was enabled", mend)]
    if same and manager.is_enabled() and manager.is_active():
        return [*steps, Step(PART, UNCHANGED, "enabled and running")]
    if dry_run:
        return [*steps, Step(PART, PLANNED, "enabled and started")]
    return [*steps, manager.do(("daemon-reload",), ("enable", NAME), ("restart", NAME), text="enabled and started")]


def take_out(dry_run: bool) -> list[Step]:
    """Stop and disable the service, remove the unit."""
    file, manager = unit_file(), Systemd.find()
    if not file.exists():
        return [Step("unit", UNCHANGED, f"no {file}")]
    steps = []
    if manager is not None:
        stopped = "stopped and disabled"
        steps = [
            Step(PART, PLANNED, stopped) if dry_run else manager.do(("disable", "--now", NAME), text=stopped),
        ]
    if not dry_run:
        file.unlink()
        if manager is not None:
            steps = [steps[0] if steps[0].outcome == FAILED else manager.do(("daemon-reload",), text=stopped)]
    return [*steps, done("unit", f"{file} is removed", dry_run)]


def written(command: Path, data_dir: Path, *, under_ovos: bool) -> str:
    """The unit for a command and a data folder; `under_ovos`: OVOS' own units start and stop it."""
    return "".join(_lines(TEMPLATE.read_text(encoding="utf-8"), command, data_dir, under_ovos)).lstrip()


def _lines(template: str, command: Path, data_dir: Path, under_ovos: bool) -> Iterator[str]:
    comment = True
    for line in template.splitlines(keepends=True):
        comment = comment and line.startswith("#")
        if comment:  # how to install it by hand
            continue
        key = line.partition("=")[0]
        if key == "ExecStart":
            yield from (
                f"Environment={_quoted(f'{name}={os.environ[name]}')}\n" for name in KEPT if os.environ.get(name)
            )
            yield f"ExecStart={_quoted(str(command))} run\n"
        elif key == "ReadWritePaths":
            yield line.rstrip("\n") + f" {_quoted(f'-{data_dir}')}\n"
        elif key == "WorkingDirectory":
            yield "WorkingDirectory=%h\n"
        elif key == "WantedBy" and not under_ovos:
            yield "WantedBy=default.target\n"
        elif key != "PartOf" or under_ovos:
            yield line


def _quoted(text: str) -> str:
    """A word of a unit: in quotes where it has to be, `%` doubled."""
    escaped = text.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    return escaped if escaped == text and not any(char.isspace() for char in text) else f'"{escaped}"'


class Systemd:
    """The user's systemd."""

    def __init__(self, command: str) -> None:
        self._command = command

    @classmethod
    def find(cls) -> Systemd | None:
        """None where there is none, or it does not run for this user."""
        command = shutil.which("systemctl")
        manager = cls(command) if command else None
        return manager if manager and manager._says("show-environment") else None

    def knows(self, unit: str) -> bool:
        return self._says("cat", unit)

    def is_enabled(self) -> bool:
        return self._says("is-enabled", NAME)

    def is_active(self) -> bool:
        return self._says("is-active", NAME)

    def do(self, *requests: tuple[str, ...], text: str) -> Step:
        """All of `requests`, up to the first that fails."""
        for request in requests:
            asked = self._run(*request)
            if asked.returncode:
                why = asked.stderr.strip().splitlines()[-1:] or ["no reason was given"]
                mend = f"look at: systemctl --user status {NAME}"
                return Step(PART, FAILED, f"systemctl --user {' '.join(request)}: {why[0]}", mend, code=1)
        return Step(PART, DONE, text)

    def _says(self, *request: str) -> bool:
        return self._run(*request).returncode == 0

    def _run(self, *request: str) -> subprocess.CompletedProcess[str]:
        command = [self._command, "--user", *request]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return subprocess.CompletedProcess(command, 1, "", str(error))

"""What `script/setup` says on a machine that lacks something: one sentence that names it, and how to get it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [*sorted((ROOT / "script").iterdir()), ROOT / ".ci" / "run"]
TOOLS = ("bash", "cat", "chmod", "cksum", "dirname", "env", "id", "mkdir", "tail")

# Stands for a Python of a bare machine: new enough; LACKS_VENV and LACKS_COMPILER say what it cannot do.
BARE_PYTHON = """#!/usr/bin/env bash
case "$*" in
    *ensurepip*) [ -z "$LACKS_VENV" ] ;;
    *version*) [ -z "$TOO_OLD" ] ;;
    *"-m venv"*) mkdir -p .venv/bin && cat "$0" >.venv/bin/python && chmod 755 .venv/bin/python ;;
    *"--editable"*) echo "error: command 'g++' failed"; exit 1 ;;
    *sysconfig*) echo /nowhere ;;
    "-c import pip") [ -d .venv ] ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a shell, that Python, and nothing to install packages with; the checkout lies in `checkout`."""
    (tmp_path / "bin").mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found, name
        (tmp_path / "bin" / name).symlink_to(found)
    (tmp_path / "bin" / "python3").write_text(BARE_PYTHON)
    (tmp_path / "bin" / "python3").chmod(0o755)
    (tmp_path / "checkout" / "script").mkdir(parents=True)
    shutil.copy(ROOT / "script" / "setup", tmp_path / "checkout" / "script")
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "checkout")
    return tmp_path


def set_up(machine: Path, **lacks: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(machine / "bin"), "HOME": str(machine), "LACKS_VENV": "", "TOO_OLD": "", **lacks}
    command = [str(machine / "checkout" / "script" / "setup"), "demo"]
    return subprocess.run(command, env=env, capture_output=True, text=True)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def test_no_python_that_is_new_enough(machine: Path) -> None:
    assert "Python 3.10 or newer is needed" in last_line(set_up(machine, TOO_OLD="yes"))


def test_a_python_without_venv(machine: Path) -> None:
    line = last_line(set_up(machine, LACKS_VENV="yes"))
    assert line.startswith("script/setup: this Python cannot make virtual environments.")
    assert line.endswith("sudo apt-get install python3-venv")


def test_no_compiler(machine: Path) -> None:
    done = set_up(machine)
    assert "a C++ compiler is missing" in last_line(done)
    assert last_line(done).endswith("sudo apt-get install g++ python3-dev")
    assert "command 'g++' failed" not in done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_scripts_are_programs_that_bash_can_read(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True).stderr == ""

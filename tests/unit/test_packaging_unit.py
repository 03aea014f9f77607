"""The systemd unit: systemd itself takes it, and it holds what the documentation promises."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[2] / "systemd" / "ovos-memory-bus.service"
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed: the unit is not verified"
)


def analyze(unit: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`systemd-analyze --user …` on a unit, with a runtime folder that needs no session."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(unit.parent), "XDG_RUNTIME_DIR": str(unit.parent)}
    command = ["systemd-analyze", "--user", *arguments, str(unit)]
    return subprocess.run(command, env=env, capture_output=True, text=True)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is there."""
    text = UNIT.read_text().replace("%h/.venvs/ovos/bin/ovos-memory-bus", sys.executable)
    (tmp_path / UNIT.name).write_text(text)
    return tmp_path / UNIT.name


@needs_systemd
def test_systemd_accepts_the_unit(unit: Path) -> None:
    done = analyze(unit, "verify")
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_the_unit_is_less_exposed_than_a_plain_one(unit: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.service"
    plain.write_text(f"[Service]\nExecStart={sys.executable}\n")
    done = [analyze(one, "security", "--offline=true") for one in (unit, plain)]
    if any("unrecognized option" in one.stderr for one in done):
        pytest.skip("this systemd-analyze is too old to judge a unit that is not loaded")
    ours, theirs = (float(re.search(r"exposure level for \S+ ([\d.]+)", one.stdout)[1]) for one in done)  # type: ignore[index]
    assert ours < 6.0 < theirs


def test_the_unit_fits_among_those_of_ovos() -> None:
    settings = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if re.match(r"\w+=", line))
    assert settings["Type"] == "notify"
    assert settings["PartOf"] == settings["WantedBy"] == "ovos.service"
    assert settings["ExecStart"].startswith(settings["WorkingDirectory"])
    assert settings["ExecReload"].endswith("-HUP $MAINPID")
    assert (settings["UMask"], settings["NoNewPrivileges"]) == ("0077", "yes")

"""The demo shows a memory at work, and leaves nothing behind, whether it ends by itself or is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from daemon import needs_model

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def started(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-u", str(DEMO)]
    env = {**os.environ, "TMPDIR": str(folder), "COLUMNS": "200"}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def processes_in(folder: Path) -> list[str]:
    """The command lines of all processes that name the folder."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it has just ended
            continue
    return [line for line in lines if str(folder) in line]


@needs_model
def test_the_demo_recalls_in_both_languages_and_forgets(tmp_path: Path) -> None:
    process = started(tmp_path)
    shown, _ = process.communicate(timeout=300)
    assert process.returncode == 0, shown
    assert shown.count("✓") == 3
    assert "semantic ok" in shown
    assert "nobody knows" in shown
    assert list(tmp_path.iterdir()) == []
    assert processes_in(tmp_path) == []


@needs_model
def test_a_demo_told_to_end_stops_what_it_started(tmp_path: Path) -> None:
    process = started(tmp_path)
    assert process.stdout is not None
    assert any("a talk" in line for line in process.stdout)
    assert processes_in(tmp_path)
    process.send_signal(signal.SIGTERM)
    process.stdout.read()
    assert process.wait(60) != 0
    assert processes_in(tmp_path) == []
    assert list(tmp_path.iterdir()) == []

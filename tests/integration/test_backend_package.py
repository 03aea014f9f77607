"""The example of a package that brings a backend: pip installs it, its own tests pass, and a service runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from daemon import KEYWORDS_ONLY, StartService
from wire import Wire, contents

PACKAGE = Path(__file__).parents[2] / "examples" / "ovos-memory-backend-sounds"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that it is installed in, with no source beside it."""
    folder = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source")
    copied = subprocess.run(["cp", "-r", str(PACKAGE), str(source)], capture_output=True, text=True)
    assert copied.returncode == 0, copied.stderr
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--quiet"]
    done = subprocess.run(
        [*command, "--target", str(folder), str(source / PACKAGE.name)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def with_path(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(folder)}


def test_it_keeps_the_contract(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*command, str(PACKAGE / "tests")],
        cwd=tmp_path,
        env={**os.environ, **with_path(installed)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_a_service_finds_it_by_its_entry_point(installed: Path, service: StartService, wire: Wire) -> None:
    sounds = {"name": "sounds", "weight": 0.5}
    service(config={"backends": [*KEYWORDS_ONLY["backends"], sounds]}, env=with_path(installed))
    wire.say("Steven plays the piano", "the piano is out of tune")
    answer = wire.recall("when did Stephen call")
    assert contents(answer["hits"]) == ["Steven plays the piano"]
    assert answer["hits"][0]["backends"] == ["sounds"]
    wire.do("memory.forget", {"what": "query", "query": "Steven"})
    assert wire.recalled("when did Stephen call", backends=["sounds"]) == []
    assert wire.do("memory.status")["backends"]["sounds"]["indexed"] == 1

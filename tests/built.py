"""The wheel as a package index gets it: made from a source distribution, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_SOURCE = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "tests", "benchmarks")


def run(*command: str, cwd: Path, **env: str) -> str:
    """What a command prints; it must not fail."""
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build in `folder`; the wheel there."""
    shutil.copytree(ROOT, folder / "tree", symlinks=True, ignore=NOT_SOURCE)
    backend = "from setuptools import build_meta as b; print(b.build_{kind}({target!r}))"
    run(sys.executable, "-c", backend.format(kind="sdist", target=str(folder)), cwd=folder / "tree")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder / "sdist")
    unpacked = next((folder / "sdist").iterdir())
    run(sys.executable, "-c", backend.format(kind="wheel", target=str(folder)), cwd=unpacked)
    return next(folder.glob("*.whl"))

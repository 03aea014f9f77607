"""Removing the memory itself and its models, for `uninstall --purge`: our own files alone, whatever else lies there."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import FolderInUse, StorageError
from .step import UNCHANGED, Step, done

OURS = ("memory.db*", "*.hnsw", "*.frame.npz", "service.lock", "web.token", "web.json")
LOCK = "service.lock"


def take_out(folder: Path, dry_run: bool) -> Step:
    """Remove the memory. Raises `FolderInUse` while a service works on it, `StorageError`."""
    files = sorted({path for pattern in OURS for path in folder.glob(pattern)} | _descriptions(folder))
    if not files:
        return Step("memory", UNCHANGED, f"nothing in {folder}")
    size = sum(path.stat().st_size for path in files)
    with _alone(folder):
        if not dry_run:
            _remove(files, folder)
    return done("memory", f"{len(files)} files in {folder}, {size / 2**20:.1f} MiB, are removed for good", dry_run)


def take_out_models(folder: Path, names: tuple[str, ...], dry_run: bool) -> Step:
    """Remove the models of these names. Raises `StorageError`."""
    held = [name for name in names if (folder / name).is_dir()]
    if not held:
        return Step("models", UNCHANGED, f"none in {folder}")
    if not dry_run:
        try:
            for name in held:
                shutil.rmtree(folder / name)
        except OSError as error:
            raise StorageError(f"{error.filename} cannot be removed: {error.strerror}") from error
        _remove([folder / f".{name}.lock" for name in names], folder)
        _remove([], folder.parent)
    return done("models", f"{', '.join(held)} in {folder} removed for good", dry_run)


def _descriptions(folder: Path) -> set[Path]:
    """The description beside each vector index."""
    return {path.with_suffix(".json") for path in folder.glob("*.hnsw") if path.with_suffix(".json").exists()}


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No service works on the folder meanwhile."""
    if not (folder / LOCK).exists():
        yield
        return
    with (folder / LOCK).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FolderInUse(f"a service works on {folder}: stop it first") from None
        yield


def _remove(files: list[Path], folder: Path) -> None:
    """Remove files, then the folder where nothing else is in it."""
    try:
        for path in files:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{error.filename} cannot be removed: {error.strerror}") from error
    if folder.is_dir() and not os.listdir(folder):
        folder.rmdir()

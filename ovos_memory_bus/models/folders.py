"""Where models lie on this machine, and whether they are whole."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from ..errors import ModelBroken, ModelMissing
from .manifest import BuiltFile, Manifest

FOLDER_VARIABLE = "OVOS_MEMORY_MODELS"
SHARE = Path("ovos-memory-bus", "models")
CHUNK = 1 << 20


def install_folder(models_dir: Path | None = None) -> Path:
    """Where a new model goes: the folder configured, else the environment's, else the user's data folder. It does not
    depend on a service's own data folder, so that services share a model."""
    return search_path(models_dir)[0]


def search_path(models_dir: Path | None = None) -> tuple[Path, ...]:
    """The folders looked through, in this order. The user's usual data folder is among them even where
    `XDG_DATA_HOME` points elsewhere, as in a sandbox: a model installed once is found."""
    home = Path.home() / ".local" / "share"
    folders = [models_dir]
    folders.append(Path(os.environ[FOLDER_VARIABLE]) if os.environ.get(FOLDER_VARIABLE) else None)
    folders.append(Path(os.environ.get("XDG_DATA_HOME") or home) / SHARE)
    folders.append(home / SHARE)
    folders.append(Path(sys.prefix) / "share" / SHARE)
    return tuple(dict.fromkeys(folder.expanduser() for folder in folders if folder is not None))


def find(manifest: Manifest, models_dir: Path | None = None) -> Path:
    """The folder of the model, every file there in its right size.

    Raises ModelMissing when it is nowhere, ModelBroken when only damaged copies are found.
    """
    damaged: list[str] = []
    for folder in search_path(models_dir):
        path = folder / manifest.name
        if not path.is_dir():
            continue
        wrong = [file.name for file in manifest.files if _size(path / file.name) != file.size]
        if not wrong:
            return path
        damaged += [str(path / name) for name in wrong]
    mend = f"run: ovos-memory-bus models install {manifest.name}"
    if damaged:
        raise ModelBroken(f"missing or cut short: {', '.join(damaged)}; {mend}")
    raise ModelMissing(f"the model {manifest.name} is not installed; {mend}")


def installed(manifest: Manifest, models_dir: Path | None = None) -> bool:
    """Whether `find` would find it."""
    try:
        find(manifest, models_dir)
    except (ModelMissing, ModelBroken):
        return False
    return True


def verify(manifest: Manifest, models_dir: Path | None = None) -> Path:
    """The folder of the model, every file there with its checksum. Raises as `find` does."""
    path = find(manifest, models_dir)
    check_files(manifest, path)
    return path


def check_files(manifest: Manifest, folder: Path) -> None:
    """Raise ModelBroken unless every file of the model lies in `folder` as the manifest says."""
    wrong = [str(folder / file.name) for file in manifest.files if not _is_intact(folder / file.name, file)]
    if wrong:
        mend = f"run: ovos-memory-bus models install {manifest.name}"
        raise ModelBroken(f"not as built (checksum): {', '.join(wrong)}; {mend}")


def file_sha256(path: Path) -> str:
    """The checksum of a file, read piece by piece."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _is_intact(path: Path, file: BuiltFile) -> bool:
    return _size(path) == file.size and file_sha256(path) == file.sha256


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None

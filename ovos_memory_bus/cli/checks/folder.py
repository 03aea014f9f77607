"""The data folder: who can read it, whether the database in it is sound, and what `--repair` mends."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from ...errors import StorageError
from ...index.graph import is_whole
from ...store import health
from ...store.database import FILE
from ..running import run_async
from .finding import Finding, fail, ok, warn

LITTLE = 200 * 2**20  # bytes free
REPAIR = "run: ovos-memory-bus doctor --repair"


def rights(folder: Path) -> Finding:
    """The folder and its files are ours alone."""
    if not folder.exists():
        parent = next(parent for parent in folder.absolute().parents if parent.exists())
        if os.access(parent, os.W_OK):
            return ok("data folder", f"{folder} will be made when the service starts")
        mend = f"make it and give it to the user of the service, or name another one: {parent} cannot be written"
        return fail("data folder", f"{folder} is not there and cannot be made", mend)
    if not os.access(folder, os.W_OK | os.X_OK):
        return fail("data folder", f"{folder} cannot be written", "give it to the user of the service (chown)")
    foreign = [path for path in _paths(folder) if path.stat().st_uid != os.geteuid()]
    if foreign:
        return fail("data folder", f"{foreign[0]} belongs to somebody else", f"run: sudo chown -R $USER {folder}")
    wide = open_to_others(folder)
    if wide:
        return warn("data folder", f"others on this machine can read {wide[0]}", REPAIR)
    free = shutil.disk_usage(folder).free
    if free < LITTLE:
        return warn("data folder", f"only {free >> 20} MiB are free on its disk", "make room: memories need it")
    return ok("data folder", f"{folder}, yours alone, {free >> 20} MiB free")


def database(folder: Path) -> list[Finding]:
    """The file is whole, and no row is there that must not be."""
    if not (folder / FILE).exists():
        return [ok("database", "none yet")]
    damage = health.damage(folder)
    if damage:
        mend = f"stop the service, move {folder / FILE} away and import your newest export"
        return [fail("database", f"it is damaged: {damage[0]}", mend)]
    try:
        strays = health.strays(folder)
    except StorageError as error:
        return [fail("database", str(error), "start the service once, so that the database is brought up to date")]
    size = (folder / FILE).stat().st_size
    found = [ok("database", f"whole, {size / 2**20:.1f} MiB")]
    if strays:
        told = ", ".join(f"{count} {name}" for name, count in strays.items())
        found.append(fail("rows", f"there are some that must not be: {told}", REPAIR))
    else:
        found.append(ok("rows", "none without its item, none of what was forgotten"))
    return found


def index(folder: Path) -> Finding:
    """The saved indexes of large memories are whole; those of all others are made from the database at every start."""
    saved = sorted(folder.glob("*.hnsw"))
    broken = [path.name for path in saved if not is_whole(path)]
    if broken:
        mend = "nothing is lost: a running service builds it anew, a stopped one when it starts"
        return warn("index", f"not as it was saved: {', '.join(broken)}", mend)
    return ok("index", f"{len(saved)} saved, whole" if saved else "none saved: no memory is that large")


def repair(folder: Path) -> list[Finding]:
    """Mend modes and rows; what was done."""
    done = []
    wide = open_to_others(folder) if folder.exists() else []
    for path in wide:
        path.chmod(0o700 if path.is_dir() else 0o600)
    if wide:
        done.append(ok("repair", f"{len(wide)} files and folders are yours alone again"))
    if (folder / FILE).exists():
        try:
            run_async(lambda: health.mend(folder))
            done.append(ok("repair", "rows that must not be are gone, the database's indexes are built anew"))
        except StorageError as error:
            done.append(fail("repair", str(error), "stop the service and try again"))
    return done


def open_to_others(folder: Path) -> list[Path]:
    """What under `folder`, itself included, is open to the group or everybody."""
    return [path for path in _paths(folder) if stat.S_IMODE(path.stat().st_mode) & 0o077]


def _paths(folder: Path) -> list[Path]:
    return [folder, *(path for path in folder.rglob("*") if not path.is_symlink() and path.exists())]

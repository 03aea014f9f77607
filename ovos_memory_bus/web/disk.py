"""How much room the memory takes on its disk, and how much is left."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

MODELS = "models"  # of the data folder: programs, not memories


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of the memory's files, and bytes free on their disk."""

    used: int
    free: int


def usage(folder: Path) -> Disk:
    """Look at the files; blocks for some milliseconds. Raises `OSError`."""
    used = 0
    for path, folders, names in os.walk(folder):
        if Path(path) == folder and MODELS in folders:
            folders.remove(MODELS)
        for name in names:
            file = Path(path, name)
            if file.is_file():  # one of SQLite's may have just gone
                used += file.stat(follow_symlinks=False).st_size
    return Disk(used, shutil.disk_usage(folder).free)

"""Files of the user's that are changed: in one step, with the old one kept beside."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp


def config_home() -> Path:
    """`$XDG_CONFIG_HOME`, else `~/.config`."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def replace_text(file: Path, text: str, *, backup: bool = False, mode: int = 0o644) -> Path | None:
    """Write a file whole or not at all; the backup's path where there was one to make. A link stays a link, a mode
    stays as it is, a new file gets `mode`. Raises `OSError`."""
    target = file.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = None
    if target.exists():
        mode = target.stat().st_mode & 0o7777
        if backup:
            kept = target.with_name(f"{target.name}.{datetime.now():%Y%m%d-%H%M%S}.bak")
            shutil.copy2(target, kept)
    handle, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as partial:
            partial.write(text)
            partial.flush()
            os.fsync(partial.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)
    return kept


def read_text(file: Path) -> str:
    """What a file holds, its line ends as they are; nothing where it is not there. Raises `OSError`, `ValueError`."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""

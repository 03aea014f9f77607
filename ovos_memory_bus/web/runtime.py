"""`web.json` in the data folder: where the page of a running service is, for `ovos-memory-bus inspect`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .access import TOKEN_FILE

FILE = "web.json"


@contextmanager
def announced(folder: Path, url: str) -> Iterator[None]:
    """The file is there, for its user alone, as long as the page is."""
    file = folder / FILE
    partial = folder / f".{FILE}.{os.getpid()}"
    partial.unlink(missing_ok=True)
    with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as target:
        json.dump({"url": url, "pid": os.getpid()}, target)
    os.replace(partial, file)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def page_address(folder: Path) -> tuple[str, str] | None:
    """The URL and the token of the page that a service on this folder serves; None where there is none. A service that
    was killed leaves its file behind: ask the URL whether it is there."""
    try:
        url = json.loads((folder / FILE).read_text(encoding="utf-8"))["url"]
        return url, (folder / TOKEN_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError, KeyError, TypeError):
        return None

"""The machine: Python and its packages, the compiler, SQLite's features, the clock."""

from __future__ import annotations

import platform
import re
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .finding import Finding, fail, ok, warn

DISTRIBUTION = "ovos-memory-bus"
OLDEST_PYTHON = (3, 10)
OLDEST_SQLITE = (3, 35)  # the first with RETURNING
COMPILERS = ("c++", "g++", "clang++")
COMPILED = "hnswlib"  # the one dependency that is built from source where it is installed
BUILT = datetime(2025, 1, 1, tzinfo=timezone.utc)  # no clock that is right shows an earlier time
AHEAD = timedelta(hours=1)


def python() -> Finding:
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return fail("python", f"{version} is too old", "install Python 3.10 or newer and make the environment anew")
    return ok("python", f"{version} in {sys.prefix}")


def packages() -> Finding:
    """Every package that ours needs is there."""
    names = [
        re.split(r"[^\w.-]", line, maxsplit=1)[0]
        for line in metadata.requires(DISTRIBUTION) or ()
        if "extra ==" not in line
    ]
    missing = [name for name in names if not _installed(name)]
    if missing:
        mend = f"run: {sys.executable} -m pip install {' '.join(missing)}"
        return fail("packages", f"not installed: {', '.join(missing)}", mend)
    return ok("packages", f"all {len(names)} are installed")


def compiler() -> Finding:
    """Needed once, to install the package that has no wheels."""
    found = next((path for path in map(shutil.which, COMPILERS) if path), None)
    if found:
        return ok("compiler", found)
    if _installed(COMPILED):
        return ok("compiler", f"none, and none is needed: {COMPILED} is installed")
    mend = f"install one (Debian: apt install g++; Fedora: dnf install gcc-c++), then: pip install {COMPILED}"
    return fail("compiler", f"none, so {COMPILED} cannot be built", mend)


def sqlite() -> Finding:
    """The features that the store relies on, each tried."""
    version = sqlite3.sqlite_version
    missing = [] if sqlite3.sqlite_version_info >= OLDEST_SQLITE else [f"version {'.'.join(map(str, OLDEST_SQLITE))}"]
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(Path(folder, "try.db"))) as connection:
        for name, sql, expected in (
            ("write-ahead log", "PRAGMA journal_mode = WAL", "wal"),
            ("secure_delete", "PRAGMA secure_delete = ON", 1),
            ("JSON functions", "SELECT value FROM json_each('[7]')", 7),
            ("a table", "CREATE TABLE tried (a INTEGER PRIMARY KEY)", None),
            ("RETURNING", "INSERT INTO tried VALUES (8) RETURNING a", 8),
        ):
            try:
                row = connection.execute(sql).fetchone()
            except sqlite3.Error:
                row = ("refused",)
            if (row[0] if row else None) != expected:
                missing.append(name)
    if missing:
        mend = "use a Python that is linked with a newer SQLite, Debian 12's for example"
        return fail("sqlite", f"{version} has no {', no '.join(missing)}", mend)
    return ok("sqlite", f"{version} with all that is needed")


def clock(newest: datetime | None, zone: str | None) -> Finding:
    """Times are what memories are found by: `newest` is that of the newest one, `zone` the configured time zone."""
    now = datetime.now(timezone.utc)
    if now < BUILT:
        return fail("clock", f"it shows {now:%Y-%m-%d}", "set the time, or let it be set: timedatectl set-ntp true")
    if newest is not None and newest > now + AHEAD:
        mend = "check the time: timedatectl"
        return warn("clock", f"the newest memory is of {newest:%Y-%m-%d %H:%M} UTC, which is still to come", mend)
    if zone is not None:
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError):
            return fail("clock", f"there is no time zone {zone!r}", "correct `timezone` in the configuration")
    return ok("clock", f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}")


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True

"""The `memory` section of the user's `mycroft.conf`: what is missing is put in, what is there stays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from . import jsontext
from .files import config_home, read_text, replace_text
from .step import UNCHANGED, Step, done

PART, SECTION = "configuration", "memory"
KEYWORDS_ONLY = ["recency", "lexical", "facts", "summary"]
LOCALTIME = Path("/etc/localtime")
ZONES = "/zoneinfo/"


def conf_file() -> Path:
    """Where OVOS reads and keeps the user's configuration. OVOS itself is not asked: it logs what it cannot read."""
    folder = os.environ.get("OVOS_CONFIG_BASE_FOLDER") or "mycroft"
    return config_home() / folder / (os.environ.get("OVOS_CONFIG_FILENAME") or "mycroft.conf")


def set_up(*, web: bool, keywords_only: bool, dry_run: bool) -> Step:
    """Put the section in. Raises `ConfigError` where the file cannot be read or changed; then it is as it was."""
    file = conf_file()
    text, held = _read(file)
    section = held.get(SECTION) or {}
    if not isinstance(section, Mapping):
        raise ConfigError(f"{file}: the key {SECTION!r} is no object: correct it", SECTION)
    wanted = {**section, **{key: value for key, value in found_out(held).items() if key not in section}}
    if web:
        wanted["web"] = {**_object(section, "web"), "enabled": True}
    if keywords_only and "backends" not in section:
        wanted["backends"] = KEYWORDS_ONLY
    if wanted == section and SECTION in held:
        return Step(PART, UNCHANGED, f"{file} has a section {SECTION!r}")
    news = ", ".join(key for key in wanted if wanted[key] != section.get(key)) or "nothing but its name"
    return _changed(file, text, wanted, f"section {SECTION!r} with {news}", dry_run)


def take_out(dry_run: bool) -> Step:
    """Remove the section. Raises as `set_up`."""
    file = conf_file()
    text, held = _read(file)
    if SECTION not in held:
        return Step(PART, UNCHANGED, f"{file} has no section {SECTION!r}")
    return _changed(file, text, None, f"section {SECTION!r} is out", dry_run)


def found_out(held: Mapping[str, Any]) -> dict[str, str]:
    """Language and time zone: those of the user's own configuration, else the system's time zone."""
    location = _object(held, "location").get("timezone")
    zone = location.get("code") if isinstance(location, Mapping) else None
    lang = held.get("lang")
    found = {"lang": lang, "timezone": zone or system_zone()}
    return {key: value for key, value in found.items() if isinstance(value, str) and value}


def system_zone(localtime: Path = LOCALTIME) -> str | None:
    """The IANA name of this machine's time zone, where it can be told."""
    path = os.path.realpath(localtime)
    return path.partition(ZONES)[2] or None


def _object(held: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = held.get(key)
    return value if isinstance(value, Mapping) else {}


def _read(file: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = read_text(file)
        return text, jsontext.read(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {error}; correct it first, nothing was changed") from error


def _changed(file: Path, text: str, section: Mapping[str, Any] | None, what: str, dry_run: bool) -> Step:
    try:
        if section is None:
            written = jsontext.without_member(text, SECTION)
        else:
            written = jsontext.with_member(text, SECTION, section)
        kept = None if dry_run else replace_text(file, written, backup=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be changed: {error}; nothing was changed") from error
    return done(PART, f"{file}: {what}" + (f"; as it was: {kept.name}" if kept else ""), dry_run)

"""An example of a persona that remembers, where none of the user's does yet."""

from __future__ import annotations

import json
from pathlib import Path

from ...errors import StorageError
from ..checks.personas import PLUGIN, folder
from .files import read_text, replace_text
from .step import SKIPPED, UNCHANGED, Step, done

PART = "persona"
EXAMPLE = Path(__file__).with_name("persona.json")


def example_file() -> Path:
    return folder() / f"{json.loads(EXAMPLE.read_text(encoding='utf-8'))['name']}.json"


def set_up(dry_run: bool) -> Step:
    """Write the example. Raises `StorageError`."""
    file = example_file()
    using = remembering()
    if using:
        return Step(PART, UNCHANGED, f"{', '.join(path.name for path in using)} in {folder()} uses the memory")
    if file.exists():
        return Step(PART, SKIPPED, f"{file} is there already and is yours", f'to remember: "memory_module": "{PLUGIN}"')
    if not dry_run:
        _write(file, EXAMPLE.read_text(encoding="utf-8"))
    return done(PART, str(file), dry_run, "in it, set api_url to the chat model that you use")


def take_out(dry_run: bool) -> Step:
    """Remove the example, unless it was changed since: then it is the user's. Raises `StorageError`."""
    file = example_file()
    if not file.exists():
        return Step(PART, UNCHANGED, f"no {file}")
    if read_text(file) != EXAMPLE.read_text(encoding="utf-8"):
        return Step(PART, SKIPPED, f"{file} was changed and stays", f"take memory_module {PLUGIN!r} out of it")
    if not dry_run:
        file.unlink()
    return done(PART, f"{file} is removed", dry_run)


def remembering() -> list[Path]:
    """The user's personas that use the memory; a file that cannot be read does not."""
    return [file for file in sorted(folder().glob("*.json")) if _uses_memory(file)]


def _uses_memory(file: Path) -> bool:
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("memory_module") == PLUGIN


def _write(file: Path, text: str) -> None:
    try:
        replace_text(file, text)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}") from error

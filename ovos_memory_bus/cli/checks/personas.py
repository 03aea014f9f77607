"""The personas that should remember: whether their files say so, and whether their chat engine lets it through."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from .finding import Finding, fail, ok, warn

PLUGIN, GROUP = "ovos-memory-bus-plugin", "opm.agents.memory"
DROPS_SYSTEM = "openai"  # in the name of the chat engines that drop system messages unless told not to
HOW_TO = f'in its JSON set "memory_module": "{PLUGIN}"'


def personas() -> list[Finding]:
    """The plugin is installed, and each persona that names it can use it."""
    if not entry_points(group=GROUP, name=PLUGIN):
        return [fail("persona plugin", "this Python does not offer it", "install ovos-memory-bus anew with pip")]
    found = [finding for file in sorted(folder().glob("*.json")) for finding in persona(file)]
    if not found:
        return [ok("personas", f"none of your own in {folder()} uses the memory; {HOW_TO}")]
    return found


def folder() -> Path:
    """Where OVOS looks for a user's personas."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base, "ovos_persona")


def persona(file: Path) -> list[Finding]:
    """What is to say about one file; nothing where it uses another memory."""
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [warn("persona", f"{file} cannot be read: {error}", "correct the file")]
    if not isinstance(config, Mapping) or config.get("memory_module") != PLUGIN:
        return []
    from ...persona import PersonaSettings

    block = config.get(PLUGIN) or {}
    try:
        PersonaSettings.from_config(block)
    except ConfigError as error:
        return [fail("persona", f"{file.name}: {error}", f"correct the block {PLUGIN!r} in {file}")]
    deaf = [] if block.get("inject_mode") == "user" else deaf_engines(config)
    if deaf:
        mend = f'in {file} give {deaf[0]} "allow_system_prompts": true, or {PLUGIN} "inject_mode": "user"'
        return [warn("persona", f"{file.name}: {deaf[0]} drops the system message that holds what is recalled", mend)]
    return [ok("persona", f"{file.name} remembers")]


def deaf_engines(config: Mapping[str, Any]) -> list[str]:
    """The chat engines of a persona that would drop the system message with what was recalled."""
    engines = config.get("handlers") or config.get("solvers") or []
    blocks = {name: config.get(name) or {} for name in engines if DROPS_SYSTEM in str(name)}
    return [name for name, block in blocks.items() if not block.get("allow_system_prompts")]

"""The configuration: frozen dataclasses, read once by `load()` from `mycroft.conf`'s `memory` section or a file.

Every key stands in docs/configuration.md; a wrong value is a `ConfigError` that names it, an unknown key a warning.
"""

from __future__ import annotations

import json
import logging
import os
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from .errors import ConfigError
from .messages.context import FUSIONS, INJECT_MODES, QUERY_MODES, SCOPES

LOG = logging.getLogger(__name__)

DEFAULT_BACKENDS = ("recency", "lexical", "semantic", "facts", "summary")


@dataclass(frozen=True, slots=True)
class BackendConfig:
    """One entry of `backends`: a built-in or entry-point `name`, its weight in the fusion and its own options."""

    name: str
    weight: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """What a recall does where its request does not say. Times in seconds."""

    timeout: float = 1.0
    max_results: int = 5
    min_score: float | None = None
    max_history: int = 10
    fusion: str = "calibrated"
    rrf_k: int = 60
    inject_mode: str = "system"
    query_mode: str = "utterance"
    query_history_turns: int = 3
    traces: int = 50


@dataclass(frozen=True, slots=True)
class FactsConfig:
    """`max_facts` current facts an owner, of which a context shows at most `shown`."""

    enabled: bool = True
    max_facts: int = 200
    shown: int = 12
    min_confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class SummaryConfig:
    """A session's turns older than the newest `recent_window` are summarised every `summarize_every` new turns."""

    enabled: bool = True
    summarize_every: int = 10
    recent_window: int = 10
    max_summary_tokens: int = 200


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """An OpenAI-compatible endpoint; none is asked while `api_url` is empty. Times in seconds."""

    api_url: str = ""
    model: str = ""
    api_key: str = ""
    timeout: float = 60.0
    max_jobs: int = 1_000
    max_age: float = 7 * 86_400.0
    facts_prompt: str = ""
    summary_prompt: str = ""


@dataclass(frozen=True, slots=True)
class WebConfig:
    """The inspector page and the HTTP API; an address that other devices reach needs `allow_remote` too."""

    enabled: bool = False
    host: str = "127.0.0.1"
    port: int = 8182
    allow_remote: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """Everything the service is told. Paths default to the XDG data folder."""

    data_dir: Path
    models_dir: Path | None = None
    model: str | None = None
    scope: str = "owner"
    min_auth_level: int = 2
    satellite_users: bool = False
    timezone: str | None = None
    lang: str | None = None
    allow_forget_all: bool = False
    profile: str = "standard"
    embedding_threads: int = 1
    index_owners: int = 64
    mailbox: int = 64
    write_queue: int = 256
    show_paths: bool = False
    remote_backends: tuple[str, ...] = ()
    observe: bool = False
    observe_blocklist: tuple[str, ...] = ()
    retention: Mapping[str, Any] = field(default_factory=dict)
    backends: tuple[BackendConfig, ...] = tuple(BackendConfig(name) for name in DEFAULT_BACKENDS)
    recall: RecallConfig = RecallConfig()
    rendering: Mapping[str, Any] = field(default_factory=dict)
    facts: FactsConfig = FactsConfig()
    summary: SummaryConfig = SummaryConfig()
    llm: LlmConfig = LlmConfig()
    web: WebConfig = WebConfig()


_CHOICES = {
    "scope": SCOPES,
    "profile": ("standard", "low_power"),
    "recall.fusion": FUSIONS,
    "recall.inject_mode": INJECT_MODES,
    "recall.query_mode": QUERY_MODES,
}


def default_data_dir() -> Path:
    """`$XDG_DATA_HOME/ovos-memory-bus`."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "ovos-memory-bus"


def load(file: Path | None = None, *, data_dir: Path | None = None) -> Config:
    """The configuration: `file` (JSON: the section itself, or an object with a `memory` key) or, without it, the
    `memory` section of OVOS' own configuration. `data_dir` rules over both. Raises `ConfigError`."""
    config = parse(_section(file))
    return replace(config, data_dir=data_dir.expanduser()) if data_dir else config


def _section(file: Path | None) -> Any:
    if file is None:
        from ovos_config.config import Configuration  # not at import time: it reads several files

        return Configuration().get("memory") or {}
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the configuration file {file}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"the configuration file {file} is no JSON: {error}") from error
    return raw["memory"] if isinstance(raw, Mapping) and isinstance(raw.get("memory"), Mapping) else raw


def parse(raw: Any) -> Config:
    """A `Config` from the raw `memory` section. Raises `ConfigError` naming the key."""
    if not isinstance(raw, Mapping):
        raise ConfigError("the memory section must be an object", "memory")
    config: Config = _build(Config, {"data_dir": str(default_data_dir()), **raw}, "")
    return config


def _build(kind: Any, raw: Mapping[str, Any], prefix: str) -> Any:
    hints = typing.get_type_hints(kind)
    known = {f.name for f in fields(kind)}
    for name in raw:
        if name not in known:
            LOG.warning("configuration: unknown key %r is ignored", prefix + str(name))
    values = {
        name: _convert(raw[name], hints[name], prefix + name)
        for name in known
        if name in raw and not (raw[name] is None and not _optional(hints[name]))
    }
    return kind(**values)


def _optional(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)


def _convert(value: Any, hint: Any, name: str) -> Any:
    if name == "backends":
        return _backends(value)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        if value is None:
            return None
        hint = next(arg for arg in typing.get_args(hint) if arg is not type(None))
    origin = typing.get_origin(hint) or hint
    if is_dataclass(hint):
        return _build(hint, _expect(value, Mapping, name, "an object"), name + ".")
    if origin is tuple:
        return tuple(_expect(v, str, name, "a list of texts") for v in _expect(value, (list, tuple), name, "a list"))
    if hint is Path:
        return Path(_expect(value, (str, Path), name, "a path")).expanduser()
    if hint is float:
        return float(_number(value, (int, float), name))
    if hint is int:
        return _number(value, int, name)
    if hint is bool:
        return _expect(value, bool, name, "true or false")
    if hint is str:
        return _choice(_expect(value, str, name, "text"), name)
    return dict(_expect(value, Mapping, name, "an object"))


def _expect(value: Any, kind: Any, name: str, what: str) -> Any:
    if not isinstance(value, kind):
        raise ConfigError(f"configuration: {name} must be {what}, not {value!r}", name)
    return value


def _number(value: Any, kind: Any, name: str) -> Any:
    if isinstance(value, bool):
        raise ConfigError(f"configuration: {name} must be a number, not {value!r}", name)
    if _expect(value, kind, name, "a number") < 0:
        raise ConfigError(f"configuration: {name} must not be negative", name)
    return value


def _choice(value: str, name: str) -> str:
    options = _CHOICES.get(name)
    if options and value not in options:
        raise ConfigError(f"configuration: {name} must be one of {', '.join(options)}, not {value!r}", name)
    return value


def _backends(value: Any) -> tuple[BackendConfig, ...]:
    """Each entry is a name, or `{"name", "weight"?, …options}`, or `{"plugin", "config"?, "name"?, "weight"?}`."""
    found: list[BackendConfig] = []
    for entry in _expect(value, (list, tuple), "backends", "a list"):
        if isinstance(entry, str):
            found.append(BackendConfig(entry))
            continue
        options = dict(_expect(entry, Mapping, "backends", "a list of names and objects"))
        name = options.pop("name", options.get("plugin"))
        if not isinstance(options.get("plugin", ""), str):
            raise ConfigError("configuration: a backend's plugin is the name of a memory plugin", "backends")
        if not isinstance(name, str):
            raise ConfigError("configuration: an entry of backends needs a name", "backends")
        weight = float(_number(options.pop("weight", 1.0), (int, float), f"backends.{name}.weight"))
        found.append(BackendConfig(name, weight, options))
    names = [backend.name for backend in found]
    if len(set(names)) != len(names):
        raise ConfigError("configuration: two backends have the same name", "backends")
    return tuple(found)

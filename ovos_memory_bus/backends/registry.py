"""The built-in backends by name, and those that other packages bring by the entry-point group."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points

from ..config import BackendConfig, Config
from ..embedding.worker import EmbeddingWorker
from ..index.catalogue import Catalogue
from ..planning import Planner
from ..store.base import Store
from .base import Backend
from .collecting import Collector
from .facts import Facts
from .lexical import Lexical
from .plugin import Plugin
from .recency import Recency
from .remote import Remote
from .summary import Summary

LOG = logging.getLogger(__name__)
GROUP = "ovos.memory.backends"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a backend may be built from. `collector` asks those in other processes."""

    config: Config
    store: Store
    catalogue: Catalogue
    embedding: EmbeddingWorker | None
    planner: Planner
    collector: Collector = field(default_factory=Collector)


Factory = Callable[[Parts, BackendConfig], Backend]


def _semantic(parts: Parts, config: BackendConfig) -> Backend:
    from .semantic import Semantic  # only where it is wanted: keyword-only mode stays small

    if parts.embedding is None:
        raise ValueError("semantic memory needs an embedding worker")
    return Semantic(parts.store, parts.catalogue, parts.embedding, parts.config.data_dir / "vectors")


def _plugin(parts: Parts, config: BackendConfig) -> Backend:
    return Plugin(config, parts.config, parts.store)


BUILT_IN: Mapping[str, Factory] = {
    "recency": lambda parts, config: Recency(parts.store),
    "lexical": lambda parts, config: Lexical(parts.store, parts.catalogue),
    "semantic": _semantic,
    "facts": lambda parts, config: Facts(parts.store, parts.config.facts, parts.planner, parts.embedding),
    "summary": lambda parts, config: Summary(parts.store, parts.config.summary, parts.planner),
}


def build(parts: Parts) -> list[Backend]:
    """The configured backends, in order. One that cannot be built is left out with a log line."""
    backends: list[Backend] = []
    off = {name for name in ("facts", "summary") if not getattr(parts.config, name).enabled}
    for config in parts.config.backends:
        if config.name in off:
            continue
        try:
            factory = _plugin if "plugin" in config.options else BUILT_IN.get(config.name) or _installed(config.name)
            if factory is None:
                LOG.error("no memory backend named %r is known; it is left out", config.name)
                continue
            backends.append(factory(parts, config))
        except Exception:
            LOG.exception("memory backend %r could not be made; it is left out", config.name)
    taken = {config.name for config in parts.config.backends}
    for name in parts.config.remote_backends:
        if name in taken or name in BUILT_IN:
            LOG.error("a backend in another process cannot be named %r: there is one here; it is left out", name)
        else:
            backends.append(Remote(name, parts.store, parts.collector))
    if parts.config.llm.api_url:
        from .enricher import Enricher  # only where there is a model to ask

        chosen = parts.config
        backends.append(Enricher(parts.store, chosen.llm, chosen.facts, chosen.summary, parts.planner))
    return backends


def _installed(name: str) -> Factory | None:
    for entry in entry_points(group=GROUP, name=name):
        factory: Factory = entry.load()
        return factory
    return None

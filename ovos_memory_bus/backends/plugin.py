"""An installed memory plugin (`opm.agents.memory`) as a backend: in a thread of its own, under our deadline."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio

from ..analysis import analyse, query_terms
from ..config import BackendConfig, Config
from ..errors import BackendAway, ConfigError
from ..records import Item
from ..store.base import NewItem, Store
from .base import Found, Query
from .outside import MAX_CONTENT, Claim, Outside, believed, by_place
from .own_thread import OwnThread

LOADING = 60.0  # seconds for a plugin to be made
WANTED = 20  # hits asked of it
PIECE = 20  # turns told to it at a time
LEADING = ("system", "developer")


class Plugin(Outside):
    """Ranks by the plugin's `search()`; of one without, its leading system messages are the one hit.

    Each owner is a session of the plugin: it must keep them apart itself, so its `scope` is `session` unless ours is
    `global`. With the option `record` it is told what is said, from the store, in order."""

    def __init__(self, entry: BackendConfig, config: Config, store: Store) -> None:
        self.name = entry.name
        self._plugin_name, self._store = entry.options["plugin"], store
        given = entry.options.get("config") or {}
        if not isinstance(given, Mapping):
            raise ConfigError(f"configuration: the config of {self.name} must be an object", "backends")
        self._everybody = config.scope == "global"
        self._config = {"scope": "global" if self._everybody else "session", **given}
        self._record = entry.options.get("record") is True
        self._thread: OwnThread | None = None
        self._plugin: Any = None
        self._searches = self._by_session = False

    @property
    def jobs(self) -> Sequence[str]:
        return (self._job,) if self._record else ()

    def wants(self, item: NewItem) -> Sequence[str]:
        return (self._job,) if self._record and item.kind == "turn" else ()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        thread = self._thread = OwnThread(self.name)
        try:
            with anyio.fail_after(LOADING):
                await thread.call(self._load)
            yield
        finally:
            plugin, self._plugin = self._plugin, None
            thread.close(getattr(plugin, "close", None))

    async def search(self, query: Query) -> Found:
        if self._searches and not self._by_session and not self._everybody:
            raise BackendAway(f"{self._plugin_name} does not tell sessions apart: it is asked with scope global alone")
        key = session_of(query.owner or query.caller)
        if self._searches:
            return await self._searched(query, key)
        blocks = await self._call(lambda: _leading(self._plugin.build_conversation_context(query.utterance, key)))
        said = "\n".join(block for block in blocks if block != str(self._config.get("system_prompt", "")).strip())
        claims = [Claim(None, said[:MAX_CONTENT], score=by_place(0))] if said else []
        return await believed(self._store, query, claims, self.name)

    async def work(self) -> bool:
        """Tell the plugin what was said, in order."""
        if not self._record:
            return False
        jobs = await self._store.due(self._job, PIECE)
        if not jobs:
            return False
        items = await self._store.by_seq(job.seq for job in jobs)
        for job in jobs:
            item = items.get(job.seq)
            if item is not None:
                await self._call(partial(self._tell, item))
            await self._store.finish(self._job, [job.seq])
        return True

    def _tell(self, item: Item) -> None:
        self._plugin.update_history([_message(item)], session_of(item.owner))

    def status(self) -> Mapping[str, Any]:
        return {"plugin": self._plugin_name}

    @property
    def _job(self) -> str:
        return f"plugin:{self.name}"

    async def _call(self, function: Callable[[], Any]) -> Any:
        if self._thread is None:
            raise BackendAway(f"{self.name} is not open")
        return await self._thread.call(function)

    def _load(self) -> None:
        from ovos_plugin_manager.agents import load_memory_plugin  # in its thread: it looks at every package installed

        kind = load_memory_plugin(self._plugin_name)
        if kind is None:
            raise ConfigError(f"no memory plugin named {self._plugin_name!r} is installed", "backends")
        self._plugin = kind(config=dict(self._config))
        search = getattr(self._plugin, "search", None)
        self._searches = search is not None
        self._by_session = search is not None and "session_id" in inspect.signature(search).parameters

    async def _searched(self, query: Query, key: str) -> Found:
        def run() -> list[Any]:
            more = {"session_id": key} if self._by_session and not self._everybody else {}
            return list(self._plugin.search(query.text, **more))[:WANTED]

        asked = [set(term.variants) for term in query_terms(query.text, query.lang)]
        claims = []
        for place, hit in enumerate(await self._call(run)):
            content, metadata = _part(hit, "content"), _part(hit, "metadata")
            whose = metadata.get("session_id") if isinstance(metadata, Mapping) else None
            if not isinstance(content, str) or not (self._everybody or whose in (None, key)):
                continue
            source = _part(hit, "source")
            score = likely(asked, content, query.lang, place)
            told = {"source": source} if isinstance(source, str) and source else {}
            claims.append(Claim(None, content[:MAX_CONTENT], score=score, metadata=told))
        claims.sort(key=lambda claim: -(claim.score or 0.0))
        return await believed(self._store, query, claims, self.name)


def session_of(owner: str) -> str:
    """An owner as a plugin's session, no two the same: `session:kitchen` is `kitchen`, as a persona would call it."""
    name = owner.removeprefix("session:")
    return owner if name.startswith(("session:", "user:")) else name


def likely(asked: Sequence[set[str]], content: str, lang: str | None, place: int) -> float:
    """The probability of a hit whose score has an unknown scale: the share of the question's words that it holds, and
    for its place at least half of what a ranked list is believed."""
    said = set(analyse(content, lang))
    share = sum(bool(variants & said) for variants in asked) / len(asked) if asked else 0.0
    return max(share, by_place(place) / 2)


def _leading(messages: Sequence[Any]) -> list[str]:
    """The system messages that a context begins with."""
    blocks: list[str] = []
    for message in messages:
        role = getattr(message.role, "value", message.role)
        if role not in LEADING:
            break
        blocks.append(str(message.content).strip())
    return [block for block in blocks if block]


def _message(item: Item) -> Any:
    from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

    role = MessageRole.ASSISTANT if item.role == "assistant" else MessageRole.USER
    return AgentMessage(role=role, content=item.content)


def _part(hit: Any, name: str) -> Any:
    """A field of a hit, which is an object with attributes, a mapping, or the text itself."""
    if isinstance(hit, Mapping):
        return hit.get(name)
    if isinstance(hit, str):
        return hit if name == "content" else None
    return getattr(hit, name, None)

"""A persona's config block, with the keys of ovos-memory-plugins' composite, as settings of the request we send."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ovos_utils.log import LOG

from ovos_memory_bus.errors import ConfigError, InvalidRequest
from ovos_memory_bus.messages.context import MAX_TIMEOUT, ContextRequest

DEFAULT_TIMEOUT = 1.0  # seconds
DEFAULT_MAX_HISTORY = 10  # messages
DEFAULT_MAX_PENDING = 1_000  # exchanges kept while the service is away

HISTORY_BACKEND = "recency"
BACKENDS = (HISTORY_BACKEND, "lexical", "semantic", "facts", "summary")
COMPOSITE = "ovos-memory-plugin-composite"
BACKEND_OF_PLUGIN = {
    "ovos-agents-short-term-memory-plugin": HISTORY_BACKEND,
    "ovos-memory-plugin-recency": HISTORY_BACKEND,
    "ovos-memory-plugin-lexical": "lexical",
    "ovos-memory-plugin-local-rag": "semantic",
    "ovos-memory-plugin-entity": "facts",
    "ovos-memory-plugin-longterm": "summary",
}

# where a key of the block stands, what the request calls it, and what it is
_REQUEST_KEYS: tuple[tuple[str | None, str, str, Callable[[Any], Any] | None], ...] = (
    ("retrieval", "max_num_results", "max_results", int),
    ("retrieval", "min_score", "min_score", float),
    ("retrieval", "query_mode", "query_mode", None),
    ("retrieval", "query_history_turns", "query_history_turns", int),
    ("context", "header", "header", None),
    ("context", "facts_header", "facts_header", None),
    ("context", "summary_header", "summary_header", None),
    ("context", "chunk_prefix", "chunk_prefix", None),
    ("context", "chunk_separator", "chunk_separator", None),
    ("context", "include_sources", "include_sources", bool),
    ("context", "tool_name", "tool_name", None),
    (None, "max_num_results", "max_results", int),
    (None, "member_fetch_k", "member_fetch_k", int),
    (None, "fusion", "fusion", None),
    (None, "rrf_k", "rrf_k", int),
    (None, "dedup", "dedup", bool),
    (None, "inject_mode", "inject_mode", None),
    (None, "scope", "scope", None),
    (None, "system_prompt", "system_prompt", None),
    (None, "system_prompt_template", "system_prompt_template", None),
    (None, "user_template", "user_template", None),
    (None, "max_history", "max_history", int),
    (None, "backends", "backends", list),
    (None, "weights", "weights", dict),
    (None, "agent_id", "agent_id", str),
)


class PersonaConfigError(ConfigError, ValueError):
    """A wrong value in a persona's config block; a ValueError too, as the plugins this block comes from raise."""


@dataclass(frozen=True, slots=True)
class PersonaSettings:
    """What the plugin was told. `request` are the settings of every `memory.context.request` it sends; `timeout` in
    seconds bounds each call; `bus` overrides OVOS' own `host`, `port`, `route`, `ssl` of the messagebus."""

    request: Mapping[str, Any] = field(default_factory=dict)
    system_prompt: str = ""
    max_history: int = DEFAULT_MAX_HISTORY
    timeout: float = DEFAULT_TIMEOUT
    max_pending: int = DEFAULT_MAX_PENDING
    agent_id: str | None = None
    bus: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> PersonaSettings:
        """Raises `PersonaConfigError` naming the key."""
        request: dict[str, Any] = {"max_history": DEFAULT_MAX_HISTORY}
        for section, key, name, convert in _REQUEST_KEYS:
            value = (_section(config, section) if section else config).get(key)
            if value is not None:
                request[name] = _converted(key, value, convert)
        if config.get("members") is not None:
            request.update(_members_request(config["members"], config.get("primary")))
        try:
            ContextRequest.from_data({"utterance": "", **request})
        except InvalidRequest as error:
            raise PersonaConfigError(str(error), error.field) from None
        return cls(
            request=request,
            system_prompt=request.get("system_prompt", ""),
            max_history=request["max_history"],
            timeout=_within("timeout", config.get("timeout", DEFAULT_TIMEOUT), 0.01, MAX_TIMEOUT),
            max_pending=int(_within("max_pending", config.get("max_pending", DEFAULT_MAX_PENDING), 1, 100_000)),
            agent_id=request.get("agent_id"),
            bus={key: config[key] for key in ("host", "port", "route", "ssl") if config.get(key) is not None},
        )


def _section(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = config.get(name) or {}
    if not isinstance(section, Mapping):
        raise PersonaConfigError(f"{name} must be an object", name)
    return section


def _converted(key: str, value: Any, convert: Callable[[Any], Any] | None) -> Any:
    if convert is None:
        return value
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise PersonaConfigError(f"{key} must not be {value!r}", key) from None


def _within(key: str, value: Any, lowest: float, highest: float) -> float:
    number: float = _converted(key, value, float)
    if not lowest <= number <= highest:
        raise PersonaConfigError(f"{key} must lie between {lowest:g} and {highest:g}", key)
    return number


def _members_request(members: Any, primary: Any) -> dict[str, Any]:
    """The request's backends and weights for a composite's members; members we have no backend for are skipped.

    The history comes from one backend whatever the members are, as every member of a composite keeps it."""
    if isinstance(members, str) or not isinstance(members, Sequence):
        raise PersonaConfigError("members must be a list", "members")
    weights = dict(_weighted(members))
    if not weights:
        if members:
            LOG.warning("none of the persona's memory members is known: the memory decides which backends answer")
        return {}
    request: dict[str, Any] = {"backends": list(dict.fromkeys((*weights, HISTORY_BACKEND))), "weights": weights}
    if primary is not None:
        name = BACKEND_OF_PLUGIN.get(primary, primary)
        if name in weights:
            request["primary"] = name
        else:
            LOG.warning(f"the persona's primary memory {primary!r} is none of its members")
    return request


def offered_only(request: Mapping[str, Any], offered: Collection[str]) -> dict[str, Any]:
    """The request without the backends that the service does not run; with none left it is the service's choice."""
    wanted = [name for name in request.get("backends", ()) if name in offered]
    rest = {key: value for key, value in request.items() if key != "backends"}
    return {**rest, "backends": wanted} if set(wanted) - {HISTORY_BACKEND} else rest


def _weighted(members: Sequence[Any]) -> Iterator[tuple[str, float]]:
    for member in members:
        entry = member if isinstance(member, Mapping) else {"module": member}
        module, config = entry.get("module"), entry.get("config") or {}
        if not module:
            continue
        weight = _within("weight", entry.get("weight", 1.0), 0.0, 1e6)
        name = BACKEND_OF_PLUGIN.get(module, module)
        if name in BACKENDS:
            yield name, weight
        elif module == COMPOSITE:
            inner = config.get("members") if isinstance(config, Mapping) else None
            for inner_name, inner_weight in _weighted(BACKENDS if inner is None else inner):
                yield inner_name, weight * inner_weight
        else:
            LOG.warning(f"the persona's memory member {module!r} has no backend here and is left out")

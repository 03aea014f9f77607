"""A composite's config block becomes a request: members, weights, keys, and the words for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ovos_memory_bus.errors import ConfigError
from ovos_memory_bus.persona.settings import PersonaConfigError, PersonaSettings, offered_only

COMPOSITE = {
    "members": [
        {"module": "ovos-memory-plugin-local-rag", "weight": 2.0, "config": {"collection": "x"}},
        "ovos-memory-plugin-lexical",
        {"module": "ovos-memory-plugin-entity", "config": {"max_facts": 10}},
        {"module": "ovos-memory-plugin-longterm"},
    ],
    "primary": "ovos-memory-plugin-local-rag",
    "fusion": "rrf",
    "rrf_k": 60,
    "dedup": True,
    "max_num_results": 7,
    "member_fetch_k": 20,
    "inject_mode": "user",
    "system_prompt": "You are helpful.",
    "system_prompt_template": "{system} {context}",
    "user_template": "{context} {utterance}",
    "retrieval": {"max_num_results": 3, "min_score": None, "query_mode": "history", "query_history_turns": 2},
    "context": {"header": "Known:", "chunk_prefix": "* ", "chunk_separator": "\n", "include_sources": True},
    "max_history": 12,
    "scope": "global",
    "timeout": 2,
    "agent_id": "butler",
    "host": "10.0.0.2",
}


def test_every_key_of_a_composite_is_understood() -> None:
    settings = PersonaSettings.from_config(COMPOSITE)
    request = settings.request
    assert set(request["backends"]) == {"semantic", "lexical", "facts", "summary", "recency"}
    assert request["weights"] == {"semantic": 2.0, "lexical": 1.0, "facts": 1.0, "summary": 1.0}
    assert (request["primary"], request["fusion"], request["rrf_k"]) == ("semantic", "rrf", 60)
    assert (request["max_results"], request["member_fetch_k"]) == (7, 20)
    assert (request["query_mode"], request["query_history_turns"]) == ("history", 2)
    assert (request["header"], request["chunk_prefix"], request["include_sources"]) == ("Known:", "* ", True)
    assert (request["inject_mode"], request["user_template"]) == ("user", "{context} {utterance}")
    assert "min_score" not in request
    assert (settings.timeout, settings.max_history, settings.agent_id) == (2.0, 12, "butler")
    assert settings.bus == {"host": "10.0.0.2"}


def test_an_empty_block_leaves_the_service_its_defaults() -> None:
    settings = PersonaSettings.from_config({})
    assert settings.request == {"max_history": 10}
    assert (settings.timeout, settings.system_prompt, settings.bus) == (1.0, "", {})


def test_numbers_may_be_written_as_text() -> None:
    assert PersonaSettings.from_config({"rrf_k": "30", "max_history": "4"}).request["rrf_k"] == 30


def test_our_own_names_and_a_nested_composite_are_members_too() -> None:
    inner = {"members": ["semantic", {"module": "lexical", "weight": 3}]}
    members = ["facts", {"module": "ovos-memory-plugin-composite", "weight": 0.5, "config": inner}]
    request = PersonaSettings.from_config({"members": members}).request
    assert request["weights"] == {"facts": 1.0, "semantic": 0.5, "lexical": 1.5}
    everything = PersonaSettings.from_config({"members": ["ovos-memory-plugin-composite"]}).request
    assert len(everything["backends"]) == 5


def test_what_the_service_does_not_run_is_not_asked_for() -> None:
    request = PersonaSettings.from_config({"members": ["semantic", "lexical"], "rrf_k": 30}).request
    assert offered_only(request, {"recency", "lexical"})["backends"] == ["lexical", "recency"]
    without = offered_only(request, {"recency", "facts"})
    assert "backends" not in without
    assert without["rrf_k"] == 30


def test_unknown_members_are_left_out() -> None:
    members = ["some-other-memory", "lexical", {}]
    request = PersonaSettings.from_config({"members": members, "primary": "nobody"}).request
    assert request["backends"] == ["lexical", "recency"]
    assert "primary" not in request
    assert "backends" not in PersonaSettings.from_config({"members": ["some-other-memory"]}).request


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"fusion": "best"}, "fusion"),
        ({"inject_mode": "whisper"}, "inject_mode"),
        ({"scope": "universe"}, "scope"),
        ({"retrieval": {"query_mode": "guess"}}, "query_mode"),
        ({"retrieval": {"min_score": 3}}, "min_score"),
        ({"retrieval": ["x"]}, "retrieval"),
        ({"rrf_k": "many"}, "rrf_k"),
        ({"rrf_k": 0}, "rrf_k"),
        ({"max_history": -1}, "max_history"),
        ({"max_num_results": "all"}, "max_num_results"),
        ({"members": "lexical"}, "members"),
        ({"members": [{"module": "lexical", "weight": "heavy"}]}, "weight"),
        ({"members": [{"module": "lexical", "weight": -1}]}, "weight"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"system_prompt": 7}, "system_prompt"),
    ],
)
def test_a_wrong_value_is_a_value_error_that_names_its_key(config: dict[str, Any], field: str) -> None:
    with pytest.raises(PersonaConfigError, match=field) as caught:
        PersonaSettings.from_config(config)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ConfigError)
    assert caught.value.field == field

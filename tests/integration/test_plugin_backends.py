"""Memory plugins of other packages as backends: the real ovos-memory-plugins, and one with bad manners."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from daemon import StartService
from ovos_memory_plugins.entity import EntityMemory
from ovos_memory_plugins.lexical import LexicalMemory
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole
from wire import Wire, contents, user

LEXICAL, ENTITY = "ovos-memory-plugin-lexical", "ovos-memory-plugin-entity"
RECENCY = "ovos-memory-plugin-recency"
OURS = ["recency", "lexical"]


def with_plugins(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"backends": [*OURS, *entries], **more}


def exchange(said: str, answered: str) -> list[AgentMessage]:
    return [
        AgentMessage(role=MessageRole.USER, content=said),
        AgentMessage(role=MessageRole.ASSISTANT, content=answered),
    ]


def filled(db: Path) -> None:
    """A keyword memory as a persona has filled it, in two sessions."""
    with LexicalMemory({"db_path": str(db)}) as memory:
        memory.update_history(exchange("where is the otter", "the otter sleeps in the boathouse"), "hall")
        memory.update_history(exchange("what colour is the otter", "the otter is brown"), "attic")


def test_a_plugin_that_searches_ranks_and_keeps_sessions_apart(
    tmp_path: Path, service: StartService, wire: Wire
) -> None:
    filled(tmp_path / "their.db")
    service(config=with_plugins({"plugin": LEXICAL, "config": {"db_path": str(tmp_path / "their.db")}, "weight": 0.9}))
    hall = {"session_id": "hall"}
    wire.say("the boathouse has a new roof", session=hall)
    answer = wire.recall("where does the otter sleep", hall)
    (theirs,) = [hit for hit in answer["hits"] if LEXICAL in hit["backends"]]
    assert "sleeps in the boathouse" in theirs["content"]
    assert (theirs["kind"], theirs["metadata"]) == ("document", {"source": "hall_0"})
    assert 0.5 < theirs["score"] <= 0.9
    assert "sleeps in the boathouse" in answer["messages"][0]["content"]
    assert "1970" not in answer["messages"][0]["content"]
    assert answer["backends"][LEXICAL]["status"] == "ok"
    assert wire.recalled("where does the otter sleep", {"session_id": "cellar"}, backends=[LEXICAL]) == []
    assert wire.recalled("where does the otter sleep", user("hall"), backends=[LEXICAL]) == []
    assert wire.do("memory.status")["backends"][LEXICAL]["plugin"] == LEXICAL


def test_with_a_global_scope_it_finds_everybodys(tmp_path: Path, service: StartService, wire: Wire) -> None:
    filled(tmp_path / "their.db")
    service(config=with_plugins({"plugin": LEXICAL, "config": {"db_path": str(tmp_path / "their.db")}}, scope="global"))
    found = wire.recalled("otter", {"session_id": "cellar"}, backends=[LEXICAL])
    assert len(found) == 2


def test_a_plugin_without_search_gives_its_leading_block(tmp_path: Path, service: StartService, wire: Wire) -> None:
    db = tmp_path / "facts.json"
    EntityMemory({"db_path": str(db)}).close()
    db.write_text(json.dumps({"hall": {"facts": ["Has an otter called Pip"]}}))
    config = {"db_path": str(db), "system_prompt": "You are terse.", "api_url": "http://127.0.0.1:1/v1"}
    service(config=with_plugins({"plugin": ENTITY, "config": config}, {"plugin": RECENCY}))
    answer = wire.recall("what is my otter called", {"session_id": "hall"})
    (hit,) = answer["hits"]
    assert "Has an otter called Pip" in hit["content"]
    assert hit["backends"] == [ENTITY]
    assert answer["backends"][RECENCY] == {**answer["backends"][RECENCY], "status": "ok", "hits": 0}
    assert wire.recall("what is my otter called", {"session_id": "attic"})["hits"] == []


@pytest.mark.parametrize("record", [False, True])
def test_it_is_told_what_is_said_only_when_that_is_asked_for(
    tmp_path: Path, service: StartService, wire: Wire, record: bool
) -> None:
    db = tmp_path / "their.db"
    service(config=with_plugins({"plugin": LEXICAL, "record": record, "config": {"db_path": str(db)}}))
    ana = user("ana")
    wire.do(
        "memory.update",
        {"messages": [{"role": "user", "content": "my otter is Pip"}, {"role": "assistant", "content": "noted"}]},
        ana,
    )
    wire.settle()
    told = ["Q: my otter is Pip\nA: noted"] if record else []
    assert wire.recalled("otter", ana, backends=[LEXICAL]) == told
    assert wire.recalled("otter", {"session_id": "ana"}, backends=[LEXICAL]) == []
    with LexicalMemory({"db_path": str(db)}) as memory:
        assert [hit.content for hit in memory.search("otter")] == told


RUDE = """
import threading
from ovos_plugin_manager.templates.agents import AgentContextManager

class Rude(AgentContextManager):
    def get_history(self, session_id): return []
    def update_history(self, new_messages, session_id): pass
    def build_conversation_context(self, utterance, session_id): return []

    def search(self, query, session_id=None):
        if "sleep" in query:
            threading.Event().wait(30)
        if "raise" in query:
            raise SystemExit("no")
        if "odd" in query:
            return [None, 3, {"content": ["x"]}, {"content": "an odd hit"}, "a plain text"]
        return []

class Everybody(Rude):
    def search(self, query): return ["somebody's secret"]

class Unmade(Rude):
    def __init__(self, config): raise RuntimeError("cannot be made")
"""


@pytest.fixture
def rude(tmp_path: Path) -> dict[str, str]:
    """An environment in which a package with rude plugins is installed."""
    package = tmp_path / "site"
    info = package / "rude-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "rude.py").write_text(RUDE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rude\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[opm.agents.memory]\nrude = rude:Rude\neverybody = rude:Everybody\nunmade = rude:Unmade\n"
    )
    return {"PYTHONPATH": str(package)}


def test_whatever_a_plugin_does_costs_its_own_part_only(
    rude: dict[str, str], service: StartService, wire: Wire
) -> None:
    plugins = [{"plugin": name} for name in ("rude", "everybody", "unmade", "not-installed")]
    daemon = service(config=with_plugins(*plugins), env=rude)
    wire.say("the odd otter", "the raise of the otter", "the otter's sleep")
    answer = wire.recall("odd", backends=["rude"])
    assert contents(answer["hits"]) == ["an odd hit", "a plain text"]
    for word in ("raise", "sleep", "sleep", "otter"):
        answer = wire.do("memory.context.request", {"utterance": word, "timeout": 2.0})
        assert answer["hits"]
        assert answer["partial"]
        told = answer["backends"]
        assert [told[name]["status"] for name in OURS] == ["ok", "ok"]
        assert [told[name]["status"] for name in ("everybody", "unmade", "not-installed")] == ["error"] * 3
        assert told["rude"]["status"] == {"raise": "error", "sleep": told["rude"]["status"]}.get(word, "error")
        assert told["rude"]["status"] != "ok"
    assert daemon.stop() == 0


def test_two_of_one_kind_need_two_names(tmp_path: Path, service: StartService, wire: Wire) -> None:
    filled(tmp_path / "one.db")
    entries = [
        {"plugin": LEXICAL, "name": "old", "config": {"db_path": str(tmp_path / "one.db")}},
        {"plugin": LEXICAL, "name": "new", "config": {"db_path": str(tmp_path / "two.db")}},
    ]
    service(config=with_plugins(*entries))
    answer = wire.recall("otter", {"session_id": "hall"})
    assert [hit["backends"] for hit in answer["hits"]] == [["old"]]
    assert answer["backends"]["new"]["status"] == "ok"

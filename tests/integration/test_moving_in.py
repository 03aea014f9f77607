"""`import --from`: what ovos-memory-plugins has stored, filled by its own code, and plain JSON lines, come in once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import anyio
import pytest
from command_line import WITHOUT_MODEL, run_here
from ovos_memory_plugins.entity import EntityMemory
from ovos_memory_plugins.lexical import LexicalMemory
from ovos_memory_plugins.local_rag import LocalRAGMemory
from ovos_memory_plugins.longterm import LongTermMemory
from ovos_memory_plugins.recency import RecencyMemory
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

from ovos_memory_bus.records import Item
from ovos_memory_bus.store.sqlite import open_store

TALK = [("my otter is called Pip", "a fine name"), ("where does Pip sleep", "in the boathouse"), ("thanks", "welcome")]
FROM = ("--from", "ovos-memory-plugins")


class _Endpoint(BaseHTTPRequestHandler):
    """A language model that has one answer, which is a fact and a summary."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][0]["content"]
        answer = "They talked about an otter." if "summary" in asked else '["Has an otter called Pip"]'
        body = json.dumps({"choices": [{"message": {"content": answer}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests are read without an access log."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def talk(memory: Any, session_id: str, said: list[tuple[str, str]] = TALK) -> None:
    for question, answer in said:
        messages = [AgentMessage(MessageRole.USER, question), AgentMessage(MessageRole.ASSISTANT, answer)]
        memory.update_history(messages, session_id)


def taken_in(folder: Path, *arguments: Any, code: int = 0) -> Any:
    config = folder / "config.json"
    config.write_text(json.dumps(WITHOUT_MODEL))
    done = run_here("import", *arguments, "--json", "--data-dir", folder / "memory", "--config", config)
    assert done.code == code, done.err
    return done.data if done.code == 0 else done.err


def remembered(folder: Path) -> list[Item]:
    async def look() -> list[Item]:
        async with open_store(folder / "memory") as store:
            return [record.item for record in await store.records(0, 1_000, derived=False)]

    return anyio.run(look)


def forgotten(folder: Path, item: Item) -> None:
    async def forget() -> None:
        async with open_store(folder / "memory") as store:
            await store.remove([item.seq])

    anyio.run(forget)


def told(items: list[Item]) -> list[tuple[str, str, str, str]]:
    return [(item.owner, item.kind, item.role, item.content) for item in items]


TURNS = [
    ("session:hall", "turn", role, content)
    for exchange in TALK
    for role, content in zip(("user", "assistant"), exchange, strict=True)
]


def test_keywords_become_turns_in_their_order(tmp_path: Path) -> None:
    with LexicalMemory({"db_path": str(tmp_path / "words.db"), "table": "their words"}) as memory:
        talk(memory, "hall")
    with LexicalMemory({"db_path": str(tmp_path / "words.db"), "table": "their words"}) as memory:
        talk(memory, "hall", [("thanks", "welcome")])  # after a restart its ids begin anew
        memory.store("a document", "hall")
    dry = taken_in(tmp_path, *FROM, "--dry-run", tmp_path / "words.db")
    assert (dry["added"], dry["dry_run"]) == (9, True)
    assert remembered(tmp_path) == []
    assert taken_in(tmp_path, *FROM, tmp_path / "words.db")["added"] == 9
    items = remembered(tmp_path)
    again = [TURNS[-2], TURNS[-1]]
    assert told(items) == [*TURNS, *again, ("session:hall", "note", "user", "a document")]
    assert [item.created_at for item in items] == sorted(item.created_at for item in items)
    assert items[0].metadata == {"imported_from": "ovos-memory-plugins", "store": "lexical"}
    second = taken_in(tmp_path, *FROM, tmp_path / "words.db")
    assert (second["added"], second["present"]) == (0, 9)


@pytest.mark.parametrize("backend", ["json", "sqlite"])
def test_long_term_memory_gives_its_window_and_its_summary(tmp_path: Path, endpoint: str, backend: str) -> None:
    db = tmp_path / "long.file"
    more = {"summarize_every": 3, "recent_window": 2, "model": "stub", "api_url": endpoint}
    with LongTermMemory({"backend": backend, "db_path": str(db), **more}) as memory:
        talk(memory, "hall")
    assert taken_in(tmp_path, *FROM, db)["added"] == 5
    items = remembered(tmp_path)
    assert sorted(told(items)) == sorted(
        [("session:hall", "note", "assistant", "They talked about an otter."), *TURNS[2:]]
    )
    assert taken_in(tmp_path, *FROM, db)["added"] == 0


def test_facts_become_notes(tmp_path: Path, endpoint: str) -> None:
    with EntityMemory({"db_path": str(tmp_path / "facts.json"), "api_url": endpoint, "model": "stub"}) as memory:
        talk(memory, "hall")
    assert taken_in(tmp_path, *FROM, tmp_path / "facts.json")["added"] == 1
    assert told(remembered(tmp_path)) == [("session:hall", "note", "user", "Has an otter called Pip")]


def test_the_same_turn_in_two_stores_comes_once_with_its_date(tmp_path: Path, endpoint: str) -> None:
    stores = tmp_path / "stores"
    recent = RecencyMemory({"db_path": str(stores / "recent.json"), "max_history": 4})
    with (
        LexicalMemory({"db_path": str(stores / "words.db")}) as words,
        LongTermMemory({"db_path": str(stores / "long.json"), "api_url": endpoint}) as long,
    ):
        for memory in (recent, words, long):
            talk(memory, "hall")
    (stores / "else.json").write_text('{"unknown": {"shape": 1}}')
    (stores / "notes.txt").write_text("not looked at")
    report = taken_in(tmp_path, *FROM, stores)
    assert report["added"] == 6
    assert {one["store"]: one["found"] for one in report["sources"]} == {
        "": 0,
        "recency": 4,
        "lexical": 6,
        "longterm": 6,
    }
    assert [one["skipped"] for one in report["sources"] if not one["store"]] == ["no store of ovos-memory-plugins"]
    items = {item.content: item for item in remembered(tmp_path)}
    assert items["thanks"].metadata["store"] == "recency"
    assert items["my otter is called Pip"].metadata["store"] != "recency"


def test_whose_it_is_can_be_said(tmp_path: Path) -> None:
    recent = RecencyMemory({"db_path": str(tmp_path / "recent.json")})
    talk(recent, "hall", TALK[:1])
    talk(recent, "attic", TALK[:1])
    assert taken_in(tmp_path, *FROM, "--user", "ana", tmp_path / "recent.json")["added"] == 4
    items = remembered(tmp_path)
    assert {(item.owner, item.session_id) for item in items} == {("user:ana", "hall"), ("user:ana", "attic")}


def test_what_was_forgotten_stays_forgotten(tmp_path: Path) -> None:
    recent = RecencyMemory({"db_path": str(tmp_path / "recent.json")})
    talk(recent, "hall", TALK[:1])
    taken_in(tmp_path, *FROM, tmp_path / "recent.json")
    (gone, _) = remembered(tmp_path)
    forgotten(tmp_path, gone)
    report = taken_in(tmp_path, *FROM, tmp_path / "recent.json")
    assert (report["added"], report["present"], report["forgotten"]) == (0, 1, 1)
    assert taken_in(tmp_path, *FROM, "--restore", tmp_path / "recent.json")["added"] == 1


def test_it_is_found_where_it_usually_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert "name its file or folder" in taken_in(tmp_path, *FROM, code=2)
    from ovos_memory_bus.porting.peer_stores import USUAL

    (tmp_path / "share" / "ovos").mkdir(parents=True)
    with LexicalMemory({"db_path": str(tmp_path / "share" / "ovos" / USUAL[0])}) as memory:
        talk(memory, "hall")
    assert taken_in(tmp_path, *FROM)["added"] == 6


def test_vectors_of_chroma(tmp_path: Path) -> None:
    pytest.importorskip("chromadb", reason="a heavy package: script/test --all installs it")
    from ovos_chromadb_embeddings import ChromaEmbeddingsDB

    class Embedder:
        def get_embeddings(self, text: str) -> list[float]:
            return [float(len(text)), float(text.count("e")), 1.0]

    folder = tmp_path / "vectors"
    memory = LocalRAGMemory({"_embedder": Embedder(), "_db": ChromaEmbeddingsDB({"path": str(folder)})})
    talk(memory, "hall", TALK * 4)
    assert taken_in(tmp_path, *FROM, folder)["added"] == 24
    assert told(remembered(tmp_path)) == TURNS * 4


def test_chroma_without_its_package_is_left_out_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "chromadb", None)
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "chroma.sqlite3").touch()
    (source,) = taken_in(tmp_path, *FROM, tmp_path / "vectors")["sources"]
    assert source["skipped"] == "reading it needs the package chromadb"


LINES = [
    {"role": "user", "content": "my otter is called Pip", "created_at": "2026-01-05T09:00:00Z", "session_id": "hall"},
    {"role": "assistant", "content": "a fine name", "created_at": "2026-01-05T09:00:02Z", "session_id": "hall"},
    {"role": "user", "content": "good night", "created_at": 1767650000},
]


def test_plain_lines(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)) + "\n\n")
    assert taken_in(tmp_path, "--from", "jsonl", "--dry-run", file)["added"] == 3
    assert taken_in(tmp_path, "--from", "jsonl", file)["added"] == 3
    items = remembered(tmp_path)
    assert [(item.session_id, item.role, item.created_at.year) for item in items] == [
        ("hall", "user", 2026),
        ("hall", "assistant", 2026),
        ("default", "user", 2026),
    ]
    again = taken_in(tmp_path, "--from", "jsonl", file)
    assert (again["added"], again["present"]) == (0, 3)


NO_LINES = [
    "no json",
    "[1]",
    '{"role": "user", "content": "x"}',
    '{"role": "cat", "content": "x", "created_at": 1}',
    "",
]


@pytest.mark.parametrize("line", NO_LINES)
def test_a_line_that_cannot_be_used_is_named_and_nothing_comes_in(tmp_path: Path, line: str) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(f"{json.dumps(LINES[0])}\n{line}\n" if line else "")
    error = taken_in(tmp_path, "--from", "jsonl", file, code=2)
    assert "line 2" in error if line else "holds nothing" in error
    assert not (tmp_path / "memory").exists()


def test_a_path_that_is_none_is_named(tmp_path: Path) -> None:
    assert "no-such" in taken_in(tmp_path, *FROM, tmp_path / "no-such", code=2)
    (tmp_path / "broken.json").write_text("{")
    assert "broken.json" in taken_in(tmp_path, *FROM, tmp_path / "broken.json", code=2)
    assert "export" in taken_in(tmp_path, code=2)

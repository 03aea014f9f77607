"""The memory as tools of language models: the toolbox by its real loader and on a real bus, MCP by the SDK's client."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import anyio
import pytest
from daemon import PROGRAM, Daemon
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from ovos_bus_client.message import Message
from ovos_plugin_manager.agents import load_chat_plugin
from ovos_plugin_manager.persona import find_toolbox_plugins
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole
from rig import Bus
from wire import Data, Wire, contents, user

from ovos_memory_bus.tools.definitions import TOOLS

TOOLBOX = "ovos-memory-bus-toolbox"
NAMES = ["search_memory", "remember", "forget", "list_facts"]
CONFIG = {"backends": ["recency", "lexical", "facts"]}
CALL = "ovos.persona.tools.call"


@pytest.fixture
def anna() -> Data:
    return user(f"anna-{uuid.uuid4().hex[:8]}")


@pytest.fixture(scope="module")
def host(shared_bus: Bus, memory: Daemon) -> Iterator[None]:
    """The toolbox on the bus, by the command."""
    command = [PROGRAM, "tools", "--bus", shared_bus.url]
    with subprocess.Popen(command, env=shared_bus.env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert any("on the bus" in line for line in iter(process.stdout.readline, ""))
        yield
        process.terminate()
        assert process.wait(30) in (0, -15)


class Caller:
    """Calls tools over the bus as OVOS-TOOLS-1 has it."""

    def __init__(self, wire: Wire, session: Data) -> None:
        self._wire, self._session = wire, session

    def answers(self, topic: str, data: Data, expected: int) -> list[Data]:
        """The answers to a message: as many as expected, and those that came before one to a later message."""
        start, mark = len(self._wire.frames), uuid.uuid4().hex

        def heard() -> list[Data]:
            frames = [frame for frame in self._wire.frames[start:] if str(frame.get("type")).endswith(".response")]
            return [frame["data"] for frame in frames if "toolbox_id" in frame["data"]]

        self._wire.send(topic, data, {"session": self._session})
        self._wire.until(lambda: len(heard()) >= expected, "no answer")
        self._wire.send(CALL, {"toolbox_id": TOOLBOX, "name": mark}, {"session": self._session})
        self._wire.until(lambda: any(mark in answer.get("error", "") for answer in heard()), "no answer to the mark")
        return [answer for answer in heard() if mark not in answer.get("error", "")]

    def call(self, name: str, session: Data | None = None, **kwargs: Any) -> Data:
        data = {"toolbox_id": TOOLBOX, "name": name, "kwargs": kwargs}
        start = len(self._wire.frames)
        self._wire.send(CALL, data, {"session": session or self._session})

        def answered() -> list[Data]:
            return [f["data"] for f in self._wire.frames[start:] if f.get("type") == CALL + ".response"]

        (answer,) = self._wire.until(answered, f"no answer to {name}")
        assert ("result" in answer) != ("error" in answer)
        return answer


@pytest.fixture
def caller(host: None, wire: Wire, anna: Data) -> Caller:
    return Caller(wire, anna)


def test_a_host_answers_discovery_once_with_every_schema(caller: Caller) -> None:
    (answer,) = caller.answers("ovos.persona.tools.discover", {}, 1)
    assert answer["toolbox_id"] == TOOLBOX
    assert [tool["name"] for tool in answer["tools"]] == NAMES
    for tool in answer["tools"]:
        assert tool["toolbox_id"] == TOOLBOX
        assert len(tool["description"]) > 20
        assert tool["argument_schema"]["type"] == tool["output_schema"]["type"] == "object"


def test_a_call_for_another_toolbox_or_for_none_is_left_unanswered(caller: Caller) -> None:
    for data in ({"toolbox_id": "another", "name": "remember", "kwargs": {"content": "x"}}, {"name": "list_facts"}, {}):
        assert caller.answers(CALL, data, 0) == []


def test_a_memory_through_its_life_by_tools(caller: Caller, wire: Wire, anna: Data) -> None:
    kept = caller.call("remember", content="the boiler was serviced in March")["result"]
    assert contents(wire.do("memory.item.list", {}, anna)["items"]) == ["the boiler was serviced in March"]
    (found,) = caller.call("search_memory", query="boiler")["result"]["memories"]
    assert (found["id"], found["content"]) == (kept["id"], kept["content"])
    assert caller.call("forget", ids=[kept["id"]])["result"] == {"deleted": 1}
    assert caller.call("search_memory", query="boiler")["result"] == {"memories": []}


def test_facts_are_listed_until_they_no_longer_hold(caller: Caller, wire: Wire, anna: Data) -> None:
    wire.say("my name is Anna and I live in Lisbon", session=anna, lang="en")
    wire.settle()
    facts = caller.call("list_facts")["result"]["memories"]
    assert {fact["kind"] for fact in facts} == {"fact"}
    assert any("Lisbon" in fact["content"] for fact in facts)


def test_nobody_reaches_the_memory_of_somebody_else(caller: Caller, anna: Data) -> None:
    kept = caller.call("remember", content="the diary is behind the books")["result"]
    for other in (user("bert"), {"session_id": "default"}, {**anna, "auth_level": 0}):
        assert caller.call("search_memory", session=other, query="diary")["result"] == {"memories": []}
        assert caller.call("forget", session=other, ids=[kept["id"]])["result"] == {"deleted": 0}
    assert len(caller.call("search_memory", query="diary")["result"]["memories"]) == 1


@pytest.mark.parametrize(
    ("name", "kwargs", "words"),
    [
        ("no_such_tool", {}, "no_such_tool"),
        ("remember", {}, "content"),
        ("remember", {"content": ""}, "content"),
        ("remember", {"content": "x", "owner": "user:bert"}, "owner"),
        ("search_memory", {"query": "x", "limit": 1_000}, "limit"),
        ("forget", {"ids": []}, "ids"),
    ],
)
def test_a_wrong_call_is_answered_in_plain_words(caller: Caller, name: str, kwargs: Data, words: str) -> None:
    error = caller.call(name, **kwargs)["error"]
    assert words in error
    assert error.startswith("ValueError: ")


def test_the_predecessor_topic_still_works(caller: Caller) -> None:
    (answer,) = caller.answers(f"ovos.persona.tools.{TOOLBOX}.call", {"name": "list_facts", "kwargs": {}}, 1)
    assert answer["result"] == {"memories": []}


def test_the_real_loader_finds_a_toolbox_that_a_persona_can_use(shared_bus: Bus, memory: Daemon, anna: Data) -> None:
    toolbox_class = find_toolbox_plugins()[TOOLBOX]
    with shared_bus.client() as bus:
        toolbox = toolbox_class(config={"timeout": 30})
        toolbox.bus = bus
        assert [spec["function"]["name"] for spec in toolbox.normalize_tools(toolbox)] == NAMES

        def handle(message: Message) -> Data:
            """As a persona's handler does: the message being handled says on whose behalf."""
            return toolbox.call_tool("search_memory", {"query": "umbrella"}).model_dump()

        with Wire(shared_bus.url) as wire:
            wire.add("the umbrella is in the car", anna)
        message = Message("persona:query", {}, {"session": anna})
        assert [memory["content"] for memory in handle(message)["memories"]] == ["the umbrella is in the car"]
        assert handle(Message("persona:query", {}, {"session": user("bert")})) == {"memories": []}


class _ChatEndpoint(BaseHTTPRequestHandler):
    """A chat model that searches the memory, and then says what it found."""

    asked: ClassVar[list[Data]] = []

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(payload)
        last = payload["messages"][-1]
        if last["role"] == "tool":
            said = json.loads(last["content"])["memories"][0]["content"]
            message = {"role": "assistant", "content": f"You told me: {said}"}
        else:
            function = {"name": "search_memory", "arguments": json.dumps({"query": "umbrella"})}
            message = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]}
        answer = json.dumps({"choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Nothing to the test's output."""


@pytest.fixture
def chat_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _ChatEndpoint) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_a_real_chat_engine_offers_the_tools_to_its_model_and_runs_what_it_asks_for(
    shared_bus: Bus, memory: Daemon, anna: Data, chat_url: str
) -> None:
    engine = load_chat_plugin("ovos-chat-openai-plugin")({"api_url": chat_url, "key": "none"})
    with shared_bus.client() as bus, Wire(shared_bus.url) as wire:
        wire.add("the umbrella is in the car", anna)
        toolbox = find_toolbox_plugins()[TOOLBOX]({"timeout": 30})
        toolbox.bus = bus

        def handle(message: Message) -> str:
            talk = [AgentMessage(MessageRole.USER, "where is my umbrella?")]
            talk.append(engine.continue_chat(talk, tools=toolbox))
            (wanted,) = talk[-1].tool_calls
            result = toolbox.call_tool(wanted.name, wanted.arguments).model_dump_json()
            talk.append(AgentMessage(MessageRole.TOOL, result, tool_call_id=wanted.id, name=wanted.name))
            return str(engine.continue_chat(talk, tools=toolbox).content)

        answer = handle(Message("persona:query", {}, {"session": anna}))
    assert answer == "You told me: the umbrella is in the car"
    assert [tool["function"]["name"] for tool in _ChatEndpoint.asked[0]["tools"]] == NAMES


def test_mcp_offers_the_same_tools_over_the_sdks_own_client(shared_bus: Bus, memory: Daemon, anna: Data) -> None:
    arguments = ["mcp", "--bus", shared_bus.url, "--user", anna["user_id"], "--auth-level", "3"]
    server = StdioServerParameters(command=PROGRAM, args=arguments, env=shared_bus.env)

    async def converse() -> None:
        async with Client(stdio_client(server)) as client:
            offered = (await client.list_tools()).tools
            assert [(tool.name, tool.description) for tool in offered] == [(t.name, t.description) for t in TOOLS]
            assert offered[0].input_schema["properties"]["query"]["type"] == "string"

            async def call(name: str, **kwargs: Any) -> types.CallToolResult:
                return await client.call_tool(name, kwargs)

            kept = await call("remember", content="the piano was tuned in May")
            assert not kept.is_error
            (found,) = (await call("search_memory", query="piano")).structured_content["memories"]
            assert found["content"] == "the piano was tuned in May"
            (text,) = (await call("list_facts")).content
            assert isinstance(text, types.TextContent)
            assert json.loads(text.text) == {"memories": []}
            wrong = await call("remember")
            assert wrong.is_error
            assert "content" in str(wrong.content)
            assert (await call("no_such_tool")).is_error
            assert (await call("forget", ids=[found["id"]])).structured_content == {"deleted": 1}

    anyio.run(converse)
    with Wire(shared_bus.url) as wire:
        assert wire.do("memory.item.list", {}, anna)["total"] == 0


def test_mcp_writes_nothing_but_the_protocol_to_its_output(shared_bus: Bus) -> None:
    command = [PROGRAM, "mcp"]
    done = subprocess.run(command, env=shared_bus.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_mcp_says_what_to_install_where_the_sdk_is_missing(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('No module named mcp')")
    program = "from ovos_memory_bus.cli import main; import sys; sys.argv = ['ovos-memory-bus', 'mcp']; main()"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 2
    assert "ovos-memory-bus[mcp]" in done.stderr

"""The persona plugin over a real messagebus while the memory behind it has bad days."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ovos_bus_client.message import Message
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole
from ovos_utils.log import LOG
from rig import Bus, ScriptedMemory

from ovos_memory_bus.persona import MemoryBusPlugin

USER, ASSISTANT = MessageRole.USER, MessageRole.ASSISTANT
PATIENT = 30  # seconds; a bound for a busy machine, never waited for when all is well
SHORT = 0.3


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bus]:
    bus = Bus(tmp_path_factory.mktemp("bus"))
    bus.start()
    yield bus
    bus.stop()


def recalled(message: Message) -> dict[str, Any]:
    """A context that shows that it comes from the service."""
    last = {"role": "user", "content": message.data["utterance"]}
    return {"messages": [{"role": "system", "content": "recalled"}, last]}


def stored(message: Message) -> dict[str, Any]:
    return {"ids": [f"{message.data['request_id']}-{index}" for index in range(len(message.data["messages"]))]}


SCRIPT = {
    "memory.context.request": recalled,
    "memory.update": stored,
    "memory.history.get": lambda _: {"messages": [{"role": "user", "content": "hi"}]},
}


@pytest.fixture
def memory(bus: Bus) -> Iterator[ScriptedMemory]:
    with ScriptedMemory(bus.url, dict(SCRIPT)) as memory:
        yield memory


@pytest.fixture
def make_plugin(bus: Bus) -> Iterator[Any]:
    plugins = []

    def make(**config: Any) -> MemoryBusPlugin:
        address = {"host": "127.0.0.1", "port": bus.port, "route": "/core"}
        plugins.append(MemoryBusPlugin({"timeout": PATIENT, **address, **config}))
        return plugins[-1]

    yield make
    for plugin in plugins:
        plugin.close()


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What OVOS' log warns of while a test runs."""
    said: list[str] = []
    monkeypatch.setattr(LOG, "warning", said.append)
    return said


def patience(plugin: MemoryBusPlugin, timeout: float) -> None:
    """Give the plugin another timeout from now on."""
    plugin.settings = replace(plugin.settings, timeout=timeout)


def exchange(question: str, answer: str) -> list[AgentMessage]:
    return [AgentMessage(USER, question), AgentMessage(ASSISTANT, answer)]


def contents(messages: list[AgentMessage]) -> list[str]:
    return [message.content for message in messages]


def test_a_turn_goes_to_the_service_and_its_context_comes_back(memory: ScriptedMemory, make_plugin: Any) -> None:
    plugin = make_plugin(system_prompt="You are helpful.", members=["ovos-memory-plugin-lexical"], agent_id="butler")
    plugin.update_history(exchange("hi", "hello"), "hall")
    assert contents(plugin.build_conversation_context(" how are you? ", "hall")) == ["recalled", " how are you? "]
    assert contents(plugin.get_history("hall")) == ["hi"]
    update = memory.asked_about("memory.update")[0]
    assert [turn["content"] for turn in update.data["messages"]] == ["hi", "hello"]
    times = [turn["created_at"] for turn in update.data["messages"]]
    assert times == sorted(set(times))
    request = memory.asked_about("memory.context.request")[0]
    assert request.data["system_prompt"] == "You are helpful."
    assert request.data["backends"] == ["lexical", "recency"]
    assert {message.data["agent_id"] for message in memory.asked} == {"butler"}
    assert {message.context["session"]["session_id"] for message in memory.asked} == {"hall"}


def test_the_session_of_the_dispatching_message_is_carried(memory: ScriptedMemory, make_plugin: Any) -> None:
    plugin = make_plugin()
    alice = {"session_id": "hall", "user_id": "alice", "auth_level": 3, "lang": "pt-pt", "site_id": "hall"}

    def handle(message: Message, session_id: str) -> None:
        plugin.build_conversation_context("olá", session_id)
        plugin.update_history(exchange("olá", "bom dia"), session_id)

    handle(Message("persona:query", {}, {"session": alice}), "hall")
    assert [message.context["session"] for message in memory.asked] == [alice, alice]
    assert [message.data["lang"] for message in memory.asked] == ["pt-pt", "pt-pt"]
    memory.asked.clear()
    handle(Message("persona:query", {}, {"session": alice}), "cellar")
    sessions = [message.context["session"] for message in memory.asked]
    assert [(session["session_id"], session["user_id"]) for session in sessions] == [("cellar", "alice")] * 2


def test_silence_costs_the_timeout_and_one_warning(
    memory: ScriptedMemory, make_plugin: Any, warnings: list[str]
) -> None:
    memory.script = dict.fromkeys(SCRIPT, lambda _: None)
    plugin = make_plugin(timeout=SHORT, system_prompt="You are helpful.")
    plugin.update_history(exchange("my name is Ada", "hello Ada"), "hall")
    for _ in range(3):
        context = plugin.build_conversation_context("what is my name?", "hall")
        assert contents(context) == ["You are helpful.", "my name is Ada", "hello Ada", "what is my name?"]
        assert [message.role.value for message in context] == ["system", "user", "assistant", "user"]
    assert contents(plugin.get_history("hall")) == ["my name is Ada", "hello Ada"]
    assert len([text for text in warnings if "does not answer" in text]) == 1


def test_what_was_said_meanwhile_is_sent_once_and_in_order(memory: ScriptedMemory, make_plugin: Any) -> None:
    memory.script = dict.fromkeys(SCRIPT, lambda _: None)
    plugin = make_plugin(timeout=SHORT)
    for number in range(3):
        plugin.update_history(exchange(f"question {number}", f"answer {number}"), "hall")
    lost = {message.data["request_id"] for message in memory.asked_about("memory.update")}
    memory.asked.clear()
    memory.script = dict(SCRIPT)
    patience(plugin, PATIENT)
    assert contents(plugin.build_conversation_context("and now?", "hall")) == ["recalled", "and now?"]
    updates = memory.asked_about("memory.update")
    first = {message.data["request_id"]: message.data["messages"][0]["content"] for message in updates}
    assert list(first.values()) == ["question 0", "question 1", "question 2"]
    assert lost <= set(first)
    moments = [message.data["messages"][0]["created_at"] for message in updates]
    assert moments == sorted(moments)


def test_an_outage_ends_without_another_turn(memory: ScriptedMemory, make_plugin: Any) -> None:
    memory.script = dict.fromkeys(SCRIPT, lambda _: None)
    plugin = make_plugin(timeout=SHORT)
    plugin.update_history(exchange("hi", "hello"), "hall")
    arrived = threading.Event()

    def notice(message: Message) -> dict[str, Any]:
        arrived.set()
        return stored(message)

    memory.script = {**SCRIPT, "memory.update": notice}
    assert arrived.wait(PATIENT)


def test_without_any_bus_the_persona_goes_on(make_plugin: Any) -> None:
    plugin = make_plugin(port=1, timeout=SHORT)
    plugin.update_history(exchange("hi", "hello"), "hall")
    assert contents(plugin.build_conversation_context("again", "hall")) == ["hi", "hello", "again"]


def test_an_error_answer_falls_back_too(memory: ScriptedMemory, make_plugin: Any) -> None:
    memory.script["memory.context.request"] = lambda _: {"error": {"code": "shutting_down", "message": "bye"}}
    plugin = make_plugin()
    plugin.update_history(exchange("hi", "hello"), "hall")
    assert contents(plugin.build_conversation_context("again", "hall")) == ["hi", "hello", "again"]
    memory.script["memory.context.request"] = lambda _: {"messages": []}
    assert contents(plugin.build_conversation_context("again", "hall")) == ["hi", "hello", "again"]


def test_what_the_memory_forgets_leaves_the_short_term_history(memory: ScriptedMemory, make_plugin: Any) -> None:
    plugin = make_plugin()
    plugin.update_history(exchange("my pin is 1234", "noted"), "hall")
    update = memory.asked_about("memory.update")[0]
    memory.emit("memory.forgotten", {"ids": stored(update)["ids"]})
    plugin.get_history("hall")  # its answer comes after the broadcast
    memory.script = {**SCRIPT, "memory.context.request": lambda _: {"error": {"code": "internal", "message": "?"}}}
    assert contents(plugin.build_conversation_context("what is it?", "hall")) == ["what is it?"]


def test_what_the_memory_forgot_during_an_outage_leaves_it_too(memory: ScriptedMemory, make_plugin: Any) -> None:
    plugin = make_plugin()
    plugin.update_history(exchange("my pin is 1234", "noted"), "hall")
    memory.script["memory.context.request"] = lambda _: {"error": {"code": "shutting_down", "message": "bye"}}
    assert contents(plugin.build_conversation_context("what is it?", "hall"))[0] == "my pin is 1234"
    memory.script["memory.item.list"] = lambda _: {"items": [], "total": 0}
    memory.script["memory.context.request"] = recalled
    assert contents(plugin.build_conversation_context("what is it?", "hall")) == ["recalled", "what is it?"]
    memory.script["memory.context.request"] = lambda _: {"error": {"code": "shutting_down", "message": "bye"}}
    assert contents(plugin.build_conversation_context("what is it?", "hall")) == ["what is it?"]


def test_many_sessions_at_once(memory: ScriptedMemory, make_plugin: Any) -> None:
    plugin = make_plugin()

    def turn(number: int) -> str:
        session = f"session {number}"
        plugin.update_history(exchange(f"question {number}", "answer"), session)
        return str(plugin.build_conversation_context(f"next {number}", session)[-1].content)

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(turn, range(40))) == [f"next {number}" for number in range(40)]
    for update in memory.asked_about("memory.update"):
        number = update.data["messages"][0]["content"].split()[-1]
        assert update.context["session"]["session_id"] == f"session {number}"


def test_the_bus_may_come_later_and_go_meanwhile(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    plugin = MemoryBusPlugin({"host": "127.0.0.1", "port": bus.port, "timeout": SHORT})
    try:
        plugin.update_history(exchange("hi", "hello"), "hall")
        for _ in range(2):
            bus.start()
            patience(plugin, PATIENT)
            with ScriptedMemory(bus.url, dict(SCRIPT)) as memory:
                assert contents(plugin.build_conversation_context("again", "hall")) == ["recalled", "again"]
                assert memory.asked
            bus.stop()
            patience(plugin, SHORT)
            assert contents(plugin.build_conversation_context("gone", "hall"))[-3:] == ["hi", "hello", "gone"]
    finally:
        plugin.close()
        bus.stop()

"""The parts of the persona plugin by themselves: its messages, its short-term history, its outbox, what it imports."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import anyio
import pytest
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

from ovos_memory_bus import errors
from ovos_memory_bus.persona import agent_messages
from ovos_memory_bus.persona.agent_messages import to_agent_messages, to_chat_messages
from ovos_memory_bus.persona.outbox import MAX_REFUSALS, Outbox, Recording
from ovos_memory_bus.persona.short_term import MAX_TALKS, ShortTermHistory
from ovos_memory_bus.records import ChatMessage

USER, ASSISTANT = MessageRole.USER, MessageRole.ASSISTANT
HALL = ("hall", None)


def said(*texts: str) -> list[ChatMessage]:
    """Turns that begin with the user's and alternate."""
    return [ChatMessage(("user", "assistant")[index % 2], text) for index, text in enumerate(texts)]


@pytest.mark.parametrize("module", ["ovos_memory_bus.persona", "ovos_memory_bus.client"])
def test_importing_is_cheap(module: str) -> None:
    heavy = {"onnxruntime", "hnswlib", "aiosqlite", "tokenizers", "numpy"}
    # numpy comes with ovos-plugin-manager, which every persona has loaded already
    before = "import sys, ovos_plugin_manager.templates.agents; before = set(sys.modules)"
    code = f"{before}; import {module}; print(sorted({heavy!r} & (set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_skill_does_not_pay_for_aiohttp() -> None:
    code = "import sys, ovos_memory_bus.client; print('aiohttp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_tool_messages_become_agent_messages() -> None:
    call = {"id": "c1", "name": "search_memory", "arguments": {"query": "x"}}
    openai = {"id": "c2", "type": "function", "function": {"name": "other", "arguments": '{"a": 1}'}}
    messages = to_agent_messages(
        [
            ChatMessage("assistant", "", tool_calls=(call, openai)),
            ChatMessage("tool", "found", name="search_memory", tool_call_id="c1"),
        ]
    )
    assert [(entry.id, entry.name, entry.arguments) for entry in messages[0].tool_calls] == [
        ("c1", "search_memory", {"query": "x"}),
        ("c2", "other", {"a": 1}),
    ]
    assert (messages[1].role, messages[1].tool_call_id, messages[1].content) == (MessageRole.TOOL, "c1", "found")


def test_an_old_agent_message_carries_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    roles = {role: value for role, value in agent_messages._ROLES.items() if role != "tool"}
    monkeypatch.setattr(agent_messages, "_ROLES", roles)
    monkeypatch.setattr(agent_messages, "_FIELDS", {"role", "content"})
    monkeypatch.setattr(agent_messages, "KNOWS_TOOLS", False)
    messages = to_agent_messages([ChatMessage("tool", "found"), ChatMessage("user", "hi", name="alice")])
    assert messages == [AgentMessage(role=USER, content="hi")]


def test_only_what_was_said_is_recorded() -> None:
    messages = [
        AgentMessage(USER, "hi"),
        AgentMessage(MessageRole.TOOL, "42"),
        AgentMessage(ASSISTANT, "  "),
        AgentMessage(ASSISTANT, "hello"),
    ]
    assert to_chat_messages(messages) == said("hi", "hello")


def test_the_seed_context_from_the_short_term_history() -> None:
    short_term = ShortTermHistory(10)
    short_term.add(HALL, said("hi", "hello"))
    context = short_term.context(HALL, " how are you? ", "You are helpful.")
    assert [message.role for message in context] == ["system", "user", "assistant", "user"]
    assert context[-1].content == "how are you?"


def test_short_term_histories_are_apart_cut_and_bounded() -> None:
    short_term = ShortTermHistory(2)
    short_term.add(HALL, said("one", "first", "two", "second"))
    assert [message.content for message in short_term.messages(HALL)] == ["two", "second"]
    assert short_term.messages(("hall", "alice")) == []
    for number in range(MAX_TALKS):
        short_term.add((f"s{number}", None), said("x"))
    assert short_term.messages(HALL) == []


def test_what_the_memory_forgot_or_was_told_not_to_keep_is_dropped() -> None:
    short_term = ShortTermHistory(10)
    kept = short_term.add(HALL, said("my pin is 1234", "noted"))
    short_term.stored(kept, ("a", "b"))
    paused = short_term.add(HALL, said("and this is private", "fine"))
    short_term.stored(paused, ())
    assert [message.content for message in short_term.messages(HALL)] == ["my pin is 1234", "noted"]
    short_term.forget(["a", "b", "unknown"])
    assert short_term.messages(HALL) == []


def test_what_may_have_been_forgotten_out_of_hearing_is_compared() -> None:
    short_term = ShortTermHistory(10)
    short_term.stored(short_term.add(HALL, said("one", "first")), ("a", "b"))
    short_term.doubt()
    short_term.add(HALL, said("two", "second"))
    assert short_term.doubts(HALL)
    assert not short_term.doubts(("cellar", None))
    short_term.confirm(HALL, {"a"})
    assert not short_term.doubts(HALL)
    assert [message.content for message in short_term.messages(HALL)] == ["two", "second"]
    assert [turn.content for turn in short_term._said(HALL)] == ["one", "two", "second"]


class Service:
    """Sends by script: each attempt takes the next answer, an error to raise or the ids; then it always stores."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.sent = list(answers), []

    async def send(self, recording: Recording) -> tuple[str, ...]:
        self.sent.append(recording.request_id)
        answer = self.answers.pop(0) if self.answers else ("id",)
        if isinstance(answer, BaseException):
            raise answer
        if answer == "silence":
            await anyio.sleep_forever()
        return answer


def recording(name: str) -> Recording:
    return Recording({"session_id": "hall"}, [{"role": "user", "content": name}], request_id=name)


async def deliver(service: Service, *recordings: Recording, limit: int = 100, retries: int = 1) -> None:
    """Send all of them, with as many retries as there are failures."""
    outbox = Outbox(service.send, limit)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outbox.run)
        for entry in recordings:
            outbox.put(entry)
        with anyio.fail_after(30):
            while len(outbox):
                outbox.retry()
                await anyio.lowlevel.checkpoint()
            await outbox.settled()
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_recordings_arrive_in_order_with_the_id_of_their_first_attempt() -> None:
    service = Service(("one",), errors.BusUnavailable("away"), errors.StorageFull("full"), "silence")
    first, second = recording("first"), recording("second")
    await deliver(service, first, second)
    assert first.stored.result(0) == ("one",)
    assert second.stored.result(0) == ("id",)
    assert list(dict.fromkeys(service.sent)) == ["first", "second"]
    assert service.sent.count("second") >= 4


@pytest.mark.anyio
async def test_what_can_never_be_stored_does_not_block_the_rest() -> None:
    failing = [errors.MemoryBusError("a bug")] * MAX_REFUSALS
    service = Service(errors.InvalidRequest("too long", "content"), *failing)
    refused, failed, good = recording("refused"), recording("failed"), recording("good")
    await deliver(service, refused, failed, good)
    assert isinstance(refused.stored.exception(0), errors.InvalidRequest)
    assert isinstance(failed.stored.exception(0), errors.MemoryBusError)
    assert good.stored.result(0) == ("id",)


@pytest.mark.anyio
async def test_the_queue_is_bounded_and_the_oldest_goes_first() -> None:
    oldest, middle, newest = recording("1"), recording("2"), recording("3")
    outbox = Outbox(Service().send, 2)
    for entry in (oldest, middle, newest):
        outbox.put(entry)
    assert len(outbox) == 2
    assert isinstance(oldest.stored.exception(0), errors.Busy)
    assert not middle.stored.done()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"

"""`observe: true` over a real bus: the frames of a turn as ovos-core sends them, by ovos-bus-client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from daemon import KEYWORDS_ONLY, Daemon
from ovos_bus_client import MessageBusClient
from rig import Bus
from turns import Turn, history, recorded
from wire import Wire

CONFIG = {**KEYWORDS_ONLY, "observe": True, "observe_blocklist": ["skill-bank.acme"]}


@pytest.fixture(scope="module")
def core(shared_bus: Bus) -> Iterator[MessageBusClient]:
    with shared_bus.client() as client:
        yield client


@pytest.mark.parametrize(
    ("entry", "speak"),
    [
        (("recognizer_loop:utterance",), ("speak",)),
        (("ovos.utterance.handle",), ("ovos.utterance.speak",)),
        (("ovos.utterance.handle", "recognizer_loop:utterance"), ("ovos.utterance.speak", "speak")),
    ],
)
def test_a_skills_turn_is_remembered_once(
    memory: Daemon, core: MessageBusClient, wire: Wire, entry: tuple[str, ...], speak: tuple[str, ...]
) -> None:
    session_id = "-".join(entry)
    turn = Turn(core, session_id, "what is the capital of Portugal", topics=entry)
    turn.speak("Lisbon", *speak)
    turn.speak("it lies on the Tagus", *speak)
    turn.end()
    answer = "Lisbon\nit lies on the Tagus"
    assert recorded(wire, session_id, answer) == [("user", "what is the capital of Portugal"), ("assistant", answer)]
    session = {"session_id": session_id}
    items = wire.do("memory.item.list", {"order": "asc"}, session)["items"]
    assert [(item["role"], item["content"], item["lang"]) for item in items] == [
        ("user", "what is the capital of Portugal", "en-US"),
        ("assistant", "Lisbon", "en-US"),
        ("assistant", "it lies on the Tagus", "en-US"),
    ]
    assert "Lisbon" in wire.recalled("which river does the capital of Portugal lie on", session)


def test_what_is_cancelled_blocked_or_paused_is_not(memory: Daemon, core: MessageBusClient, wire: Wire) -> None:
    Turn(core, "den", "buy a never mind").end("ovos.utterance.cancelled")
    banking = Turn(core, "den", "what is on my account")
    banking.speak("ten thousand", skill="skill-bank.acme")
    banking.end()
    wire.do("memory.pause", {}, {"session_id": "attic"})
    hidden = Turn(core, "attic", "where did I hide the present")
    hidden.speak("under the stairs")
    hidden.end()
    last = Turn(core, "den", "what time is it")
    last.speak("nine")
    last.end()
    assert recorded(wire, "den", "nine") == [("user", "what time is it"), ("assistant", "nine")]
    assert history(wire, "attic") == []


def test_a_turn_that_the_personas_plugin_records_too_is_kept_once(
    memory: Daemon, core: MessageBusClient, shared_bus: Bus, wire: Wire
) -> None:
    from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

    from ovos_memory_bus.persona import MemoryBusPlugin

    plugin = MemoryBusPlugin({"timeout": 20, "host": "127.0.0.1", "port": shared_bus.port, "route": "/core"})
    turn = Turn(core, "salon", "Tell me about herons")
    assert plugin.build_conversation_context("tell me about herons", "salon")[-1].content == "tell me about herons"
    turn.speak("They stand.", skill="persona.openvoiceos")
    turn.speak("They wait.", skill="persona.openvoiceos")
    turn.end()
    plugin.update_history(
        [
            AgentMessage(role=MessageRole.USER, content="tell me about herons"),
            AgentMessage(role=MessageRole.ASSISTANT, content="They stand. They wait."),
        ],
        "salon",
    )
    skills = Turn(core, "salon", "what time is it")
    skills.speak("nine")
    skills.end()
    told = recorded(wire, "salon", "nine")
    plugin.close()
    assert told == [
        ("user", "tell me about herons"),
        ("assistant", "They stand. They wait."),
        ("user", "what time is it"),
        ("assistant", "nine"),
    ]


def test_frames_of_any_shape_cost_nothing(memory: Daemon, wire: Wire) -> None:
    odd: list[Any] = [None, [], "x", 7, {"utterances": 3}, {"utterances": [None]}, {"utterance": ["a"]}, {"meta": 1}]
    for topic in ("recognizer_loop:utterance", "ovos.utterance.handle", "speak", "ovos.utterance.handled"):
        for data in odd:
            wire.send(topic, data, {"session": {"session_id": "odd"}})
        wire.send(topic, {}, {"session": {"session_id": 3, "user_id": []}})
    assert history(wire, "odd") == []

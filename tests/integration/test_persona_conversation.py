"""A real persona with our plugin and an OpenAI-compatible chat engine remembers over a real bus and service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from daemon import KEYWORDS_ONLY, StartService
from ovos_bus_client.session import Session
from ovos_persona import Persona
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole
from rig import Bus

ENGINE = "ovos-chat-openai-plugin"
PLUGIN = "ovos-memory-bus-plugin"


class ChatStub(ThreadingHTTPServer):
    """Speaks the chat protocol; answers from nothing but the messages it is sent, all of which it keeps."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _ChatHandler)
        self.prompts: list[list[dict[str, Any]]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, messages: list[dict[str, Any]]) -> str:
        self.prompts.append(messages)
        if not messages[-1]["content"].endswith("called?"):
            return "noted"
        names = re.findall(r"my cat is called (\w+)", " ".join(message["content"] or "" for message in messages))
        return f"your cat is called {names[0]}" if names else "I do not know"


class _ChatHandler(BaseHTTPRequestHandler):
    server: ChatStub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": self.server.answer(body["messages"])}
        data = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Tests are read without an access log."""


@pytest.fixture
def chat() -> Iterator[ChatStub]:
    with ChatStub() as stub:
        Thread(target=stub.serve_forever, daemon=True).start()
        yield stub
        stub.shutdown()


class Talk:
    """A persona and a user who talk in one session, as ovos-persona's service lets them."""

    def __init__(self, bus: Bus, chat: ChatStub, session_id: str, **memory: Any) -> None:
        address = {"host": "127.0.0.1", "port": bus.port, "route": "/core"}
        config = {
            "name": "Echo",
            "handlers": [ENGINE],
            ENGINE: {"api_url": chat.url, "key": "none", "model": "stub", "allow_system_prompts": True},
            "memory_module": PLUGIN,
            PLUGIN: {"timeout": 20, **address, **memory},
        }
        self.persona, self.session = Persona("Echo", config), Session(session_id)

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        self.persona.memory.close()

    def say(self, utterance: str) -> str:
        messages = self.persona.get_messages(utterance, self.session)
        answer = self.persona.chat(messages, self.session)
        exchange = [AgentMessage(MessageRole.USER, utterance), AgentMessage(MessageRole.ASSISTANT, answer)]
        self.persona.memory.update_history(exchange, self.session.session_id)
        return str(answer)


def test_turn_two_uses_turn_one_and_survives_a_restart(shared_bus: Bus, chat: ChatStub, service: StartService) -> None:
    memory = service(config=KEYWORDS_ONLY)
    with Talk(shared_bus, chat, "hall", system_prompt="You are helpful.") as talk:
        assert talk.say("my cat is called Moritz") == "noted"
        assert talk.say("how is my cat called?") == "your cat is called Moritz"
        memory.kill()
        memory.start()
        assert talk.say("and today, how is it called?") == "your cat is called Moritz"
    with Talk(shared_bus, chat, "hall") as next_day:  # a persona that has heard nothing itself
        assert next_day.say("how is my cat called?") == "your cat is called Moritz"
    with Talk(shared_bus, chat, "somebody else's") as other:
        assert other.say("how is my cat called?") == "I do not know"


def test_the_context_of_the_second_turn(shared_bus: Bus, chat: ChatStub, service: StartService) -> None:
    service(config=KEYWORDS_ONLY)
    with Talk(shared_bus, chat, "hall", system_prompt="You are helpful.") as talk:
        talk.say("hi")
        talk.say("how are you?")
    assert [(message["role"], message["content"]) for message in chat.prompts[-1]] == [
        ("system", "You are helpful."),
        ("user", "hi"),
        ("assistant", "noted"),
        ("user", "how are you?"),
    ]


def test_an_outage_loses_nothing(shared_bus: Bus, chat: ChatStub, service: StartService) -> None:
    memory = service(config=KEYWORDS_ONLY)
    with Talk(shared_bus, chat, "hall") as talk:
        talk.say("hi")
        memory.stop()
        plugin = talk.persona.memory
        plugin.settings = replace(plugin.settings, timeout=0.3)
        assert talk.say("my cat is called Moritz") == "noted"
        assert talk.say("how is my cat called?") == "your cat is called Moritz"
        plugin.settings = replace(plugin.settings, timeout=20)
        memory.start()
        assert talk.say("after all that, how is it called?") == "your cat is called Moritz"
    with Talk(shared_bus, chat, "hall") as next_day:
        assert next_day.say("how is my cat called?") == "your cat is called Moritz"
        history = [message.content for message in next_day.persona.memory.get_history("hall")]
    assert history[:4] == ["hi", "noted", "my cat is called Moritz", "noted"]

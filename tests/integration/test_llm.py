"""Facts and summaries with a language model: a real HTTP endpoint that answers well, badly, late or not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from daemon import StartService
from wire import Wire

TURN = "between us folks simply say Quill when they mean me"
GOOD = [{"category": "nickname", "subject": "user", "value": "Quill", "sentence": "People call the user Quill."}]
Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Speaks the chat protocol as far as the server's `answer` says."""

    server: Endpoint

    def do_GET(self) -> None:
        self.reply(200, json.dumps({"data": [{"id": "tiny"}]}))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.answer(self)
        self.server.answered.release()

    def say(self, text: str) -> None:
        self.reply(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}))

    def reply(self, status: int, body: str) -> None:
        encoded = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are asserted on, not printed."""


class Endpoint(ThreadingHTTPServer):
    """A chat endpoint on a free port; `asked` holds the requests, `answered` is released after each answer."""

    daemon_threads = True

    def __init__(self, answer: Answer, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.answered = threading.Semaphore(0)
        self.stopped = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def close(self) -> None:
        self.stopped.set()
        self.shutdown()
        self.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint(lambda handler: handler.say("[]"))
    yield server
    server.close()


def config(url: str, **llm: Any) -> dict[str, Any]:
    return {"backends": ["recency", "lexical", "facts", "summary"], "llm": {"api_url": url, "timeout": 2.0, **llm}}


def values(wire: Wire, session: dict[str, str]) -> list[str]:
    items = wire.do("memory.item.list", {"kind": "fact"}, session)["items"]
    return [item["metadata"]["value"] for item in items if item["metadata"]["valid_to"] is None]


def failing(wire: Wire) -> bool:
    return any(backend.get("failing") for backend in wire.do("memory.backends")["backends"])


@pytest.mark.parametrize(
    "text",
    [json.dumps(GOOD), f"Sure! Here is what I found [as asked]:\n```json\n{json.dumps(GOOD)}\n```\nAnything else?"],
)
def test_a_good_answer_becomes_a_fact_also_amid_prose(
    service: StartService, wire: Wire, endpoint: Endpoint, text: str
) -> None:
    endpoint.answer = lambda handler: handler.say(text)
    service(config=config(endpoint.url))
    here = {"session_id": "llm-good"}
    wire.say(TURN, session=here)
    wire.settle()
    assert values(wire, here) == ["Quill"]
    assert endpoint.asked[0]["model"] == "tiny"  # found by /models
    assert any(message["content"] == TURN for message in endpoint.asked[0]["messages"])
    facts = wire.recall("what do people call me", here)["facts"]
    assert [fact["content"] for fact in facts] == ["People call the user Quill."]


def hang(handler: Handler) -> None:
    handler.server.stopped.wait(20)
    handler.close_connection = True


BAD: dict[str, Answer] = {
    "half JSON": lambda handler: handler.say(json.dumps(GOOD)[:-4]),
    "prose": lambda handler: handler.say("I could not find anything that matters."),
    "error 500": lambda handler: handler.reply(500, "oops"),
    "no JSON at all": lambda handler: handler.reply(200, "<html>"),
    "a megabyte of brackets": lambda handler: handler.say("[" * 1_000_000),
    "hangs": hang,
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD.keys())
def test_case_18_nonsense_costs_no_fact_and_the_job_is_kept(
    service: StartService, wire: Wire, endpoint: Endpoint, answer: Answer
) -> None:
    endpoint.answer = answer
    daemon = service(config=config(endpoint.url))
    here = {"session_id": "llm-bad"}
    wire.say("my name is Rowan", session=here)
    if answer is not hang:
        assert endpoint.answered.acquire(timeout=60)
    wire.until(lambda: failing(wire), "the endpoint's failure was not noticed")
    wire.until(lambda: values(wire, here) == ["Rowan"], "what the device read does not stand")
    status = wire.do("memory.status")
    assert status["queue"]["pending"] >= 1  # the work is kept
    assert "Traceback" not in daemon.logged()


def test_an_endpoint_away_at_the_start_is_used_when_it_comes(service: StartService, wire: Wire, tmp_path: Any) -> None:
    placeholder = Endpoint(lambda handler: None)
    port = placeholder.server_address[1]
    url = placeholder.url
    placeholder.close()
    daemon = service(config=config(url))
    here = {"session_id": "llm-late"}
    wire.say(TURN, session=here)
    wire.until(lambda: failing(wire), "the endpoint's failure was not noticed")
    assert values(wire, here) == []
    late = Endpoint(lambda handler: handler.say(json.dumps(GOOD)), port)
    try:
        daemon.stop()
        daemon.start()  # the job outlives the service, and is done when its time has come
        wire.settle()
        assert values(wire, here) == ["Quill"]
    finally:
        late.close()


def test_what_the_user_said_later_is_not_overruled(service: StartService, wire: Wire, endpoint: Endpoint) -> None:
    older = [{"category": "home", "subject": "user", "value": "Leith", "sentence": "The user lives in Leith."}]
    gate = threading.Event()

    def answer(handler: Handler) -> None:
        gate.wait(20)
        first = "Leith" in handler.server.asked[-1]["messages"][-1]["content"]
        handler.say(json.dumps(older if first else []))

    endpoint.answer = answer
    service(config=config(endpoint.url, timeout=30.0))
    here = {"session_id": "llm-later"}
    wire.say("home for me is that narrow place in Leith", session=here)
    wire.say("I live in Dundee", session=here)
    wire.until(lambda: "Dundee" in values(wire, here), "the device did not read the turn")
    gate.set()
    wire.settle()
    assert values(wire, here) == ["Dundee"]


def test_the_models_summary_takes_the_place_of_the_devices(
    service: StartService, wire: Wire, endpoint: Endpoint
) -> None:
    text = "They plan a trip to Norway in June and have booked the ferry."
    endpoint.answer = lambda handler: handler.say(
        text if "Summarise" in handler.server.asked[-1]["messages"][0]["content"] else "[]"
    )
    service(config={**config(endpoint.url), "summary": {"recent_window": 2, "summarize_every": 4}})
    here = {"session_id": "llm-summary"}
    for day in range(8):
        wire.say(f"on day {day} of our trip to Norway we take the ferry number {day}", session=here)
    wire.settle()
    assert wire.recall("what are our plans", here)["summary"] == text
    wire.do("memory.forget", {"what": "session"}, here)
    assert wire.recall("what are our plans", here)["summary"] is None


def test_a_forgotten_fact_does_not_come_back_in_the_models_words(
    service: StartService, wire: Wire, endpoint: Endpoint
) -> None:
    endpoint.answer = lambda handler: handler.reply(500, "not now")
    service(config=config(endpoint.url))
    here = {"session_id": "llm-forgotten"}
    (turn,) = wire.say("My name is Ravi", session=here, lang="en")
    assert endpoint.answered.acquire(timeout=60)
    (fact,) = wire.until(lambda: wire.do("memory.item.list", {"kind": "fact"}, here)["items"], "no fact was drawn")
    wire.do("memory.forget", {"what": "ids", "ids": [fact["id"]]}, here)
    entry = {"category": "name", "subject": "user", "value": "Ravi", "sentence": "Ravi is what the user is called."}
    elsewhere = {**entry, "category": "nickname"}
    endpoint.answer = lambda handler: handler.say(json.dumps([entry, elsewhere]))
    asked = len(endpoint.asked)
    wire.do("memory.item.update", {"id": turn, "content": "My name is Ravi!"}, here)
    wire.settle()
    assert len(endpoint.asked) > asked
    assert values(wire, here) == []


def test_a_fact_forgotten_while_the_model_thinks_does_not_come_back(
    service: StartService, wire: Wire, endpoint: Endpoint
) -> None:
    forgotten = threading.Event()

    def answer(handler: Handler) -> None:
        forgotten.wait(60)
        entry = {"category": "name", "subject": "user", "value": "Ravi", "sentence": "The user is Ravi."}
        handler.say(json.dumps([entry]))

    endpoint.answer = answer
    service(config=config(endpoint.url, timeout=60.0))
    here = {"session_id": "llm-race"}
    wire.say("My name is Ravi", session=here, lang="en")
    (fact,) = wire.until(lambda: wire.do("memory.item.list", {"kind": "fact"}, here)["items"], "no fact was drawn")
    wire.until(lambda: endpoint.asked, "the model was never asked")
    wire.do("memory.item.delete", {"id": fact["id"]}, here)
    forgotten.set()
    wire.settle()
    assert values(wire, here) == []

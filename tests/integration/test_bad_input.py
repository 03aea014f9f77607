"""Requests that are wrong, hostile or huge, over a real bus: each has the protocol's answer and costs nobody else."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from daemon import Daemon, needs_model
from wire import Data, Wire, contents, said

from ovos_memory_bus.bus import UNDECODED

CONFIG = {"allow_forget_all": True}
HERE = {"session_id": "bad-input"}

# what is refused for a key of each kind; JSON has no other values than these sorts
WRONG: dict[str, list[Any]] = {
    "text": [7, 1.5, True, [], ["a"], {}],
    "label": [7, True, [], {"a": 1}, "x" * 1_001],
    "identifier": [7, True, [], {"a": 1}, "x" * 1_001, "\x00", "a\x00b", "half \ud83d of it"],
    "number": ["1", True, [], {}, float("nan"), float("inf"), 10**400],
    "integer": ["1", 1.5, True, [], {}, -1, 10**400],
    "flag": [0, 1, "true", [], {}],
    "choice": [7, True, [], {}, "", "none of these"],
    "texts": ["a", 7, {}, [1], ["a", None]],
    "object": ["a", 7, True, [], [["a", 1]], {"a": float("nan")}, {"text": "x" * 65_000}],
    "conditions": [
        "a",
        7,
        [],
        {"a": float("nan")},
        {"a\x00": 1},
        {"a": "\x00"},
        {"a": [{"b": "\ud83d"}]},
        {"\udc00": 1},
    ],
    "list": ["a", 7, True, {}],
    "time": [True, [], {}, "", "yesterday", "2026-13-01", "2026-02-30T10:00:00Z", "0001-01-01T00:00:00+14:00", 1e300],
    "vector": ["a", 7, {}, [], ["a"], [True], [0.0, 0.0], [1.0, float("nan")], [float("inf")], [1.0, 10**400]],
}

FILTER = {
    "agent_id": "identifier",
    "graph_id": "identifier",
    "task_id": "identifier",
    "session_id": "identifier",
    "kind": "choice",
    "metadata": "conditions",
    "since": "time",
    "until": "time",
}

# topic: (a request that is answered well, the kind of each key)
REQUESTS: dict[str, tuple[Data, dict[str, str]]] = {
    "memory.context.request": (
        {"utterance": "hello"},
        {
            "utterance": "text",
            "lang": "label",
            "timeout": "number",
            "max_results": "integer",
            "min_score": "number",
            "backends": "texts",
            "scope": "choice",
            "inject_mode": "choice",
            "header": "text",
            "chunk_prefix": "text",
            "chunk_separator": "text",
            "include_sources": "flag",
            "tool_name": "text",
            "system_prompt": "text",
            "system_prompt_template": "text",
            "user_template": "text",
            "max_history": "integer",
            "query_mode": "choice",
            "query_history_turns": "integer",
            "fusion": "choice",
            "rrf_k": "integer",
            "weights": "object",
            "members": "list",
            "primary": "label",
            "since": "time",
            "until": "time",
            "now": "time",
            "agent_id": "identifier",
            "graph_id": "identifier",
            "task_id": "identifier",
        },
    ),
    "memory.update": (
        said("hello"),
        {
            "messages": "list",
            "lang": "label",
            "agent_id": "identifier",
            "graph_id": "identifier",
            "task_id": "identifier",
            "metadata": "object",
        },
    ),
    "memory.history.get": ({}, {"limit": "integer", "agent_id": "identifier"}),
    "memory.item.add": (
        {"content": "hello"},
        {
            "content": "text",
            "metadata": "object",
            "agent_id": "identifier",
            "graph_id": "identifier",
            "task_id": "identifier",
            "lang": "label",
            "kind": "choice",
        },
    ),
    "memory.item.remember": ({"content": "hello", "role": "user"}, {"content": "text", "role": "choice"}),
    "memory.item.get": ({"id": "?"}, {"id": "label", "include_embedding": "flag"}),
    "memory.item.list": (
        {},
        {
            **FILTER,
            "limit": "integer",
            "offset": "integer",
            "page_size": "integer",
            "order_by": "choice",
            "order": "choice",
            "include_embedding": "flag",
        },
    ),
    "memory.item.search": (
        {"query": "hello"},
        {
            **FILTER,
            "query": "text",
            "limit": "integer",
            "similarity_threshold": "number",
            "use_embedding": "flag",
            "order_by": "choice",
        },
    ),
    "memory.item.similar": (
        {"query": "hello"},
        {**FILTER, "query": "text", "similarity_threshold": "number", "limit": "integer", "metric": "choice"},
    ),
    "memory.item.update": ({"id": "?", "content": "hello"}, {"id": "label", "content": "text", "metadata": "object"}),
    "memory.item.delete": ({"id": "?"}, {"id": "label"}),
    "memory.item.embed": ({"id": "?"}, {"id": "label", "force": "flag"}),
    "memory.item.clear": ({"agent_id": "nobody"}, {**FILTER, "sync_context": "flag"}),
    "memory.forget": (
        {"what": "query", "query": "zzz", "dry_run": True},
        {"what": "choice", "query": "text", "dry_run": "flag", "reason": "label"},
    ),
    "memory.pause": ({"duration": 0.01}, {"duration": "number"}),
    "memory.resume": ({}, {}),
    "memory.status": ({}, {}),
    "memory.backends": ({}, {}),
    "mycroft.memory.is_alive": ({}, {}),
    "mycroft.memory.is_ready": ({}, {}),
}
REQUIRED = {
    "memory.context.request": ["utterance"],
    "memory.update": ["messages"],
    "memory.item.add": ["content"],
    "memory.item.remember": ["content", "role"],
    "memory.item.get": ["id"],
    "memory.item.search": ["query"],
    "memory.item.similar": ["query"],
    "memory.item.update": ["id", "content"],
    "memory.item.delete": ["id"],
    "memory.item.embed": ["id"],
    "memory.forget": ["what", "query"],
}


def without_id(answer: Data) -> Data:
    return {key: value for key, value in answer.items() if key not in ("request_id", "took")}


@pytest.mark.parametrize("topic", REQUESTS)
def test_a_wrong_value_is_named(memory: Daemon, wire: Wire, topic: str) -> None:
    good, keys = REQUESTS[topic]
    tries = [(key, value) for key, kind in keys.items() for value in WRONG[kind]]
    answers = wire.ask_all([(topic, {**good, key: value}, HERE) for key, value in tries])
    for (key, value), answer in zip(tries, answers, strict=True):
        error = answer.get("error", {})
        shown = json.dumps(value)[:60]
        assert error.get("code") == "invalid_request", f"{key}={shown}: {answer}"
        assert error["field"] == key, f"{key}={shown}: {error}"
        assert key in error["message"]


@needs_model
@pytest.mark.parametrize("vector", WRONG["vector"], ids=lambda value: json.dumps(value)[:20])
def test_an_embedding_that_is_none_is_refused(memory: Daemon, wire: Wire, vector: Any) -> None:
    error = wire.ask("memory.item.similar", {"embedding": vector}, HERE)["error"]
    assert (error["code"], error["field"]) == ("invalid_request", "embedding")


@needs_model
def test_an_embedding_of_another_length_is_refused_with_the_right_one(memory: Daemon, wire: Wire) -> None:
    error = wire.ask("memory.item.similar", {"embedding": [0.5] * 3}, HERE)["error"]
    assert (error["code"], error["field"]) == ("invalid_request", "embedding")
    assert "384" in error["message"]


@needs_model
@pytest.mark.parametrize("size", [1e308, 1e39, 1e-300, -1e308])
def test_an_embedding_of_any_finite_size_is_a_direction(memory: Daemon, wire: Wire, size: float) -> None:
    wire.add("A note to be near to", HERE)
    wire.settle()
    items = wire.do("memory.item.similar", {"embedding": [size] * 384, "similarity_threshold": 0.0}, HERE)["items"]
    assert items
    assert all(0.0 <= item["similarity"] <= 1.0 for item in items)


@pytest.mark.parametrize("topic", REQUIRED)
def test_a_missing_key_is_named(memory: Daemon, wire: Wire, topic: str) -> None:
    good, _ = REQUESTS[topic]
    for key in REQUIRED[topic]:
        rest = {name: value for name, value in good.items() if name != key}
        for data in (rest, {**rest, key: None}):
            error = wire.ask(topic, data, HERE)["error"]
            assert (error["code"], error["field"]) == ("invalid_request", key)


@pytest.mark.parametrize("topic", REQUESTS)
def test_unknown_keys_change_nothing(memory: Daemon, wire: Wire, topic: str) -> None:
    good, _ = REQUESTS[topic]
    unknown = {"owner": "user:other", "__class__": {}, "limitt": [], "0": None, "session": {"session_id": "other"}}
    plain, odd = wire.ask(topic, good, HERE), wire.ask(topic, {**good, **unknown}, HERE)
    assert ("error" in plain) == ("error" in odd)
    assert without_id(plain).keys() == without_id(odd).keys()


@pytest.mark.parametrize("topic", REQUESTS)
@pytest.mark.parametrize("request_id", [7, ["a"], {"a": 1}, True])
def test_a_request_id_that_is_no_text_is_refused(memory: Daemon, wire: Wire, topic: str, request_id: Any) -> None:
    seen = len(wire.frames)
    wire.send(topic, {**REQUESTS[topic][0], "request_id": request_id}, {"session": HERE})
    wire.ask("memory.status")
    answers = [f["data"] for f in wire.frames[seen:] if f["type"] == topic + ".response"]
    assert len(answers) == 1
    assert answers[0]["error"]["field"] == "request_id"


MESSAGES: list[tuple[Any, str]] = [
    ([], "messages"),
    ([7], "messages.0"),
    (["hello"], "messages.0"),
    ([{"role": "user"}], "messages.0.content"),
    ([{"content": "hello"}], "messages.0.role"),
    ([{"role": "king", "content": "hello"}], "messages.0.role"),
    ([{"role": "user", "content": "hello"}, {"role": "user", "content": 7}], "messages.1.content"),
    ([{"role": "user", "content": "hello", "created_at": "soon"}], "messages.0.created_at"),
    ([{"role": "user", "content": "hello", "name": 7}], "messages.0.name"),
    ([{"role": "user", "content": "hello", "metadata": []}], "messages.0.metadata"),
    ([{"role": "user", "content": " "}], "messages.0.content"),
]


@pytest.mark.parametrize(("messages", "field"), MESSAGES)
def test_one_wrong_message_stores_nothing_of_an_update(
    memory: Daemon, wire: Wire, messages: list[Any], field: str
) -> None:
    here = {"session_id": "bad-messages"}
    error = wire.ask("memory.update", {"messages": messages}, here)["error"]
    assert (error["code"], error["field"]) == ("invalid_request", field)
    assert wire.do("memory.item.list", {}, here)["total"] == 0


def test_since_after_until_is_refused_everywhere(memory: Daemon, wire: Wire) -> None:
    span = {"since": "2026-03-01T00:00:00Z", "until": "2026-02-01"}
    for topic, (good, keys) in REQUESTS.items():
        if "since" in keys:
            error = wire.ask(topic, {**good, **span}, HERE)["error"]
            assert (error["code"], error["field"]) == ("invalid_request", "since")


def test_a_time_with_and_without_a_zone(memory: Daemon, wire: Wire) -> None:
    here = {"session_id": "zones"}
    for content, moment in (
        ("utc", "2026-06-01T12:00:00Z"),
        ("naive", "2026-06-01T12:00:00"),
        ("east", "2026-06-01T14:00:00+02:00"),
        ("fraction", "2026-06-01T12:00:00.123456789Z"),
        ("seconds", 1780315200),
    ):
        wire.do("memory.update", {"messages": [{"role": "user", "content": content, "created_at": moment}]}, here)
    span = {"since": "2026-06-01T08:00:00-04:00", "until": "2026-06-01T12:00:01"}
    items = wire.do("memory.item.list", {**span, "order": "asc"}, here)["items"]
    assert contents(items) == ["utc", "naive", "east", "seconds", "fraction"]
    assert items[0]["created_at"] == "2026-06-01T12:00:00.000000Z"
    assert items[-1]["created_at"] == "2026-06-01T12:00:00.123456Z"


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 0, -62135596800])
@pytest.mark.parametrize(
    "utterance", ["what did I say yesterday", "what happens next week", "what was it 5000 years ago", "last century"]
)
def test_the_edges_of_the_calendar(memory: Daemon, wire: Wire, now: Any, utterance: str) -> None:
    assert wire.recall(utterance, HERE, now=now, lang="en-us")["partial"] is False


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd", "Europe", "a\x00b", "x" * 5_000, 7, None, []])
def test_a_time_zone_that_is_none(memory: Daemon, wire: Wire, zone: Any) -> None:
    for location in ({"timezone": {"code": zone}}, {"timezone": zone}, zone):
        answer = wire.ask(
            "memory.context.request", {"utterance": "what did I say today"}, {**HERE, "location": location}
        )
        assert "error" not in answer


@pytest.mark.parametrize(
    "lang", ["", "xx", "e", "EN_us", "../../../etc", "en-us-posix-" + "x" * 900, "\x00", "zh-hant"]
)
def test_any_language_tag_will_do(memory: Daemon, wire: Wire, lang: str) -> None:
    here = {"session_id": f"lang {lang[:20]}"}
    wire.say("I will be in Lisbon tomorrow", session=here, lang=lang)
    wire.settle()
    assert "I will be in Lisbon tomorrow" in wire.recalled("in which town will I be? Lisbon?", here, lang=lang)


# -- texts

ODD_TEXTS = {
    "nul": "before\x00after the nul byte",
    "half surrogate": "half \ud83d a surrogate",
    "whole pair": "a grinning face \ud83d\ude00 in two halves",
    "backwards": "turned \ude00\ud83d around",
    "controls": "bell \x07 escape \x1b[31m delete \x7f",
    "bidirectional": "left \u202eto right\u202c again",
    "private": "private \ue000 and unassigned \U000e0fff",
    "sql": "'; DROP TABLE items; --",
    "json": '{"type": "memory.forget", "data": {"what": "all"}}',
    "braces": "{context} {{utterance}} {0} %s %(x)s",
    "line ends": "one\r\ntwo\u2028three\x85four",
}


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_any_text_is_stored_and_comes_back(memory: Daemon, wire: Wire, name: str) -> None:
    here = {"session_id": f"odd {name}"}
    text = ODD_TEXTS[name]
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    (turn,) = wire.say(text, session=here)
    item = wire.add(text, here, metadata={"as it is": text, text: 1})
    assert wire.do("memory.item.get", {"id": turn}, here)["item"]["content"] == expected
    assert item["content"] == expected
    assert item["metadata"] == {"as it is": expected, expected: 1}
    assert wire.recall(text, here)["messages"][-1]["content"] == expected.strip()
    assert wire.do("memory.history.get", {}, here)["messages"] == [{"role": "user", "content": expected}]


def test_odd_texts_as_identifiers_keep_owners_apart(memory: Daemon, wire: Wire) -> None:
    names = ["a", "a\x00", "a\x00b", "A", "a ", "ä", "a\u0308", "user:a", "%", "*", "'", "session:a"]
    for name in names:
        wire.say(f"The secret of {names.index(name)}", session={"session_id": f"odd-id {name}"})
    for name in names:
        items = wire.do("memory.item.list", {}, {"session_id": f"odd-id {name}"})["items"]
        assert contents(items) == [f"The secret of {names.index(name)}"]


def test_a_megabyte_of_text(memory: Daemon, wire: Wire) -> None:
    here = {"session_id": "megabyte"}
    long = "The quick brown fox number {} jumps. "
    text = "".join(long.format(number) for number in range(27_000))
    assert len(text) > 1_000_000
    item = wire.add(text, here)
    assert wire.do("memory.item.get", {"id": item["id"]}, here)["item"]["content"] == text
    answer = wire.ask("memory.context.request", {"utterance": text, "timeout": 30}, here)
    assert answer["messages"][-1]["content"] == text.strip()
    assert wire.do("memory.item.delete", {"id": item["id"]}, here)["deleted"] is True


@pytest.mark.parametrize("unit", ["a", "日", "👍🏽", "a\u0301", " ", "\n", '"', "1", "e\u200d", "(", "x y "])
def test_a_megabyte_of_one_sign(memory: Daemon, wire: Wire, unit: str) -> None:
    here = {"session_id": "monotony"}
    text = unit * (500_000 // len(unit)) + "end"
    answer = wire.ask("memory.context.request", {"utterance": text, "timeout": 30}, here)
    assert answer["messages"][-1]["content"] == text.strip()


def test_text_over_the_bound_is_refused(memory: Daemon, wire: Wire) -> None:
    text = "x" * 2_000_001
    for topic, data in (
        ("memory.item.add", {"content": text}),
        ("memory.update", said(text)),
        ("memory.context.request", {"utterance": text}),
    ):
        assert wire.ask(topic, data, HERE)["error"]["code"] == "invalid_request"


def test_metadata_has_its_bounds(memory: Daemon, wire: Wire) -> None:
    nested: Any = "deep"
    for _ in range(200):
        nested = {"in": nested}
    flat = {str(number): number for number in range(200_000)}
    for metadata in ({"a": nested}, flat, {"a": [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}):
        error = wire.ask("memory.item.add", {"content": "with metadata", "metadata": metadata}, HERE)["error"]
        assert (error["code"], error["field"]) == ("invalid_request", "metadata")
    fine = {"text": "x" * 50_000, "list": [{"a": None}, [], 1.5, True], "": "", "größe": "ß"}
    assert wire.add("with metadata", HERE, metadata=fine)["metadata"] == fine


def test_too_many_ids_at_once(memory: Daemon, wire: Wire) -> None:
    ids = [f"{number:036d}" for number in range(50_000)]
    error = wire.ask("memory.forget", {"what": "ids", "ids": ids}, HERE)["error"]
    assert (error["code"], error["field"]) == ("invalid_request", "ids")
    assert "10000" in error["message"]
    item = wire.add("Among many ids", HERE)
    answer = wire.do("memory.forget", {"what": "ids", "ids": [*ids[:9_998], item["id"], item["id"]]}, HERE)
    assert answer["ids"] == [item["id"]]


# -- sessions and frames


@pytest.mark.parametrize("session", ["default", 7, True, [], ["default"], [{}]])
def test_a_frame_whose_session_is_no_object_is_dropped(memory: Daemon, wire: Wire, session: Any) -> None:
    before = len(memory.logged())
    seen = len(wire.frames)
    wire.send("memory.update", {**said("never stored"), "request_id": "dropped"}, {"session": session})
    wire.ask("memory.status")
    assert [f for f in wire.frames[seen:] if f["type"] == "memory.update.response"] == []
    assert memory.logged()[before:].count("a malformed frame of ") == 1


@pytest.mark.parametrize("key", ["session_id", "user_id"])
@pytest.mark.parametrize("value", [7, True, [], {}, "x" * 1_001])
def test_an_identity_of_a_wrong_type_is_refused(memory: Daemon, wire: Wire, key: str, value: Any) -> None:
    error = wire.ask("memory.update", said("never stored"), {"auth_level": 3, key: value})["error"]
    assert (error["code"], error["field"]) == ("invalid_request", f"session.{key}")


MALFORMED = [
    "",
    "memory.status",
    "{",
    '{"type": "memory.status"',
    '["memory.status"]',
    '"memory.status"',
    "null",
    '{"type": null, "data": {}, "context": {}} "memory.status"',
    '{"type": ["memory.status"], "data": {}}',
    '{"data": {"memory": "memory.status"}}',
    '{"type": "memory.update", "data": "text", "context": {}}',
    '{"type": "memory.update", "data": 7, "context": {}}',
    '{"type": "memory.update", "data": {}, "context": "text"}',
    '{"type": "memory.echo", "data": {"name": {"a": []}}, "context": {}}',
    '{"type": "memory.item.add", "data": ' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "}",
    '{"type": "memory.item.add", "data": ' + "[" * 200_000,
    b"\xff\xfe\x00memory.status",
    b'{"type": "memory.status", "data": {"a": "\xff"}, "context": {}}',
]


@pytest.mark.parametrize("number", range(len(MALFORMED)))
def test_a_malformed_frame_costs_nobody_anything(memory: Daemon, shared_bus: Any, wire: Wire, number: int) -> None:
    with Wire(shared_bus.url) as hostile:
        hostile.send_raw(MALFORMED[number])
        hostile.send_raw('{"type": "a.harmless.one", "data": {}, "context": {}}')
    assert wire.do("mycroft.memory.is_alive")["status"] is True
    if UNDECODED or isinstance(MALFORMED[number], str):
        assert memory.logged().count("connected to the messagebus") == 1


@pytest.mark.parametrize("megabytes", [2, 24])
def test_large_frames_pass(memory: Daemon, shared_bus: Any, wire: Wire, megabytes: int) -> None:
    ballast = "x" * (megabytes * 1_000_000)
    with Wire(shared_bus.url) as heavy:
        heavy.send("memory.status", {"request_id": "heavy", "ballast": ballast}, {})
        assert heavy.seen("memory.status.response")[0]["request_id"] == "heavy"
        heavy.send("somebody.else", {"about": '"memory.status"', "ballast": ballast}, {})
        assert heavy.do("memory.status")["ready"] is True
    assert memory.logged().count("connected to the messagebus") == 1


def test_a_frame_over_the_bound_of_the_bus(memory: Daemon, shared_bus: Any, wire: Wire) -> None:
    with Wire(shared_bus.url) as heavy, suppress(OSError):  # the bus hangs up on who sends so much
        heavy.send("memory.item.add", {"content": "never", "ballast": "x" * 40_000_000}, {"session": HERE})
    assert wire.do("mycroft.memory.is_alive")["status"] is True
    assert memory.logged().count("connected to the messagebus") == 1

"""The HTTP API over a real service: the operations of the bus, whose memory is meant, recalls, export."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from daemon import KEYWORDS_ONLY, Daemon
from web_client import BASE, WEB, Browser
from wire import Wire, user

CONFIG = {**KEYWORDS_ONLY, "web": WEB, "allow_forget_all": True}


@pytest.fixture(scope="module")
def browser(memory: Daemon) -> Browser:
    return Browser.of(memory.data)


def test_an_item_lives_its_life_over_http(browser: Browser, wire: Wire) -> None:
    item = browser.do("item/add", {"content": "The spare key hangs in the shed"})["item"]
    assert browser.do("item/get", {"id": item["id"]})["item"] == item
    assert wire.do("memory.item.get", {"id": item["id"]})["item"] == item
    changed = browser.do("item/update", {"id": item["id"], "content": "The spare key hangs in the cellar"})["item"]
    assert changed["content"].endswith("cellar")
    found = browser.do("item/search", {"query": "spare key"})["items"]
    assert [one["id"] for one in found] == [item["id"]]
    assert browser.do("item/delete", {"id": item["id"]}) == {"deleted": True}
    gone = browser.post("item/get", {"id": item["id"]})
    assert (gone.status, gone.code) == (404, "not_found")


def test_a_context_is_answered_as_on_the_bus(browser: Browser, wire: Wire) -> None:
    wire.say("my bicycle is called Rocinante")
    asked = {"utterance": "what is my bicycle called", "timeout": 30}
    over_http, over_bus = browser.do("context/request", asked), wire.do("memory.context.request", asked)
    assert [hit["content"] for hit in over_http["hits"]] == [hit["content"] for hit in over_bus["hits"]]
    assert over_http["hits"][0]["content"] == "my bicycle is called Rocinante"
    assert over_http["messages"][-1] == {"role": "user", "content": "what is my bicycle called"}
    assert browser.do("history/get")["messages"][-1]["content"] == "my bicycle is called Rocinante"


def test_the_request_id_comes_back(browser: Browser) -> None:
    assert browser.do("status", {"request_id": "r-7"})["request_id"] == "r-7"


def test_the_chosen_owner_is_the_one_meant(browser: Browser, wire: Wire, memory: Daemon) -> None:
    wire.add("Zoë's violin lesson is on Thursday", user("zoë"))
    wire.add("Max has football on Friday", user("max"))
    by_body = browser.do("item/list", {"owner": "user:zoë"})["items"]
    by_header = browser.do("item/list", X_Memory_Owner=quote("user:zoë"))["items"]
    assert [item["content"] for item in by_body] == ["Zoë's violin lesson is on Thursday"]
    assert by_header == by_body
    assert browser.do("item/search", {"query": "violin lesson Thursday"})["items"] == []
    memory.wait_for_line("memory.item.list on behalf of 'user:zoë'")


def test_a_pause_is_of_the_chosen_session(browser: Browser, wire: Wire) -> None:
    wire.say("the kitchen tap drips", session={"session_id": "kitchen"})
    assert browser.do("pause", {"owner": "session:kitchen"}) == {"paused": True, "until": None}
    assert wire.say("nobody keeps this", session={"session_id": "kitchen"}) == []
    paused = {entry["owner"]: entry["paused"] for entry in browser.get(BASE + "owners").data["owners"]}
    assert paused["session:kitchen"] == ["kitchen"]
    assert browser.do("resume", {"owner": "session:kitchen"}) == {"paused": False}
    assert wire.say("this is kept again", session={"session_id": "kitchen"}) != []


@pytest.mark.parametrize("owner", ["*", "zoë", "user:", "admin:x", "session:" + "x" * 2_000])
def test_what_is_no_owner_is_refused(browser: Browser, owner: str) -> None:
    reply = browser.post("item/list", {"owner": owner})
    assert (reply.status, reply.code) == (400, "invalid_request")


def test_the_owners_are_listed_newest_first(browser: Browser, wire: Wire) -> None:
    for name in ("ann", "ben"):
        wire.add(f"{name} was here", user(name))
        wire.add(f"{name} was here again", user(name))
    owners = browser.get(BASE + "owners").data["owners"]
    assert [entry["owner"] for entry in owners[:2]] == ["user:ben", "user:ann"]
    assert owners[0]["items"] == 2
    assert owners[0]["newest"].endswith("Z")
    assert owners[0]["sessions"] == ["default"]


@pytest.mark.parametrize(
    ("path", "data", "status", "field"),
    [
        ("item/add", {}, 400, "content"),
        ("item/list", {"limit": "many"}, 400, "limit"),
        ("forget", {"what": "everything"}, 400, "what"),
        ("item/similar", {"query": "x"}, 503, None),  # this service has no model
    ],
)
def test_errors_have_their_status(browser: Browser, path: str, data: object, status: int, field: str | None) -> None:
    reply = browser.post(path, data)
    assert reply.status == status
    assert reply.data["error"].get("field") == field
    assert reply.data["error"]["message"]


@pytest.mark.parametrize("body", ["{", "[]", "7", "[" * 100_000, b"\xff\xfe"])
def test_a_body_that_is_no_object_is_refused(browser: Browser, body: str | bytes) -> None:
    reply = browser.send("POST", BASE + "item/list", body)
    assert (reply.status, reply.code) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", BASE + "item/list", 405), ("POST", BASE + "item/nothing", 404), ("GET", "/nothing", 404)],
)
def test_what_is_not_there_is_said_in_json(browser: Browser, method: str, path: str, status: int) -> None:
    reply = browser.send(method, path, "{}" if method == "POST" else None)
    assert reply.status == status
    assert reply.data["error"]["code"] in ("not_found", "method_not_allowed")


def test_recalls_are_listed_and_seen_live(browser: Browser, wire: Wire) -> None:
    connection = browser.connect("GET", BASE + "recalls/live")
    stream = connection.getresponse()
    assert stream.getheader("Content-Type") == "text/event-stream; charset=utf-8"
    assert stream.readline().startswith(b":")
    wire.recall("where is the spare key", user("ann"), request_id="live-1")
    line = next(line for line in iter(stream.readline, b"") if line.startswith(b"data: "))
    connection.close()
    seen = json.loads(line.removeprefix(b"data: "))
    assert (seen["owner"], seen["utterance"], seen["recall_id"]) == ("user:ann", "where is the spare key", "live-1")
    assert set(seen["backends"]) == {"recency", "lexical"}
    listed = browser.get(BASE + "recalls?limit=1").data["recalls"]
    assert listed == [seen]
    assert browser.get(BASE + "recalls?owner=user:nobody").data == {"recalls": []}
    assert browser.get(BASE + "recalls?limit=all").status == 400
    explained = browser.do("explain", {"recall_id": "live-1", "owner": "user:ann"})
    assert explained["candidates"] == seen["candidates"]


def test_an_export_holds_one_owner_and_can_be_imported(browser: Browser, wire: Wire) -> None:
    kept = wire.add("Lea's locker has the number 512", user("lea"))
    gone = wire.add("Lea's old locker had the number 17", user("lea"))
    wire.add("Tom's locker has the number 513", user("tom"))
    wire.do("memory.item.delete", {"id": gone["id"]}, user("lea"))
    reply = browser.get(BASE + "export?owner=user:lea")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="memory-user-lea.jsonl"'
    header, *lines = [json.loads(line) for line in reply.body.splitlines()]
    assert header["format"] == "ovos-memory-bus"
    assert [(line["type"], line["id"]) for line in lines] == [("item", kept["id"]), ("tombstone", gone["id"])]


def test_what_is_forgotten_is_nowhere_over_http(browser: Browser, wire: Wire) -> None:
    secret = "the safe opens with quetzalcoatl"
    owner = {"owner": "user:ida"}
    (id_,) = wire.say(secret, session=user("ida"))
    browser.do("context/request", {"utterance": "what opens the safe, quetzalcoatl?", "timeout": 30, **owner})
    would = browser.do("forget", {"what": "query", "query": "quetzalcoatl", "dry_run": True, **owner})
    assert [item["id"] for item in would["items"]] == [id_]
    assert browser.do("forget", {"what": "ids", "ids": [id_], **owner})["ids"] == [id_]
    assert browser.post("item/get", {"id": id_, **owner}).status == 404
    looks = [
        browser.post("context/request", {"utterance": "what opens the safe", "timeout": 30, **owner}),
        browser.post("item/list", owner),
        browser.post("item/search", {"query": "safe opens", **owner}),
        browser.post("history/get", owner),
        browser.post("explain", owner),
        browser.post("status", owner),
        browser.get(BASE + "recalls?limit=1000"),
        browser.get(BASE + "export?owner=user:ida"),
        browser.get(BASE + "owners"),
    ]
    assert [look.body for look in looks if b"quetzalcoatl" in look.body] == []


def test_forgetting_over_http_is_told_on_the_bus(browser: Browser, wire: Wire) -> None:
    item = wire.add("a note that goes")
    browser.do("item/delete", {"id": item["id"]})
    wire.until(lambda: {"ids": [item["id"]]} in wire.seen("memory.forgotten"), "nothing was announced")


def test_health_needs_no_token(browser: Browser) -> None:
    assert browser.stranger().get("/health").data == {"status": "ok", "ready": True}

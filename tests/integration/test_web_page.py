"""What a service with a page shows besides the memory: its address, figures, the disk, its own description."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from command_line import run_here
from daemon import KEYWORDS_ONLY, Daemon
from prometheus_client.parser import text_string_to_metric_families
from web_client import BASE, WEB, Browser
from wire import Wire, user

from ovos_memory_bus.messages.schema import sample
from ovos_memory_bus.web.openapi import OPERATIONS

CONFIG = {**KEYWORDS_ONLY, "web": WEB}
NEEDS_ONE_OF_SEVERAL = {  # what a schema of single keys cannot say
    "memory.item.update": {"content": "x"},
    "memory.item.similar": {"query": "x"},
}


@pytest.fixture(scope="module")
def browser(memory: Daemon) -> Browser:
    return Browser.of(memory.data)


def figures(browser: Browser) -> dict[str, float]:
    """What `/metrics` says, by name and labels."""
    reply = browser.stranger().get("/metrics")
    assert reply.status == 200
    found = {}
    for family in text_string_to_metric_families(reply.body.decode()):
        for line in family.samples:
            labels = ",".join(f"{key}={value}" for key, value in sorted(line.labels.items()))
            found[f"{line.name}{{{labels}}}" if labels else line.name] = line.value
    return found


def test_inspect_prints_an_address_that_opens_the_memory(memory: Daemon) -> None:
    shown = run_here("inspect", "--print", "--data-dir", memory.data)
    url, token = shown.out.strip().split("#token=")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
    assert Browser(url, token).do("status")["ready"]
    assert run_here("inspect", "--json", "--data-dir", memory.data).data == {"url": f"{url}#token={token}"}


def test_inspect_opens_a_browser(memory: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    shown = run_here("inspect", "--data-dir", memory.data)
    assert [url.partition("#token=")[0] for url in opened] == [Browser.of(memory.data).url]
    assert opened[0].partition("#token=")[2] not in shown.out


def test_figures_for_prometheus(browser: Browser, wire: Wire) -> None:
    before = figures(browser)
    wire.add("the meter is in the hall", user("metered"))
    wire.recall("where is the meter", user("metered"))
    after = figures(browser)
    assert after["ovos_memory_recall_seconds_count"] == before["ovos_memory_recall_seconds_count"] + 1
    assert after["ovos_memory_items{kind=note}"] == before.get("ovos_memory_items{kind=note}", 0) + 1
    assert after["ovos_memory_owners"] == before["ovos_memory_owners"] + 1
    assert after["ovos_memory_backend_up{backend=lexical}"] == after["ovos_memory_ready"] == 1
    assert after["ovos_memory_backend_replies_total{backend=lexical,status=ok}"] >= 1
    assert after["ovos_memory_recalls_partial_total"] == before["ovos_memory_recalls_partial_total"]
    assert min(after["ovos_memory_disk_bytes"], after["process_resident_memory_bytes"]) > 0
    assert b"metered" not in browser.get("/metrics").body


def test_figures_through_a_proxy_need_the_token(browser: Browser) -> None:
    assert browser.stranger().get("/metrics", X_Forwarded_For="192.0.2.1").status == 401
    assert browser.get("/metrics", X_Forwarded_For="192.0.2.1").status == 200


def test_the_disk_is_told(browser: Browser) -> None:
    disk = browser.get(BASE + "disk").data
    assert min(disk["used"], disk["free"]) > 0


def test_the_openapi_document_has_every_topic(browser: Browser) -> None:
    document = browser.get(BASE + "openapi.json").data
    assert document["openapi"].startswith("3.1")
    posts = {
        entry["post"]["operationId"]: path for path, entry in document["paths"].items() if "operationId" in str(entry)
    }
    assert posts["memory.item.list"] == BASE + "item/list"
    assert set(posts) == set(OPERATIONS)


@pytest.mark.parametrize("topic", OPERATIONS)
def test_every_operation_takes_what_its_description_asks_for(browser: Browser, topic: str) -> None:
    path = BASE + topic.removeprefix("memory.").replace(".", "/")
    body: dict[str, Any] = browser.get(BASE + "openapi.json").data["paths"][path]["post"]["requestBody"]
    needed = sample(body["content"]["application/json"]["schema"]) | NEEDS_ONE_OF_SEVERAL.get(topic, {})
    data = {**needed, "owner": "user:described"}
    reply = browser.send("POST", path, json.dumps(data))
    assert reply.status == 200 or reply.code in ("not_found", "embedding_unavailable"), reply.body

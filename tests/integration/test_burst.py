"""Ten thousand updates at once: each is stored and acknowledged, or refused as busy and stored when sent again."""

from __future__ import annotations

from daemon import KEYWORDS_ONLY, StartService
from wire import Wire, said

UPDATES = 10_000
PATIENT = 400  # sent at once by who was told that the service is busy


def test_a_burst_of_updates_loses_none(service: StartService, wire: Wire) -> None:
    service(config=KEYWORDS_ONLY)
    here = {"session_id": "burst"}
    waiting = [f"thought number {number}" for number in range(UPDATES)]
    stored: dict[str, str] = {}
    at_once = UPDATES
    while waiting:
        batch, waiting = waiting[:at_once], waiting[at_once:]
        sent = [(text, wire.begin("memory.update", said(text), here)) for text in batch]
        answers = [(text, answer.result(120)) for text, answer in sent]
        stored |= {text: answer["ids"][0] for text, answer in answers if "ids" in answer}
        refused = [(text, answer["error"]["code"]) for text, answer in answers if "error" in answer]
        assert {code for _, code in refused} <= {"busy"}
        waiting += [text for text, _ in refused]
        at_once = PATIENT
    assert len(set(stored.values())) == UPDATES
    assert wire.do("memory.status")["counts"]["turn"] == UPDATES
    last = wire.do("memory.item.list", {"limit": 10_000}, here)
    assert last["total"] == UPDATES
    assert {item["content"]: item["id"] for item in last["items"]} == stored

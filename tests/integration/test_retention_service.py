"""What has run out by the configuration's `retention` is neither read nor kept."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

from daemon import StartService
from wire import Wire

CONFIG = {"backends": ["recency", "lexical"], "retention": {"session:guest*": "1h"}}


def ago(**span: float) -> str:
    return (datetime.now(timezone.utc) - timedelta(**span)).isoformat()


def test_what_has_run_out_is_not_read_and_then_removed(service: StartService, wire: Wire) -> None:
    daemon = service(config=CONFIG)
    guest, family = {"session_id": "guest-7"}, {"session_id": "kitchen"}
    for session in (guest, family):
        for when, text in ((ago(hours=3), "the parcel is for Olga"), (ago(minutes=3), "the cake is for Ines")):
            turn = {"role": "user", "content": text, "created_at": when}
            wire.do("memory.update", {"lang": "en", "messages": [turn]}, session)
    wire.settle()
    assert [i["content"] for i in wire.do("memory.item.list", {}, guest)["items"]] == ["the cake is for Ines"]
    assert wire.do("memory.item.list", {}, family)["total"] == 2
    assert "Olga" not in json.dumps(wire.recall("who is the parcel for", guest, min_score=0.0))
    assert "Olga" not in json.dumps(wire.do("memory.history.get", {}, guest))
    daemon.stop()
    daemon.start()  # at the start, and every minute, what has run out is removed for good
    wire.until(lambda: wire.do("memory.status")["counts"]["turn"] == 3, "what has run out is still stored")
    assert wire.do("memory.item.list", {}, family)["total"] == 2

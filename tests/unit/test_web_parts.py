"""What guards the page, part by part: tokens, cookies, host names, rates, files; and what a request's reading tells."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.desk import Desk
from ovos_memory_bus.errors import InvalidRequest, StorageError
from ovos_memory_bus.messages.items import AddRequest, ListRequest
from ovos_memory_bus.messages.schema import schema_of
from ovos_memory_bus.messages.turns import HistoryRequest, UpdateRequest
from ovos_memory_bus.web.access import LIFETIME, TOKEN_FILE, Access, load_token
from ovos_memory_bus.web.asking import caller_of_owner
from ovos_memory_bus.web.bounds import Rate
from ovos_memory_bus.web.disk import usage
from ovos_memory_bus.web.files import load_files
from ovos_memory_bus.web.openapi import OPERATIONS
from ovos_memory_bus.web.origins import Origins, is_loopback

TOKEN = "a-token-of-this-memory-of-some-length"
ACCESS = Access(TOKEN)


def test_a_token_is_made_once_and_is_its_users_alone(tmp_path: Path) -> None:
    token = load_token(tmp_path)
    assert len(token) >= 32
    assert load_token(tmp_path) == token
    assert stat.S_IMODE((tmp_path / TOKEN_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [TOKEN_FILE]


def test_a_token_that_others_could_read_is_closed_again(tmp_path: Path) -> None:
    load_token(tmp_path)
    (tmp_path / TOKEN_FILE).chmod(0o644)
    load_token(tmp_path)
    assert stat.S_IMODE((tmp_path / TOKEN_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("left", ["", "short\n"])
def test_a_token_cut_short_is_made_anew(tmp_path: Path, left: str) -> None:
    (tmp_path / TOKEN_FILE).write_text(left)
    assert len(load_token(tmp_path)) >= 32


def test_a_token_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be kept"):
        load_token(tmp_path / "nowhere")


def test_a_cookie_holds_for_its_time_and_its_token() -> None:
    cookie = ACCESS.make_cookie(now=1_000.0)
    assert ACCESS.is_cookie(cookie, now=1_000.0 + LIFETIME - 1)
    assert not ACCESS.is_cookie(cookie, now=1_000.0 + LIFETIME)
    assert not Access(TOKEN + "x").is_cookie(cookie, now=1_000.0)
    assert ACCESS.make_cookie(now=1_000.0) != cookie


@given(st.text())
def test_no_other_text_is_a_token_or_a_cookie(text: str) -> None:
    assert not ACCESS.is_cookie(text)
    assert ACCESS.is_token(text) == (text == TOKEN)
    assert not ACCESS.is_bearer(text)


@given(st.integers(0, 200), st.characters())
def test_a_cookie_with_another_character_does_not_hold(place: int, character: str) -> None:
    cookie = ACCESS.make_cookie()
    changed = cookie[:place] + character + cookie[place + 1 :]
    assert ACCESS.is_cookie(changed) == (changed == cookie)


def test_the_bearer_scheme_is_read_as_http_has_it() -> None:
    assert ACCESS.is_bearer(f"Bearer {TOKEN}")
    assert ACCESS.is_bearer(f"bearer  {TOKEN}")
    assert not ACCESS.is_bearer(f"Basic {TOKEN}")


@pytest.mark.parametrize(
    ("host", "here", "remote"),
    [
        ("127.0.0.1:8182", True, True),
        ("localhost:8182", True, True),
        ("[::1]:8182", True, True),
        ("192.0.2.7:8182", False, True),
        ("[2001:db8::7]:8182", False, True),
        ("evil.example:8182", False, False),
        ("127.0.0.1.evil.example:8182", False, False),
        ("localhost.evil.example:8182", False, False),
        ("localhost:8182.evil.example", False, False),
        ("localhost", False, False),
        ("localhost:80", False, False),
        ("[::1]", False, False),
        ("8182", False, False),
        (":8182", False, False),
        ("", False, False),
    ],
)
def test_host_names(host: str, here: bool, remote: bool) -> None:
    assert Origins(8182).is_own_host(host) is here
    assert Origins(8182, remote=True).is_own_host(host) is remote


def test_the_default_port_needs_not_be_named() -> None:
    assert Origins(80).is_own_host("localhost")
    assert Origins(80).is_own_host("[::1]")


@given(st.text(), st.text())
def test_a_foreign_origin_never_passes(origin: str, host: str) -> None:
    headers = {"Host": host, "Origin": origin, "Content-Type": "application/json"}
    refusal = Origins(8182).refusal("POST", headers)
    assert refusal is not None or origin.lower() == f"http://{host.lower()}"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        *((host, True) for host in ("127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost")),
        *((host, False) for host in ("0.0.0.0", "::", "192.0.2.7", "memory.example", "")),
    ],
)
def test_loopback_addresses(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_a_rate_lets_a_burst_through_and_then_a_steady_flow() -> None:
    now = [100.0]
    rate = Rate(per_second=2, burst=3, clock=lambda: now[0])
    assert [rate.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert rate.take("b") == 0
    assert rate.is_spent("a")
    now[0] += 0.5
    assert not rate.is_spent("a")
    assert (rate.take("a"), rate.take("a")) == (0, 0.5)
    now[0] += 1_000
    assert [rate.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


@given(st.lists(st.floats(0, 10), max_size=100))
def test_a_rate_never_lets_through_more_than_it_says(pauses: list[float]) -> None:
    now = [0.0]
    rate = Rate(per_second=2, burst=3, clock=lambda: now[0])
    passed = 0
    for pause in pauses:
        now[0] += pause
        passed += rate.take("a") == 0
    assert passed <= 3 + 2 * now[0] + 1e-6


def test_the_rates_of_many_take_bounded_memory() -> None:
    rate = Rate(per_second=1, burst=1)
    for number in range(3_000):
        rate.take(str(number))
    assert len(rate._left) == 1_024


@pytest.mark.parametrize("owner", ["", "*", "user:", "session:", "zoë", "admin:zoë", "user:" + "x" * 1_000])
def test_what_is_no_owner(owner: str) -> None:
    with pytest.raises(InvalidRequest):
        caller_of_owner(owner)


def test_an_owner_becomes_a_caller() -> None:
    kitchen, zoe = caller_of_owner("session:kitchen", "hall"), caller_of_owner("user:zoë", "hall")
    assert (kitchen.owner, kitchen.session_id) == ("session:kitchen", "kitchen")
    assert (zoe.owner, zoe.session_id) == ("user:zoë", "hall")


def test_the_pages_files_are_all_there_with_their_types() -> None:
    held = load_files()
    scripts = {name: file.content_type for name, file in held.items() if name.endswith(".js")}
    assert set(scripts.values()) <= {"text/javascript"}
    assert all(file.body and len(file.tag) == 32 for file in held.values())


def test_the_disk_counts_memories_and_no_models(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"x" * 1_000)
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "graph").write_bytes(b"x" * 200)
    (tmp_path / "models" / "one").mkdir(parents=True)
    (tmp_path / "models" / "one" / "model.onnx").write_bytes(b"x" * 5_000)
    disk = usage(tmp_path)
    assert disk.used == 1_200
    assert disk.free > 0


def test_every_topic_of_the_memory_is_described() -> None:
    topics = Desk(*[None] * 7).topics()  # type: ignore[list-item]
    assert set(OPERATIONS) == {topic for topic in topics if topic.startswith("memory.")}


def test_the_reading_of_a_request_tells_its_schema() -> None:
    add = schema_of(AddRequest.from_data)
    assert add["required"] == ["content"]
    assert add["properties"]["kind"] == {"type": "string", "enum": ["note", "document", "turn"], "default": "note"}
    listing = schema_of(ListRequest.from_data)
    assert "required" not in listing
    assert listing["properties"]["limit"] == {"type": "integer", "minimum": 0, "maximum": 10_000, "default": 100}
    assert "default" not in schema_of(HistoryRequest.from_data)["properties"]["limit"]  # the configuration says
    update = schema_of(UpdateRequest.from_data)
    assert update["required"] == ["messages"]
    assert update["properties"]["messages"]["items"]["required"] == ["role", "content"]

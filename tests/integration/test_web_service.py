"""The page as a part of the service: when it is there, what happens when it cannot be, figures, and its end."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from command_line import Done, run, run_here
from daemon import KEYWORDS_ONLY, Daemon, StartService
from rig import Bus
from web_client import BASE, WEB, Browser
from wire import Wire

CONFIG = {**KEYWORDS_ONLY, "web": WEB}


def inspect(daemon: Daemon) -> Done:
    return run_here("inspect", "--print", "--data-dir", daemon.data)


def test_without_being_asked_for_there_is_no_page(service: StartService) -> None:
    daemon = service(config=KEYWORDS_ONLY)
    assert not (daemon.data / "web.token").exists()
    refused = inspect(daemon)
    assert refused.code == 6
    (line,) = refused.err.splitlines()
    assert "ovos-memory-bus run --web" in line


def test_run_takes_a_port(shared_bus: Bus, tmp_path: Path) -> None:
    class WithPage(Daemon):
        options = ("--web", "0")

    daemon = WithPage(shared_bus, tmp_path / "data", KEYWORDS_ONLY)
    daemon.start()
    try:
        assert Browser.of(daemon.data).get("/health").data["ready"]
    finally:
        assert daemon.stop() == 0


def test_the_token_outlives_a_restart_and_what_a_kill_left_behind_misleads_nobody(service: StartService) -> None:
    daemon = service(config=CONFIG)
    token = Browser.of(daemon.data).token
    daemon.kill()
    assert inspect(daemon).code == 6  # web.json is still there, the page is not
    daemon.start()
    assert Browser.of(daemon.data).token == token
    assert daemon.stop() == 0
    assert not (daemon.data / "web.json").exists()


def test_a_stop_ends_live_streams(service: StartService) -> None:
    daemon = service(config=CONFIG)
    stream = Browser.of(daemon.data).connect("GET", BASE + "recalls/live").getresponse()
    assert stream.readline().startswith(b":")
    assert daemon.stop() == 0
    assert stream.read().strip() == b""


def test_a_port_that_is_taken_costs_the_page_alone(service: StartService, wire: Wire) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        daemon = service(config={**KEYWORDS_ONLY, "web": {"enabled": True, "port": port}})
        assert wire.do("memory.status")["ready"]
    assert f"no page: 127.0.0.1 port {port}" in daemon.logged()
    assert inspect(daemon).code == 6


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "memory.example"])
def test_an_address_for_other_devices_must_be_allowed(shared_bus: Bus, tmp_path: Path, host: str) -> None:
    config = tmp_path / "memory.json"
    config.write_text(f'{{"backends": ["recency"], "web": {{"enabled": true, "host": "{host}"}}}}')
    options = ("--bus", shared_bus.url, "--data-dir", tmp_path / "data", "--config", config)
    refused = run("run", *options, "--log-level", "error", env=shared_bus.env)
    assert refused.code == 2
    assert "web.allow_remote" in refused.err


def test_an_allowed_address_is_served_with_a_warning(service: StartService) -> None:
    daemon = service(config={**KEYWORDS_ONLY, "web": {**WEB, "host": "0.0.0.0", "allow_remote": True}})
    browser = Browser.of(daemon.data)
    assert browser.get(BASE + "owners", Host=f"192.0.2.7:{browser.port}").status == 200
    assert browser.get(BASE + "owners", Host=f"evil.example:{browser.port}").status == 403
    assert "the page can be reached from other devices" in daemon.logged()

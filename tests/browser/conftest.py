"""The page in a real browser, served by a real service over a real store, on a bus of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from daemon import Daemon
from inspector import CHROMIUM, OPTIONS, Inspector, Opener
from playwright.sync_api import Browser, sync_playwright
from rig import Bus
from wire import Wire

ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "browser"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module: while it is there, its loop is the one running in this thread."""
    if CHROMIUM is None:
        pytest.skip("no chromium: sudo apt-get install chromium, or script/setup test as root")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def private_bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bus]:
    bus = Bus(tmp_path_factory.mktemp("browser-bus"))
    bus.start()
    yield bus
    bus.stop()


@pytest.fixture(scope="module")
def memory(private_bus: Bus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One service with its page for all tests of a module."""
    folder = tmp_path_factory.mktemp("memory") / "data"
    daemon = Daemon(private_bus, folder, {"web": {"enabled": True, "port": 0}})
    try:
        yield daemon.start()
    finally:
        daemon.stop()


@pytest.fixture
def wire(memory: Daemon) -> Iterator[Wire]:
    with Wire(memory.bus.url) as wire:
        yield wire


@pytest.fixture
def inspect(browser: Browser, memory: Daemon, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens the page as `ovos-memory-bus inspect` does: `inspect("user:ada", **options of the browser's context)`.
    In the end a picture of it is kept in artefacts/, and it may not have complained on its console."""
    with ExitStack() as stack:
        opened: list[Inspector] = []

        def opener(owner: str | None = None, **options: object) -> Inspector:
            context = browser.new_context(**{"locale": "en-GB", "timezone_id": "UTC", **options})  # type: ignore[arg-type]
            stack.callback(context.close)
            opened.append(Inspector(context.new_page(), memory.data))
            return opened[-1].open(owner)

        yield opener
        for inspector in opened:
            inspector.page.screenshot(path=ARTEFACTS / f"{request.node.name}.png")
        assert [line for inspector in opened for line in inspector.complaints] == []

"""What the tests over a real bus share: the bus, services on it, a client, and what a failed test shows of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from daemon import Daemon, StartService
from rig import Bus
from wire import Wire


@pytest.fixture(scope="session")
def shared_bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bus]:
    """One bus for all: at any time at most one service answers on it."""
    bus = Bus(tmp_path_factory.mktemp("shared-bus"))
    bus.start()
    yield bus
    bus.stop()


def _starter(bus: Bus, tmp_path: Path, stack: ExitStack) -> StartService:
    def start(data: Path | None = None, *, wait: bool = True, on: Bus | None = None, **options: Any) -> Daemon:
        folder = data or tmp_path / f"data{len(list(tmp_path.iterdir()))}"
        daemon = Daemon(on or bus, folder, options.get("config"), options.get("env"))
        stack.callback(daemon.kill)
        return daemon.start(wait=wait)

    return start


@pytest.fixture
def service(shared_bus: Bus, tmp_path: Path) -> Iterator[StartService]:
    """Starts services that end with the test: `service(data?, config=…, env=…, wait=…, on=bus)`."""
    with ExitStack() as stack:
        yield _starter(shared_bus, tmp_path, stack)


@pytest.fixture(scope="module")
def memory(
    shared_bus: Bus, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Daemon]:
    """One service for all tests of a module; its `CONFIG`, where it has one, is the configuration."""
    with ExitStack() as stack:
        start = _starter(shared_bus, tmp_path_factory.mktemp("memory"), stack)
        daemon = start(config=getattr(request.module, "CONFIG", None))
        yield daemon
        assert daemon.stop() == 0, daemon.logged()


@pytest.fixture
def wire(shared_bus: Bus) -> Iterator[Wire]:
    with Wire(shared_bus.url) as wire:
        yield wire


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """A failure shows the log of the module's service."""
    outcome = yield
    daemon = getattr(item, "funcargs", {}).get("memory")
    report = outcome.get_result()
    if report.failed and isinstance(daemon, Daemon):
        report.sections.append(("the service's log", daemon.logged()[-5_000:]))

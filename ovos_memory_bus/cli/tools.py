"""`ovos-memory-bus mcp` and `ovos-memory-bus tools`: the memory as tools of language models."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from ..errors import BusUnavailable, ConfigError
from .options import Asker, asker_options

if TYPE_CHECKING:
    from ovos_bus_client import MessageBusClient


def _with_clean_output(command: Callable[..., Any]) -> Callable[..., Any]:
    """What OVOS' libraries log while they load goes to the error output: the standard one is the protocol's."""

    @functools.wraps(command)
    def clean(*args: Any, **options: Any) -> Any:
        with redirect_stdout(sys.stderr):
            try:
                from ..tools import mcp_server  # noqa: F401
            except ModuleNotFoundError as error:
                raise ConfigError(f"{error}: install the extra, pip install 'ovos-memory-bus[mcp]'") from error
        return command(*args, **options)

    return clean


@click.command()
@_with_clean_output
@asker_options
def mcp(asker: Asker) -> None:
    """Serve the memory's tools over the Model Context Protocol, on standard input and output.

    For programs that start it themselves. Every call is made on behalf of --user and --session.
    """
    from ..tools.mcp_server import serve

    asker.ask(serve)


@click.command()
@click.option("--bus", "url", help="Address of the messagebus, e.g. ws://127.0.0.1:8181/core (default: OVOS' own).")
def tools(url: str | None) -> None:
    """Host the memory's toolbox on the messagebus until interrupted.

    Every call is made on behalf of the session that the caller's message carries.
    """
    from ovos_utils import wait_for_exit_signal

    try:
        from ..tools.toolbox import MemoryToolBox
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error}: install the extra, pip install 'ovos-memory-bus[tools]'") from error
    from ..bus import default_url

    bus = _connected(url or default_url())
    MemoryToolBox(bus=bus)
    click.echo("The memory's toolbox is on the bus.")
    wait_for_exit_signal()
    bus.close()


def _connected(url: str) -> MessageBusClient:
    """A bus client that is connected. Raises `BusUnavailable`."""
    from ovos_bus_client import MessageBusClient

    parts = urlsplit(url)
    bus = MessageBusClient(host=parts.hostname, port=parts.port, route=parts.path, ssl=parts.scheme == "wss")
    bus.run_in_thread()
    if not bus.connected_event.wait(10):
        raise BusUnavailable(f"no messagebus at {url}")
    return bus

"""`ovos-memory-bus run`: the service."""

from __future__ import annotations

import logging
from pathlib import Path

import anyio
import click
from exceptiongroup import BaseExceptionGroup

from .. import config as configuration
from ..errors import MemoryBusError

LEVELS = ("debug", "info", "warning", "error")


@click.command()
@click.option("--bus", "url", help="Address of the messagebus, e.g. ws://127.0.0.1:8181/core (default: OVOS' own).")
@click.option("--data-dir", type=click.Path(path_type=Path), help="Where the memory lies.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path), help="A JSON file instead of mycroft.conf's section."
)
@click.option("--log-level", type=click.Choice(LEVELS, case_sensitive=False), default="info", show_default=True)
def run(url: str | None, data_dir: Path | None, file: Path | None, log_level: str) -> None:
    """Serve the memory on the messagebus until stopped."""
    from ..bus import default_url  # importing the service takes a second that --help need not wait for
    from ..service import Service

    _set_up_logging(log_level)
    config = configuration.load(file, data_dir=data_dir)
    try:
        anyio.run(Service(config, url or default_url()).run)
    except BaseExceptionGroup as group:
        raise _first(group) from group


def _set_up_logging(level: str) -> None:
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for noisy in ("aiosqlite", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Our own error inside a task group's, if there is one."""
    for error in group.exceptions:
        found: BaseException = _first(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, MemoryBusError):
            return found
    return group

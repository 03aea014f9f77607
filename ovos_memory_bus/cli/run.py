"""`ovos-memory-bus run`: the service."""

from __future__ import annotations

import logging
import os
import signal
from dataclasses import replace
from pathlib import Path

import click

from .options import config_option, data_dir_option
from .running import run_async

CONFIGURED = -1  # as a port: the configuration's
LEVELS = ("debug", "info", "warning", "error")


@click.command()
@click.option("--bus", "url", help="Address of the messagebus, e.g. ws://127.0.0.1:8181/core (default: OVOS' own).")
@data_dir_option
@config_option
@click.option(
    "--web",
    "port",
    type=click.IntRange(-1, 65_535),
    is_flag=False,
    flag_value=CONFIGURED,
    help="Serve the inspector page too, on this port (without one: the configured port).",
)
@click.option("--log-level", type=click.Choice(LEVELS, case_sensitive=False), default="info", show_default=True)
def run(url: str | None, data_dir: Path | None, file: Path | None, port: int | None, log_level: str) -> None:
    """Serve the memory on the messagebus."""
    # numpy's own threads would spin on the cores that the model and the assistant need; read when numpy is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .. import config as configuration  # what the service needs takes a second that --help need not wait for
    from ..bus import default_url
    from ..service import Service

    _set_up_logging(log_level)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # OVOS units send it to reload; there is nothing to reload here
    config = configuration.load(file, data_dir=data_dir)
    if port is not None:
        page = replace(config.web, enabled=True, port=config.web.port if port == CONFIGURED else port)
        config = replace(config, web=page)
    run_async(Service(config, url or default_url()).run)


def _set_up_logging(level: str) -> None:
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for noisy in ("aiosqlite", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)

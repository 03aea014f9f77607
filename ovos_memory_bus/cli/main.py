"""The command itself: which sub-commands there are, and errors as one sentence with an exit code."""

from __future__ import annotations

import sys

import click

from .. import __version__
from ..errors import BusUnavailable, ConfigError, MemoryBusError, ModelError, NotFound, StorageError
from .run import run

# documented in docs/command.md
EXIT_CODES = ((ConfigError, 2), (BusUnavailable, 3), (StorageError, 4), (ModelError, 5), (NotFound, 6))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ovos-memory-bus")
def cli() -> None:
    """The memory of an OpenVoiceOS assistant."""


cli.add_command(run)


def exit_code(error: MemoryBusError) -> int:
    """The command's exit code for an error."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


def main() -> None:
    """The console script."""
    try:
        cli(standalone_mode=True)
    except MemoryBusError as error:
        click.echo(f"ovos-memory-bus: {error}", err=True)
        sys.exit(exit_code(error))

"""The command itself: which sub-commands there are, and errors as one sentence with an exit code."""

from __future__ import annotations

import json
from typing import Any

import click

from .. import __version__
from ..errors import (
    BusUnavailable,
    ConfigError,
    DeadlineExceeded,
    InvalidRequest,
    MemoryBusError,
    ModelError,
    NotFound,
    StorageError,
)
from .completion import completion
from .doctor import doctor
from .forget import forget
from .inspect import inspect
from .items import add, edit, list_, remember, search, show
from .models import models
from .options import AS_JSON
from .porting import export, import_
from .recall import recall
from .run import run
from .setup import setup, uninstall
from .status import status
from .tools import mcp, tools

# documented in docs/command.md; 2 is click's own code for wrong usage, 1 stands for all other errors
EXIT_CODES = (
    (ConfigError, 2),
    (InvalidRequest, 2),
    (BusUnavailable, 3),
    (DeadlineExceeded, 3),
    (StorageError, 4),
    (ModelError, 5),
    (NotFound, 6),
)


class Commands(click.Group):
    """Sub-commands whose errors end the program with one sentence, with `--json` also as an answer's error object."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MemoryBusError as error:
            if ctx.meta.get(AS_JSON):
                click.echo(json.dumps({"error": error.to_data()}, ensure_ascii=False, indent=2))
            click.echo(f"ovos-memory-bus: {error}", err=True)
            ctx.exit(exit_code(error))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ovos-memory-bus")
def cli() -> None:
    """The memory of an OpenVoiceOS assistant."""


for command in (
    setup, run, status, recall, remember, add, list_, search, show, edit, forget, inspect, export, import_, models,
    doctor, tools, mcp, completion, uninstall,
):  # fmt: skip
    cli.add_command(command)


def exit_code(error: MemoryBusError) -> int:
    """The command's exit code for an error."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


def main() -> None:
    """The console script."""
    cli()

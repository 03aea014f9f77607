"""`ovos-memory-bus completion`: the script by which a shell completes this command."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

PROGRAM, VARIABLE = "ovos-memory-bus", "_OVOS_MEMORY_BUS_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes your shell complete this command.

    For bash: eval "$(ovos-memory-bus completion bash)" in ~/.bashrc."""
    kind = get_completion_class(shell)
    assert kind is not None  # click knows each of SHELLS
    root = context.find_root().command
    click.echo(kind(root, {}, PROGRAM, VARIABLE).source())

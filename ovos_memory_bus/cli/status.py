"""`ovos-memory-bus status`: how the service is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from . import output
from .options import Asker, asker_options, json_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..client import Status


@click.command()
@asker_options
@json_option
def status(asker: Asker, as_json: bool) -> None:
    """Show how the service is.

    Ready or not, its backends, its model, what it holds and what work is left."""
    found = asker.ask(lambda memory: memory.status())
    output.show(found, as_json, lambda: _service(found), lambda: _backends(found.backends or {}))


def _service(found: Status) -> Table:
    counts = ", ".join(f"{count} {kind}" for kind, count in found.counts.items())
    rows: list[tuple[str, Any]] = [
        ("version", found.version),
        ("ready", "yes" if found.ready else "no"),
        ("up for", _duration(found.uptime or 0.0)),
        ("model", found.model or "none"),
        ("items", counts or "none"),
        ("background work", f"{found.queue.pending} pending, {found.queue.failed} failed"),
    ]
    rows += [(name, path) for name, path in (found.paths or {}).items()]
    return output.table(None, ("service", ""), rows)


def _backends(backends: Mapping[str, Any]) -> Table | None:
    """One row a backend; figures that only some have stand in the last column."""
    if not backends:
        return None
    rows = []
    for name, held in backends.items():
        more = {key: value for key, value in held.items() if key not in ("status", "kind") and value not in (None, {})}
        if not more.get("restarts"):
            more.pop("restarts", None)
        rows.append((name, held.get("status"), ", ".join(f"{key} {value}" for key, value in more.items())))
    return output.table(None, ("backend", "status", "figures"), rows)


def _duration(seconds: float) -> str:
    days, rest = divmod(int(seconds), 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, left = divmod(rest, 60)
    parts = ((days, "d"), (hours, "h"), (minutes, "min"), (left, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"

"""`ovos-memory-bus forget`: shows what would go, asks, and then it is gone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidRequest
from . import output
from .items import items_table
from .options import Asker, asker_options, json_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..client import Forgotten

WHATS = ("last", "query", "ids", "session", "owner", "all")
NOTHING = "Nothing to forget."
SHOWN = 20  # items shown before the question


@click.command()
@click.argument("what", type=click.Choice(WHATS))
@click.argument("names", nargs=-1, metavar="[QUERY | ID...]")
@click.option("--lang", help="The language of QUERY, e.g. de.")
@click.option("--sources", is_flag=True, help="Forget the turns that a fact was drawn from with it.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--reason", help="Why; it stands in the service's log.")
@asker_options
@json_option
def forget(
    asker: Asker,
    what: str,
    names: tuple[str, ...],
    lang: str | None,
    sources: bool,
    dry_run: bool,
    yes: bool,
    reason: str | None,
    as_json: bool,
) -> None:
    """Forget for good, after asking.

    The last exchange, what a query names, items by id, this session, this owner or everything. Facts and summaries
    drawn from what goes, go with it. A fact that is forgotten by itself is not drawn from its turns again.
    """
    named = {**_named(what, names, lang), "sources": sources}
    if dry_run or not yes:
        would_go = asker.ask(lambda memory: memory.forget(what, **named, dry_run=True))
        if dry_run or not would_go.ids:
            output.show(would_go, as_json, lambda: _would_go(would_go))
            return
        _confirm(would_go)
        if what in ("last", "query", "ids"):  # exactly what was shown, whatever was said meanwhile
            what, named = "ids", {"ids": would_go.ids[: would_go.named], "sources": False}
    gone = asker.ask(lambda memory: memory.forget(what, **named, reason=reason))
    output.show(
        gone, as_json, lambda: f"forgotten: {output.count_of(gone.deleted, 'item')}" if gone.deleted else NOTHING
    )


def _named(what: str, names: tuple[str, ...], lang: str | None) -> dict[str, Any]:
    """The request's own argument. Raises `InvalidRequest` where it is missing or too much."""
    if what == "query":
        if not names:
            raise InvalidRequest("say what to forget: ovos-memory-bus forget query TEXT", "query")
        return {"query": " ".join(names), "lang": lang}
    if what == "ids":
        if not names:
            raise InvalidRequest("name the items to forget: ovos-memory-bus forget ids ID...", "ids")
        return {"ids": names}
    if names:
        raise InvalidRequest(f"`forget {what}` takes nothing else: {names[0]!r} is too much")
    return {}


def _confirm(would_go: Forgotten) -> None:
    """Ask a person. Raises `InvalidRequest` where there is none, `click.Abort` for a no."""
    if not sys.stdin.isatty():
        raise InvalidRequest("nobody can be asked here whether to forget this: give --yes, or --dry-run to look first")
    output.console(stderr=True).print(_would_go(would_go))
    click.confirm("Forget this for good?", abort=True, err=True)


def _would_go(would_go: Forgotten) -> Table | str:
    if not would_go.ids:
        return NOTHING
    shown = items_table(would_go.items[:SHOWN])
    drawn = len(would_go.ids) - would_go.named
    also = f", and {drawn} drawn from it" if drawn else ""
    shown.title = f"{output.count_of(would_go.named, 'item')} would go{also}"
    if len(would_go.ids) > SHOWN:
        shown.caption = f"… and {len(would_go.ids) - SHOWN} more"
    return shown

"""What the command prints: tables for people, JSON for programs, a progress bar for what takes over a second.

What was remembered is other people's text: nothing in it may steer the terminal.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..records import to_wire_time

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

PIPED_WIDTH = 160  # columns where nobody's terminal sets them
STEERING = ("Cc", "Cf", "Cs")  # Unicode categories: controls, invisible format characters, half surrogates
KEPT = "\n\t\u200c\u200d"  # joiners too: several scripts and emoji are written with them
NARROW = 110  # columns
SHORT = 200  # characters of an item in a list
PATIENCE = 1.0  # seconds without a progress bar


def show(data: Any, as_json: bool, *tables: Callable[[], RenderableType | None]) -> None:
    """Print `data` as JSON or else what `tables` make; None is left out."""
    if as_json:
        click.echo(json.dumps(plain(data), ensure_ascii=False, indent=2))
        return
    out = console()
    shown = [part for part in (make() for make in tables) if part is not None]
    for place, part in enumerate(shown):
        if place:
            out.print()
        out.print(part, markup=False)


def console(*, stderr: bool = False) -> Console:
    """Where people read: colours and the width are the terminal's, or none and a wide one."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else PIPED_WIDTH, highlight=False, soft_wrap=False)


def is_narrow() -> bool:
    """Whether a line has no room for an id beside a text."""
    return console().width < NARROW


def plain(value: Any) -> Any:
    """A result as JSON has it: dataclasses as objects, times as on the wire."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return to_wire_time(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [plain(entry) for entry in value]
    return value


def harmless(text: str) -> str:
    """`text` without control characters but line breaks: no colours, no cursor movements, no turned writing."""
    return "".join(char if char in KEPT or unicodedata.category(char) not in STEERING else "\ufffd" for char in text)


def shortened(text: str) -> str:
    """The text in one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= SHORT else line[: SHORT - 1] + "…"


def count_of(number: int, noun: str) -> str:
    """`1 item`, `2 items`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def local_time(moment: datetime | None) -> str:
    """A time as the clock on the wall showed it."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def table(
    title: str | None, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[str] = ()
) -> Table:
    """A table of texts; nothing in them is taken for markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, title_justify="left", pad_edge=False)
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        made.add_row(
            *(cell if isinstance(cell, Text) else Text(harmless("" if cell is None else str(cell))) for cell in row)
        )
    return made


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A function to be told (done, total); a bar shows on a terminal once the work has taken a second."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console(stderr=True), transient=True)
    task = bar.add_task(title)
    began = time.monotonic()
    started = False

    def report(done: int, total: int) -> None:
        nonlocal started
        if not started and sys.stderr.isatty() and time.monotonic() - began > PATIENCE:
            bar.start()
            started = True
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        if started:
            bar.stop()

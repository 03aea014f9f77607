"""`ovos-memory-bus add`, `remember`, `list`, `search`, `show` and `edit`: what is remembered, item by item."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidRequest
from . import output
from .options import Asker, asker_options, json_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..client import AsyncMemoryClient, Memory

KINDS = ("turn", "note", "fact", "summary", "document")
Command = Callable[..., Any]


def text_of(argument: str) -> str:
    """A text argument; `-` stands for what is on standard input."""
    return sys.stdin.read() if argument == "-" else argument


def metadata_of(text: str | None) -> dict[str, Any] | None:
    """A JSON object from an option. Raises `InvalidRequest`."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidRequest(f"--metadata must be a JSON object: {error}", "metadata") from None
    if not isinstance(value, dict):
        raise InvalidRequest('--metadata must be a JSON object, e.g. {"source": "letter"}', "metadata")
    return value


def label_options(command: Command) -> Command:
    """The labels that keep items apart."""
    for name, what in (("agent", "persona"), ("graph", "graph"), ("task", "task")):
        command = click.option(f"--{name}", f"{name}_id", help=f"Of this {what} (its id).")(command)
    return command


def filter_options(command: Command) -> Command:
    """Which items a list or search is about."""
    for option in (
        click.option("--kind", type=click.Choice(KINDS), help="Only of this kind."),
        click.option("--since", "start_date", help="From this time on, e.g. 2026-11-30 or 2026-11-30T21:05:00+01:00."),
        click.option("--until", "end_date", help="Before this time."),
        click.option("--metadata", help="Whose metadata holds this JSON object."),
    ):
        command = option(command)
    return label_options(command)


@click.command()
@click.argument("text")
@click.option("--kind", type=click.Choice(("note", "document")), default="note", show_default=True)
@click.option("--lang", help="Its language, e.g. de.")
@click.option("--metadata", help="A JSON object to keep with it.")
@label_options
@asker_options
@json_option
def add(asker: Asker, text: str, metadata: str | None, as_json: bool, **labels: Any) -> None:
    """Keep TEXT as a note or a document.

    `-` reads it from standard input."""
    content, held = text_of(text), metadata_of(metadata)
    item = asker.ask(lambda memory: memory.add_memory(content, held, **labels))
    output.show(item, as_json, lambda: f"remembered as {item.id}")


@click.command()
@click.argument("text")
@click.option("--role", type=click.Choice(("user", "assistant")), default="user", show_default=True)
@click.option("--lang", help="Its language, e.g. de.")
@asker_options
@json_option
def remember(asker: Asker, text: str, role: str, lang: str | None, as_json: bool) -> None:
    """Remember TEXT as if it had been said.

    `-` reads it from standard input."""
    content = text_of(text)
    item = asker.ask(lambda memory: memory.remember_conversation(content, role, lang=lang))
    output.show(item, as_json, lambda: f"remembered as {item.id}")


@click.command("list")
@click.option("--limit", type=click.IntRange(0, 1_000_000), default=20, show_default=True)
@click.option("--oldest-first", is_flag=True, help="The oldest instead of the newest.")
@filter_options
@asker_options
@json_option
def list_(asker: Asker, limit: int, oldest_first: bool, metadata: str | None, as_json: bool, **filters: Any) -> None:
    """List what is remembered, the newest first."""
    held = metadata_of(metadata)

    async def listed(memory: AsyncMemoryClient) -> list[Memory]:
        order = "asc" if oldest_first else "desc"
        return [item async for item in memory.iter_memories(limit=limit, order=order, metadata=held, **filters)]

    items = asker.ask(listed)
    output.show(items, as_json, lambda: items_table(items) if items else "Nothing is remembered here.")


@click.command()
@click.argument("query")
@click.option("--lang", help="The language of the query, e.g. de.")
@click.option("--limit", type=click.IntRange(0, 10_000), default=10, show_default=True)
@click.option("--words-only", is_flag=True, help="By keywords alone, not by meaning.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="Only what is at least this probable.")
@filter_options
@asker_options
@json_option
def search(
    asker: Asker,
    query: str,
    lang: str | None,
    limit: int,
    words_only: bool,
    threshold: float | None,
    metadata: str | None,
    as_json: bool,
    **filters: Any,
) -> None:
    """Search what is remembered, by words and by meaning."""
    held = metadata_of(metadata)
    items = asker.ask(
        lambda memory: memory.search_memories(
            query,
            lang=lang,
            limit=limit,
            use_embedding=not words_only,
            similarity_threshold=threshold,
            metadata=held,
            **filters,
        )
    )
    output.show(items, as_json, lambda: items_table(items) if items else "Nothing was found.")


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--embedding", is_flag=True, help="With its embedding.")
@asker_options
@json_option
def show(asker: Asker, id_: str, embedding: bool, as_json: bool) -> None:
    """Show one item with all that is kept with it."""
    item = asker.ask(lambda memory: memory.get_memory(id_, include_embedding=embedding or None))
    output.show(item, as_json, lambda: item_table(item))


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--content", help="The new text (`-` reads it from standard input). Without any option an editor opens.")
@click.option("--metadata", help="A JSON object whose keys replace those kept.")
@click.option("--lang", help="Its language.")
@label_options
@asker_options
@json_option
def edit(
    asker: Asker, id_: str, content: str | None, metadata: str | None, lang: str | None, as_json: bool, **labels: Any
) -> None:
    """Change an item; what is not named stays."""
    changes: dict[str, Any] = {"metadata": metadata_of(metadata), "lang": lang, **labels}
    if content is not None:
        changes["content"] = text_of(content)
    elif all(value is None for value in changes.values()):
        changes["content"] = _edited(asker.ask(lambda memory: memory.get_memory(id_)))
    item = asker.ask(lambda memory: memory.update_memory(id_, **changes))
    output.show(item, as_json, lambda: item_table(item))


def _edited(item: Memory) -> str:
    """The text as a person left it in their editor. Raises `InvalidRequest` where there is none or nothing changed."""
    if not sys.stdin.isatty():
        raise InvalidRequest("nothing to change was named: give --content, --metadata or another option")
    changed = click.edit(item.content)
    if changed is None or changed.rstrip("\n") == item.content:
        raise InvalidRequest("the text was left as it was: nothing is changed")
    return changed.rstrip("\n")


def items_table(items: Sequence[Memory]) -> Table:
    """Items with their ids, which `show`, `edit` and `forget ids` take; below the text where a line is short."""
    narrow, scored = output.is_narrow(), any(item.score is not None for item in items)
    columns = ["when", "kind", "who", "what", *(["score"] if scored else [])]
    rows = []
    for item in items:
        what = output.shortened(item.content if item.name is None else f"{item.name}: {item.content}")
        row = [output.local_time(item.created_at), item.kind, item.role, f"{what}\n{item.id}" if narrow else what]
        row += [f"{item.score or 0:.2f}"] if scored else []
        rows.append(row if narrow else [item.id, *row])
    return output.table(None, columns if narrow else ["id", *columns], rows, right=("score",))


def item_table(item: Memory) -> Table:
    """One item, a row a field; fields that it does not have are left out."""
    data: Mapping[str, Any] = output.plain(item)
    rows = [(name, _cell(value)) for name, value in data.items() if value not in (None, {}, [])]
    return output.table(None, ("field", "value"), rows)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

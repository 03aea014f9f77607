"""`ovos-memory-bus export` and `import`: on the data folder itself, beside a running service or without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidRequest, StorageError
from . import output
from .options import config_option, data_dir_option, json_option
from .running import run_async

if TYPE_CHECKING:
    from ..config import Config
    from ..embedding.worker import EmbeddingWorker
    from ..porting import Exported, Imported
    from ..porting.jobs import Planned
    from ..porting.moving import Found
    from ..store.base import Store


@click.command()
@data_dir_option
@config_option
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write.",
)
@click.option("--vectors", is_flag=True, help="With the embeddings, so that an import need not make them again.")
@json_option
def export(data_dir: Path | None, file: Path | None, target: Path, vectors: bool, as_json: bool) -> None:
    """Write everything remembered to one file.

    That is, everything of everybody, as JSON lines that `import` takes in elsewhere."""
    from .. import config as configuration
    from ..porting import export_to
    from ..store.sqlite import open_store

    folder = configuration.load(file, data_dir=data_dir).data_dir
    check_memory(folder)
    destination = target.absolute()

    async def exported() -> Exported:
        async with open_store(folder, exclusive=False) as store:
            with output.progress("exporting") as report:
                return await export_to(store, destination, vectors=vectors, progress=report)

    done = run_async(exported)
    data = {"file": str(target), "items": done.items, "tombstones": done.tombstones}
    output.show(
        data,
        as_json,
        lambda: f"{target}: {output.count_of(done.items, 'item')} and {output.count_of(done.tombstones, 'tombstone')}",
    )


FORMATS = ("ovos-memory-bus", "ovos-memory-plugins", "jsonl")


@click.command("import")
@data_dir_option
@config_option
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--from",
    "origin",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help="What wrote it: an export of this program (the default), ovos-memory-plugins, or turns as JSON lines.",
)
@click.option("--user", help="Whose it is, by user id, when it comes from another program; else each session's own.")
@click.option("--restore", is_flag=True, help="Bring back what was forgotten here.")
@click.option("--dry-run", is_flag=True, help="Change nothing, only tell what would be done.")
@json_option
def import_(
    data_dir: Path | None,
    file: Path | None,
    sources: tuple[Path, ...],
    origin: str,
    user: str | None,
    restore: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take in what SOURCES hold.

    What is here already stays as it is, what was forgotten here stays forgotten. ovos-memory-plugins' stores are looked
    for where they usually are, unless SOURCES name files or folders."""
    from .. import config as configuration
    from ..embedding.loading import embedding_for
    from ..porting import import_arrivals, import_from
    from ..store.sqlite import open_store

    if origin == FORMATS[0] and len(sources) != 1:
        raise click.UsageError("name the one file of an export")
    config = configuration.load(file, data_dir=data_dir)
    found = [] if origin == FORMATS[0] else _others(origin, sources)

    model = model_in_use(config)

    async def imported() -> Imported:
        from ..porting.moving import arrivals

        async with (
            open_store(config.data_dir, exclusive=False) as store,
            embedding_for(config.model, config.models_dir, 1) as embedding,  # never asked: nothing is embedded here
        ):
            planned = jobs_planner(config, store, embedding)
            with output.progress("importing") as report:
                if origin == FORMATS[0]:
                    return await import_from(
                        store, sources[0], planned, model=model, restore=restore, dry_run=dry_run, progress=report
                    )
                items = arrivals(found, origin, user)
                return await import_arrivals(store, items, planned, restore=restore, dry_run=dry_run, progress=report)

    done = run_async(imported)
    data = {**output.plain(done), "dry_run": dry_run}
    if found:
        data["sources"] = [_source(one) for one in found]
    output.show(data, as_json, lambda: "\n".join([*map(_source_told, found), _told(done, dry_run)]))


def _others(origin: str, sources: tuple[Path, ...]) -> list[Found]:
    """What another program's files hold. Raises `InvalidRequest` where there are none."""
    from ..porting import peer_stores, plain_lines

    if origin == plain_lines.SOURCE:
        if not sources:
            raise click.UsageError("name the files of JSON lines")
        return plain_lines.read(sources)
    paths = sources or tuple(peer_stores.usual_places())
    if not paths:
        raise InvalidRequest("there is no store of ovos-memory-plugins where they usually are: name its file or folder")
    return peer_stores.read(paths)


def _source(found: Found) -> dict[str, Any]:
    data: dict[str, Any] = {"path": str(found.path), "store": found.store, "found": len(found.said)}
    return {**data, "skipped": found.skipped} if found.skipped else data


def _source_told(found: Found) -> str:
    if found.skipped:
        return f"{found.path}: left out, {found.skipped}"
    return f"{found.path} ({found.store}): {output.count_of(len(found.said), 'item')}"


def check_memory(folder: Path) -> None:
    """Raise `StorageError` where there is no memory in the folder, instead of making an empty one."""
    from ..store.database import FILE

    if not (folder / FILE).is_file():
        raise StorageError(f"there is no memory in {folder}: name the folder with --data-dir")


def model_in_use(config: Config) -> tuple[str, int] | None:
    """Name and dimensions of the vectors that the service with this configuration makes; None where it makes none."""
    from ..embedding.loading import chosen_model
    from ..errors import ModelError

    try:
        chosen = chosen_model(config.model, config.profile == "low_power")
    except ModelError:
        return None
    return chosen.build, chosen.dims


def jobs_planner(config: Config, store: Store, embedding: EmbeddingWorker) -> Planned:
    """What background work an item means, as the service with this configuration would say."""
    from ..backends.registry import Parts, build
    from ..index.catalogue import Catalogue
    from ..planning import Planner

    planner = Planner()
    planner.connect(build(Parts(config, store, Catalogue(store, 1), embedding, planner)), lambda: None)
    return planner.planned


def _told(done: Imported, dry_run: bool) -> str:
    """One line a figure that is not zero."""
    figures = (
        (done.added, "added" if not dry_run else "to be added"),
        (done.present, "here already"),
        (done.forgotten, "forgotten here, left out (--restore brings them back)"),
        (done.groundless, "drawn from what is not here, or drawn anew since, left out"),
    )
    told = [f"{output.count_of(count, 'item')} {what}" for count, what in figures if count]
    if done.tombstones:
        told.append(f"{output.count_of(done.tombstones, 'tombstone')} {figures[0][1]}")
    return "\n".join(told) or "there is nothing to take in"

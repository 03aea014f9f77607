"""`ovos-memory-bus export` and `import`: on the data folder itself, beside a running service or without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import StorageError
from . import output
from .options import config_option, data_dir_option, json_option
from .running import run_async

if TYPE_CHECKING:
    from ..config import Config
    from ..embedding.worker import EmbeddingWorker
    from ..porting import Exported, Imported
    from ..porting.jobs import Planned
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


@click.command("import")
@data_dir_option
@config_option
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--restore", is_flag=True, help="Bring back what was forgotten here.")
@click.option("--dry-run", is_flag=True, help="Change nothing, only tell what would be done.")
@json_option
def import_(
    data_dir: Path | None, file: Path | None, source: Path, restore: bool, dry_run: bool, as_json: bool
) -> None:
    """Take in what an export holds.

    What is here already stays as it is, what was forgotten here stays forgotten."""
    from .. import config as configuration
    from ..embedding.loading import embedding_for
    from ..porting import import_from
    from ..store.sqlite import open_store

    config = configuration.load(file, data_dir=data_dir)

    model = model_in_use(config)

    async def imported() -> Imported:
        async with (
            open_store(config.data_dir, exclusive=False) as store,
            embedding_for(config.model, config.models_dir, 1) as embedding,  # never asked: nothing is embedded here
        ):
            planned = jobs_planner(config, store, embedding)
            with output.progress("importing") as report:
                return await import_from(
                    store, source, planned, model=model, restore=restore, dry_run=dry_run, progress=report
                )

    done = run_async(imported)
    output.show({**output.plain(done), "dry_run": dry_run}, as_json, lambda: _told(done, dry_run))


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
    return "\n".join(told) or "the export holds nothing"

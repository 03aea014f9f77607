"""`ovos-memory-bus setup` and `uninstall`: a memory that is there at every start, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import ConfigError, MemoryBusError
from . import output
from .options import json_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..config import Config
    from .setting_up.step import Step

PARTS = ("configuration", "model", "persona", "service")
COLOURS = {"done": "green", "unchanged": "green", "planned": "cyan", "skipped": "yellow", "failed": "bold red"}
dry_run_option = click.option("--dry-run", is_flag=True, help="Change nothing, only tell what would be done.")


@click.command()
@click.option("--web", is_flag=True, help="Serve the inspector page too.")
@click.option("--keywords-only", is_flag=True, help="Without an embedding model, for the smallest devices.")
@click.option("--without", "left_out", multiple=True, type=click.Choice(PARTS), help="Leave a part out; repeatable.")
@dry_run_option
@json_option
@click.pass_context
def setup(
    context: click.Context,
    web: bool,
    keywords_only: bool,
    left_out: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Set up the memory for this user.

    That is: its section in mycroft.conf, the embedding model, an example of a persona that remembers, and the systemd
    unit. What is as it should be stays as it is, so this can be run again at any time."""
    from .setting_up import mycroft, persona, unit

    def service() -> Iterable[Step]:
        return unit.set_up(_configured().data_dir, dry_run)

    work: dict[str, Callable[[], Step | Iterable[Step]]] = {
        "configuration": lambda: mycroft.set_up(web=web, keywords_only=keywords_only, dry_run=dry_run),
        "model": lambda: _model(keywords_only, dry_run),
        "persona": lambda: persona.set_up(dry_run),
        "service": service,
    }
    _report(context, _taken((part, work[part]) for part in PARTS if part not in left_out), as_json)


@click.command()
@click.option("--purge", is_flag=True, help="With everything remembered, and the models.")
@click.option("--yes", is_flag=True, help="Do not ask before everything remembered goes.")
@dry_run_option
@json_option
@click.pass_context
def uninstall(context: click.Context, purge: bool, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Undo what `setup` did; what is remembered stays, unless --purge is given.

    The program itself is removed with pip."""
    from .setting_up import data, mycroft, persona, unit

    config = _configured()
    if purge and not (yes or dry_run):
        click.confirm(f"Remove everything remembered in {config.data_dir} for good?", abort=True, err=True)
    work: list[tuple[str, Callable[[], Step | Iterable[Step]]]] = [
        ("service", lambda: unit.take_out(dry_run)),
        ("configuration", lambda: mycroft.take_out(dry_run)),
        ("persona", lambda: persona.take_out(dry_run)),
    ]
    if purge:
        work += [
            ("memory", lambda: data.take_out(config.data_dir, dry_run)),
            ("models", lambda: data.take_out_models(*_models(config), dry_run)),
        ]
    _report(context, _taken(work), as_json)


def _taken(work: Iterable[tuple[str, Callable[[], Step | Iterable[Step]]]]) -> Iterator[Step]:
    """All steps; one that fails keeps none of the others from being taken."""
    from .main import exit_code
    from .setting_up.step import FAILED, Step

    for part, take in work:
        try:
            taken = take()
        except MemoryBusError as error:
            taken = Step(part, FAILED, str(error), code=exit_code(error))
        yield from (taken,) if isinstance(taken, Step) else taken


def _model(keywords_only: bool, dry_run: bool) -> Step:
    from ..models import install, installed, manifest
    from .models import STAGES
    from .setting_up.step import SKIPPED, UNCHANGED, Step, done

    config = _configured()
    if keywords_only or all(backend.name != "semantic" for backend in config.backends):
        return Step("model", SKIPPED, "none is needed: the configuration leaves semantic memory out")
    chosen = manifest(config.model)
    if installed(chosen, config.models_dir):
        return Step("model", UNCHANGED, f"{chosen.name} is installed")
    if dry_run:
        return done("model", f"{chosen.name}, {chosen.size / 2**20:.0f} MiB, is installed", dry_run)
    stages = {stage: place for place, stage in enumerate(STAGES)}
    with output.progress(f"installing {chosen.name}") as report:
        path = install(
            chosen,
            config.models_dir,
            lambda stage, part: report(int(100 * (stages[stage] + part)), 100 * (len(stages) - 1)),
        )
    return done("model", str(path), dry_run)


def _configured() -> Config:
    """The configuration as it is now: setup may have just written it. A wrong one is told by its own step."""
    from .. import config as configuration
    from .setting_up import jsontext, mycroft
    from .setting_up.files import read_text

    try:
        return configuration.parse(jsontext.read(read_text(mycroft.conf_file())).get(mycroft.SECTION) or {})
    except (ConfigError, OSError, ValueError):
        return configuration.parse({})


def _models(config: Config) -> tuple[Path, tuple[str, ...]]:
    """Where models are installed, and what they may be called."""
    from ..models import available
    from ..models.folders import install_folder

    return install_folder(config.models_dir), tuple(model.name for model in available())


def _report(context: click.Context, taken: Iterable[Step], as_json: bool) -> None:
    """Print the steps and end with the code of the first that failed."""
    steps = list(taken)
    code = next((step.code for step in steps if step.code), 0)
    output.show({"ok": not code, "steps": steps}, as_json, lambda: _table(steps))
    context.exit(code)


def _table(steps: list[Step]) -> Table:
    from rich.text import Text

    rows: list[tuple[object, ...]] = []
    for step in steps:
        rows.append((Text(step.outcome, style=COLOURS[step.outcome]), step.part, step.text))
        if step.mend:
            rows.append(("", "", Text(f"→ {output.harmless(step.mend)}", style="bold")))
    return output.table(None, ("", "part", "what"), rows)

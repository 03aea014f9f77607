"""`ovos-memory-bus models`: the embedding models on offer, installed and whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import ModelError, ModelMissing
from . import output
from .options import config_option, json_option

if TYPE_CHECKING:
    from ..models import Manifest

STAGES = {"fetch": "fetching", "build": "building", "verify": "verifying", "done": "done"}


@click.group()
def models() -> None:
    """List, install and verify embedding models."""


@models.command("list")
@config_option
@json_option
def list_(file: Path | None, as_json: bool) -> None:
    """List the models on offer, the default first."""
    from ..models import available

    folder = _folder(file)
    found = [_described(model, folder) for model in available()]
    rows = [
        (
            m["name"],
            "yes" if m["installed"] else "no",
            f"{m['size'] / 2**20:.0f} MiB",
            m["dims"],
            _languages(m),
            m["title"],
        )
        for m in found
    ]
    columns = ("name", "installed", "size", "dims", "languages", "what")
    output.show(found, as_json, lambda: output.table(None, columns, rows, right=("size", "dims")))


@models.command()
@click.argument("name", required=False)
@config_option
@json_option
def install(name: str | None, file: Path | None, as_json: bool) -> None:
    """Fetch or build the model NAME (default: the configured one), check it and put it in place."""
    from ..models import install as install_model

    model, folder = _chosen(name, file), _folder(file)
    with output.progress(f"installing {model.name}") as report:
        stages = {stage: place for place, stage in enumerate(STAGES)}
        path = install_model(
            model, folder, lambda stage, part: report(int(100 * (stages[stage] + part)), 100 * (len(stages) - 1))
        )
    data = {"name": model.name, "folder": str(path), "size": model.size}
    output.show(
        data, as_json, lambda: f"{model.name} is installed in {path}; a running service takes it within a minute"
    )


@models.command()
@click.argument("name", required=False)
@config_option
@json_option
def verify(name: str | None, file: Path | None, as_json: bool) -> None:
    """Check the files of the model NAME (default: of every installed one) against their checksums."""
    from ..models import available
    from ..models import verify as verify_model

    folder = _folder(file)
    chosen = [_chosen(name, file)] if name else [m for m in available() if _is_there(m, folder)]
    if not chosen:
        raise ModelMissing("no model is installed: run `ovos-memory-bus models install`")
    checked = [{"name": model.name, "folder": str(verify_model(model, folder))} for model in chosen]
    rows = [(entry["name"], "whole", entry["folder"]) for entry in checked]
    output.show(checked, as_json, lambda: output.table(None, ("name", "files", "folder"), rows))


def _folder(file: Path | None) -> Path | None:
    from .. import config as configuration

    return configuration.load(file).models_dir


def _chosen(name: str | None, file: Path | None) -> Manifest:
    from .. import config as configuration
    from ..models import manifest

    return manifest(name or configuration.load(file).model)


def _is_there(model: Manifest, folder: Path | None) -> bool:
    """Whether there is something to verify, whole or not."""
    from ..models import find

    try:
        find(model, folder)
    except ModelMissing:
        return False
    except ModelError:
        return True
    return True


def _described(model: Manifest, folder: Path | None) -> dict[str, Any]:
    from ..models import installed

    return {
        "name": model.name,
        "title": model.title,
        "default": model.default,
        "installed": installed(model, folder),
        "size": model.size,
        "dims": model.dims,
        "languages": list(model.languages),
        "licence": model.licence,
        "origin": model.origin,
    }


def _languages(described: dict[str, Any]) -> str:
    languages = described["languages"]
    return ", ".join(languages) if len(languages) <= 8 else f"{len(languages)}"

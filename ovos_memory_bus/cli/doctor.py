"""`ovos-memory-bus doctor`: what is wrong with this installation, and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import ConfigError, StorageError
from . import output
from .options import Asker, config_option, data_dir_option, json_option

if TYPE_CHECKING:
    from datetime import datetime

    from rich.table import Table

    from ..config import Config
    from .checks.finding import Finding

COLOURS = {"ok": "green", "warn": "yellow", "fail": "bold red"}
SESSION = {"session_id": "ovos-memory-bus-doctor"}  # nobody's, so that trying out recalls shows nobody anything


@click.command()
@click.option("--bus", "url", help="Address of the messagebus (default: OVOS' own).")
@data_dir_option
@config_option
@click.option("--repair", is_flag=True, help="Mend file modes, stray rows and the database's indexes.")
@click.option("--timeout", type=click.FloatRange(0.01, 600), default=5.0, show_default=True, help="Seconds to wait.")
@json_option
@click.pass_context
def doctor(
    context: click.Context,
    url: str | None,
    data_dir: Path | None,
    file: Path | None,
    repair: bool,
    timeout: float,
    as_json: bool,
) -> None:
    """Find what is wrong, and how to mend it."""
    from ..bus import default_url
    from .checks.finding import failed

    config, findings = _configured(file, data_dir)
    findings += _examined(config, Asker(url or default_url(), SESSION, timeout), repair)
    report = {"ok": not failed(findings), "findings": findings}
    output.show(report, as_json, lambda: _report(findings), lambda: _verdict(findings))
    context.exit(1 if failed(findings) else 0)


def _configured(file: Path | None, data_dir: Path | None) -> tuple[Config, list[Finding]]:
    """The configuration, or the one that would hold without what is wrong in it."""
    from .. import config as configuration
    from .checks.finding import fail, ok

    where = file or "mycroft.conf, section memory"
    try:
        return configuration.load(file, data_dir=data_dir), [ok("configuration", str(where))]
    except ConfigError as error:
        defaults = configuration.parse({"data_dir": str(data_dir)} if data_dir else {})
        return defaults, [fail("configuration", str(error), f"correct it ({where})")]


def _examined(config: Config, asker: Asker, repair: bool) -> list[Finding]:
    from .checks import folder, machine, model, personas, service

    findings = [machine.python(), machine.packages(), machine.compiler(), machine.sqlite()]
    if repair:
        findings += folder.repair(config.data_dir)
    findings += [folder.rights(config.data_dir), *folder.database(config.data_dir), folder.index(config.data_dir)]
    findings += [machine.clock(_newest(config.data_dir), config.timezone), *model.model(config)]
    findings += service.service(asker, config.recall.timeout)
    return [*findings, *personas.personas()]


def _newest(folder: Path) -> datetime | None:
    from ..store import health

    try:
        return health.newest(folder)
    except StorageError:  # told by the database's own check
        return None


def _report(findings: list[Finding]) -> Table:
    from rich.text import Text

    rows: list[tuple[object, ...]] = []
    for finding in findings:
        state = Text(finding.state, style=COLOURS[finding.state])
        rows.append((state, finding.part, finding.text))
        if finding.mend:
            rows.append(("", "", Text(f"→ {output.harmless(finding.mend)}", style="bold")))
    return output.table(None, ("", "part", "finding"), rows)


def _verdict(findings: list[Finding]) -> str:
    count = {state: sum(finding.state == state for finding in findings) for state in COLOURS}
    if not count["fail"] and not count["warn"]:
        return "All is well."
    return f"{count['fail']} broken, {count['warn']} to look at."

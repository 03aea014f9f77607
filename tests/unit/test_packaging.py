"""What gets to a device: the wheel has every module and data file, and what it installs runs from there."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from built import ROOT, build_wheel, run

from ovos_memory_bus import __version__
from ovos_memory_bus.models import available

PACKAGE = ROOT / "ovos_memory_bus"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel in a folder of its own; its dependencies are this environment's."""
    target = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(target))
    run(*pip, str(built), cwd=target)
    return target


def test_the_wheel_has_every_module_and_every_data_file(built: Path) -> None:
    source = {str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*") if path.is_file()}
    source = {name for name in source if "__pycache__" not in name}
    packed = {name for name in zipfile.ZipFile(built).namelist() if ".dist-info/" not in name}
    assert packed == source
    assert any(name.endswith("languages/de.json") for name in packed)


def test_the_wheel_names_its_licence_and_its_entry_points(built: Path) -> None:
    archive = zipfile.ZipFile(built)
    folder = f"ovos_memory_bus-{__version__}.dist-info"
    assert "License-Expression: Apache-2.0" in archive.read(f"{folder}/METADATA").decode()
    assert "Apache License" in archive.read(f"{folder}/licenses/LICENSE").decode()
    entries = archive.read(f"{folder}/entry_points.txt").decode()
    assert "[opm.agents.memory]" in entries
    assert "ovos-memory-bus = ovos_memory_bus.cli:main" in entries


def test_the_installed_command_runs_and_knows_its_models(installed: Path) -> None:
    command = str(installed / "bin" / "ovos-memory-bus")
    where = run(sys.executable, "-c", "import ovos_memory_bus as m; print(m.__file__)", cwd=installed, PYTHONPATH=".")
    assert Path(where.strip()).resolve().is_relative_to(installed.resolve())
    assert __version__ in run(sys.executable, command, "--version", cwd=installed, PYTHONPATH=".")
    listed = run(sys.executable, command, "models", "list", "--json", cwd=installed, PYTHONPATH=".")
    assert all(f'"{manifest.name}"' in listed for manifest in available())


def test_models_stands_at_the_top_for_who_looks_for_them() -> None:
    assert (ROOT / "models").resolve() == PACKAGE / "models"

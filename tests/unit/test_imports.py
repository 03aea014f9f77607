"""What a plugin or a skill pays for importing us: nothing that only the service needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ONLY_THE_SERVICE = {"aiosqlite", "hnswlib", "numpy", "onnxruntime", "tokenizers", "Stemmer"}


PLUGIN_MANAGER = "import ovos_plugin_manager.templates.agents"  # loads numpy of its own, in some versions


def loaded_by(statement: str, **more: str) -> set[str]:
    """The names of all modules that a fresh interpreter has loaded after `statement`; `more` environment variables."""
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("ORT_")}, **more}
    program = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "from ovos_memory_bus.persona import MemoryBusPlugin",
        "from ovos_memory_bus.client import MemoryClient",
        "from ovos_memory_bus.client import AsyncMemoryClient",
    ],
)
def test_a_plugin_and_a_client_load_nothing_of_the_service(statement: str) -> None:
    loaded = loaded_by(statement)
    ours = loaded - loaded_by(PLUGIN_MANAGER) if "persona" in statement else loaded
    assert "ovos_memory_bus.client" in ours
    assert not {"aiosqlite", "hnswlib", "onnxruntime", "tokenizers"} & loaded
    assert not ONLY_THE_SERVICE & ours
    assert not any(name.startswith("ovos_memory_bus.store") for name in ours)


@pytest.mark.parametrize(
    "module", ["skill", "tools.toolbox", "tools.retrieval", "tools.mcp_server", "plugins.embedder"]
)
def test_what_others_load_of_us_loads_no_service_and_no_model(module: str) -> None:
    loaded = loaded_by(f"import ovos_memory_bus.{module}")
    assert f"ovos_memory_bus.{module}" in loaded
    assert not {"aiosqlite", "hnswlib", "onnxruntime", "tokenizers"} & loaded
    assert not any(name.startswith(("ovos_memory_bus.store", "ovos_memory_bus.service")) for name in loaded)


def test_the_service_loads_nothing_of_skills_and_tools() -> None:
    loaded = loaded_by("import ovos_memory_bus.service, ovos_memory_bus.cli.main")
    ours = ("ovos_memory_bus.skill", "ovos_memory_bus.tools", "ovos_memory_bus.plugins")
    assert not any(name.startswith(ours) for name in loaded)
    assert not {"mcp", "pydantic", "ovos_workshop"} & loaded


def test_a_skill_that_has_a_bus_does_not_load_a_second_websocket_library() -> None:
    assert "aiohttp" not in loaded_by("from ovos_memory_bus.client import MemoryClient")


def test_help_needs_no_model_and_no_database() -> None:
    assert not (ONLY_THE_SERVICE | {"aiohttp", "anyio"}) & loaded_by("import ovos_memory_bus.cli.main")


def test_the_model_runtime_leaves_no_trace_and_reports_nothing(tmp_path: Path) -> None:
    loaded_by("import ovos_memory_bus.embedding.onnx", HOME=str(tmp_path), TMPDIR=str(tmp_path))
    assert list(tmp_path.rglob("*")) == []

"""The documentation is complete: whatever the code answers, reads or raises stands in docs/."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ovos_memory_bus
from ovos_memory_bus.backends.registry import BUILT_IN
from ovos_memory_bus.client.calls import ContextOptions
from ovos_memory_bus.config import Config
from ovos_memory_bus.desk import Desk
from ovos_memory_bus.errors import MemoryBusError
from ovos_memory_bus.messages import context, forgetting, items
from ovos_memory_bus.models import available
from ovos_memory_bus.persona.settings import PersonaSettings
from ovos_memory_bus.rendering import RenderOptions
from ovos_memory_bus.web.openapi import document

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"])
SET_BY_THE_SERVICE = {"inject_mode", "describe_date", "time_zone"}  # of RenderOptions: no keys of the configuration


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def config_keys(kind: Any = Config, prefix: str = "") -> Iterator[str]:
    """Every key of the configuration, with dots."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if dataclasses.is_dataclass(hints[field.name]):
            yield from config_keys(hints[field.name], f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


def rendering_keys() -> list[str]:
    names = {field.name for field in dataclasses.fields(RenderOptions)} - SET_BY_THE_SERVICE
    return sorted(f"rendering.{name}" for name in names)


def error_codes() -> list[str]:
    """The codes of the whole tree, in whichever module a class stands."""
    for module in pkgutil.walk_packages(ovos_memory_bus.__path__, "ovos_memory_bus."):
        importlib.import_module(module.name)
    waiting, codes = [MemoryBusError], set()
    while waiting:
        kind = waiting.pop()
        codes.add(kind.code)
        waiting += kind.__subclasses__()
    return sorted(codes)


@pytest.mark.parametrize("topic", [*Desk(*[None] * 7).topics(), forgetting.FORGOTTEN, forgetting.RECORDED])  # type: ignore[list-item]
def test_every_topic_is_documented(topic: str) -> None:
    assert f"`{topic}`" in page("bus-messages.md")


@pytest.mark.parametrize("key", sorted(config_keys()) + rendering_keys())
def test_every_key_of_the_configuration_is_documented(key: str) -> None:
    assert f"`{key}`" in page("configuration.md")


@pytest.mark.parametrize("path", document({})["paths"])
def test_every_path_of_the_api_is_documented(path: str) -> None:
    assert re.search(rf"`(GET|POST) {path}\b", page("http.md"))


def test_every_error_code_is_documented() -> None:
    table = page("bus-messages.md").split("## Errors")[1].split("\n## ")[0]
    documented = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    assert sorted(documented) == error_codes()


def test_every_key_of_a_context_request_is_documented() -> None:
    section = page("bus-messages.md").split("### `memory.context.request`")[1].split("\n### ")[0]
    assert [key for key in ContextOptions.__annotations__ if f"`{key}`" not in section] == []


def test_every_choice_is_documented() -> None:
    text = page("bus-messages.md")
    choices = (context.INJECT_MODES, context.FUSIONS, context.SCOPES, forgetting.WHATS, items.METRICS, items.DIRECTIONS)
    assert [choice for options in choices for choice in options if f"`{choice}`" not in text] == []


@pytest.mark.parametrize("name", [*BUILT_IN, *(manifest.name for manifest in available())])
def test_every_backend_and_model_is_documented(name: str) -> None:
    assert f"| `{name}` |" in page("configuration.md")


def test_the_default_model_is_named() -> None:
    assert f"| `model` | `{available()[0].name}` |" in page("configuration.md")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_json_in_the_documentation_parses(path: Path) -> None:
    for block in re.findall(r"```json\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        place = 0
        while block[place:].strip():
            value, place = json.JSONDecoder().raw_decode(
                block, place + len(block[place:]) - len(block[place:].lstrip())
            )
            assert isinstance(value, dict)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        linked = path.parent / file if file else path
        assert linked.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}, target


def test_the_persona_of_the_readme_is_understood() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    persona = json.loads(block)
    settings = PersonaSettings.from_config(persona[persona["memory_module"]])
    assert (settings.timeout, settings.request["max_results"]) == (1.0, 5)


def test_the_readme_fits_on_a_screen_and_a_half() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100

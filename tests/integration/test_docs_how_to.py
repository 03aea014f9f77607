"""The how-to pages and the README's first example are true: their commands run, and say what the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemon import PROGRAM, StartService, needs_model
from rig import Bus
from wire import Wire, user

from ovos_memory_bus.models.folders import find
from ovos_memory_bus.models.manifest import manifest

ROOT = Path(__file__).parents[2]
README, FOLDER = ROOT / "README.md", ROOT / "docs" / "how-to"
PAGES = sorted(page for page in FOLDER.glob("*.md") if "```sh\n" in page.read_text(encoding="utf-8"))
PATIENCE = 120.0  # seconds for one block of commands


def blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks in order, each with its language."""
    return re.findall(r"```(\w+)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def steps(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each block of commands with the lines that the page shows of its output; … stands for anything."""
    found = blocks(page)
    for place, (language, commands) in enumerate(found):
        if language == "sh":
            after = found[place + 1 : place + 2]
            yield commands, after[0][1].splitlines() if after and after[0][0] == "text" else []


def configuration(page: Path) -> dict[str, Any]:
    """The first `memory` section that the page shows."""
    sections = [json.loads(text).get("memory") for language, text in blocks(page) if language == "json"]
    return next((section for section in sections if section), {})


def looks_like(line: str) -> str:
    """The pattern of a line of output, whatever its spaces."""
    words = re.escape(" ".join(line.split())).replace("…", ".*")
    return words.replace(r"\ ", r"\s+")


def home_of(folder: Path, bus: Bus, memory: dict[str, Any]) -> dict[str, str]:
    """The environment of a user who has this `memory` section, the model, and nothing yet to remember."""
    for name in ("config/mycroft", "share"):
        (folder / name).mkdir(parents=True)
    websocket = {"host": "127.0.0.1", "port": bus.port, "route": "/core"}
    (folder / "config/mycroft/mycroft.conf").write_text(json.dumps({"websocket": websocket, "memory": memory}))
    return {
        **os.environ,
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "share"),
        "XDG_STATE_HOME": str(folder / "state"),
        "OVOS_MEMORY_MODELS": str(find(manifest()).parent),
        "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}",
        "COLUMNS": "200",
    }


def run(commands: str, home: dict[str, str]) -> str:
    """What the commands print; each of them must succeed."""
    command = ["bash", "-eu", "-c", commands]
    done = subprocess.run(command, cwd=home["HOME"], env=home, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_model
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_the_page_say_what_it_says(
    page: Path, service: StartService, shared_bus: Bus, tmp_path: Path
) -> None:
    memory = configuration(page)
    home = home_of(tmp_path, shared_bus, memory)
    service(tmp_path / "share" / "ovos-memory-bus", env=home)
    with Wire(shared_bus.url) as wire:
        for commands, shown in steps(page):
            output = run(commands, home)
            for line in shown:
                assert re.search(looks_like(line), output), f"{line!r} is not in:\n{output}"
            if "llm" not in memory:  # the model that a page names does not run here: work for it stays pending
                wire.settle()


@needs_model
def test_the_first_example_of_the_readme_is_true(service: StartService, shared_bus: Bus, tmp_path: Path) -> None:
    example = next(text for language, text in blocks(README) if language == "console")
    remember, recall = (line.removeprefix("$ ") for line in example.splitlines() if line.startswith("$ "))
    home = home_of(tmp_path, shared_bus, {})
    service(tmp_path / "share" / "ovos-memory-bus", env=home)
    run(remember, home)
    with Wire(shared_bus.url) as wire:
        wire.settle()
    best = example.splitlines()[-1].split("user")[1]
    assert re.search(looks_like(best), run(recall, home))


def test_a_frame_says_for_whom_it_speaks(shared_bus: Bus, service: StartService) -> None:
    service(config={"backends": ["recency", "lexical"]})
    (code,) = [text for language, text in blocks(FOLDER / "a-memory-for-each-family-member.md") if language == "python"]
    with shared_bus.client() as bus, Wire(shared_bus.url) as wire:
        names: dict[str, Any] = {"bus": bus}
        exec(code, names)
        assert names["answer"].data["item"]["content"] == "the choir sings on Tuesday"
        assert wire.do("memory.item.list", {}, user("nora"))["total"] == 1
        assert wire.do("memory.item.list", {}, user("tom"))["total"] == 0

"""Every frame in docs/bus-messages.md is understood by a real service, and the README's skill remembers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from daemon import KEYWORDS_ONLY, Daemon
from rig import Bus
from wire import Wire

ROOT = Path(__file__).parents[2]
CONFIG = KEYWORDS_ONLY


def blocks(file: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / file).read_text(encoding="utf-8"), re.DOTALL)


def frames() -> Iterator[dict[str, Any]]:
    """The frames of the documentation in their order; a block may hold several."""
    for block in blocks("docs/bus-messages.md", "json"):
        rest = block.strip()
        while rest:
            frame, end = json.JSONDecoder().raw_decode(rest)
            yield frame
            rest = rest[end:].strip()


def test_the_frames_of_the_documentation_are_understood(memory: Daemon, wire: Wire) -> None:
    answers = {}
    for frame in frames():
        answer = wire.do(frame["type"], frame["data"], frame["context"].get("session"))
        answers[frame["type"]] = answer
        assert answer["request_id"] == frame["data"].get("request_id", answer["request_id"])
    assert len(answers) > 8
    assert answers["memory.context.request"]["hits"][0]["content"] == "My sister Marie moved to Ghent"
    assert [item["content"] for item in answers["memory.item.search"]["items"]] == ["The spare key is with Mrs Okafor"]
    assert answers["memory.forget"]["items"][0]["content"] == "The spare key is with Mrs Okafor"
    assert answers["memory.explain"]["recall_id"] == "7f1d"


def test_the_answer_to_a_context_request_has_the_keys_documented(memory: Daemon, wire: Wire) -> None:
    wire.say("My sister Marie moved to Ghent", session={"session_id": "documented"})
    answer = wire.recall("where does my sister Marie live", {"session_id": "documented"})
    section = (ROOT / "docs/bus-messages.md").read_text(encoding="utf-8").split("### `memory.context.request`")[1]
    assert [key for key in [*answer, *answer["hits"][0]] if f'"{key}"' not in section] == []


def test_the_skill_of_the_readme_remembers(shared_bus: Bus, memory: Daemon) -> None:
    (code,) = blocks("README.md", "python")
    with shared_bus.client() as bus:
        names: dict[str, Any] = {"bus": bus}
        exec(code, names)
    assert [found.content for found in names["found"]] == ["the bin goes out on Tuesday"]

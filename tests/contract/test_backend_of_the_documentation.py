"""The backend that docs/writing-a-backend.md writes runs as it stands there, and keeps the contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ovos_memory_bus.testing import RetrieverContract

PAGE = Path(__file__).parents[2] / "docs" / "writing-a-backend.md"


def written() -> dict[str, Any]:
    """What the page's first example defines."""
    example = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    names: dict[str, Any] = {"__name__": "my_package"}
    exec(compile(example, str(PAGE), "exec"), names)
    return names


class TestDiary(RetrieverContract):
    factory = staticmethod(written()["diary"])
    ranks_by_text = False  # but by time

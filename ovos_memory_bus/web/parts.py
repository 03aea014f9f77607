"""What the pages are given of the service: how requests are answered, and where to look things up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..messages.identity import Caller
from ..store.base import Store
from ..tracing import Traces

Answer = Callable[[str, Mapping[str, Any], Caller], Awaitable[dict[str, Any]]]
"""Called with topic, data and caller; gives the answer's data, with `error` where it could not be done."""


@dataclass(frozen=True, slots=True)
class Parts:
    """`topics` are all that `answer` knows; `folder` is the memory's."""

    folder: Path
    topics: tuple[str, ...]
    answer: Answer
    status: Callable[[], Awaitable[dict[str, Any]]]
    is_ready: Callable[[], bool]
    store: Store
    traces: Traces

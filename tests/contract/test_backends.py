"""Every built-in backend keeps the contract that other packages' backends are held to."""

from __future__ import annotations

from typing import ClassVar

from ovos_memory_bus.backends.registry import BUILT_IN
from ovos_memory_bus.testing import BackendContract, RetrieverContract


class TestLexical(RetrieverContract):
    factory = staticmethod(BUILT_IN["lexical"])


class TestSemantic(RetrieverContract):
    factory = staticmethod(BUILT_IN["semantic"])
    keeps_to_limit = False  # of a small memory it gives all, for fusion to know each one's similarity
    crowd = 1_000  # each is embedded


class TestRecency(BackendContract):
    factory = staticmethod(BUILT_IN["recency"])


class TestFacts(BackendContract):
    factory = staticmethod(BUILT_IN["facts"])


class TestSummary(BackendContract):
    factory = staticmethod(BUILT_IN["summary"])
    config: ClassVar = {"summary": {"summarize_every": 1, "recent_window": 0}}


def test_no_built_in_backend_is_left_out() -> None:
    contracts = [kind for kind in globals().values() if isinstance(kind, type) and issubclass(kind, BackendContract)]
    tested = {kind.factory for kind in contracts if "factory" in vars(kind)}
    assert tested == set(BUILT_IN.values())

"""For tests of backends, our own and other packages': the contract that each must keep, and a place to run one.

    from ovos_memory_bus.testing import RetrieverContract

    class TestDiary(RetrieverContract):
        factory = staticmethod(my_package.diary)

Needs pytest; anyio, which comes with the package, runs the asynchronous tests. See docs/writing-a-backend.md."""

import pytest

pytest.register_assert_rewrite(f"{__name__}.contract", f"{__name__}.retrieval")  # failures show their values

from .bench import ASKER, SESSION, Bench, open_bench  # noqa: E402
from .contract import BackendContract  # noqa: E402
from .loop_watch import LoopWatch, watched_loop  # noqa: E402
from .retrieval import RetrieverContract  # noqa: E402

__all__ = [
    "ASKER",
    "SESSION",
    "BackendContract",
    "Bench",
    "LoopWatch",
    "RetrieverContract",
    "open_bench",
    "watched_loop",
]

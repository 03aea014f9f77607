"""The contract of every backend as tests, over a real store. Subclass `BackendContract`, or `RetrieverContract` (in
retrieval.py) for one that ranks, and say what your backend is made from."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, ClassVar

import anyio
import anyio.lowlevel
import pytest

from ..backends.registry import Factory
from ..store.base import Added
from .bench import Bench, open_bench, turn
from .loop_watch import watched_loop

FOODS = ("gnocchi", "ramen", "halloumi", "okra", "kimchi", "borscht", "tagine", "falafel", "risotto", "dumplings")
CUTS = 40  # moments of a search, or of background work, at which it is cut off
ODD_QUERIES = ("", "   ", "\u200b", "!!!", "\0", 'what\'s "this"? (AND NEAR/2 -x *: ^', "🦊" * 50, "猫", "x" * 20_000)


class BackendContract:
    """What every backend must do: find what is there, nothing that is gone or another's, and survive being cut off.

    Set `factory`; where your backend needs other things said to have something to find, override `statement` and
    `question`: the n-th question is to find what holds the n-th of `words`, which the n-th statement brings in."""

    pytestmark = pytest.mark.anyio
    factory: ClassVar[Factory]
    options: ClassVar[Mapping[str, Any]] = {}  # of the backend's entry in the configuration
    config: ClassVar[Mapping[str, Any]] = {}  # the rest of the `memory` section
    words: ClassVar[tuple[str, ...]] = FOODS

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    def statement(self, n: int) -> str:
        """What the user says."""
        return f"I love eating {self.words[n]}"

    def question(self, n: int) -> str:
        """What the user asks later."""
        return f"do I love eating {self.words[n]}"

    def bench(self, folder: Path) -> AbstractAsyncContextManager[Bench]:
        """A new bench on `folder`, as an asynchronous context."""
        return open_bench(folder, type(self).factory, options=self.options, config=self.config)

    async def holds(self, bench: Bench, n: int) -> bool:
        """Whether the n-th question finds what its statement brought in."""
        return any(self.words[n] in text for text in await bench.found(self.question(n)))

    async def test_an_empty_memory_answers_with_nothing(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.settle()
            assert await bench.found(self.question(0)) == []

    async def test_what_was_said_is_found(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            for n in range(4):  # each between two searches, as turns come
                await bench.tell(self.statement(n))
                await bench.settle()
                assert await self.holds(bench, n)
            assert all([await self.holds(bench, n) for n in range(4)])

    async def test_what_is_forgotten_is_gone_and_the_rest_is_not(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(*(self.statement(n) for n in range(4)))
            await bench.settle()
            assert await self.holds(bench, 1)
            assert added.ids[1] in (await bench.forget(added.seqs[1:2])).ids
            assert not await self.holds(bench, 1)
            await bench.settle()
            assert [await self.holds(bench, n) for n in range(4)] == [True, False, True, True]

    async def test_forgetting_twice_is_fine(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(self.statement(0), self.statement(1))
            await bench.settle()
            await bench.forget(added.seqs[:1])
            assert (await bench.forget(added.seqs[:1])).ids == ()
            await bench.settle()
            assert not await self.holds(bench, 0)
            assert await self.holds(bench, 1)

    async def test_what_is_forgotten_before_it_was_worked_on_never_shows(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(self.statement(0), self.statement(1))
            await bench.forget(added.seqs[:1])
            await bench.settle()
            assert not await self.holds(bench, 0)
            assert await self.holds(bench, 1)

    async def test_new_words_are_found_and_the_old_ones_are_not(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(self.statement(0), self.statement(1))
            await bench.settle()
            assert await self.holds(bench, 0)
            await bench.edit(added.ids[0], self.statement(2))
            await bench.settle()
            assert [await self.holds(bench, n) for n in range(3)] == [False, True, True]

    async def test_somebody_elses_never_shows(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.tell(self.statement(0), turn(self.statement(1), owner="user:other"))
            await bench.settle()
            assert [await self.holds(bench, n) for n in range(2)] == [True, False]

    async def test_all_of_it_survives_a_restart(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(*(self.statement(n) for n in range(3)))
            await bench.settle()
            await bench.forget(added.seqs[:1])
            await bench.settle()
        async with self.bench(tmp_path) as bench:
            assert [await self.holds(bench, n) for n in range(3)] == [False, True, True]

    async def test_work_left_by_a_restart_is_done(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.tell(*(self.statement(n) for n in range(3)))
        async with self.bench(tmp_path) as bench:
            await bench.settle()
            assert all([await self.holds(bench, n) for n in range(3)])

    async def test_a_search_cut_off_anywhere_leaves_the_backend_usable(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.tell(self.statement(0), self.statement(1))
            await bench.settle()
        for moment in range(CUTS):
            async with self.bench(tmp_path) as bench:  # the first search is the one that loads
                await _cut_off(bench.backend.search(bench.query(self.question(0))), moment)
                assert await self.holds(bench, 0)

    async def test_work_cut_off_anywhere_is_done_later_and_once(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path / "whole") as bench:
            await bench.tell(*(self.statement(n) for n in range(3)))
            await bench.settle()
            whole = sorted(await bench.found(self.question(0)))
        async with self.bench(tmp_path / "cut") as bench:
            await bench.tell(*(self.statement(n) for n in range(3)))
            for moment in range(CUTS):
                await _cut_off(bench.backend.work(), moment)
            await bench.settle()
            assert sorted(await bench.found(self.question(0))) == whole
            assert (await bench.store.queue(bench.backend.jobs)).pending == 0

    @pytest.mark.parametrize("forgotten", [False, True])
    async def test_what_changes_in_the_middle_of_the_work_is_as_it_is_now(
        self, tmp_path: Path, forgotten: bool
    ) -> None:
        async with self.bench(tmp_path) as bench:
            for moment in range(CUTS):
                added = await bench.tell(self.statement(0), self.statement(1))

                async def change(moment: int = moment, added: Added = added) -> None:
                    await _rounds(moment)
                    if forgotten:
                        await bench.forget(added.seqs[:1])
                    else:
                        await bench.edit(added.ids[0], self.statement(2))

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(change)
                    await bench.backend.work()
                await bench.settle()
                assert [await self.holds(bench, n) for n in range(3)] == [False, True, not forgotten], moment
                await bench.forget(added.seqs)

    @pytest.mark.parametrize("query", ODD_QUERIES)
    async def test_any_query_has_an_answer(self, tmp_path: Path, query: str) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.tell(self.statement(0))
            await bench.settle()
            assert (await bench.search(query)).size >= 0
            assert await self.holds(bench, 0)

    async def test_its_status_is_plain_json(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            assert json.loads(json.dumps(bench.backend.status())) == bench.backend.status()
            await bench.tell(self.statement(0))
            await bench.settle()
            await bench.found(self.question(0))
            assert json.loads(json.dumps(bench.backend.status())) == bench.backend.status()
            assert bench.backend.name
            assert bench.backend.unfinished == 0

    async def test_others_are_served_meanwhile(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.tell(*(self.statement(n % len(self.words)) for n in range(100)))
            async with watched_loop() as watch:
                await bench.settle()
                await bench.found(self.question(0))
            assert not watch.gross, watch.report()


async def _cut_off(call: Awaitable[object], moment: int) -> None:
    """Await `call`, but cancel it when the loop has gone round `moment` times."""
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_later, scope, moment)
            await call
            tasks.cancel_scope.cancel()


async def _cancel_later(scope: anyio.CancelScope, moment: int) -> None:
    await _rounds(moment)
    scope.cancel()


async def _rounds(count: int) -> None:
    """Wait until the event loop has gone round so many times."""
    for _ in range(count):
        await anyio.lowlevel.checkpoint()

"""The further contract of backends that rank: the best first, the filter before the cut, no more than was asked for."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ..filters import ItemFilter
from .bench import Bench, turn
from .contract import BackendContract

T0 = datetime(2026, 3, 1, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
AFTER, BEFORE = ItemFilter(since=T0 + HOUR), ItemFilter(until=T0)
# what only the wanted item has, and the filter that asks for it; the others are of T0 + 30 minutes
FILTERS: dict[str, tuple[dict[str, Any], ItemFilter]] = {
    "session": ({"session_id": "another"}, ItemFilter(session_id="another")),
    "agent": ({"agent_id": "cook"}, ItemFilter(agent_id="cook")),
    "graph": ({"graph_id": "g"}, ItemFilter(graph_id="g")),
    "task": ({"task_id": "t"}, ItemFilter(task_id="t")),
    "kind": ({"kind": "note"}, ItemFilter(kinds=("note", "document"))),
    "since": ({"created_at": T0 + HOUR}, AFTER),
    "until": ({"created_at": T0 - HOUR}, BEFORE),
    "during": ({"created_at": T0 + 5 * HOUR}, ItemFilter(during=((T0 - HOUR, T0), (T0 + 5 * HOUR, T0 + 6 * HOUR)))),
    "metadata": ({"metadata": {"room": {"floor": 2}}}, ItemFilter(metadata={"room": {"floor": 2}})),
    "several": ({"agent_id": "cook", "kind": "note"}, ItemFilter(agent_id="cook", kinds=("note",))),
}


class RetrieverContract(BackendContract):
    """A `kind = "retriever"` backend. `ranks_by_text` False: it ranks by something else, time say. `keeps_to_limit`
    False: it may answer with more where all are known anyway. `crowd` items are stored to look for a few of them."""

    ranks_by_text: ClassVar[bool] = True
    keeps_to_limit: ClassVar[bool] = True
    crowd: ClassVar[int] = 5_000

    async def test_hits_come_best_first_and_each_once(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(*(self.statement(n) for n in range(len(self.words))))
            await bench.settle()
            for n in range(len(self.words)):
                found = await bench.search(self.question(n))
                assert len(found.seqs) == len(found.scores) == len(set(found.seqs.tolist()))
                assert np.all(np.diff(found.scores) <= 0)
                assert all(len(values) == len(found.seqs) for values in found.features.values())
                if self.ranks_by_text:
                    assert found.seqs[0] == added.seqs[n]

    @pytest.mark.parametrize("name", FILTERS)
    async def test_what_does_not_pass_the_filter_is_not_found(self, tmp_path: Path, name: str) -> None:
        values, where = FILTERS[name]
        async with self.bench(tmp_path) as bench:
            ordinary: dict[str, Any] = {"created_at": T0 + HOUR / 2}
            (wanted,) = (await bench.tell(turn(self.statement(0), **{**ordinary, **values}))).seqs
            await bench.tell(*(turn(self.statement(0), **ordinary) for _ in range(3)))
            await bench.tell(turn(self.statement(0), owner="user:other", **values))
            await bench.settle()
            assert (await bench.search(self.question(0), where)).seqs.tolist() == [wanted]
            assert len((await bench.search(self.question(0))).seqs) == 4

    async def test_everybodys_is_found_only_when_asked_for_everybody(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            added = await bench.tell(turn(self.statement(0)), turn(self.statement(0), owner="user:other"))
            await bench.settle()
            assert sorted((await bench.search(self.question(0), owner=None)).seqs.tolist()) == list(added.seqs)
            assert (await bench.search(self.question(0))).seqs.tolist() == [added.seqs[0]]

    async def test_the_few_that_pass_are_found_among_many(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            mine = await self._crowded(bench)
            found = await bench.search(self.question(0), ItemFilter(agent_id="mine"), limit=10)
            assert len(found.seqs) >= 10
            assert set(found.seqs.tolist()) <= mine
            if self.keeps_to_limit:
                assert len(found.seqs) == 10
                assert len((await bench.search(self.question(0), limit=7)).seqs) == 7

    async def _crowded(self, bench: Bench) -> set[int]:
        """Twenty items of one agent among `crowd` equal ones of another; the seqs of the twenty."""
        every = self.crowd // 20
        agents = ["theirs" if place % every else "mine" for place in range(self.crowd)]
        added = await bench.tell(*(turn(self.statement(0), agent_id=agent) for agent in agents))
        await bench.settle()
        return {seq for seq, agent in zip(added.seqs, agents, strict=True) if agent == "mine"}

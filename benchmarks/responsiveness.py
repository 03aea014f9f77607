"""Does the service answer while it is given much to do? Over a bus and a service of its own.

    python benchmarks/responsiveness.py [--items 5000] [--clear 10000] [--others 0] [--settle] [PHASE…]

While items are imported beside the service, told to it over the bus, or taken away, `is_alive` is asked every 50 ms,
and a recall again and again. One line a phase: how long its work took, and the answers' times in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ovos_memory_bus.client import AsyncMemoryClient
from ovos_memory_bus.client.call import Call
from ovos_memory_bus.errors import MemoryBusError

BIN = Path(sys.executable).parent
PAUSE = 0.05  # seconds between two questions
TOGETHER = 32  # items added at a time
WORDS = ("amber", "basket", "candle", "dragon", "engine", "forest", "garden", "harbour", "island", "jungle", "kettle")
ALIVE = Call("mycroft.memory.is_alive", {}, lambda data: data["status"])


def statement(number: int) -> str:
    """A sentence of its own."""
    parts = [WORDS[(number // len(WORDS) ** place) % len(WORDS)] for place in range(4)]
    return f"On day {number} I put the {parts[0]} beside the {parts[1]}, under the {parts[2]} and the {parts[3]}."


@dataclass
class Running:
    """A bus and a service: the bus's address, the data folder, and the service's process."""

    url: str
    data: Path
    service: asyncio.subprocess.Process
    begin: Callable[[], Awaitable[asyncio.subprocess.Process]]

    async def restart(self) -> None:
        self.service.terminate()
        await self.service.wait()
        self.service = await self.begin()


@asynccontextmanager
async def running(config: Mapping[str, Any] | None = None) -> AsyncIterator[Running]:
    """Both in a folder that goes afterwards; `config` is the service's section of the configuration."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as probe:
        home = Path(name)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        (home / "config" / "mycroft").mkdir(parents=True)
        bus = {"host": "127.0.0.1", "port": port, "route": "/core"}
        conf = {"websocket": bus, "memory": dict(config or {})}
        (home / "config" / "mycroft" / "mycroft.conf").write_text(json.dumps(conf))
        env = {**os.environ, "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}
        url, data = f"ws://127.0.0.1:{port}/core", home / "data"
        with (home / "log").open("w") as log:

            async def begin(*command: str) -> asyncio.subprocess.Process:
                program, *options = command
                return await asyncio.create_subprocess_exec(
                    str(BIN / program), *options, env=env, stdout=log, stderr=log
                )

            def service() -> Awaitable[asyncio.subprocess.Process]:
                return begin("ovos-memory-bus", "run", "--bus", url, "--data-dir", str(data))

            messagebus = await begin("ovos-messagebus")
            run = Running(url, data, await service(), service)
            try:
                await ready(url)
                yield run
            finally:
                for process in (run.service, messagebus):
                    process.terminate()
                    await process.wait()


async def ready(url: str) -> None:
    """Wait until the service answers: what is asked before that is lost."""
    async with AsyncMemoryClient(url, timeout=1) as client:
        while True:
            try:
                if (await client.status()).ready:
                    return
            except MemoryBusError:
                continue


async def timed(ask: Callable[[], Awaitable[Any]], until: asyncio.Event) -> np.ndarray:
    """Milliseconds that each answer took, asked again and again until the event."""
    took: list[float] = []
    while not until.is_set() or not took:
        started = time.perf_counter()
        await ask()
        took.append(1000 * (time.perf_counter() - started))
        await asyncio.sleep(max(0.0, PAUSE - took[-1] / 1000))
    return np.array(took)


def shown(took: np.ndarray) -> str:
    p50, p99 = np.percentile(took, [50, 99])
    return f"n {len(took):4}, p50 {p50:5.1f}, p99 {p99:6.1f}, max {took.max():6.1f}"


async def phase(name: str, url: str, work: Awaitable[Any], settle: bool) -> None:
    """One line; with `settle`, answers are timed until the background work is done too."""
    done = asyncio.Event()
    async with (
        AsyncMemoryClient(url, timeout=60, session="calm") as asking,
        AsyncMemoryClient(url, timeout=60, session="calm") as recalling,
    ):
        await asking.status()
        await recalling.context("where is the anchor")
        watching = [
            asyncio.create_task(timed(lambda: asking._perform(ALIVE), done)),
            asyncio.create_task(timed(lambda: recalling.context("where is the anchor"), done)),
        ]
        started = time.perf_counter()
        await work
        took = time.perf_counter() - started
        if settle:
            await settled(asking)
        done.set()
        alive, recalls = [await task for task in watching]
    print(f"{name:24} {took:6.2f} s   is_alive {shown(alive)}   recall {shown(recalls)}", flush=True)


async def settled(client: AsyncMemoryClient) -> None:
    for _ in itertools.count():
        if not (await client.status()).queue.pending:
            return
        await asyncio.sleep(0.5)


def export_of(count: int, file: Path, session: str) -> None:
    """An export as another memory would have written it."""
    lines: list[dict[str, Any]] = [{"format": "ovos-memory-bus", "version": 1}]
    for number in range(count):
        item = {"type": "item", "id": str(uuid.uuid4()), "owner": f"session:{session}", "session_id": session}
        item |= {"kind": "turn", "role": "user", "content": statement(number), "created_at": 1_780_000_000 + number}
        lines.append(item)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


@dataclass
class Phases:
    """The work, each kind in a session of its own."""

    url: str
    data: Path
    client: AsyncMemoryClient
    items: int
    clear: int

    async def nothing(self) -> Awaitable[Any]:
        return asyncio.sleep(3)

    async def imports(self) -> Awaitable[Any]:
        file = self.data.parent / "export.jsonl"
        export_of(self.items, file, "imported")
        program = str(BIN / "ovos-memory-bus")
        command = (program, "import", "--data-dir", str(self.data), str(file))

        async def work() -> None:
            process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
            if await process.wait():
                raise RuntimeError("the import failed")

        return work()

    async def updates(self) -> Awaitable[Any]:
        return tell(self.client, self.items)

    async def adds(self) -> Awaitable[Any]:
        async def work() -> None:
            for start in range(0, self.items, TOGETHER):
                await asyncio.gather(*(self.client.add_memory(statement(n)) for n in range(start, start + TOGETHER)))

        return work()

    async def clears(self) -> Awaitable[Any]:
        return (await self._crowd()).clear_memories()

    async def forgets(self) -> Awaitable[Any]:
        return (await self._crowd()).forget("session")

    async def _crowd(self) -> AsyncMemoryClient:
        crowd = self.client.on_behalf_of("crowd")
        await tell(crowd, self.clear)
        await crowd.search_memories("orchid", use_embedding=False)  # it is in memory too
        return crowd


async def tell(client: AsyncMemoryClient, count: int, size: int = 500, text: Callable[[int], str] = statement) -> None:
    for start in range(0, count, size):
        await client.update([{"role": "user", "content": text(n)} for n in range(start, min(start + size, count))])


async def main() -> None:
    names = [name for name in vars(Phases) if not name.startswith("_") and callable(getattr(Phases, name))]
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--clear", type=int, default=10_000)
    parser.add_argument("--others", type=int, default=0, help="items of somebody else that are there already")
    parser.add_argument("--settle", action="store_true", help="time answers until the background work is done, too")
    parser.add_argument("phases", nargs="*", default=names, metavar="PHASE", help=", ".join(names))
    options = parser.parse_args()
    async with running() as run, AsyncMemoryClient(run.url, timeout=300, session="busy") as client:
        phases = Phases(run.url, run.data, client, options.items, options.clear)
        await tell(client.on_behalf_of("others"), options.others)
        await client.on_behalf_of("calm").update([{"role": "user", "content": "The anchor is in the boathouse"}])
        for name in options.phases:
            await phase(name, run.url, await getattr(phases, name)(), options.settle)


if __name__ == "__main__":
    asyncio.run(main())

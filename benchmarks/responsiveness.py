"""Does the service answer while it is given much to do? Over a bus and a service of its own.

    python benchmarks/responsiveness.py [--items 5000] [--clear 10000] [--others 0]

`is_alive` is asked every 50 ms while items are imported beside the service, while as many are added over the bus, and
while a clear takes many away; recalls are asked during the clear. Prints one line a phase, times in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ovos_memory_bus.client import AsyncMemoryClient
from ovos_memory_bus.client.call import Call
from ovos_memory_bus.errors import MemoryBusError

BIN = Path(sys.executable).parent
PAUSE = 0.05  # seconds between two questions
WORDS = (
    "amber basket candle dragon engine forest garden harbour island jungle kettle lantern meadow needle orchid".split()
)
ALIVE = Call("mycroft.memory.is_alive", {}, lambda data: data["status"])


def statement(number: int) -> str:
    """A sentence of its own."""
    parts = [WORDS[(number // len(WORDS) ** place) % len(WORDS)] for place in range(4)]
    return f"On day {number} I put the {parts[0]} beside the {parts[1]}, under the {parts[2]} and the {parts[3]}."


@asynccontextmanager
async def running() -> AsyncIterator[tuple[str, Path]]:
    """A bus and a service in a folder that goes afterwards: the bus's address and the data folder."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        (home / "config" / "mycroft").mkdir(parents=True)
        bus = {"host": "127.0.0.1", "port": port, "route": "/core"}
        (home / "config" / "mycroft" / "mycroft.conf").write_text(json.dumps({"websocket": bus}))
        env = {**os.environ, "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}
        url, data = f"ws://127.0.0.1:{port}/core", home / "data"
        started = []
        with (home / "log").open("w") as log:
            for command in (
                [BIN / "ovos-messagebus"],
                [BIN / "ovos-memory-bus", "run", "--bus", url, "--data-dir", data],
            ):
                started.append(subprocess.Popen(command, env=env, stdout=log, stderr=log))
            try:
                yield url, data
            finally:
                for process in reversed(started):
                    process.terminate()
                    process.wait()


async def ready(url: str) -> None:
    """Wait until the service answers: what is asked before that is lost."""
    async with AsyncMemoryClient(url, timeout=1) as client:
        while True:
            try:
                if (await client.status()).ready:
                    return
            except MemoryBusError:
                continue


async def timed(ask: Callable[[], Awaitable[Any]], until: asyncio.Event, pause: float) -> np.ndarray:
    """How long each answer took, asked again and again until the event."""
    took = []
    while not until.is_set() or not took:
        started = time.perf_counter()
        await ask()
        took.append(1000 * (time.perf_counter() - started))
        await asyncio.sleep(max(0.0, pause - took[-1] / 1000))
    return np.array(took)


async def phase(name: str, url: str, work: Awaitable[Any], settle: AsyncMemoryClient | None = None) -> None:
    """One line: how long the work took, and the answers meanwhile; with `settle`, its background work counts too."""
    done = asyncio.Event()
    async with (
        AsyncMemoryClient(url, timeout=60, session="calm") as asking,
        AsyncMemoryClient(url, timeout=60, session="calm") as recalling,
    ):
        await asking.status()
        await recalling.context("where is the anchor")
        watching = [
            asyncio.create_task(timed(lambda: asking._perform(ALIVE), done, PAUSE)),
            asyncio.create_task(timed(lambda: recalling.context("where is the anchor"), done, PAUSE)),
        ]
        started = time.perf_counter()
        await work
        took = time.perf_counter() - started
        if settle is not None:
            while (await settle.status()).queue.pending:
                await asyncio.sleep(0.5)
        done.set()
        alive, recalls = [await task for task in watching]
    print(
        f"{name:34} {took:7.2f} s   is_alive {shown(alive)}   recalls {shown(recalls)}",
        flush=True,
    )


def shown(took: np.ndarray) -> str:
    p50, p99 = np.percentile(took, [50, 99])
    return f"n {len(took):5}, p50 {p50:6.1f}, p99 {p99:6.1f}, max {took.max():6.1f}"


async def command(*arguments: object) -> None:
    process = await asyncio.create_subprocess_exec(
        str(BIN / "ovos-memory-bus"), *map(str, arguments), stdout=asyncio.subprocess.DEVNULL
    )
    if await process.wait():
        raise RuntimeError(f"{arguments[0]} failed")


def export_of(count: int, file: Path, owner: str) -> None:
    """An export as another memory would have written it."""
    lines = [{"format": "ovos-memory-bus", "version": 1, "exported_at": "2026-11-01T00:00:00Z"}]
    for number in range(count):
        item = {"type": "item", "id": str(uuid.uuid4()), "owner": f"session:{owner}", "session_id": owner}
        item |= {"kind": "turn", "role": "user", "content": statement(number)}
        lines.append(
            {**item, "created_at": f"2026-10-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z"}
        )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


async def tell(client: AsyncMemoryClient, count: int, size: int = 500) -> None:
    for start in range(0, count, size):
        await client.update([{"role": "user", "content": statement(n)} for n in range(start, min(start + size, count))])


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--clear", type=int, default=10_000)
    parser.add_argument("--others", type=int, default=0, help="items of others that are there already")
    parser.add_argument("--settle", action="store_true", help="watch until the background work of an import is done")
    options = parser.parse_args()
    async with running() as (url, data), AsyncMemoryClient(url, timeout=300, session="busy") as client:
        await ready(url)
        await client.on_behalf_of("calm").update([{"role": "user", "content": "The anchor is in the boathouse"}])
        await tell(client.on_behalf_of("others"), options.others)
        file = data.parent / "export.jsonl"
        export_of(options.items, file, "imported")
        await phase("nothing", url, asyncio.sleep(3))
        settle = client if options.settle else None
        await phase(f"import of {options.items}", url, command("import", "--data-dir", data, file), settle)
        await phase(f"update of {options.items}", url, tell(client, options.items), settle)

        async def add_all() -> None:
            for start in range(0, options.items, 32):
                await asyncio.gather(*(client.add_memory(statement(n)) for n in range(start, start + 32)))

        await phase(f"add of {options.items}", url, add_all(), settle)
        crowd = client.on_behalf_of("crowd")
        await tell(crowd, options.clear)
        await crowd.search_memories("orchid", use_embedding=False)
        await phase(f"clear of {options.clear}", url, crowd.clear_memories())
        await tell(crowd, options.clear)
        await crowd.search_memories("orchid", use_embedding=False)
        await phase(f"forget session of {options.clear}", url, crowd.forget("session"))


if __name__ == "__main__":
    asyncio.run(main())

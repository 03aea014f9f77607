"""What a recall costs beside an empty request between two stock clients of the same bus, in the same run.

    python benchmarks/latency.py [--turns 10000] [--recalls 1000]

Prints the round trips in milliseconds and their ratio, how soon the service is ready with so much in memory, its
resident memory before and after the recalls, and, with a member in another process that never answers, how many answers
left before their timeout.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
from ovos_bus_client import Message, MessageBusClient
from responsiveness import WORDS, Running, ready, running, settled, statement, tell

from ovos_memory_bus.client import AsyncMemoryClient

TRIPS = 150  # empty round trips timed
TIGHT = 0.3  # seconds of timeout beside a member that hangs
PLACES = ("boathouse", "attic", "cellar", "pantry", "garage", "library", "workshop", "hall")


def turn(number: int) -> str:
    return f"{statement(number)} The {PLACES[number % len(PLACES)]} was painted {WORDS[number % 7]} that day."


def question(rng: random.Random) -> str:
    first, second = rng.sample(WORDS, 2)
    return f"where did I put the {first} when the {rng.choice(PLACES)} was painted, beside the {second}?"


def stock_round_trips(url: str) -> np.ndarray:
    """Milliseconds between a message and its answer, both clients as ovos-bus-client makes them."""
    port = int(url.rsplit(":", 1)[1].split("/")[0])
    one, other = (MessageBusClient(host="127.0.0.1", port=port, route="/core") for _ in range(2))
    answered, took = threading.Event(), []
    other.on("bench.echo", lambda message: other.emit(message.response({})))
    one.on("bench.echo.response", lambda message: answered.set())
    for client in (one, other):
        client.run_in_thread()
        client.connected_event.wait(30)
    for _ in range(TRIPS):
        answered.clear()
        started = time.perf_counter()
        one.emit(Message("bench.echo"))
        answered.wait(10)
        took.append(1000 * (time.perf_counter() - started))
    for client in (one, other):
        client.close()
    return np.array(took)


def resident(pid: int) -> float:
    """MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def recalls(client: AsyncMemoryClient, count: int, timeout: float = 2.0) -> tuple[np.ndarray, int]:
    """Milliseconds of each recall, and how many were partial."""
    rng, took, partial = random.Random(3), [], 0
    for _ in range(count):
        asked = question(rng)
        started = time.perf_counter()
        context = await client.context(asked, timeout=timeout)
        took.append(1000 * (time.perf_counter() - started))
        partial += context.partial
    return np.array(took), partial


@asynccontextmanager
async def filled(turns: int, config: dict[str, object] | None = None) -> AsyncIterator[Running]:
    async with running(config) as run:
        async with AsyncMemoryClient(run.url, timeout=300) as client:
            await tell(client, turns, text=turn)
            await settled(client)
        yield run


async def usual(turns: int, count: int) -> None:
    async with filled(turns) as run:
        stock = await asyncio.to_thread(stock_round_trips, run.url)
        began = time.perf_counter()
        await run.restart()
        await ready(run.url)
        print(f"ready with {turns} turns after {time.perf_counter() - began:.2f} s, stopping included")
        async with AsyncMemoryClient(run.url, timeout=60) as client:
            await recalls(client, 20)
            before = resident(run.service.pid)
            took, partial = await recalls(client, count)
            after = resident(run.service.pid)
        p50, p95, p99 = np.percentile(took, [50, 95, 99])
        empty = float(np.median(stock))
        print(f"stock empty round trip p50 {empty:.1f} ms; recall p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f} ms")
        print(f"ratio of the medians {p50 / empty:.2f}; partial {partial} of {count}")
        print(f"resident {before:.0f} MiB after 20 recalls, {after:.0f} after {count} more")


async def beside_a_sleeper(count: int) -> None:
    config = {"remote_backends": ["sleeper"]}
    async with filled(100, config) as run, AsyncMemoryClient(run.url, timeout=60) as client:
        await recalls(client, 5)
        took, partial = await recalls(client, count, TIGHT)
        late = int((took > 1000 * TIGHT).sum())
        print(f"beside a member that never answers, timeout {TIGHT} s: {late} of {count} late, {partial} partial")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--recalls", type=int, default=1_000)
    options = parser.parse_args()
    await beside_a_sleeper(min(100, options.recalls))
    await usual(options.turns, options.recalls)


if __name__ == "__main__":
    asyncio.run(main())

"""A memory at work: a private bus and service, a talk in two languages, a restart, a recall, a forgetting.

Run it with `script/demo`. Everything lies in a throw-away folder and has ended when it returns; the exit code is 0 only
if what was said before the restart was recalled after it, and is gone after it was forgotten.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from rich.console import Console
from rich.table import Table

from ovos_memory_bus.client import AsyncMemoryClient, ContextAnswer, QueueState, Status
from ovos_memory_bus.errors import BusUnavailable, DeadlineExceeded

ANNA = {"session_id": "demo", "user_id": "anna", "auth_level": 3}
TALK = (
    ("en", "user", "My sister Marie has moved to Ghent and works in a flower shop there"),
    ("en", "assistant", "How nice! I hope she likes her new job."),
    ("en", "user", "I am allergic to peanuts, please keep that in mind"),
    ("en", "assistant", "I will."),
    ("de", "user", "Das Auto steht heute auf dem Parkplatz hinter der Bibliothek"),
    ("de", "assistant", "Gut, das merke ich mir."),
    ("de", "user", "Die Waschmaschine hat noch zwei Jahre Garantie"),
    ("de", "assistant", "Verstanden."),
)
QUESTIONS = (  # language, question, a word of the memory that answers it
    ("en", "where does my sister live now?", "Ghent"),
    ("de", "Wo habe ich das Auto abgestellt?", "Parkplatz"),
    ("en", "where did I leave the car?", "Parkplatz"),  # said in German, asked in English
)
FORGOTTEN = "Parkplatz"
PATIENCE = 60.0  # seconds for a service to come up, or to have done its background work

NOT_YET = Status("", False, None, QueueState(0, 0))

console = Console(highlight=False)


@asynccontextmanager
async def running(program: str, *arguments: str, log: Path, env: dict[str, str]) -> AsyncIterator[None]:
    """A program of this environment; it has ended when the block has."""
    command = [str(Path(sys.executable).parent / program), *arguments]
    with log.open("ab") as file:
        process = await anyio.open_process(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=env)
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.terminate()
            with anyio.move_on_after(10):
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()


@asynccontextmanager
async def bus(folder: Path) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A messagebus on a free port, by a configuration of its own; its address, and the environment that leads to it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "config" / "mycroft").mkdir(parents=True)
    settings = {"websocket": {"host": "127.0.0.1", "port": port, "route": "/core", "ssl": False}}
    (folder / "config" / "mycroft" / "mycroft.conf").write_text(json.dumps(settings))
    env = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")}
    async with running("ovos-messagebus", log=folder / "bus.log", env=env):
        yield f"ws://127.0.0.1:{port}/core", env


@asynccontextmanager
async def memory(url: str, env: dict[str, str], folder: Path) -> AsyncIterator[AsyncMemoryClient]:
    """The memory service on that bus, ready, and a client of it that speaks for Anna."""
    (folder / "memory.json").write_text("{}")  # the defaults, whatever this device's own configuration says
    where = ("--bus", url, "--data-dir", str(folder / "data"), "--config", str(folder / "memory.json"))
    async with (
        running("ovos-memory-bus", "run", *where, log=folder / "memory.log", env=env),
        AsyncMemoryClient(url, timeout=2.0, session=ANNA) as client,
    ):
        await until(client, lambda status: status.ready and status.model is not None)
        yield client


async def until(client: AsyncMemoryClient, good: Callable[[Status], bool]) -> None:
    """Ask the service how it is until that is good."""
    with anyio.fail_after(PATIENCE):
        while not good(await status_of(client)):  # noqa: ASYNC110 - a service in another process sends no event of ours
            await anyio.sleep(0.05)


async def status_of(client: AsyncMemoryClient) -> Status:
    """What the service says; while nobody answers, that it is not ready."""
    try:
        return await client.status()
    except (BusUnavailable, DeadlineExceeded):
        return NOT_YET


async def talk(client: AsyncMemoryClient) -> None:
    console.rule("a talk, in two languages")
    for lang, role, text in TALK:
        await client.update([{"role": role, "content": text}], lang=lang)
        console.print(f"  [dim]{lang}[/] [bold]{role:9}[/] {text}")
    await until(client, lambda status: status.queue.pending == 0)  # embeddings and facts are made in the background


async def ask(client: AsyncMemoryClient, lang: str, question: str, expected: str) -> bool:
    """Ask, show what came back; whether the answer was among it."""
    answer = await client.context(question, lang=lang, max_results=3, max_history=1)
    console.print(f"\n  [dim]{lang}[/] [bold]{question}[/]  {1000 * (answer.took or 0):.1f} ms")
    console.print(table_of(answer, expected))
    console.print(f"  [dim]ms: {times_of(answer)}[/]")
    found = any(expected in hit.content for hit in answer.hits)
    if not found:
        console.print(f"  [red]nothing with {expected!r} was recalled[/]")
    return found


def table_of(answer: ContextAnswer, expected: str) -> Table:
    table = Table(box=None, padding=(0, 2), show_header=False)
    for hit in answer.hits:
        mark = "[green]✓[/]" if expected in hit.content else " "
        table.add_row(mark, f"{hit.score:.2f}", hit.content, f"[dim]{', '.join(hit.backends)}[/]")
    for fact in answer.facts:
        table.add_row(" ", "fact", fact.content, "[dim]facts[/]")
    return table


def times_of(answer: ContextAnswer) -> str:
    """Each backend's status and milliseconds."""
    return ", ".join(
        f"{name} {report.status} {1000 * (report.took or 0):.1f}" for name, report in answer.backends.items()
    )


async def forget(client: AsyncMemoryClient) -> bool:
    """Take one memory away; whether nothing finds it any more."""
    console.rule("forgetting")
    found = await client.search_memories(FORGOTTEN, lang="de")
    gone = await client.forget("ids", ids=[memory.id for memory in found if FORGOTTEN in memory.content])
    console.print(f"  {gone.deleted} memories with {FORGOTTEN!r} and what was drawn from them: gone for good")
    answer = await client.context("where did I leave the car?", lang="en", max_history=1)
    left = [hit.content for hit in answer.hits if FORGOTTEN in hit.content]
    left += [item.content async for item in client.iter_memories() if FORGOTTEN in item.content]
    console.print("  where did I leave the car?  " + (f"[red]{left}[/]" if left else "[green]nobody knows[/]"))
    return gone.deleted > 0 and not left


async def demonstrated(folder: Path) -> bool:
    """Show everything; whether all of it went as it should."""
    async with bus(folder) as (url, env):
        async with memory(url, env, folder) as client:
            await talk(client)
        console.rule("the service was stopped, and started again")
        async with memory(url, env, folder) as client:
            recalled = [await ask(client, *question) for question in QUESTIONS]
            gone = await forget(client)
            counts = (await client.status()).counts
    console.print("\n  what is left: " + ", ".join(f"{counts[kind]} {kind}s" for kind in ("turn", "fact")))
    return all(recalled) and gone


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as on Ctrl-C: what was started is stopped
    with tempfile.TemporaryDirectory(prefix="memory-demo-") as name:
        folder = Path(name)
        try:
            return 0 if anyio.run(demonstrated, folder) else 1
        except TimeoutError:
            for log in sorted(folder.glob("*.log")):
                console.print(f"[red]no answer; the end of {log.name}:[/]\n{log.read_text()[-2000:]}", markup=True)
            return 1
        except KeyboardInterrupt:
            return 130


if __name__ == "__main__":
    raise SystemExit(main())

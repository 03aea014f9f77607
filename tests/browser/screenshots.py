"""Writes the pictures of the page for docs/images, of an invented household: script/screenshots."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from daemon import Daemon
from inspector import CHROMIUM, OPTIONS, Inspector
from playwright.sync_api import Browser, expect, sync_playwright
from rig import Bus
from wire import Wire, user

FOLDER = Path(__file__).parents[2] / "docs" / "images"
LARGEST = 300_000  # bytes of a picture
WIDE: dict[str, Any] = {"viewport": {"width": 1180, "height": 860}}
NARROW: dict[str, Any] = {"viewport": {"width": 360, "height": 720}, "device_scale_factor": 2}
OWNER = "user:nora"
TALKS = [  # days ago, hour, session, turns by turns of the user and the assistant
    (9, 19, "kitchen", ["My name is Nora and I live in Bergen", "Nice to meet you, Nora."]),
    (
        6,
        8,
        "kitchen",
        ["My cat is called Pepper", "Got it.", "I am allergic to hazelnuts", "I will keep that in mind."],
    ),
    (4, 18, "kitchen", ["I love cinnamon buns", "With icing?", "My sister Liv moved to Trondheim", "Noted."]),
    (1, 17, "study", ["I work as a bookbinder", "That sounds like quiet work.", "I speak Norwegian", "Bra!"]),
    (
        0,
        0,
        "kitchen",
        ["I moved to Oslo last week", "Congratulations.", "the plumber comes on Thursday at ten", "Noted."],
    ),
]


def tell(wire: Wire) -> None:
    """Put the household's talks into the memory."""
    today = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    for days, hour, session, turns in TALKS:
        begun = today - timedelta(days=days) + timedelta(hours=hour)
        messages = [
            {
                "role": "assistant" if place % 2 else "user",
                "content": text,
                "created_at": (begun + timedelta(minutes=place)).isoformat(),
            }
            for place, text in enumerate(turns)
        ]
        wire.do("memory.update", {"messages": messages, "lang": "en"}, user("nora", session_id=session))
        wire.settle()
    wire.add("The spare key hangs behind the meter cupboard", user("nora", session_id="kitchen"))
    wire.settle()


@contextmanager
def household() -> Iterator[tuple[Daemon, Wire]]:
    """A service that knows the household, and a line to it."""
    with tempfile.TemporaryDirectory() as folder:
        bus = Bus(Path(folder))
        bus.start()
        daemon = Daemon(bus, Path(folder) / "data", {"web": {"enabled": True, "port": 0}})
        try:
            daemon.start()
            with Wire(bus.url) as wire:
                tell(wire)
                yield daemon, wire
        finally:
            daemon.kill()
            bus.stop()


@contextmanager
def page_of(browser: Browser, daemon: Daemon, **options: Any) -> Iterator[Inspector]:
    with browser.new_context(locale="en-GB", timezone_id="UTC", **options) as context:
        inspector = Inspector(context.new_page(), daemon.data)
        yield inspector.open(OWNER)


def keep(inspector: Inspector, name: str) -> None:
    """Write the picture; a large one ends the program."""
    inspector.settled()
    file = FOLDER / f"{name}.png"
    inspector.page.screenshot(path=file, animations="disabled")
    if file.stat().st_size > LARGEST:
        sys.exit(f"{file} has {file.stat().st_size} bytes, more than {LARGEST}")
    print(f"{file.name}: {file.stat().st_size} bytes")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with household() as (daemon, wire), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        with page_of(browser, daemon, **WIDE) as inspector:
            keep(inspector, "inspector-wide")
        with page_of(browser, daemon, **NARROW) as inspector:
            keep(inspector, "inspector-narrow")
        with page_of(browser, daemon, color_scheme="dark", **WIDE) as inspector:
            panel = inspector.tab("Recalls")
            for utterance in ("when does the plumber come?", "where does my sister live?"):
                wire.recall(utterance, user("nora", session_id="kitchen"), max_results=2)
            panel.locator("summary").first.click()
            expect(panel.locator(".candidates").first).not_to_contain_text("…")  # the texts have come
            keep(inspector, "inspector-dark")
        browser.close()


if __name__ == "__main__":
    main()

"""The inspector page as a person works with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote_plus

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from ovos_memory_bus.web.runtime import page_address

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ["--no-sandbox", "--disable-dev-shm-usage"]  # the pages are our own; containers have little shared memory
Opener = Callable[..., "Inspector"]
PATIENCE = 30_000.0  # milliseconds until something missing fails a test; nothing waits for longer than it takes

expect.set_options(timeout=PATIENCE)


class Inspector:
    """One browser page."""

    def __init__(self, page: Page, data: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self._data = data
        page.set_default_timeout(PATIENCE)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    @property
    def address(self) -> tuple[str, str]:
        """The URL and the token of the service's page."""
        address = page_address(self._data)
        assert address is not None
        return address

    def open(self, owner: str | None = None) -> Inspector:
        """With the key, at an owner's memory."""
        url, token = self.address
        self.page.goto(f"{url}#token={token}")
        expect(self.page.locator("#timeline h2")).to_be_visible()
        if owner is not None:
            self.page.locator("#owner").select_option(owner)
            expect(self.page.locator("#export")).to_have_attribute("href", self._export(owner))
            self.settled()
        return self

    def _export(self, owner: str) -> str:
        return f"/api/v1/export?owner={quote_plus(owner)}"

    def settled(self) -> None:
        """Until what was asked for is shown."""
        expect(self.page.locator("main")).to_have_attribute("aria-busy", "false")

    def tab(self, name: str) -> Locator:
        """Choose a tab; its panel."""
        self.page.get_by_role("tab", name=name).click()
        panel = self.page.get_by_role("tabpanel", name=name)
        expect(panel).to_be_visible()
        return panel

    def item(self, text: str) -> Locator:
        """The entries with this text."""
        return self.page.locator(".item", has=self.page.get_by_text(text, exact=True))

    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def width_beyond(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

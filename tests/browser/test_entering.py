"""Who may see the page: whoever has the key that `ovos-memory-bus inspect` passes in the address."""

from __future__ import annotations

from daemon import Daemon
from inspector import Opener
from playwright.sync_api import Browser, expect

from ovos_memory_bus.web.runtime import page_address


def test_the_key_leaves_the_address_and_a_reload_stays_inside(inspect: Opener) -> None:
    inspector = inspect()
    url, token = inspector.address
    assert inspector.page.url == url
    inspector.page.reload()
    expect(inspector.page.locator("#timeline h2")).to_be_visible()
    assert token not in inspector.page.content()
    assert inspector.page.evaluate("document.cookie") == ""


def test_without_a_key_the_page_says_how_it_is_opened(browser: Browser, memory: Daemon) -> None:
    address = page_address(memory.data)
    assert address is not None
    for suffix in ("", "#token=wrong"):
        with browser.new_context(locale="en-GB") as context:
            page = context.new_page()
            page.goto(address[0] + suffix)
            expect(page.get_by_role("heading", name="This page is locked")).to_be_visible()
            expect(page.get_by_text("ovos-memory-bus inspect")).to_be_visible()
            expect(page.get_by_role("tab")).to_have_count(0)
            assert "token" not in page.url

"""The page when the service has gone: it says so, and loses nothing that was written."""

from __future__ import annotations

from daemon import Daemon
from inspector import Inspector
from playwright.sync_api import Browser, expect
from wire import Wire, user


def test_the_page_says_that_the_service_is_away(browser: Browser, memory: Daemon, wire: Wire) -> None:
    wire.add("the hedge is to be cut in June", user("vic"))
    with browser.new_context(locale="en-GB") as context:
        inspector = Inspector(context.new_page(), memory.data).open("user:vic")
        inspector.item("the hedge is to be cut in June").get_by_role("button", name="Edit").click()
        field = inspector.page.get_by_role("textbox", name="Text of this memory")
        field.fill("the hedge is to be cut in July")
        memory.stop()
        inspector.page.get_by_role("button", name="Save").click()
        expect(inspector.page.get_by_role("alert")).to_have_text("The memory service does not answer. Is it running?")
        expect(field).to_have_value("the hedge is to be cut in July")
        inspector.tab("Recalls")
        expect(inspector.page.locator("#live")).to_have_text("Not connected")

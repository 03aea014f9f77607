"""axe finds nothing serious on any view of the page, in light and in dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from inspector import Inspector, Opener
from playwright.sync_api import expect
from wire import Wire, user

WEIGHTY = ("serious", "critical")


def findings(inspector: Inspector) -> list[str]:
    """The weighty ones, each with where it is."""
    results = Axe().run(inspector.page).response
    return [
        f"{found['id']}: {node['target']} {node['failureSummary']}"
        for found in results["violations"]
        if found["impact"] in WEIGHTY
        for node in found["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(inspect: Opener, wire: Wire, scheme: str) -> None:
    name = f"uma-{scheme}"
    uma = user(name)
    wire.say("My name is Uma", "I live in Lyon", "I have moved to Nice", session=uma, lang="en")
    wire.say("I will remember that.", session=uma, role="assistant")
    wire.add("the meter reader comes on Friday", uma)
    wire.do("memory.pause", {"duration": 600}, uma)
    wire.settle()
    wire.recall("where do I live?", uma)
    inspector = inspect(f"user:{name}", color_scheme=scheme)
    assert findings(inspector) == []
    inspector.item("the meter reader comes on Friday").get_by_role("button", name="Edit").click()
    assert findings(inspector) == []
    inspector.page.keyboard.press("Escape")
    inspector.page.get_by_role("button", name="Forget…").click()
    inspector.dialog().get_by_label(f"Everything of {name}").check()
    assert findings(inspector) == []
    inspector.dialog().get_by_role("button", name="Show what would go").click()
    expect(inspector.dialog().get_by_role("button", name="Forget for good")).to_be_visible()
    assert findings(inspector) == []
    inspector.page.keyboard.press("Escape")
    inspector.page.get_by_role("searchbox").fill("the meter")
    inspector.page.get_by_role("searchbox").press("Enter")
    expect(inspector.page.locator("#found .item").first).to_be_visible()
    assert findings(inspector) == []
    inspector.tab("Ask").get_by_role("textbox").fill("where do I live?")
    inspector.page.keyboard.press("Enter")
    inspector.page.locator("#told summary").click()
    assert findings(inspector) == []
    recalls = inspector.tab("Recalls")
    recalls.locator("summary").first.click()
    expect(recalls.get_by_role("status")).to_have_text("Listening")
    assert findings(inspector) == []
    inspector.tab("Service")
    expect(inspector.page.locator(".figures")).to_be_visible()
    assert findings(inspector) == []

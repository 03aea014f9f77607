"""Asking as the assistant does, recalls as they happen, and how the service is."""

from __future__ import annotations

from inspector import Opener
from playwright.sync_api import expect
from wire import Wire, user


def test_asking_shows_what_the_assistant_would_be_told(inspect: Opener, wire: Wire) -> None:
    mia = user("mia", session_id="desk")
    wire.say("My sister Marie has moved to Ghent", "my bike has a flat tyre", session=mia, lang="en")
    wire.settle()
    inspector = inspect("user:mia")
    panel = inspector.tab("Ask")
    panel.get_by_label("A question to the assistant").fill("where does my sister live?")
    inspector.page.keyboard.press("Enter")
    told = panel.locator("#told")
    expect(told).to_contain_text("My sister Marie has moved to Ghent")
    expect(told.locator(".bars li")).to_have_count(5)
    expect(told.locator(".bars")).to_contain_text("ms · ")
    told.get_by_text("How it was ranked").click()
    first = told.locator(".candidates li").first
    expect(first).to_contain_text("My sister Marie has moved to Ghent")
    expect(first).to_contain_text("recalled")
    expect(first).to_contain_text("place 1")
    assert wire.do("memory.item.list", {"kind": "turn"}, mia)["total"] == 2


def test_a_recall_appears_when_it_happens_with_what_was_left_out(inspect: Opener, wire: Wire) -> None:
    ned = user("ned")
    wire.say("the red bucket leaks", "the blue bucket is fine", session=ned, lang="en")
    wire.settle()
    inspector = inspect("user:ned")
    panel = inspector.tab("Recalls")
    expect(panel.get_by_role("status")).to_have_text("Listening")
    wire.recall("which bucket leaks?", ned, max_results=1)
    newest = panel.locator("#recall-list > li").first
    expect(newest.get_by_role("heading")).to_have_text("which bucket leaks?")
    expect(newest).to_contain_text("ned ·")
    expect(newest.locator(".bars")).to_contain_text("lexical")
    newest.get_by_text("How it was ranked").click()
    expect(newest.locator(".candidates .left-out").first).to_contain_text("left out: better ones filled the answer")
    expect(newest.locator(".candidates")).to_contain_text("the red bucket leaks")
    expect(newest.locator(".candidates")).to_contain_text("the blue bucket is fine")


def test_a_recall_of_what_was_forgotten_is_gone_from_the_list(inspect: Opener, wire: Wire) -> None:
    ola = user("ola")
    (id_,) = wire.say("the vault code is violet", session=ola)
    wire.recall("what is the vault code?", ola)
    inspector = inspect("user:ola")
    expect(inspector.tab("Recalls")).to_contain_text("what is the vault code?")
    wire.do("memory.forget", {"what": "ids", "ids": [id_]}, ola)
    inspector.tab("Memories")
    expect(inspector.tab("Recalls")).not_to_contain_text("what is the vault code?")


def test_the_service_tells_how_it_is(inspect: Opener, wire: Wire) -> None:
    status = wire.do("memory.status")
    panel = inspect().tab("Service")
    expect(panel).to_contain_text(status["version"])
    expect(panel).to_contain_text(status["model"].split("@")[0])
    for name in status["backends"]:
        expect(panel.locator(".card", has_text=name)).to_contain_text("running")
    expect(panel.locator(".card", has_text="Background work")).to_contain_text("Pending")
    expect(panel.locator(".card", has_text="Disk")).to_contain_text("GB")

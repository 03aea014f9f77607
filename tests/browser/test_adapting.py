"""The page fits the person: narrow screens, darkness, languages, the keyboard alone."""

from __future__ import annotations

import pytest
from inspector import Inspector, Opener
from playwright.sync_api import expect
from wire import Wire, user

TABS = ("Memories", "Ask", "Recalls", "Service")
PHONE = {"viewport": {"width": 360, "height": 740}}
TITLES = {"en": "Memory", "de": "Gedächtnis", "es": "Memoria", "fr": "Mémoire", "it": "Memoria", "pt": "Memória"}


def test_nothing_is_wider_than_a_phone(inspect: Opener, wire: Wire) -> None:
    pia = user("pia", session_id="a-very-long-session-name-" * 4)
    wire.say("My name is Pia", "an-endless-word-without-a-space-" * 20, session=pia, lang="en")
    wire.settle()
    wire.recall("endless-" * 40, pia)
    inspector = inspect("user:pia", **PHONE)
    for name in TABS:
        inspector.tab(name)
        inspector.settled()
        assert inspector.width_beyond() <= 0, name
    inspector.tab("Memories")
    inspector.page.get_by_role("button", name="Forget…").click()
    expect(inspector.dialog()).to_be_visible()
    assert inspector.width_beyond() <= 0


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt"])
def test_every_language_fits_a_phone(inspect: Opener, language: str) -> None:
    inspector = inspect(locale=language, **PHONE)
    assert inspector.page.title() == TITLES[language]
    for tab in inspector.page.get_by_role("tab").all():
        tab.click()
        inspector.settled()
        assert inspector.width_beyond() <= 0, tab.inner_text()


def test_dark_and_light_follow_the_system(inspect: Opener) -> None:
    page = inspect(color_scheme="light").page
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert sum(_channels(light)) > 3 * 200
    assert sum(_channels(dark)) < 3 * 60


def _channels(color: str) -> list[int]:
    return [int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(",")]


def test_the_language_is_the_browsers_first_one_that_there_is(inspect: Opener) -> None:
    page = inspect(locale="pt-BR").page
    expect(page.locator("html")).to_have_attribute("lang", "pt")
    expect(page.locator("#language")).to_have_value("pt")


def test_a_language_that_is_chosen_stays(inspect: Opener, wire: Wire) -> None:
    wire.say("My name is Quinn", session=user("quinn"), lang="en")
    wire.settle()
    page = inspect("user:quinn").page
    for language, title in TITLES.items():
        page.locator("#language").select_option(language)
        expect(page.locator("h1")).to_have_text(title)
        expect(page.locator("html")).to_have_attribute("lang", language)
    page.locator("#language").select_option("de")
    expect(page.locator("#facts h2")).to_have_text("Was der Assistent weiß")
    page.reload()
    expect(page.locator("#facts h2")).to_have_text("Was der Assistent weiß")
    expect(page.locator(".day h3")).to_contain_text("Heute")


def tab_to(inspector: Inspector, selector: str) -> None:
    """Press Tab until an element has the focus, which must be seen."""
    for _ in range(60):
        inspector.page.keyboard.press("Tab")
        if inspector.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            style = "getComputedStyle(document.activeElement)"
            assert inspector.page.evaluate(f"{style}.outlineStyle") == "solid", selector
            return
    raise AssertionError(f"no Tab leads to {selector}")


def test_the_keyboard_alone_reaches_everything(inspect: Opener, wire: Wire) -> None:
    wire.add("the ladder is in the shed", user("rae"))
    inspector = inspect("user:rae")
    keyboard = inspector.page.keyboard
    inspector.page.reload()
    expect(inspector.page.locator(".item")).to_be_visible()
    keyboard.press("Tab")
    expect(inspector.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    keyboard.press("Enter")
    tab_to(inspector, "#query")
    tab_to(inspector, ".item button")
    keyboard.press("Enter")
    keyboard.press("Control+A")
    keyboard.type("the ladder is at the neighbour's")
    keyboard.press("Control+Enter")
    expect(inspector.item("the ladder is at the neighbour's").get_by_role("button", name="Edit")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(inspector.dialog().get_by_role("button", name="Cancel")).to_be_focused()
    tab_to(inspector, "dialog .primary")
    keyboard.press("Enter")
    expect(inspector.page.locator("#timeline")).to_contain_text("Nothing is remembered here.")
    assert wire.do("memory.item.list", {}, user("rae"))["total"] == 0


def test_arrows_move_between_the_tabs(inspect: Opener) -> None:
    inspector = inspect()
    inspector.page.get_by_role("tab", name="Memories").focus()
    for key, name in [("ArrowRight", "Ask"), ("End", "Service"), ("ArrowRight", "Memories"), ("ArrowLeft", "Service")]:
        inspector.page.keyboard.press(key)
        expect(inspector.page.get_by_role("tab", name=name)).to_be_focused()
        expect(inspector.page.get_by_role("tabpanel", name=name)).to_be_visible()
    inspector.page.keyboard.press("Home")
    assert inspector.page.get_by_role("tab", selected=True).inner_text() == "Memories"

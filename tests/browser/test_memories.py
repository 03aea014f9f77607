"""The first tab: what is remembered is seen, searched, narrowed, changed, forgotten, paused and exported."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

from inspector import Opener
from playwright.sync_api import expect
from wire import Wire, contents, user

HOSTILE = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"> is what I said"


def test_facts_stand_before_the_days_newest_first(inspect: Opener, wire: Wire) -> None:
    ada = user("ada", session_id="kitchen")
    now = datetime.now(timezone.utc).replace(hour=0, minute=0)
    days = [now - timedelta(days=ago) for ago in (2, 0)]
    for text, moment in zip(["My name is Ada", "the tap is dripping again"], days, strict=True):
        messages = [{"role": "user", "content": text, "created_at": moment.isoformat()}]
        wire.do("memory.update", {"messages": messages, "lang": "en"}, ada)
    wire.settle()
    page = inspect("user:ada").page
    headings = page.locator("#memories").get_by_role("heading", level=2).all_inner_texts()
    assert headings == ["What the assistant knows", "What was said and noted"]
    expect(page.locator(".fact-group", has_text="Name")).to_contain_text("Ada")
    titles = page.locator(".day h3").all_inner_texts()
    assert titles[0].startswith("Today · ")
    assert len(titles) == 2
    expect(page.locator(".day").first.locator(".item")).to_have_text(
        ["ada00:00kitchenEditForgetthe tap is dripping again"]
    )


def test_search_finds_by_meaning_and_an_emptied_field_shows_all_again(inspect: Opener, wire: Wire) -> None:
    bea = user("bea")
    wire.say("My sister Marie has moved to Ghent", "we are out of washing powder", session=bea, lang="en")
    wire.settle()
    inspector = inspect("user:bea")
    search = inspector.page.get_by_role("searchbox")
    search.fill("where does my sister live")
    search.press("Enter")
    found = inspector.page.locator("#found")
    expect(found.get_by_role("heading")).to_contain_text("where does my sister live")
    expect(found.locator(".item").first).to_contain_text("Marie has moved to Ghent")
    expect(found.locator(".item").first).to_contain_text("% probable")
    expect(inspector.page.locator("#timeline")).to_be_empty()
    search.fill("")
    expect(inspector.page.locator("#timeline .item")).to_have_count(2)
    expect(found).to_be_empty()


def test_filters_narrow_by_kind_session_speaker_and_day(inspect: Opener, wire: Wire) -> None:
    wire.add("the fuse box is behind the coats", user("cem", session_id="hall"))
    wire.say("it is cold in here", session=user("cem", session_id="hall"))
    yesterday = (datetime.now(timezone.utc) - timedelta(days=1)).isoformat()
    named = {"role": "user", "content": "the bins are full", "name": "Lena", "created_at": yesterday}
    wire.do("memory.update", {"messages": [named]}, user("cem", session_id="yard"))
    inspector = inspect("user:cem")
    page, shown = inspector.page, inspector.page.locator("#timeline .item .content")
    expect(shown).to_have_count(3)
    page.get_by_text("Filters").click()
    page.get_by_label("Kind").select_option("note")
    expect(shown).to_have_text(["the fuse box is behind the coats"])
    page.get_by_role("button", name="Show all").click()
    expect(shown).to_have_count(3)
    page.locator("#filter-session").fill("hall")
    page.locator("#filter-session").press("Enter")
    expect(shown).to_have_count(2)
    page.get_by_role("button", name="Show all").click()
    page.locator("#filter-person").fill("lena")
    page.locator("#filter-person").press("Enter")
    expect(shown).to_have_text(["the bins are full"])
    page.get_by_role("button", name="Show all").click()
    page.locator("#filter-day").fill(yesterday[:10])
    expect(shown).to_have_text(["the bins are full"])


def test_a_text_is_changed_where_it_stands(inspect: Opener, wire: Wire) -> None:
    dora = user("dora")
    id_ = wire.add("the spare key is with Mr Novak", dora)["id"]
    inspector = inspect("user:dora")
    inspector.item("the spare key is with Mr Novak").get_by_role("button", name="Edit").click()
    field = inspector.page.get_by_role("textbox", name="Text of this memory")
    expect(field).to_be_focused()
    field.fill("the spare key is with Mrs Okafor")
    inspector.page.get_by_role("button", name="Save").click()
    expect(inspector.page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    expect(inspector.item("the spare key is with Mrs Okafor")).to_be_visible()
    assert wire.do("memory.item.get", {"id": id_}, dora)["item"]["content"] == "the spare key is with Mrs Okafor"


def test_facts_follow_the_text_that_they_were_drawn_from(inspect: Opener, wire: Wire) -> None:
    wire.say("My dog is called Rufus", session=user("dan"), lang="en")
    wire.settle()
    inspector = inspect("user:dan")
    expect(inspector.page.locator("#facts")).to_contain_text("Rufus")
    inspector.item("My dog is called Rufus").get_by_role("button", name="Edit").click()
    inspector.page.get_by_role("textbox", name="Text of this memory").fill("My dog is called Bruno")
    inspector.page.get_by_role("button", name="Save").click()
    expect(inspector.page.locator("#facts")).to_contain_text("Bruno")
    expect(inspector.page.locator("#facts")).not_to_contain_text("Rufus")


def test_escape_leaves_a_text_as_it_was(inspect: Opener, wire: Wire) -> None:
    wire.add("the boiler was serviced in May", user("eve"))
    inspector = inspect("user:eve")
    inspector.item("the boiler was serviced in May").get_by_role("button", name="Edit").click()
    inspector.page.get_by_role("textbox", name="Text of this memory").fill("nothing of the kind")
    inspector.page.keyboard.press("Escape")
    expect(inspector.item("the boiler was serviced in May")).to_be_visible()
    assert contents(wire.do("memory.item.list", {}, user("eve"))["items"]) == ["the boiler was serviced in May"]


def test_what_would_go_is_shown_before_it_goes(inspect: Opener, wire: Wire) -> None:
    finn = user("finn")
    wire.say("the doctor's number is 555 0134", "I need new shoes", session=finn)
    inspector = inspect("user:finn")
    inspector.item("the doctor's number is 555 0134").get_by_role("button", name="Forget").click()
    dialog = inspector.dialog()
    expect(dialog.get_by_role("heading")).to_have_text("Forget 1 memory?")
    expect(dialog).to_contain_text("the doctor's number is 555 0134")
    inspector.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert len(wire.do("memory.item.list", {}, finn)["items"]) == 2
    inspector.item("the doctor's number is 555 0134").get_by_role("button", name="Forget").click()
    dialog.get_by_role("button", name="Forget for good").click()
    expect(inspector.page.get_by_role("status").filter(has_text="1 memory is forgotten.")).to_be_visible()
    expect(inspector.page.locator("#timeline .item .content")).to_have_text(["I need new shoes"])
    assert contents(wire.do("memory.item.list", {}, finn)["items"]) == ["I need new shoes"]


def test_everything_about_something_is_forgotten(inspect: Opener, wire: Wire) -> None:
    gus = user("gus")
    wire.say("the safe opens with the old crank", "the safe came from my aunt", "lunch was good", session=gus)
    inspector = inspect("user:gus")
    inspector.page.get_by_role("button", name="Forget…").click()
    dialog = inspector.dialog()
    dialog.get_by_label("About what?").fill("the safe")
    dialog.get_by_role("button", name="Show what would go").click()
    expect(dialog.get_by_role("heading")).to_have_text("Forget 2 memories?")
    expect(dialog).not_to_contain_text("lunch")
    dialog.get_by_role("button", name="Forget for good").click()
    expect(inspector.page.locator("#timeline .item .content")).to_have_text(["lunch was good"])


def test_a_whole_session_is_forgotten_and_no_other(inspect: Opener, wire: Wire) -> None:
    wire.say("said at sea", session=user("hal", session_id="boat"))
    wire.say("said at home", session=user("hal", session_id="home"))
    inspector = inspect("user:hal")
    inspector.page.get_by_role("button", name="Forget…").click()
    dialog = inspector.dialog()
    dialog.get_by_label("A whole session").check()
    dialog.get_by_role("combobox", name="Session").select_option("boat")
    dialog.get_by_role("button", name="Show what would go").click()
    expect(dialog).to_contain_text("said at sea")
    dialog.get_by_role("button", name="Forget for good").click()
    expect(inspector.page.locator("#timeline .item .content")).to_have_text(["said at home"])


def test_a_paused_session_stores_nothing_until_it_is_resumed(inspect: Opener, wire: Wire) -> None:
    ivy = user("ivy", session_id="attic")
    wire.say("said before", session=ivy)
    page = inspect("user:ivy").page
    page.get_by_role("button", name="Pause…").click()
    page.get_by_role("dialog").get_by_role("button", name="Pause", exact=True).click()
    resume = page.get_by_role("button", name="Resume")
    expect(resume).to_be_focused()
    assert wire.say("not to be kept", session=ivy) == []
    page.reload()
    expect(page.locator("#paused")).to_contain_text("Paused: attic.")
    resume.click()
    expect(resume).to_be_hidden()
    assert len(wire.say("said after", session=ivy)) == 1


def test_the_export_is_a_file_of_this_owner_alone(inspect: Opener, wire: Wire, tmp_path: Path) -> None:
    wire.say("a thing that Jo said", session=user("jo"))
    page = inspect("user:jo").page
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    download.value.save_as(tmp_path / "export.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "export.jsonl").read_text().splitlines()]
    assert [line["content"] for line in lines if line.get("type") == "item"] == ["a thing that Jo said"]


def test_hostile_text_is_text_wherever_it_is_shown(inspect: Opener, wire: Wire) -> None:
    kim = user("kim", session_id="<b>den</b>")
    wire.do("memory.update", {"messages": [{"role": "user", "content": HOSTILE, "name": "<i>Kim</i>"}]}, kim)
    wire.add(HOSTILE + " in a note", kim)
    wire.recall(HOSTILE, kim)
    inspector = inspect("user:kim")
    page = inspector.page
    expect(page.locator("#timeline")).to_contain_text(HOSTILE)
    expect(page.locator("#timeline")).to_contain_text("<i>Kim</i>")
    page.get_by_role("searchbox").fill(HOSTILE)
    page.get_by_role("searchbox").press("Enter")
    expect(page.locator("#found h2")).to_contain_text(HOSTILE)
    page.locator("#found .item").first.get_by_role("button", name="Forget").click()
    expect(inspector.dialog()).to_contain_text(HOSTILE)
    page.keyboard.press("Escape")
    inspector.tab("Ask").get_by_role("textbox").fill(HOSTILE)
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_contain_text(HOSTILE)
    recalls = inspector.tab("Recalls")
    expect(recalls.locator(".utterance").first).to_have_text(HOSTILE)
    assert page.locator("main script, main img, main b, main i").count() == 0
    assert page.title() == "Memory"


def test_an_owner_may_have_any_name(inspect: Opener, wire: Wire) -> None:
    name = "Zoë & Søn / 100% + 猫"
    wire.say("a name is a name", session=user(name))
    expect(inspect(f"user:{name}").page.locator("#timeline .content")).to_have_text(["a name is a name"])


def test_older_memories_come_when_asked_for(inspect: Opener, wire: Wire) -> None:
    wire.say(*[f"remark number {number}" for number in range(130)], session=user("lou"))
    page = inspect("user:lou").page
    items = page.locator("#timeline .item.turn")
    expect(items.first).to_be_visible()
    assert items.count() < 130
    page.get_by_role("button", name="Show older").click()
    expect(items).to_have_count(130)
    expect(page.get_by_role("button", name="Show older")).to_be_hidden()
    assert page.locator("#timeline .turn .content").all_inner_texts() == [
        f"remark number {number}" for number in range(130)
    ]

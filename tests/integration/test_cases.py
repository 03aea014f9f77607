"""Faults that users of other memories reported, each by its number: what must never happen here, over a real bus."""

from __future__ import annotations

import string
import unicodedata

import pytest
from daemon import Daemon, needs_model
from wire import Wire, contents, user

SEARCHES = ("memory.item.search", "memory.item.similar")


def session(name: str) -> dict[str, str]:
    return {"session_id": name}


def test_case_01_a_thing_said_twice_is_recalled_once(memory: Daemon, wire: Wire) -> None:
    here = session("case-1")
    text = "The spare key hangs behind the blue cupboard"
    for other in ("Milk is in the fridge", "Grandma calls on Sunday", "It rains in Bergen", "Tea is at four"):
        wire.add(other, here)
    ids = {wire.add(text, here)["id"] for _ in range(3)}
    for day in ("2026-01-05T08:00:00Z", "2026-02-06T08:00:00Z", "2026-03-07T08:00:00Z"):
        wire.do("memory.update", {"messages": [{"role": "user", "content": text, "created_at": day}]}, here)
    same = [item for item in wire.do("memory.item.list", {}, here)["items"] if item["content"] == text]
    assert len({item["id"] for item in same}) == 6
    assert ids < {item["id"] for item in same}
    answer = wire.recall("where does the spare key hang", {"session_id": "case-1"}, scope="owner", max_history=1)
    assert contents(answer["hits"]).count(text) == 1
    assert answer["hits"][0]["created_at"] == max(item["created_at"] for item in same)
    rendered = "".join(message["content"] for message in answer["messages"] if message["role"] == "system")
    assert rendered.count(text) == 1


def test_case_02_nothing_of_one_user_for_another(memory: Daemon, wire: Wire) -> None:
    anna, bert = user("case-2-anna"), user("case-2-bert")
    (turn,) = wire.say("my pin hint is blue heron", session=anna)
    assert wire.recalled("pin hint", anna) == ["my pin hint is blue heron"]
    assert wire.recall("pin hint", bert)["hits"] == []
    for topic in SEARCHES:
        assert wire.do(topic, {"query": "my pin hint is blue heron", "similarity_threshold": 0.0}, bert)["items"] == []
    assert wire.do("memory.item.list", {}, bert) | {"request_id": ""} == {"items": [], "total": 0, "request_id": ""}
    assert wire.ask("memory.item.get", {"id": turn}, bert)["error"]["code"] == "not_found"
    assert wire.do("memory.history.get", {}, bert)["messages"] == []
    assert wire.do("memory.forget", {"what": "query", "query": "pin hint", "dry_run": True}, bert)["items"] == []


def test_case_03_clearing_one_user_leaves_the_other(memory: Daemon, wire: Wire) -> None:
    anna, bert = user("case-3-anna"), user("case-3-bert")
    for owner in (anna, bert):
        wire.say("The allotment gate code starts with a seven", session=owner)
        wire.add("Seed potatoes go in at Easter", owner)
    assert wire.do("memory.item.clear", {}, anna)["deleted"] >= 2
    assert wire.do("memory.item.list", {}, anna)["total"] == 0
    assert "Seed potatoes go in at Easter" in wire.recalled("when do seed potatoes go in", bert)
    found = wire.do("memory.item.search", {"query": "allotment gate code", "use_embedding": False}, bert)["items"]
    assert contents(found) == ["The allotment gate code starts with a seven"]


@needs_model
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_case_07_similarity_is_one_for_the_same_and_low_for_the_unrelated(
    memory: Daemon, wire: Wire, metric: str
) -> None:
    here = session(f"case-7-{metric}")
    stored = "The piano tuner comes on the second Monday of May"
    wire.add(stored, here)
    wire.add("Rinse the lentils before you boil them", here)
    wire.settle()
    near = wire.do("memory.item.similar", {"query": stored, "similarity_threshold": 0.99, "metric": metric}, here)
    assert contents(near["items"]) == [stored]
    assert 0.99 <= near["items"][0]["similarity"] <= 1.0
    everything = wire.do("memory.item.similar", {"query": stored, "similarity_threshold": 0.0, "metric": metric}, here)
    others = [item["similarity"] for item in everything["items"] if item["content"] != stored]
    assert len(others) == 1
    assert others[0] < 0.7


@needs_model
def test_case_08_a_paraphrase_is_recalled_with_defaults(memory: Daemon, wire: Wire) -> None:
    here = session("case-8")
    for text in (
        "My sister moved to Ghent",
        "The dentist wants to see me in March",
        "We had pancakes for supper",
        "The neighbour borrowed our ladder",
    ):
        wire.say(text, session=here)
    wire.settle()
    assert "My sister moved to Ghent" in wire.recalled("where does my sibling live now", here)


@needs_model
@pytest.mark.parametrize("fusion", ["calibrated", "rrf", "weighted", "merge", "priority", "interleave"])
def test_case_09_fusion_keeps_what_one_backend_is_sure_of(memory: Daemon, wire: Wire, fusion: str) -> None:
    here = session("case-9")
    if not wire.do("memory.item.list", {}, here)["items"]:
        wire.add("Zaltbommel Qwyjibo 4711", here)  # words that no model knows anything of
        for number in range(30):
            wire.add(f"On page {number} the travel guide praises a town on the river and its market", here)
    wire.settle()
    found = wire.recalled("which town is Zaltbommel Qwyjibo 4711", here, fusion=fusion, min_score=0)
    assert "Zaltbommel Qwyjibo 4711" in found[:3]


def test_case_10_punctuation_is_no_syntax(memory: Daemon, wire: Wire) -> None:
    here = session("case-10")
    wire.say('He asked: what is "this"? NOT near, OR far', session=here)
    odd = ['what\'s "this"? (AND NEAR/2 -x *: ^', "NOT", "OR", "NEAR", "AND", '"', "a NEAR b", "x*", "col:val"]
    queries = [*odd, *string.punctuation, *(f"this{mark}" for mark in string.punctuation)]
    topics = (("memory.item.search", "query"), ("memory.context.request", "utterance"))
    answers = wire.ask_all([(topic, {key: text}, here) for topic, key in topics for text in queries])
    assert [answer["error"] for answer in answers if "error" in answer] == []
    assert wire.recalled(odd[0], here) == ['He asked: what is "this"? NOT near, OR far']
    assert " WARNING " not in memory.logged().split("connected to the messagebus")[-1]


@pytest.mark.parametrize(
    ("lang", "stored", "asked"),
    [
        ("zh-cn", "我的猫叫小白", "猫叫什么名字"),
        ("ja-jp", "私の猫の名前はタマです", "猫の名前は何ですか"),
        ("th-th", "แมวของฉันชื่อมะลิ", "แมวชื่ออะไร"),
    ],
)
def test_case_11_words_without_spaces_are_found(memory: Daemon, wire: Wire, lang: str, stored: str, asked: str) -> None:
    here = session(f"case-11-{lang}")
    wire.add(stored, here, lang=lang)
    wire.add("The kettle is descaled every month", here, lang="en-us")
    found = wire.do("memory.item.search", {"query": asked, "lang": lang, "use_embedding": False}, here)["items"]
    assert contents(found) == [stored]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_case_12_composed_and_decomposed_letters_are_the_same(memory: Daemon, wire: Wire, form: str) -> None:
    here = session(f"case-12-{form}")
    stored = unicodedata.normalize(form, "Das Café von Señor Ångström öffnet früh")
    wire.add(stored, here)
    for asked in ("café Señor Ångström", unicodedata.normalize("NFD", "café Señor Ångström"), "cafe senor angstrom"):
        found = wire.do("memory.item.search", {"query": asked, "use_embedding": False}, here)["items"]
        assert contents(found) == [stored]


BLANK = ["", "   ", "\n\t", "\u200b", "!!!", "\u2060\ufeff", "…", "\x00"]


@pytest.mark.parametrize("blank", BLANK)
def test_case_13_a_blank_query_finds_nothing(memory: Daemon, wire: Wire, blank: str) -> None:
    here = session("case-13-query")
    if not wire.do("memory.history.get", {}, here)["messages"]:
        wire.say("The bees are in the lime tree", session=here)
        wire.say("Then the honey will be good", session=here, role="assistant")
    answer = wire.recall(blank, here)
    assert answer["hits"] == []
    assert [m["content"] for m in answer["messages"]][:2] == [
        "The bees are in the lime tree",
        "Then the honey will be good",
    ]
    for topic in SEARCHES:
        assert wire.do(topic, {"query": blank}, here)["items"] == []


@pytest.mark.parametrize("blank", BLANK)
def test_case_13_blank_content_is_refused(memory: Daemon, wire: Wire, blank: str) -> None:
    here = session("case-13-content")
    item = wire.add("Something to change", here)
    for topic, data in (
        ("memory.item.add", {"content": blank}),
        ("memory.item.remember", {"content": blank, "role": "user"}),
        ("memory.item.update", {"id": item["id"], "content": blank}),
    ):
        error = wire.ask(topic, data, here)["error"]
        assert (error["code"], error["field"]) == ("invalid_request", "content")
    assert wire.do("memory.item.get", {"id": item["id"]}, here)["item"]["content"] == "Something to change"


@needs_model
def test_case_21_the_end_of_a_long_note_is_found_by_meaning(memory: Daemon, wire: Wire) -> None:
    here = session("case-21")
    rambling = " ".join(
        f"On walk number {number} we followed the canal past the mill and talked about the weather."
        for number in range(200)
    )
    note = f"{rambling} At the very end she told me that her brother works as a lighthouse keeper."
    assert len(note.split()) > 3_000
    wire.add(note, here)
    for text in ("The mill is closed on Sundays", "A canal boat needs a licence", "Rain is expected on Friday"):
        wire.add(text, here)
    wire.settle()
    assert wire.recalled("what is the occupation of her sibling", here, max_results=2).count(note) == 1


def test_case_22_what_the_assistant_says_of_itself_is_no_fact_of_the_user(memory: Daemon, wire: Wire) -> None:
    here = session("case-22")
    wire.say("I love jazz too, my name is Echo", session=here, role="assistant")
    wire.say("My name is Ravi", session=here)
    wire.settle()
    facts = contents(wire.do("memory.item.list", {"kind": "fact"}, here)["items"])
    assert any("Ravi" in fact for fact in facts)
    assert not any("Echo" in fact or "jazz" in fact.lower() for fact in facts)
    assert not any("Echo" in fact["content"] for fact in wire.recall("what is my name", here)["facts"])


def test_case_25_a_change_moves_updated_at(memory: Daemon, wire: Wire) -> None:
    here = session("case-25-updated")
    ids = [wire.add(f"Shelf number {number}", here)["id"] for number in range(3)]
    before = wire.do("memory.item.get", {"id": ids[0]}, here)["item"]
    changed = wire.do("memory.item.update", {"id": ids[0], "content": "Shelf number zero"}, here)["item"]
    assert changed["updated_at"] > before["updated_at"]
    assert changed["created_at"] == before["created_at"]
    newest = wire.do("memory.item.list", {"order_by": "updated_at", "limit": 1}, here)["items"]
    assert [item["id"] for item in newest] == [ids[0]]


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("100%", "The battery shows 100% now", "The battery shows 100 now or 1000"),
        ("a_b", "The column is a_b", "The column is axb"),
    ],
)
def test_case_25_wildcards_mean_themselves(memory: Daemon, wire: Wire, asked: str, right: str, wrong: str) -> None:
    here = session(f"case-25-{asked}")
    wire.add(wrong, here)
    wire.add(right, here)
    found = contents(wire.do("memory.item.search", {"query": asked, "use_embedding": False}, here)["items"])
    assert found[0] == right
    assert "axb" not in "".join(found)
    for pattern in ("%", "_", "%%", "ba%ery", "c_lumn"):
        assert wire.do("memory.item.search", {"query": pattern, "use_embedding": False}, here)["items"] == []

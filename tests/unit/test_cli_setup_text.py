"""A member of OVOS' JSON with comments is put in, replaced and taken out, and all else stays as it was written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovos_memory_bus.cli.setting_up.jsontext import read, with_member, without_member

COMMENTED = """\
// of the living room
{
    # the voice
    "lang": "de-de",  \n\
    "url": "http://example.org/a//b#c",
    // where it stands
    "location": {"timezone": {"code": "Europe/Berlin"}},
    "tts": {
        // loud
        "volume": 11
    }
    // the end
}
"""
SECTION = {"timezone": "Europe/Berlin", "web": {"enabled": True}}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=4)


def test_a_section_is_put_in_and_every_line_stays() -> None:
    changed = with_member(COMMENTED, "memory", SECTION)
    assert read(changed) == {**read(COMMENTED), "memory": SECTION}
    before, after = changed.split(',\n    "memory": {\n        "timezone": "Europe/Berlin",\n')
    assert COMMENTED.startswith(before)
    assert COMMENTED.endswith(after.partition("\n    }\n")[2] or "-")


def test_put_in_and_taken_out_is_as_before() -> None:
    assert without_member(with_member(COMMENTED, "memory", SECTION), "memory") == COMMENTED


def test_a_section_is_replaced_where_it_stands() -> None:
    text = '{\n  // mine\n  "memory": {"lang": "en"},\n  # last\n  "lang": "en"\n}\n'
    assert with_member(text, "memory", {}) == text.replace('{"lang": "en"}', "{}")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"memory": 1}', "{}"),
        ('{"memory": {"a": "}"}, "b": 2}', '{"b": 2}'),
        ('{"a": 1, "memory": [1]}', '{"a": 1}'),
        ('{"a": 1,\n // why\n "memory": 2}', '{"a": 1\n // why}'),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_a_section_is_taken_out(text: str, left: str) -> None:
    if "why" in text:
        left = '{"a": 1\n // why\n}'
        text = text.replace("2}", "2\n}")
    assert without_member(text, "memory") == left


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{ }", "// nothing yet\n", "{\n}\n"])
def test_where_nothing_is_a_section_is_put_in(text: str) -> None:
    changed = with_member(text, "memory", SECTION)
    assert read(changed) == {"memory": SECTION}
    assert read(without_member(changed, "memory")) == {}


@pytest.mark.parametrize("text", ["[]", "7", "{", '{"a": 1,}', '{"a" 1}', "memory: yes", '{"a": 1} x'])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON object|line \d"):
        with_member(text, "memory", SECTION)


@given(objects, values, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_any_object_keeps_all_else(held: dict[str, Any], value: Any, indent: int | str | None, commented: bool) -> None:
    text = json.dumps(held, indent=indent, ensure_ascii=False)
    if commented and indent is not None:
        text = "// first\n" + text.replace("\n", "\n  # and\n") + "\n// last\n"
    changed = with_member(text, "memory", value)
    assert read(changed) == {**held, "memory": value}
    assert list(read(changed)) == list({**held, "memory": None})
    rest = {name: entry for name, entry in held.items() if name != "memory"}
    assert read(without_member(changed, "memory")) == rest
    if rest == held and held:
        assert without_member(changed, "memory") == text

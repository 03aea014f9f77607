"""Who asks, by the session of a frame as it arrived."""

from __future__ import annotations

from typing import Any

import pytest

from ovos_memory_bus.errors import InvalidRequest
from ovos_memory_bus.messages.identity import caller_of

ANA = {"session_id": "hall", "user_id": "ana", "auth_level": 3}


@pytest.mark.parametrize(
    ("session", "owner"),
    [
        (None, "session:default"),
        ({}, "session:default"),
        ({"session_id": None}, "session:default"),
        ({"session_id": "hall"}, "session:hall"),
        (ANA, "user:ana"),
        ({**ANA, "auth_level": 1}, "session:hall"),
        ({**ANA, "auth_level": True}, "session:hall"),
        ({**ANA, "auth_level": "5"}, "session:hall"),
        ({"session_id": "hall", "user_id": "ana"}, "session:hall"),
    ],
)
def test_the_owner_is_the_recognised_user_or_the_session(session: Any, owner: str) -> None:
    assert caller_of({"session": session}, 2).owner == owner


def test_a_user_behind_a_hub_counts_only_where_that_is_configured() -> None:
    context = {"session": ANA, "peer": "satellite::1"}
    assert caller_of(context, 2).owner == "session:hall"
    assert caller_of(context, 2, satellite_users=True).owner == "user:ana"


@pytest.mark.parametrize("session", [{"session_id": 3}, {"user_id": []}, {"session_id": "x" * 2_000}])
def test_ids_of_another_kind_are_refused(session: Any) -> None:
    with pytest.raises(InvalidRequest):
        caller_of({"session": session}, 2)

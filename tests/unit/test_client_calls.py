"""What each method of the clients sends, and how answers and errors are read."""

from __future__ import annotations

import inspect
from datetime import date, datetime, timedelta, timezone

import pytest

from ovos_memory_bus import errors
from ovos_memory_bus.client import AsyncMemoryClient, MemoryClient, calls
from ovos_memory_bus.client.failures import error_from_data
from ovos_memory_bus.client.results import ContextAnswer, Memory, MemoryPage, Status, read_time
from ovos_memory_bus.client.waiting import patience, read_answer, request_data, request_session
from ovos_memory_bus.messages import context as context_messages
from ovos_memory_bus.messages.items import AddRequest, ClearRequest, ListRequest, SearchRequest, SimilarRequest
from ovos_memory_bus.records import ChatMessage

METHODS = [
    name
    for name, function in vars(calls).items()
    if inspect.isfunction(function) and function.__module__ == calls.__name__ and not name.startswith("_")
]

ITEM = {
    "id": "550e8400-e29b-41d4-a716-446655440000",
    "content": "User prefers dark mode",
    "kind": "note",
    "role": "user",
    "agent_id": "assistant",
    "session_id": "kitchen",
    "metadata": {"type": "preference"},
    "created_at": "2026-01-15T10:30:00.000000Z",
    "updated_at": "2026-01-15T10:31:00.000000Z",
    "similarity": 0.75,
    "added_by_a_newer_service": 1,
}


def test_both_clients_offer_every_topic() -> None:
    assert len(METHODS) == 19
    for name in [*METHODS, "iter_memories"]:
        assert callable(getattr(MemoryClient, name))
        assert callable(getattr(AsyncMemoryClient, name))
        assert getattr(MemoryClient, name).__doc__


def test_the_seed_reads_as_a_request() -> None:
    add = calls.add_memory(
        "Important project information: Budget is $50k",
        {"type": "project", "category": "budget"},
        graph_id="project-123",
        task_id="task-456",
        session_id="session-789",
    )
    assert add.session_id == "session-789"
    request = AddRequest.from_data(add.data)
    assert (request.graph_id, request.task_id, request.metadata["category"]) == ("project-123", "task-456", "budget")

    search = calls.search_memories("budget", limit=5, start_date=datetime(2024, 1, 1, tzinfo=timezone.utc))
    assert search.data["since"] == "2024-01-01T00:00:00.000000Z"
    assert SearchRequest.from_data(search.data).page.size == 5

    similar = calls.search_memories_by_similarity("joyful moments", similarity_threshold=0.7, limit=10)
    assert SimilarRequest.from_data(similar.data).threshold == 0.7

    listed = calls.list_memories(limit=20, order_by="createdAt", order="desc", end_date="2030-01-01T00:00:00Z")
    request = ListRequest.from_data(listed.data)
    assert (request.order_by, request.order, request.page.size) == ("created_at", "desc", 20)
    assert calls.list_memories(order_by="updatedAt").data["order_by"] == "updated_at"

    cleared = calls.clear_memories(sync_with_context=False, session_id="session-789")
    assert ClearRequest.from_data(cleared.data).sync_context is False
    assert (cleared.session_id, cleared.data["session_id"]) == ("session-789", "session-789")


def test_a_vector_is_sent_as_embedding() -> None:
    call = calls.search_memories_by_similarity((1, 0.5))
    assert call.data == {"embedding": [1.0, 0.5]}


def test_every_context_option_is_one_the_service_knows() -> None:
    known = context_messages.ContextRequest.from_data({"utterance": "x"})
    for name in calls.ContextOptions.__annotations__:
        renamed = {"member_fetch_k": "fetch_k", "members": "weights"}.get(name, name)
        assert hasattr(known, renamed) or renamed in (*context_messages.RENDER_TEXTS, "include_sources"), name


def test_an_unknown_argument_is_a_type_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="graphid"):
        calls.list_memories(graphid="x")  # type: ignore[call-arg]


def test_times_of_all_kinds() -> None:
    zone = timezone(timedelta(hours=2))
    assert calls.list_memories(start_date=datetime(2026, 1, 1, 2, tzinfo=zone)).data["since"] == (
        "2026-01-01T00:00:00.000000Z"
    )
    midnight = datetime(2026, 5, 4).astimezone(timezone.utc)
    assert read_time(calls.list_memories(start_date=date(2026, 5, 4)).data["since"]) == midnight
    assert read_time("2026-11-30T21:05:00.5Z".replace(".5", ".500000")) == datetime(
        2026, 11, 30, 21, 5, 0, 500000, timezone.utc
    )
    assert read_time(None) is None


def test_turns_may_be_messages_or_mappings() -> None:
    said = datetime(2026, 1, 1, tzinfo=timezone.utc)
    call = calls.update(
        [ChatMessage("user", "hi"), {"role": "assistant", "content": "hello", "created_at": said, "name": None}]
    )
    assert call.data["messages"] == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello", "created_at": "2026-01-01T00:00:00.000000Z"},
    ]


def test_an_item_is_read_with_its_times_and_without_what_is_unknown() -> None:
    memory = Memory.from_data(ITEM)
    assert memory.created_at == datetime(2026, 1, 15, 10, 30, tzinfo=timezone.utc)
    assert (memory.similarity, memory.score, memory.embedding) == (0.75, None, None)
    assert memory.metadata == {"type": "preference"}
    with pytest.raises(AttributeError):
        memory.content = "other"  # type: ignore[misc]


def test_a_page_is_a_sequence_with_a_total() -> None:
    page = MemoryPage.from_data({"items": [ITEM, ITEM], "total": 12})
    assert (len(page), page.total, page[1].id, [m.content for m in page]) == (2, 12, ITEM["id"], [ITEM["content"]] * 2)


def test_a_context_answer_keeps_tool_calls() -> None:
    answer = ContextAnswer.from_data(
        {
            "messages": [
                {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "search"}]},
                {"role": "tool", "content": "found", "tool_call_id": "c1", "name": "search"},
                {"role": "user", "content": "and now?"},
            ],
            "backends": {"lexical": {"status": "timeout", "took": 0.3, "hits": 0}},
            "partial": True,
        }
    )
    assert answer.messages[0].tool_calls == ({"id": "c1", "name": "search"},)
    assert answer.messages[1].tool_call_id == "c1"
    assert answer.backends["lexical"].status == "timeout"
    assert answer.partial


def test_status_reads_an_empty_answer() -> None:
    status = Status.from_data({})
    assert (status.ready, status.queue.pending) == (False, 0)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("not_found", errors.NotFound),
        ("busy", errors.Busy),
        ("storage_full", errors.StorageFull),
        ("timeout", errors.DeadlineExceeded),
        ("config_error", errors.ConfigError),
        ("internal", errors.MemoryBusError),
    ],
)
def test_a_code_becomes_its_exception(code: str, kind: type[errors.MemoryBusError]) -> None:
    error = error_from_data({"code": code, "message": "why"})
    assert type(error) is kind
    assert (error.code, str(error)) == (code, "why")


def test_errors_keep_their_details_and_unknown_codes_their_code() -> None:
    refused = error_from_data(errors.InvalidRequest("limit must be a number", "limit").to_data())
    assert isinstance(refused, errors.InvalidRequest)
    assert refused.field == "limit"
    busy = error_from_data(errors.Busy("full", 2.0).to_data())
    assert isinstance(busy, errors.Busy)
    assert busy.retry_after == 2.0
    new = error_from_data({"code": "from_the_future", "message": "?"})
    assert (type(new), new.code) == (errors.MemoryBusError, "from_the_future")
    assert errors.MemoryBusError.code == "internal"


def test_an_answer_that_makes_no_sense_is_an_error() -> None:
    with pytest.raises(errors.MemoryBusError, match=r"memory\.item\.get"):
        read_answer(calls.get_memory("x"), {"item": None})


def test_agent_and_session_of_a_request() -> None:
    assert request_data(calls.list_memories(), "echo")["agent_id"] == "echo"
    assert request_data(calls.list_memories(agent_id="other"), "echo")["agent_id"] == "other"
    assert "agent_id" not in request_data(calls.get_memory("x"), "echo")
    assert request_data(calls.update([], request_id="mine"), None)["request_id"] == "mine"

    alice = {"session_id": "hall", "user_id": "alice", "auth_level": 3}
    assert request_session(calls.add_memory("x", session_id="kitchen"), alice) == {**alice, "session_id": "kitchen"}
    assert request_session(calls.add_memory("x"), alice) == alice
    assert request_session(calls.add_memory("x"), None) is None


def test_a_request_with_its_own_timeout_is_waited_for_longer() -> None:
    assert patience(calls.context("x", timeout=20), 5.0) > 20
    assert patience(calls.context("x", timeout=0.2), 5.0) == 5.0

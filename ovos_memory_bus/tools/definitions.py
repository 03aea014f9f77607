"""The four tools, each with its name, description, schemas and the call of the client it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ovos_memory_bus.client import Forgotten, Memory, MemoryPage

MAX_TEXT = 8_000  # characters


class Arguments(BaseModel):
    """Arguments of a tool: what it does not know it refuses, so that a model learns of its mistake."""

    model_config = ConfigDict(extra="forbid")


class SearchArguments(Arguments):
    query: str = Field(min_length=1, max_length=MAX_TEXT, description="What to look for, in any language.")
    limit: int = Field(5, ge=1, le=20, description="How many memories at most.")


class RememberArguments(Arguments):
    content: str = Field(
        min_length=1, max_length=MAX_TEXT, description="One thing to remember, as a sentence that stands by itself."
    )


class ForgetArguments(Arguments):
    ids: list[str] = Field(
        min_length=1, max_length=20, description="The ids of memories, as search_memory or list_facts gave them."
    )


class FactsArguments(Arguments):
    limit: int = Field(50, ge=1, le=200, description="How many facts at most.")


class Remembered(BaseModel):
    """One memory: `kind` is turn, note, fact, summary or document; `created_at` is ISO 8601 in UTC."""

    id: str
    content: str
    kind: str
    role: str
    created_at: str | None = None
    score: float | None = None


class Memories(BaseModel):
    memories: list[Remembered]


class Forgot(BaseModel):
    deleted: int


@dataclass(frozen=True, slots=True)
class Tool:
    """`method` names the clients' method, `options` makes its arguments, `result` the tool's output from its answer."""

    name: str
    description: str
    arguments: type[Arguments]
    output: type[BaseModel]
    method: str
    options: Callable[[Any], Mapping[str, Any]]
    result: Callable[[Any], BaseModel]

    def request(self, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The method's arguments. Raises pydantic's `ValidationError`, a ValueError, where the schema is not kept."""
        return self.options(self.arguments.model_validate(dict(kwargs)))


def _remembered(memory: Memory) -> Remembered:
    return Remembered(
        id=memory.id,
        content=memory.content,
        kind=memory.kind,
        role=memory.role,
        created_at=memory.created_at.isoformat() if memory.created_at else None,
        score=memory.score,
    )


def _found(memories: list[Memory]) -> Memories:
    return Memories(memories=[_remembered(memory) for memory in memories])


def _one(memory: Memory) -> Remembered:
    return _remembered(memory)


def _gone(forgotten: Forgotten) -> Forgot:
    return Forgot(deleted=forgotten.deleted)


def _facts(page: MemoryPage) -> Memories:
    return Memories(memories=[_remembered(fact) for fact in page if not fact.metadata.get("valid_to")])


TOOLS = (
    Tool(
        "search_memory",
        "Search what the user has said or asked to be remembered, in this and in earlier conversations. Use it before "
        "saying that you do not know something about the user, their people, plans or things.",
        SearchArguments,
        Memories,
        "search_memories",
        lambda asked: {"query": asked.query, "limit": asked.limit},
        _found,
    ),
    Tool(
        "remember",
        "Remember one thing for later conversations. Use it when the user asks for it.",
        RememberArguments,
        Remembered,
        "add_memory",
        lambda asked: {"content": asked.content},
        _one,
    ),
    Tool(
        "forget",
        "Forget memories for good, by their ids; this cannot be undone. Search first, and forget only what the user "
        "wants to be forgotten.",
        ForgetArguments,
        Forgot,
        "forget",
        lambda asked: {"what": "ids", "ids": asked.ids},
        _gone,
    ),
    Tool(
        "list_facts",
        "List the facts known about the user, such as name, home, family and likes, newest first.",
        FactsArguments,
        Memories,
        "list_memories",
        lambda asked: {"kind": "fact", "limit": asked.limit},
        _facts,
    ),
)

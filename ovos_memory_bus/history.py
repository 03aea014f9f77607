"""How stored turns read as a chat history: the normalisation, the cut and the context rules of ovos-persona.

All functions are views: they take turns oldest first and leave what is stored untouched. Normalising all
turns at once gives what appending them one at a time to ovos-persona's short-term memory gives. The newest
part of a talk is enough as input: once it yields more than `max_history` messages, older turns change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from .records import ChatMessage, Item

USER = "user"
ASSISTANT = "assistant"

T = TypeVar("T")


class HasRole(Protocol):
    """Anything said by somebody: a chat message or a stored turn."""

    @property
    def role(self) -> str: ...


def as_message(item: Item) -> ChatMessage:
    """The stored turn as a chat message."""
    return ChatMessage(role=item.role, content=item.content, name=item.name)


def normalise(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """A user message followed by another user message is dropped (it got no answer); consecutive assistant
    messages become one, joined by a newline. Messages of other roles stay, and end such a row."""
    return [_joined(messages, group) for group in _groups(messages)]


def cut(messages: Sequence[T], max_history: int) -> list[T]:
    """The newest `max_history` messages; 0 or less means all."""
    return list(messages[-max_history:] if max_history > 0 else messages)


def context_history(messages: Sequence[ChatMessage], max_history: int) -> list[ChatMessage]:
    """The history a chat model sees before the new utterance: normalised, cut, without user messages at its
    end that nobody answered and without an answer at its start whose question is gone."""
    return [_joined(messages, group) for group in _context_groups(messages, max_history)]


def visible_items(items: Sequence[Item], max_history: int) -> frozenset[str]:
    """The ids of those turns whose words stand in `context_history` of the same turns."""
    return frozenset(items[index].id for group in _context_groups(items, max_history) for index in group)


def recall_query(utterance: str, history: Sequence[ChatMessage], turns: int) -> str:
    """What memory is asked: the utterance, after the last `turns` (0: none) things that the user said before."""
    said = [message.content for message in history if message.role == USER]
    return " ".join([*(cut(said, turns) if turns > 0 else []), utterance.strip()])


def _groups(turns: Sequence[HasRole]) -> list[list[int]]:
    """The turns that make each normalised message, as indexes into `turns`."""
    groups: list[list[int]] = []
    last = None
    for index, turn in enumerate(turns):
        if turn.role == last == ASSISTANT:
            groups[-1].append(index)
            continue
        if turn.role == last == USER:
            groups.pop()
        groups.append([index])
        last = turn.role
    return groups


def _context_groups(turns: Sequence[HasRole], max_history: int) -> list[list[int]]:
    groups = cut(_groups(turns), max_history)
    while groups and turns[groups[-1][0]].role == USER:
        groups.pop()
    while groups and turns[groups[0][0]].role == ASSISTANT:
        groups.pop(0)
    return groups


def _joined(messages: Sequence[ChatMessage], group: Sequence[int]) -> ChatMessage:
    newest = messages[group[-1]]
    if len(group) == 1:
        return newest
    return replace(newest, content="\n".join(messages[index].content for index in group))

"""Between our chat messages and `AgentMessage`, which has tool calls from ovos-plugin-manager 2.12 on only."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ovos_plugin_manager.templates import agents
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

from ovos_memory_bus.records import ChatMessage

SPOKEN_ROLES = ("user", "assistant", "system", "developer")
_FIELDS = {entry.name for entry in dataclasses.fields(AgentMessage)}
_ROLES = {role.value: role for role in MessageRole}

KNOWS_TOOLS = "tool" in _ROLES and "tool_calls" in _FIELDS


def to_agent_messages(messages: Iterable[ChatMessage]) -> list[AgentMessage]:
    """The messages this version of `AgentMessage` can carry; a message of a role it does not know is left out."""
    return [_to_agent_message(message) for message in messages if message.role in _ROLES]


def _to_agent_message(message: ChatMessage) -> AgentMessage:
    extra: dict[str, Any] = {"name": message.name, "tool_call_id": message.tool_call_id}
    if message.tool_calls and KNOWS_TOOLS:
        extra["tool_calls"] = [_tool_call(call) for call in message.tool_calls]
    given = {key: value for key, value in extra.items() if value is not None and key in _FIELDS}
    return AgentMessage(role=_ROLES[message.role], content=message.content, **given)


def _tool_call(call: Mapping[str, Any]) -> Any:
    """A `ToolCall` from `{id, name, arguments}` or from OpenAI's shape, whose arguments are JSON text."""
    function = call.get("function") or call
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    return agents.ToolCall(id=call.get("id") or "", name=function.get("name") or "", arguments=arguments)


def to_chat_messages(messages: Iterable[AgentMessage]) -> list[ChatMessage]:
    """What was said: tool calls and their results are left out, since half of such a pair makes no valid history."""
    spoken = []
    for message in messages:
        role = str(getattr(message.role, "value", message.role))
        if role in SPOKEN_ROLES and isinstance(message.content, str) and message.content.strip():
            spoken.append(ChatMessage(role=role, content=message.content, name=getattr(message, "name", None)))
    return spoken

"""A config block written for ovos-memory-plugins' composite works as it is, in each inject mode."""

from __future__ import annotations

import pytest
from daemon import KEYWORDS_ONLY, Daemon
from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole
from rig import Bus

from ovos_memory_bus.persona import MemoryBusPlugin

CONFIG = KEYWORDS_ONLY


@pytest.mark.parametrize(
    ("mode", "roles"),
    [
        ("system", ["system", "system", "user", "assistant", "user"]),
        ("developer", ["system", "developer", "user", "assistant", "user"]),
        ("system_prompt", ["system", "user", "assistant", "user"]),
        ("user", ["system", "user", "assistant", "user"]),
        ("tool", ["system", "user", "assistant", "assistant", "tool", "user"]),
    ],
)
def test_a_composites_block_works_as_it_is(memory: Daemon, shared_bus: Bus, mode: str, roles: list[str]) -> None:
    members = [{"module": f"ovos-memory-plugin-{name}", "weight": 1.0} for name in ("local-rag", "lexical", "entity")]
    block = {"members": members, "primary": "ovos-memory-plugin-local-rag", "fusion": "rrf", "rrf_k": 60}
    config = {**block, "inject_mode": mode, "system_prompt": "You are helpful.", "max_history": 2, "timeout": 20}
    plugin = MemoryBusPlugin({**config, "host": "127.0.0.1", "port": shared_bus.port})
    session = f"talk in mode {mode}"
    for remark in ("the lawn mower stands in the shed", "what a day", "it rains again"):
        exchange = [AgentMessage(MessageRole.USER, remark), AgentMessage(MessageRole.ASSISTANT, "yes")]
        plugin.update_history(exchange, session)
    context = plugin.build_conversation_context("where does the lawn mower stand?", session)
    plugin.close()
    assert [message.role.value for message in context] == roles
    assert "stands in the shed" in " ".join(message.content for message in context)
    assert context[-1].content.endswith("where does the lawn mower stand?")

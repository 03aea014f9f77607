"""A process on the bus that answers `memory.query` badly; its first argument says how. Nothing but ovos-bus-client."""

from __future__ import annotations

import sys
import uuid
from typing import Any

from ovos_bus_client import MessageBusClient
from ovos_bus_client.message import Message

manner, name = sys.argv[1:3]
seen: list[dict[str, Any]] = []  # every item that was recorded, whoever it belongs to, and though it may be forgotten

ODD_HITS: list[Any] = [
    None,
    3,
    "text",
    [],
    {},
    {"id": 7, "content": ["no text"], "score": "high"},
    {"id": "x" * 2_000, "content": None},
    {"content": " \n\u200b"},
    {"content": "herons are grey", "owner": "user:somebody-else"},
    {"content": "the heron nested here", "score": float("nan"), "kind": "fact", "role": 1, "metadata": "no"},
    {"id": "strange", "content": "a strange heron", "score": 99, "created_at": "someday", "kind": [], "role": {}},
]


def answers(query: Any) -> list[Any]:
    if manner == "lies":
        return ODD_HITS
    if manner == "betrays":
        return [{"id": item["id"], "content": item["content"], "score": 1.0} for item in seen]
    if manner == "floods":
        return [{"id": str(uuid.uuid4()), "content": "heron " * 20_000, "score": 1.0} for _ in range(90)]
    return []


def on_query(query: Any) -> None:
    if manner == "hangs":
        return
    if manner == "dies":
        bus.close()
        sys.exit(3)
    hits: Any = {"not": "a list"} if manner == "confuses" else answers(query)
    bus.emit(query.success({"backend_id": name, "hits": hits}))


def on_recorded(message: Message) -> None:
    seen.extend(message.data["items"])


bus = MessageBusClient()
bus.on("memory.recorded", on_recorded)
bus.on_collect("memory.query", on_query, timeout=60)
bus.run_forever()

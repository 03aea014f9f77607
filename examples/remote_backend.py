"""A kind of memory in a process of its own, with nothing but ovos-bus-client: it finds what it was told by its words.

python remote_backend.py notebook          # and "remote_backends": ["notebook"] in the memory's configuration
"""

import re
import sys

from ovos_bus_client import MessageBusClient

items = {}  # what is remembered, by id


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def on_recorded(message):
    for item in message.data["items"]:
        items[item["id"]] = item


def on_forgotten(message):
    for id_ in message.data["ids"]:
        items.pop(id_, None)


def visible(item, query):
    """Only what the asking owner may see; without an owner the question is about everybody's."""
    if query["owner"] not in (None, item["owner"]):
        return False
    return query["scope"] != "session" or item["session_id"] == query["session_id"]


def on_query(query):
    asked = words(query.data["query"])
    hits = [
        {"id": item["id"], "content": item["content"], "score": len(asked & words(item["content"])) / len(asked)}
        for item in items.values()
        if visible(item, query.data) and asked & words(item["content"])
    ]
    hits.sort(key=lambda hit: hit["score"], reverse=True)
    bus.emit(query.success({"backend_id": name, "hits": hits[: query.data["limit"]]}))


if __name__ == "__main__":
    name = sys.argv[1]
    bus = MessageBusClient()
    bus.on("memory.recorded", on_recorded)
    bus.on("memory.forgotten", on_forgotten)
    bus.on_collect("memory.query", on_query, timeout=2)
    bus.run_forever()

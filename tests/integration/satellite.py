"""A HiveMind satellite in a process of its own, run by the hub's environment: requests in, answers out, a line each."""

from __future__ import annotations

import json
import sys
from typing import Any

from hivemind_bus_client import HiveMessageBusClient
from hivemind_bus_client.message import HiveMessageType
from ovos_bus_client.message import Message


def tell(data: Any) -> None:
    print("SATELLITE " + json.dumps(data), flush=True)


def on_bus(message: Any) -> None:
    inner = message.payload
    if inner.msg_type.endswith(".response") or inner.msg_type == "hive.policy.denied":
        tell({"topic": inner.msg_type, "data": inner.data})


key, password, port = sys.argv[1:4]
satellite = HiveMessageBusClient(key=key, password=password, host="ws://127.0.0.1", port=int(port))
satellite.connect(site_id="test")
satellite.on(HiveMessageType.BUS, on_bus)
tell({"topic": "ready", "data": {}})
for line in sys.stdin:
    asked = json.loads(line)
    satellite.emit_mycroft(Message(asked["topic"], asked["data"], {"session": asked["session"]}))

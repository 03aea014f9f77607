"""Observed turns when the service stops, and a service that observes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from daemon import KEYWORDS_ONLY, StartService
from ovos_bus_client import MessageBusClient
from rig import Bus
from turns import Turn, history
from wire import Wire

CONFIG = {**KEYWORDS_ONLY, "observe": True}


@pytest.fixture(scope="module")
def core(shared_bus: Bus) -> Iterator[MessageBusClient]:
    with shared_bus.client() as client:
        yield client


def test_turns_that_have_ended_are_stored_when_the_service_stops(
    service: StartService, core: MessageBusClient, wire: Wire
) -> None:
    daemon = service(config=CONFIG)
    turn = Turn(core, "porch", "who painted the Mona Lisa")
    turn.speak("Leonardo", skill="persona.openvoiceos")  # would wait for the persona's plugin
    turn.end()
    assert daemon.stop() == 0
    daemon.start()
    assert history(wire, "porch") == [("user", "who painted the Mona Lisa"), ("assistant", "Leonardo")]


def test_by_default_nothing_is_observed(service: StartService, core: MessageBusClient, wire: Wire) -> None:
    service(config=KEYWORDS_ONLY)
    turn = Turn(core, "cellar", "what is the capital of Portugal")
    turn.speak("Lisbon")
    turn.end()
    wire.say("hello", session={"session_id": "cellar"})
    assert history(wire, "cellar") == [("user", "hello")]

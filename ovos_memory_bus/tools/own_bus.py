"""The bus of a plugin that was given none: the configured one, connected to when it is first needed."""

from __future__ import annotations

from threading import Lock
from typing import Any

from ovos_bus_client.util import get_mycroft_bus


class OwnBus:
    """A place for a bus client; safe from several threads."""

    def __init__(self) -> None:
        self._bus: Any = None
        self._lock = Lock()

    def get(self) -> Any:
        with self._lock:
            if self._bus is None:
                self._bus = get_mycroft_bus()
            return self._bus

"""Telling systemd how the service is, where it asked to be told (sd_notify, `Type=notify`)."""

from __future__ import annotations

import logging
import os
import socket
from dataclasses import dataclass

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Notifier:
    """Sends to `address`, a datagram socket's path (`@` for an abstract one); without one, does nothing."""

    address: str | None

    @classmethod
    def from_environment(cls) -> Notifier:
        return cls(os.environ.get("NOTIFY_SOCKET"))

    def ready(self) -> None:
        self._tell("READY=1")

    def stopping(self) -> None:
        self._tell("STOPPING=1")

    def _tell(self, state: str) -> None:
        if not self.address:
            return
        address = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.sendto(state.encode(), address)
        except OSError as error:
            LOG.warning("systemd could not be told %s: %s", state, error)

"""TCP_QUICKACK: acknowledge at once, because the bus holds back the second of two frames until the first is."""

from __future__ import annotations

import socket
from typing import Any

_OPTION: int | None = getattr(socket, "TCP_QUICKACK", None)


def acknowledge_at_once(sock: Any) -> bool:
    """Set the option on `sock` (a socket, or anything with its `setsockopt`); to be repeated after every frame, since
    Linux forgets it. False where the option does not exist or the socket is gone."""
    if sock is None or _OPTION is None:
        return False
    try:
        sock.setsockopt(socket.IPPROTO_TCP, _OPTION, 1)
    except OSError:  # closed meanwhile, or no TCP socket: only the speed-up is lost
        return False
    return True

"""Run as a program: a service with its bus and model where no network is but the loopback; prints what it recalls.

Started by test_case_unplugged.py in a network namespace of its own."""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
from pathlib import Path

from daemon import Daemon
from rig import Bus
from wire import Wire

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def raise_loopback() -> None:
    """A new namespace has it, but down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def main(folder: Path) -> None:
    raise_loopback()
    assert [name for _, name in socket.if_nameindex()] == ["lo"]
    bus = Bus(folder / "bus")
    bus.start()
    memory = Daemon(bus, folder / "data").start()
    try:
        with Wire(bus.url) as wire:
            wire.say("my sister moved to Ghent", "the dentist is on Monday")
            wire.settle()
            hits = wire.recall("where does my sibling live now?")["hits"]
            model = wire.do("memory.status")["backends"]["semantic"]["model"]
        print(json.dumps({"hits": hits, "model": model}))
    finally:
        memory.stop()
        bus.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Which requests come from our own page or a program of the user's, and not from a foreign page in their browser.

A foreign site can point its name at this device (DNS rebinding): the `Host` header shows it. It can send requests with
the user's cookie (CSRF): `Origin` and `Sec-Fetch-Site`, which no script can forge, show it.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
OWN_SITE = ("same-origin", "none")  # none: typed, or opened by a program
SAFE_METHODS = ("GET", "HEAD")


def is_loopback(host: str) -> bool:
    """Whether only this device itself reaches that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Origins:
    """`port` is the one served; `remote` whether other devices may ask, by an address or this machine's own name."""

    port: int
    remote: bool = False

    def is_own_host(self, host: str) -> bool:
        """Whether a `Host` header names this service. No foreign site has an IP address for a name."""
        name, port = _divided(host.lower())
        if port != str(self.port):
            return False
        if not self.remote:
            return name in LOOPBACK_NAMES
        machine = socket.gethostname().lower()
        return name in (*LOOPBACK_NAMES, machine, f"{machine}.local") or _is_address(name)

    def refusal(self, method: str, headers: Mapping[str, str]) -> str | None:
        """Why a request to the API is refused; None where it is not."""
        host = headers.get("Host", "")
        if not self.is_own_host(host):
            return "this host name is not served here"
        origin = headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return "requests from other sites are not answered"
        if headers.get("Sec-Fetch-Site", "none") not in OWN_SITE:
            return "requests from other sites are not answered"
        if (
            method not in SAFE_METHODS
            and headers.get("Content-Type", "").partition(";")[0].strip() != "application/json"
        ):
            return "the body must be sent as application/json"
        return None


def _divided(host: str) -> tuple[str, str]:
    """Name and port; a host without a port has that of HTTP."""
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):
        return host, "80"
    return name, port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        return False
    return True

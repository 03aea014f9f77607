"""A plain HTTP client of the page: any header goes out as it is."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ovos_memory_bus.web.runtime import page_address

PATIENCE = 60.0
BASE = "/api/v1/"
WEB = {"enabled": True, "port": 0}  # any free port


@dataclass(frozen=True)
class Reply:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of the error that it is."""
        code: str = self.data["error"]["code"]
        return code


class Browser:
    """One user's client; `token` None sends none."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        self.url, self.token = url, token
        self.host, self.port = parts.hostname or "", parts.port or 80

    @classmethod
    def of(cls, folder: Path) -> Browser:
        """The client of a running service's page."""
        found = page_address(folder)
        assert found is not None, "no page is announced"
        return cls(*found)

    def stranger(self) -> Browser:
        return Browser(self.url, None)

    def send(
        self, method: str, path: str, body: bytes | str | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        connection = self.connect(method, path, body, headers)
        try:
            answer = connection.getresponse()
            return Reply(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def connect(
        self, method: str, path: str, body: bytes | str | None = None, headers: Mapping[str, str] | None = None
    ) -> http.client.HTTPConnection:
        """A connection on which the request has gone out."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        connection.request(method, path, body, {**sent, **(headers or {})})
        return connection

    def post(self, path: str, data: Any = None, **headers: str) -> Reply:
        """POST below `/api/v1/`; `X_Memory_Owner="…"` is a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send("POST", BASE + path, json.dumps(data or {}), named)

    def get(self, path: str, **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send("GET", path, None, named)

    def do(self, path: str, data: Any = None, **headers: str) -> Any:
        """The data of a POST's answer, which must be no error."""
        reply = self.post(path, data, **headers)
        assert reply.status == 200, reply.body
        return reply.data

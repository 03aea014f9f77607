"""What one request asks and on whose behalf: the body as a topic's data, the chosen owner as a caller."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import anyio
from aiohttp import web

from ..errors import InvalidRequest
from ..messages.fields import MAX_SHORT, Fields
from ..messages.identity import DEFAULT_SESSION, Caller

MAX_BODY = 8 * 2**20  # bytes
PATIENCE = 30.0  # seconds for a body to arrive
OWNER_HEADER, SESSION_HEADER = "X-Memory-Owner", "X-Memory-Session"  # percent-encoded: headers are ASCII
DEFAULT_OWNER = f"session:{DEFAULT_SESSION}"
KINDS = ("user:", "session:")


async def body_of(request: web.Request) -> dict[str, Any]:
    """The body as an object; an empty one is `{}`. Raises `InvalidRequest`."""
    try:
        with anyio.fail_after(PATIENCE):
            raw = await request.read()
    except TimeoutError:
        raise InvalidRequest("the body did not arrive in time") from None
    try:
        data = json.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError):
        raise InvalidRequest("the body is no JSON") from None
    if not isinstance(data, dict):
        raise InvalidRequest("the body must be an object")
    return data


def caller_for(data: Mapping[str, Any], headers: Mapping[str, str]) -> Caller:
    """The caller whom the body's `owner` and `session`, or else the headers, choose; without, the device's own
    session. Raises `InvalidRequest`."""
    fields = Fields(data)
    owner = fields.label("owner") or unquote(headers.get(OWNER_HEADER, "")) or DEFAULT_OWNER
    session = fields.label("session") or unquote(headers.get(SESSION_HEADER, "")) or DEFAULT_SESSION
    return caller_of_owner(owner, session)


def caller_of_owner(owner: str, session: str = DEFAULT_SESSION) -> Caller:
    """A caller that is this owner, `user:…` in that session or `session:…`. Raises `InvalidRequest`."""
    kind, _, name = owner.partition(":")
    if f"{kind}:" not in KINDS or not name or len(owner) > MAX_SHORT:
        raise InvalidRequest("owner must be user:NAME or session:ID", "owner")
    return Caller(name if kind == "session" else session, owner)

"""Who asks: read from the session as it arrived on the wire, before any library re-stamps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InvalidRequest
from .fields import MAX_SHORT, clean_text

DEFAULT_SESSION = "default"


@dataclass(frozen=True, slots=True)
class Caller:
    """The session a request came in, and the owner of what it stores: `user:<id>` or `session:<id>`.

    `timezone` is the session's own IANA name when it carries a location."""

    session_id: str
    owner: str
    timezone: str | None = None
    session: Mapping[str, Any] = field(default_factory=dict)


def caller_of(context: Mapping[str, Any], min_auth_level: int, *, satellite_users: bool = False) -> Caller:
    """The caller of a frame with this `context`.

    A `user_id` counts only with an `auth_level` of at least `min_auth_level` (0 to 5), and of a HiveMind satellite only
    with `satellite_users`: its hub stamps `peer` and the session's id, but passes on what the satellite says of itself.
    Raises `InvalidRequest` where ids have a wrong type or are too long. A session that is no object never gets here:
    the bus drops such frames."""
    session = context.get("session") or {}
    session_id = _identifier(session, "session_id") or DEFAULT_SESSION
    user_id = _identifier(session, "user_id")
    level = session.get("auth_level")
    believed = satellite_users or context.get("peer") is None
    trusted = believed and isinstance(level, int) and not isinstance(level, bool) and level >= min_auth_level
    owner = f"user:{user_id}" if user_id and trusted else f"session:{session_id}"
    return Caller(session_id, owner, _timezone(session), session)


def _identifier(session: Mapping[str, Any], name: str) -> str | None:
    value = session.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_SHORT:
        raise InvalidRequest(f"session.{name} must be text of at most {MAX_SHORT} characters", f"session.{name}")
    return clean_text(value) or None


def _timezone(session: Mapping[str, Any]) -> str | None:
    location = session.get("location")
    zone = location.get("timezone") if isinstance(location, Mapping) else None
    code = zone.get("code") if isinstance(zone, Mapping) else zone
    return code if isinstance(code, str) and code else None

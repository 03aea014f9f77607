"""On whose behalf a request is made: from a message, a session or an id to the session on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ovos_bus_client.message import Message, dig_for_message
from ovos_bus_client.session import SessionManager

DEFAULT_SESSION = "default"


def raw_session(message: Message | None) -> dict[str, Any] | None:
    """A copy of the session exactly as `message` carries it, or None.

    Read from the message's context and not through a `Session` object, which would lose `user_id` and `auth_level`.
    """
    session = message.context.get("session") if message is not None else None
    return deepcopy(dict(session)) if isinstance(session, Mapping) else None


def dispatching_session() -> dict[str, Any] | None:
    """The session of the message that is being handled further up the stack, or None outside of a handler."""
    return raw_session(dig_for_message(max_records=20))


def known_session(session_id: str) -> dict[str, Any]:
    """The session of that id.

    Every OVOS process that sees a message takes over the session it carries. So one that this process knows is sent
    whole: a bare id would reset its language and its other settings everywhere.
    """
    known = SessionManager.sessions.get(session_id)
    return dict(known.serialize()) if known is not None else {"session_id": session_id}


def session_of(subject: Any) -> dict[str, Any] | None:
    """The session on the wire for a message, a session (object or mapping) or a session id; None stays None.

    Raises TypeError for anything else.
    """
    if subject is None:
        return None
    if isinstance(subject, str):
        return known_session(subject)
    if isinstance(subject, Mapping):
        return deepcopy(dict(subject))
    if isinstance(getattr(subject, "context", None), Mapping):
        return raw_session(subject)
    if callable(getattr(subject, "serialize", None)):
        return dict(subject.serialize())
    raise TypeError(f"a session is a message, a session or a session id, not {type(subject).__name__}")

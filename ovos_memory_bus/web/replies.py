"""Answers over HTTP: JSON, errors with the status that fits their code, and the headers that every answer carries."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from aiohttp import web

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Server": "ovos-memory-bus",
}
STATUS = {
    "invalid_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_large": 413,
    "too_many_requests": 429,
    "busy": 503,
    "shutting_down": 503,
    "embedding_unavailable": 503,
    "storage_locked": 503,
    "timeout": 504,
    "storage_full": 507,
}
"""The HTTP status of an error code; others are 500."""


def status_of(code: str) -> int:
    return STATUS.get(code, 500)


def answer(data: Mapping[str, Any], status: int | None = None) -> web.Response:
    """Data of an answer; one with an `error` gets that error's status."""
    error = data.get("error")
    if status is None:
        status = status_of(error["code"]) if error else 200
    response = web.Response(
        text=json.dumps(data, ensure_ascii=False), status=status, content_type="application/json", charset="utf-8"
    )
    if error and "retry_after" in error:
        response.headers["Retry-After"] = str(max(1, math.ceil(error["retry_after"])))
    return response


def refused(code: str, message: str, **more: Any) -> web.Response:
    """An error of HTTP's own."""
    return answer({"error": {"code": code, "message": message, **more}})


async def secure(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Put the headers on an answer about to leave. Nothing of a memory is kept by a browser or a proxy."""
    response.headers.update(SECURITY_HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")

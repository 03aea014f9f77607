"""What every request passes first: rate, host, origin, token or cookie; and errors as JSON after it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from ..errors import MemoryBusError
from .access import COOKIE, Access
from .bounds import Rate
from .origins import Origins, is_loopback
from .replies import refused

LOG = logging.getLogger(__name__)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
API = "/api/"
LOGIN = "/api/v1/session"
METRICS = "/metrics"


@dataclass(frozen=True, slots=True)
class Guard:
    """`asked` bounds everybody's requests, `guesses` those with a wrong token."""

    access: Access
    origins: Origins
    asked: Rate = field(default_factory=lambda: Rate(per_second=50, burst=200))
    guesses: Rate = field(default_factory=lambda: Rate(per_second=0.2, burst=20))

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what is not to be answered, then answer."""
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        try:
            return await handler(request)
        except web.HTTPException as error:
            return _described(error)
        except MemoryBusError as error:
            return refused(error.code, str(error))

    def _refusal(self, request: web.Request) -> web.Response | None:
        who = request.remote or ""
        wait = self.asked.take(who)
        if wait:
            return _too_many(wait)
        if not self.origins.is_own_host(request.headers.get("Host", "")):
            return refused("forbidden", "this host name is not served here")
        if not request.path.startswith(API):
            return self._metrics_refusal(request) if request.path == METRICS else None
        reason = self.origins.refusal(request.method, request.headers)
        if reason is not None:
            LOG.warning("refused %s %s from %s: %s", request.method, request.path, who, reason)
            return refused("forbidden", reason)
        if request.path == LOGIN and request.method == "POST":
            return None
        return self._stranger(request)

    def _metrics_refusal(self, request: web.Request) -> web.Response | None:
        """Figures without text: anybody on this device may read them, others with the token."""
        here = is_loopback(request.remote or "") and "X-Forwarded-For" not in request.headers
        return None if here else self._stranger(request)

    def _stranger(self, request: web.Request) -> web.Response | None:
        """The refusal of a request without a token or cookie that holds."""
        bearer, cookie = request.headers.get("Authorization"), request.cookies.get(COOKIE)
        if bearer is not None:
            return None if self.knows(request, self.access.is_bearer(bearer)) else self.unknown(request)
        if cookie is not None and self.access.is_cookie(cookie):
            return None
        return refused("unauthorized", "open the page with: ovos-memory-bus inspect")

    def knows(self, request: web.Request, right: bool) -> bool:
        """Whether a token that was given counts: a right one does, unless too many wrong ones came before it."""
        who = request.remote or ""
        if self.guesses.is_spent(who):
            return False
        if not right:
            self.guesses.take(who)
            LOG.warning("a wrong token from %s", who)
        return right

    def unknown(self, request: web.Request) -> web.Response:
        """The refusal of a token that did not count."""
        if self.guesses.is_spent(request.remote or ""):
            return _too_many(1 / self.guesses.per_second)
        return refused(
            "unauthorized", "this token is not the one of this memory; open the page with: ovos-memory-bus inspect"
        )


def _too_many(wait: float) -> web.Response:
    return refused("too_many_requests", "too many requests; wait a moment", retry_after=round(wait, 3))


def _described(error: web.HTTPException) -> web.Response:
    """An error of aiohttp's in our form."""
    codes = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
    code = codes.get(error.status, "invalid_request" if error.status < 500 else "internal")
    response = refused(code, {"too_large": "the body is too large"}.get(code, error.reason))
    if "Allow" in error.headers:
        response.headers["Allow"] = error.headers["Allow"]
    return response

"""The HTTP server: binds the address, builds the application, ends both with the service."""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
from aiohttp import web

from ..config import WebConfig
from ..errors import ConfigError
from . import files
from .access import Access, load_token
from .api import Api
from .asking import MAX_BODY
from .disk import usage
from .guard import METRICS, Guard
from .live import Live
from .metrics import Metrics
from .origins import Origins, is_loopback
from .parts import Parts
from .replies import answer, secure
from .runtime import announced

LOG = logging.getLogger(__name__)
LAST_ANSWERS = 3.0  # seconds that requests being answered may take when the service stops


@asynccontextmanager
async def serving(config: WebConfig, parts: Parts) -> AsyncIterator[str | None]:
    """The page's URL while it is served; None where the address cannot be had: a memory is not kept from its work by
    its page. Raises `ConfigError` for an address that other devices reach unless that is allowed."""
    remote = not is_loopback(config.host)
    if remote and not config.allow_remote:
        message = f"{config.host} can be reached by other devices: set web.allow_remote, or web.host to 127.0.0.1"
        raise ConfigError(f"configuration: web.host {message}", "web.host")
    try:
        listening = _bound(config.host, config.port)
    except OSError as error:
        LOG.error("no page: %s port %d: %s; choose another web.port", config.host, config.port, error.strerror or error)
        yield None
        return
    if remote:
        LOG.warning("the page can be reached from other devices, without encryption: whoever has the token reads all")
    port = listening.getsockname()[1]
    url = f"http://{_shown(config.host)}:{port}/"
    guard = Guard(Access(load_token(parts.folder)), Origins(port, remote))
    runner = web.AppRunner(
        application(parts, guard), handle_signals=False, access_log=None, shutdown_timeout=LAST_ANSWERS
    )
    try:
        await runner.setup()
        await web.SockSite(runner, listening).start()
        with announced(parts.folder, url):
            LOG.info("the page is at %s: open it with ovos-memory-bus inspect", url)
            yield url
    finally:
        await runner.cleanup()
        listening.close()


def application(parts: Parts, guard: Guard) -> web.Application:
    """All routes behind the guard."""
    app = web.Application(middlewares=[guard.check], client_max_size=MAX_BODY)
    app.on_response_prepare.append(secure)
    live = Live(parts.traces)
    app.on_shutdown.append(live.close)
    Api(parts, guard, live).add_routes(app.router)
    files.add_routes(app.router, files.load_files())

    metrics = Metrics()

    async def counted(app: web.Application) -> AsyncIterator[None]:
        with parts.traces.watched(metrics.count):
            yield

    async def health(request: web.Request) -> web.Response:
        return answer({"status": "ok", "ready": parts.is_ready()})

    async def figures(request: web.Request) -> web.Response:
        status, disk = await parts.status(), await anyio.to_thread.run_sync(usage, parts.folder)
        body, content_type = metrics.written(status, disk, request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    app.router.add_get("/health", health)
    app.router.add_get(METRICS, figures)
    app.cleanup_ctx.append(counted)
    return app


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host.strip("[]"), port), family=family)


def _shown(host: str) -> str:
    """The host of a URL for this device's own browser."""
    if host in ("0.0.0.0", "::", "[::]", ""):
        return "127.0.0.1"
    return f"[{host.strip('[]')}]" if ":" in host else host

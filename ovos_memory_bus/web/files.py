"""The page's files: read once from the package, so that no request names a path on the disk."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

FOLDER = Path(__file__).with_name("static")
INDEX = "index.html"
KEPT = "no-cache"  # a browser may keep a file, but asks whether it changed: updates show at once
TEXT = ("text/", "application/json", "application/javascript", "image/svg+xml", "application/manifest+json")


@dataclass(frozen=True, slots=True)
class File:
    """One file of the page; `tag` is its entity tag."""

    body: bytes
    content_type: str
    tag: str


def load_files() -> dict[str, File]:
    """All files of the page by their paths below `/static/`."""
    return dict(_read(FOLDER))


def _read(folder: Path) -> Iterator[tuple[str, File]]:
    for path in folder.rglob("*"):
        if path.is_file():
            body = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            yield name, File(body, _content_type(name), hashlib.sha256(body).hexdigest()[:32])


def _content_type(name: str) -> str:
    """Not what the machine's own tables say of scripts: some call them plain text, which a browser refuses to run."""
    if name.endswith((".js", ".mjs")):
        return "text/javascript"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def add_routes(router: web.UrlDispatcher, held: Mapping[str, File]) -> None:
    """`/` and `/static/…`."""

    async def index(request: web.Request) -> web.Response:
        return serve(request, held.get(INDEX))

    async def static(request: web.Request) -> web.Response:
        return serve(request, held.get(request.match_info["name"]))

    router.add_get("/", index)
    router.add_get("/static/{name:.+}", static)


def serve(request: web.Request, file: File | None) -> web.Response:
    """A file, or `not modified` where the browser has it."""
    if file is None:
        raise web.HTTPNotFound
    headers = {"ETag": f'"{file.tag}"', "Cache-Control": KEPT}
    if any(etag.value == file.tag for etag in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    charset = "utf-8" if file.content_type.startswith(TEXT) else None
    return web.Response(body=file.body, content_type=file.content_type, charset=charset, headers=headers)

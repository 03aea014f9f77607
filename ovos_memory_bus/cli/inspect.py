"""`ovos-memory-bus inspect`: the page on which a person sees what is remembered, in their browser."""

from __future__ import annotations

import http.client
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import click

from ..errors import NotFound
from . import output
from .options import config_option, data_dir_option, json_option

PATIENCE = 2.0  # seconds for a page to say that it is there


@click.command()
@data_dir_option
@config_option
@click.option("--print", "only_print", is_flag=True, help="Print the address instead of opening a browser.")
@json_option
def inspect(data_dir: Path | None, file: Path | None, only_print: bool, as_json: bool) -> None:
    """Open the page that shows what is remembered.

    The address holds the key to everything remembered: hand it to nobody."""
    from .. import config as configuration
    from ..web.runtime import page_address

    found = page_address(configuration.load(file, data_dir=data_dir).data_dir)
    if found is None or not is_served(found[0]):
        raise NotFound(
            "no page is served: start the service with `ovos-memory-bus run --web`, "
            'or put "web": {"enabled": true} into its configuration and restart it'
        )
    url, token = found
    address = f"{url}#token={token}"
    opened = not only_print and not as_json and webbrowser.open(address)
    output.show({"url": address}, as_json, lambda: f"the page is open at {url}" if opened else address)


def is_served(url: str) -> bool:
    """Whether a memory's page answers at that URL."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        return answer.status == 200 and answer.getheader("Server") == "ovos-memory-bus"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()

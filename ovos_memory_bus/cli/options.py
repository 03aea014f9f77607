"""Options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import BusUnavailable
from .running import run_async

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ..client import AsyncMemoryClient

T = TypeVar("T")
Command = Callable[..., Any]

AS_JSON = f"{__name__}.as_json"  # where the click context keeps that JSON is wanted, for errors too


@dataclass(frozen=True, slots=True)
class Asker:
    """On which bus, and on whose behalf, the memory is asked."""

    url: str
    session: dict[str, Any]
    timeout: float

    def ask(self, work: Callable[[AsyncMemoryClient], Awaitable[T]]) -> T:
        """The result of `work` with a client. Raises the service's errors; `BusUnavailable` where nobody answers."""
        from ..client import AsyncMemoryClient

        async def asked() -> T:
            async with AsyncMemoryClient(self.url, self.timeout, self.session) as client:
                return await work(client)

        try:
            return run_async(asked)
        except BusUnavailable as error:
            raise BusUnavailable(f"{error}: start ovos-messagebus, or name another one with --bus") from error


def _keep_json(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    context.meta[AS_JSON] = value
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_keep_json, is_eager=True, help="Print JSON instead of tables."
)
data_dir_option = click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the memory lies (default: the configuration's, else the user's data folder).",
)
config_option = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A JSON file instead of mycroft.conf's section.",
)


def asker_options(command: Command) -> Command:
    """Give a command the options of an `Asker`, which it takes as its first argument."""

    @click.option("--bus", "url", help="Address of the messagebus, e.g. ws://127.0.0.1:8181/core (default: OVOS' own).")
    @click.option("--session", default="default", show_default=True, help="The session on whose behalf to ask.")
    @click.option("--user", help="The user on whose behalf to ask.")
    @click.option(
        "--auth-level", type=click.IntRange(0, 5), default=2, show_default=True, help="How sure it is who the user is."
    )
    @click.option(
        "--timeout", type=click.FloatRange(0.01, 600), default=5.0, show_default=True, help="Seconds to wait."
    )
    @functools.wraps(command)
    def asking(
        *, url: str | None, session: str, user: str | None, auth_level: int, timeout: float, **options: Any
    ) -> Any:
        from ..bus import default_url  # reads OVOS' configuration

        on_behalf: dict[str, Any] = {"session_id": session}
        if user:
            on_behalf |= {"user_id": user, "auth_level": auth_level}
        return command(Asker(url or default_url(), on_behalf, timeout), **options)

    return asking

"""Runs the asynchronous part of a command, with its errors as one of our own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from ..errors import MemoryBusError

if TYPE_CHECKING:
    from exceptiongroup import BaseExceptionGroup

T = TypeVar("T")


def run_async(work: Callable[[], Awaitable[T]]) -> T:
    """The result of `work`. Of a task group's errors our own is raised, if there is one."""
    import anyio
    from exceptiongroup import BaseExceptionGroup

    try:
        return anyio.run(work)
    except BaseExceptionGroup as group:
        raise _first(group) from group


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    from exceptiongroup import BaseExceptionGroup

    for error in group.exceptions:
        found: BaseException = _first(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, MemoryBusError):
            return found
    return group

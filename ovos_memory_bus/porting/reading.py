"""Reads an export in batches, and says which line cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

from ..errors import InvalidRequest
from ..store.base import Tombstone
from .lines import Arrival, check_header, read_line

Entry = Arrival | Tombstone
BATCH = 500  # lines
MAX_LINE = 64 * 2**20  # bytes


class Reading:
    """An open export. `done` of `size` bytes have been read. Raises `InvalidRequest` for what cannot be read."""

    def __init__(self, file: Path) -> None:
        self._name = file.name
        self._number = 0
        self._fault: InvalidRequest | None = None
        try:
            self._source = file.open("rb")
            self.size = os.fstat(self._source.fileno()).st_size
        except OSError as error:
            raise InvalidRequest(f"the export {file} cannot be read: {error.strerror}") from error
        self.done = 0

    def __enter__(self) -> Reading:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._source.close()

    def batch(self) -> list[Entry]:
        """What the next lines say; empty at the end. A faulty line is raised when all before it have been given."""
        if self._fault is not None:
            raise self._fault
        entries: list[Entry] = []
        try:
            if self._number == 0:
                check_header(self._line())
            while len(entries) < BATCH and (line := self._line()):
                entry = read_line(line) if line.strip() else None
                if entry is not None:
                    entries.append(entry)
        except InvalidRequest as error:
            self._fault = self._at_line(error)
            if not entries:
                raise self._fault from None
        return entries

    def _line(self) -> bytes:
        try:
            line = self._source.readline(MAX_LINE)
        except OSError as error:
            raise InvalidRequest(f"it cannot be read: {error.strerror}") from error
        self._number += 1
        self.done += len(line)
        if len(line) == MAX_LINE:
            raise InvalidRequest(f"it is longer than {MAX_LINE} bytes")
        return line

    def _at_line(self, error: InvalidRequest) -> InvalidRequest:
        if self._number == 1:
            return InvalidRequest(f"{self._name} cannot be imported: {error}")
        return InvalidRequest(
            f"line {self._number} of {self._name} cannot be used: {error}; mend or remove it and run the import again, "
            "what stands before it was taken",
            error.field,
        )

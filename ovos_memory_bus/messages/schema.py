"""JSON Schema of a request, from the reading of one: each getter tells which key it wants, of what type and range.

So the description follows what is accepted. A key that takes one of two types is described by the richer one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ..errors import InvalidRequest
from .fields import MAX_CONTENT, MAX_IDS, MAX_SHORT, Fields

Schema = dict[str, Any]
Read = Callable[[Any], Any]
"""A request class' `from_data`."""
PLAIN: dict[str, Any] = {"string": "x", "number": 1, "integer": 1, "boolean": True, "array": ["x"], "object": {}}
"""A value of each type, to find out which keys a request cannot do without."""


def schema_of(read: Read) -> Schema:
    """The schema of the data that `read` takes."""
    described = DescribedFields()
    read(described)
    schema: Schema = {"type": "object", "properties": described.properties}
    while missing := _missing(read, sample(schema)):
        name, _, inner = missing.partition(".0.")
        holder = schema["properties"][name]["items"] if inner else schema
        holder.setdefault("required", []).append(inner or name)
    return schema


def _missing(read: Read, data: Any) -> str | None:
    """The first key whose absence from `data` is refused."""
    try:
        read(data)
    except InvalidRequest as error:
        return error.field if "is missing" in str(error) else None
    return None


def sample(schema: Schema) -> Any:
    """A value that the schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [sample(schema["items"])]
    if "properties" in schema:
        return {name: sample(schema["properties"][name]) for name in schema.get("required", ())}
    return PLAIN[schema.get("type", "string")]


class DescribedFields(Fields):
    """Stands for a request that has every key: each getter notes what it is asked for and gives a value that passes."""

    def __init__(self, prefix: str = "") -> None:
        super().__init__({}, prefix)
        self.properties: dict[str, Schema] = {}
        self._optional: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return True

    def has(self, name: str) -> bool:
        """Asked before a getter whose own default then means nothing."""
        self._optional.add(name)
        return True

    def text(self, name: str, default: str | None = None, *, limit: int = MAX_CONTENT) -> str | None:
        self._note(name, {"type": "string", "maxLength": limit}, default)
        return "x"

    def number(
        self, name: str, default: float | None, minimum: float = -math.inf, maximum: float = math.inf
    ) -> float | None:
        self._note(name, {"type": "number", **_range(minimum, maximum)}, default)
        return minimum if math.isfinite(minimum) else 0.0

    def integer(self, name: str, default: int, minimum: int = 0, maximum: int = 2**31) -> int:
        self._note(name, {"type": "integer", **_range(minimum, maximum)}, default)
        return minimum

    def flag(self, name: str, default: bool) -> bool:
        self._note(name, {"type": "boolean"}, default)
        return default

    def choice(self, name: str, options: tuple[str, ...], default: str | None) -> str | None:
        self._note(name, {"type": "string", "enum": list(options)}, default)
        return options[0]

    def strings(self, name: str, *, limit: int = MAX_IDS) -> tuple[str, ...] | None:
        self._note(name, {"type": "array", "items": {"type": "string"}, "maxItems": limit})
        return ("x",)

    def list(self, name: str, *, limit: int = MAX_IDS) -> tuple[Any, ...] | None:
        """One entry, described as it is read in its turn."""
        entry = DescribedFields(self.path(name))
        schema = {"type": "object", "properties": entry.properties}
        self._note(name, {"type": "array", "items": schema, "maxItems": limit})
        return (entry,)

    def vector(self, name: str) -> tuple[float, ...] | None:
        self._note(name, {"type": "array", "items": {"type": "number"}})
        return None

    def mapping(self, name: str) -> dict[str, Any] | None:
        self._note(name, {"type": "object"})
        return {}

    def moment(self, name: str) -> datetime | None:
        self._note(name, {"type": "string", "format": "date-time"})
        return None

    def short(self, name: str) -> str | None:
        self._note(name, {"type": "string", "maxLength": MAX_SHORT})
        return "x"

    def label(self, name: str) -> str | None:
        self._note(name, {"type": "string", "maxLength": MAX_SHORT})
        return "x"

    def _note(self, name: str, schema: Schema, default: Any = None) -> None:
        if default is not None and name not in self._optional:
            schema["default"] = default
        self.properties.setdefault(name, schema)


def _range(minimum: float, maximum: float) -> Schema:
    """The bounds that are there."""
    bounds = {"minimum": minimum, "maximum": maximum}
    return {name: bound for name, bound in bounds.items() if math.isfinite(bound)}

"""What is known of each model on offer, read from the manifests that lie beside the build scripts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import ModelMissing


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a wheel."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Source:
    """A wheel of the package index, its `size` in bytes, and the files that a recipe reads, by what they are."""

    package: str
    version: str
    size: int
    members: Mapping[str, Member]

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """A file of the installed model; `size` in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Tokenization:
    """How text becomes ids: the kind of tokenizer and the control ids around and beside the text."""

    kind: str
    bos: int
    eos: int
    pad: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """One model in one build.

    `languages` are ISO 639-1 codes; `window` counts ids, control ids included; `batch_safe` says that a vector does not
    depend on its neighbours in a batch; `recipe` names the package beside this module that builds it, with `options`,
    from the files of one of `sources`, the first that can be had.
    """

    name: str
    title: str
    default: bool
    licence: str
    origin: str
    languages: tuple[str, ...]
    dims: int
    window: int
    pooling: str
    query_prefix: str
    passage_prefix: str
    batch_safe: bool
    tokenization: Tokenization
    recipe: str
    options: Mapping[str, str]
    sources: tuple[Source, ...]
    files: tuple[BuiltFile, ...]

    @property
    def build(self) -> str:
        """`name@…`, another one for everything that changes the vectors: files, prefixes, pooling, window."""
        parts = [asdict(file) for file in self.files], self.query_prefix, self.passage_prefix, self.pooling, self.window
        digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        return f"{self.name}@{digest[:12]}"

    @property
    def size(self) -> int:
        """Bytes on disk once installed."""
        return sum(file.size for file in self.files)


def _source(data: Mapping[str, Any]) -> Source:
    return Source(**{**data, "members": {name: Member(**member) for name, member in data["members"].items()}})


def _manifest(data: Mapping[str, Any], recipe: str) -> Manifest:
    values = dict(data)
    values["recipe"] = recipe
    values["languages"] = tuple(values["languages"].split())
    values["tokenization"] = Tokenization(**values["tokenization"])
    values["sources"] = tuple(_source(source) for source in values["sources"])
    values["files"] = tuple(BuiltFile(**file) for file in values["files"])
    return Manifest(**values)


@cache
def available() -> tuple[Manifest, ...]:
    """All models on offer, the default first."""
    here = Path(__file__).parent
    found = (_manifest(json.loads(path.read_text("utf-8")), path.parent.name) for path in here.glob("*/*.json"))
    return tuple(sorted(found, key=lambda manifest: (not manifest.default, manifest.name)))


def manifest(name: str | None = None) -> Manifest:
    """The model of that name, the default unless one is given. Raises ModelMissing for a name not on offer."""
    if name is None:
        return available()[0]
    for candidate in available():
        if candidate.name == name:
            return candidate
    names = ", ".join(candidate.name for candidate in available())
    raise ModelMissing(f"there is no model called {name!r}; there are {names}")

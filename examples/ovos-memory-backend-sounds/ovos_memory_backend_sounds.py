"""Finds turns by how their words sound: each word is its Soundex code (R. Russell's patents of 1918 and 1922)."""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
import numpy as np

from ovos_memory_bus.backends.base import BaseBackend, Found, Query
from ovos_memory_bus.backends.registry import Parts
from ovos_memory_bus.config import BackendConfig
from ovos_memory_bus.records import Item
from ovos_memory_bus.store.base import Store

OWNERS = 16  # whose codes are kept in memory; the least recently asked go
DIGITS = {**dict.fromkeys("bfpv", "1"), **dict.fromkeys("cgjkqsxz", "2"), **dict.fromkeys("dt", "3")}
DIGITS |= {"l": "4", "m": "5", "n": "5", "r": "6"}
SHORTEST = 4  # letters from which a word's sound says something


@dataclass
class Heard:
    """The codes of one owner's items, as they were at a point of the store's history."""

    codes: dict[int, frozenset[str]] = field(default_factory=dict)
    change: int = 0
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class Sounds(BaseBackend):
    """Ranks by the share of the question's sounds that an item has."""

    name = "sounds"

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owners: OrderedDict[str | None, Heard] = OrderedDict()

    async def search(self, query: Query) -> Found:
        asked = codes_of(query.text)
        if not asked:
            return Found()
        heard = await self._up_to_date(query.owner)
        allowed = await self._store.matching(query.owner, query.filter)  # before the cut: a filter must not starve it
        shares = [(len(asked & heard.codes.get(seq, frozenset())) / len(asked), seq) for seq in allowed]
        best = sorted((pair for pair in shares if pair[0] > 0), reverse=True)[: query.limit]
        return Found(
            seqs=np.array([seq for _, seq in best], np.int64),
            scores=np.array([share for share, _ in best], np.float32),
        )

    def status(self) -> Mapping[str, Any]:
        return {"owners": len(self._owners), "indexed": sum(len(heard.codes) for heard in self._owners.values())}

    async def _up_to_date(self, owner: str | None) -> Heard:
        """The owner's codes after everything that came, changed and went. Cancelled half-way, it is done again."""
        heard = self._owners.setdefault(owner, Heard())
        self._owners.move_to_end(owner)
        while len(self._owners) > OWNERS:
            self._owners.popitem(last=False)
        async with heard.lock:
            changes = await self._store.changes(owner, heard.change)
            items = await self._store.by_seq(outline.seq for outline in changes.present)
            fresh = await anyio.to_thread.run_sync(_codes, items)  # much text must not hold up the event loop
            for seq in changes.gone:
                heard.codes.pop(seq, None)
            heard.codes.update(fresh)
            heard.change = changes.change
        return heard


def codes_of(text: str) -> frozenset[str]:
    """How the words of a text sound."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return frozenset(soundex(word) for word in re.findall(r"[a-z]+", plain) if len(word) >= SHORTEST)


def soundex(word: str) -> str:
    """The first letter and three digits for the consonants after it; letters of one group in a row count once, also
    around an h or w. `word` is lower case and not empty."""
    code, before = word[0], DIGITS.get(word[0], "")
    for letter in word[1:]:
        digit = DIGITS.get(letter, "")
        if digit and digit != before:
            code += digit
        if letter not in "hw":
            before = digit
    return (code + "000")[:4]


def _codes(items: Mapping[int, Item]) -> dict[int, frozenset[str]]:
    return {seq: codes_of(item.content) for seq, item in items.items()}


def sounds(parts: Parts, config: BackendConfig) -> Sounds:
    """The factory that the entry point names."""
    return Sounds(parts.store)

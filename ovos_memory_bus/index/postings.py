"""The keyword index of one owner: which docs hold a word how often, in sorted immutable segments and a small tail.

Words are kept as 32-bit hashes, so the index holds no text. Of 200,000 different words about five pairs share a hash.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .arrays import Array, GrowingArray

TAIL = 1_024  # docs in the tail before it becomes a segment
MERGE_RATIO = 4  # a segment is merged into one that is at most this many times larger


@lru_cache(maxsize=65_536)
def term_hash(term: str) -> int:
    """The 32-bit hash that stands for an index term."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def term_hashes(terms: Iterable[str]) -> bytes:
    """An item's terms as stored: uint32, little endian, in the order of the text."""
    return np.fromiter((term_hash(term) for term in terms), "<u4").tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Postings sorted by word: those of word `i` stand at `starts[i]:starts[i + 1]`."""

    words: Array  # uint32, ascending
    starts: Array  # int64, one more than words
    docs: Array  # int32, ascending within a word
    counts: Array  # uint8

    def find(self, word: int) -> tuple[Array, Array]:
        place = int(np.searchsorted(self.words, np.uint32(word)))
        if place == len(self.words) or self.words[place] != word:
            return self.docs[:0], self.counts[:0]
        span = slice(self.starts[place], self.starts[place + 1])
        return self.docs[span], self.counts[span]


def _segment(words: Array, docs: Array, counts: Array) -> Segment:
    """A segment of single postings in any order."""
    order = np.lexsort((docs, words))
    words = words[order]
    distinct, starts = np.unique(words, return_index=True)
    return Segment(distinct, np.append(starts, len(words)), docs[order], counts[order])


def _merged(segments: Sequence[Segment], alive: Array) -> Segment:
    """One segment of several, without the dead docs' postings."""
    words = np.concatenate([np.repeat(s.words, np.diff(s.starts)) for s in segments])
    docs = np.concatenate([s.docs for s in segments])
    counts = np.concatenate([s.counts for s in segments])
    keep = alive[docs]
    return _segment(words[keep], docs[keep], counts[keep])


class Postings:
    """The index. Docs are added in ascending order; `lengths[doc]` is a doc's number of terms."""

    def __init__(self) -> None:
        self._segments: tuple[Segment, ...] = ()
        self._tail: dict[int, list[tuple[int, int]]] = {}
        self._tail_docs = 0
        self._lengths = GrowingArray(np.float32)

    def __len__(self) -> int:
        """How many docs were added."""
        return len(self._lengths)

    @property
    def lengths(self) -> Array:
        return self._lengths.view()

    def add(self, hashes: Sequence[bytes], alive: Array) -> None:
        """The next docs, each as its stored term hashes; `alive` says which docs of the whole index still live."""
        if len(hashes) >= TAIL:
            self._add_segment(hashes, alive)
            return
        for encoded in hashes:
            doc = len(self)
            words, counts = np.unique(np.frombuffer(encoded, "<u4"), return_counts=True)
            self._lengths.append(len(encoded) // 4)
            for word, count in zip(words.tolist(), counts.tolist(), strict=True):
                self._tail.setdefault(word, []).append((doc, min(count, 255)))
            self._tail_docs += 1
        if self._tail_docs >= TAIL:
            self._freeze(alive)

    def find(self, word: int) -> tuple[Array, Array]:
        """The docs that hold a word, ascending, and how often; dead docs included."""
        parts = [part for part in (segment.find(word) for segment in self._segments) if len(part[0])]
        tail = self._tail.get(word)
        if tail:
            pairs = np.array(tail, np.int32)
            parts.append((pairs[:, 0], pairs[:, 1]))
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return np.empty(0, np.int32), np.empty(0, np.uint8)
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _add_segment(self, hashes: Sequence[bytes], alive: Array) -> None:
        """Many docs at once: one sort instead of a walk."""
        self._freeze(alive)
        sizes = np.fromiter((len(encoded) // 4 for encoded in hashes), np.int64, len(hashes))
        docs = np.repeat(np.arange(len(self), len(self) + len(hashes), dtype=np.int64), sizes)
        self._lengths.extend(sizes)
        pairs = (np.frombuffer(b"".join(hashes), "<u4").astype(np.uint64) << np.uint64(32)) | docs.astype(np.uint64)
        distinct, counts = np.unique(pairs, return_counts=True)
        words = (distinct >> np.uint64(32)).astype(np.uint32)
        targets = (distinct & np.uint64(0xFFFFFFFF)).astype(np.int32)
        self._push(_segment(words, targets, np.minimum(counts, 255).astype(np.uint8)), alive)

    def _freeze(self, alive: Array) -> None:
        if not self._tail:
            self._tail_docs = 0
            return
        words = np.repeat(
            np.fromiter(self._tail, np.uint32, len(self._tail)), [len(pairs) for pairs in self._tail.values()]
        )
        pairs = np.array([pair for pairs in self._tail.values() for pair in pairs], np.int32)
        self._tail, self._tail_docs = {}, 0
        self._push(_segment(words, pairs[:, 0], pairs[:, 1].astype(np.uint8)), alive)

    def _push(self, segment: Segment, alive: Array) -> None:
        """Put a segment at the end and merge it with those before it that are not much larger."""
        segments = [*self._segments, segment]
        while len(segments) > 1 and len(segments[-2].docs) <= MERGE_RATIO * len(segments[-1].docs):
            segments[-2:] = [_merged(segments[-2:], alive)]
        self._segments = tuple(segments)

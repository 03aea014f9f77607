"""The WordPiece tokenizer of BERT's vocabulary, by the `tokenizers` library: 30,000 pieces are few enough for it."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer


class WordPieceTokenizer:
    """Cuts text into the ids of a WordPiece vocabulary."""

    def __init__(self, library: Tokenizer) -> None:
        library.no_padding()  # the publisher's file pads and cuts each text to one length
        library.no_truncation()
        self._library = library

    @classmethod
    def from_file(cls, path: Path) -> WordPieceTokenizer:
        """Read a `tokenizer.json`. Raises ValueError when it cannot be read as one."""
        return cls(Tokenizer.from_str(path.read_text(encoding="utf-8")))

    def encode(self, text: str) -> list[int]:
        """The ids of the text, without control ids around them."""
        whole = text.encode("utf-8", "replace").decode()  # half surrogates, which the library refuses
        ids: list[int] = self._library.encode(whole, add_special_tokens=False).ids
        return ids

    def count(self, text: str) -> int:
        """How many ids the text has."""
        return len(self.encode(text))

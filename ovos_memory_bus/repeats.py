"""When two texts say the same thing: the key under which a repeated statement counts once."""

from __future__ import annotations

import unicodedata

_OPENING = "\"'“‘„«‹¿¡「『（(["
_CLOSING = "\"'”’“»›」』）)].,;:!?…。、，！？"


def content_key(text: str) -> str:
    """The text without what a microphone cannot hear: compatibility forms (NFKC), case, runs of white space,
    and punctuation at the edges of words. A text of nothing but punctuation is its own key; blank text gives ""."""
    words = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split()
    bare = [word.lstrip(_OPENING).rstrip(_CLOSING) for word in words]
    return " ".join(word for word in bare if word) or " ".join(words)

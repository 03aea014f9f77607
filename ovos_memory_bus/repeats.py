"""When two texts say the same thing: the key under which a repeated statement counts once."""

from __future__ import annotations

import re
import unicodedata

_OPENING = re.escape("\"'“‘„«‹¿¡「『（([")
_CLOSING = re.escape("\"'”’“»›」』）)].,;:!?…。、，！？")
_EDGES = re.compile(rf"(?<!\S)[{_OPENING}]+|[{_CLOSING}]+(?!\S)")


def content_key(text: str) -> str:
    """The text without what a microphone cannot hear: compatibility forms (NFKC), case, runs of white space,
    and punctuation at the edges of words. A text of nothing but punctuation is its own key; blank text gives ""."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_EDGES.sub("", folded).split()) or " ".join(folded.split())

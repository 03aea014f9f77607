"""One spelling for one text: compatibility forms, case, invisible characters and accents."""

from __future__ import annotations

import unicodedata

_MARKS = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x064B, 0x065F), (0x0670, 0x0670))
"""Marks that are accents or optional vowel points (Latin, Greek, Cyrillic; Hebrew; Arabic). The vowel signs of
Indic and Thai writing and the voicing marks of kana are letters in all but name and stay."""

_LETTERS = {
    "ı": "i", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ß": "ss",
    "й": "й",
}  # fmt: skip
"""Letters Unicode does not take apart, and the one it should not."""

_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u02b9\u0060\u00b4\uff07\u2032"
_HYPHENS = "_\u2010\u2011\u2012\u2043\ufe63\uff0d"


class _Cleaning(dict[int, str | None]):
    """Drops what is invisible, parts at controls, unites apostrophes and hyphens. Fills itself as characters come."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        category = unicodedata.category(char)
        result: str | None = char
        if category == "Cf" or 0xFE00 <= code <= 0xFE0F or 0x1F3FB <= code <= 0x1F3FF or code == 0x034F:
            result = None
        elif category in ("Cc", "Cs"):
            result = " "
        elif char in _APOSTROPHES:
            result = "'"
        elif char in _HYPHENS:
            result = "-"
        self[code] = result
        return result


class _Unaccenting(dict[int, str]):
    """Each letter's base letter. Fills itself as characters come."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        result = _LETTERS.get(char)
        if result is None:
            kept = [c for c in unicodedata.normalize("NFD", char) if not any(a <= ord(c) <= b for a, b in _MARKS)]
            result = unicodedata.normalize("NFC", "".join(_LETTERS.get(c, c) for c in kept))
        self[code] = result
        return result


_CLEANING = _Cleaning()
_UNACCENTING = _Unaccenting()


def normalise(text: str) -> str:
    """NFKC and casefolded, without invisible characters, one kind of apostrophe and hyphen; accents stay.

    Follows toNFKC_Casefold (Unicode Standard, 3.13), so that canonically equal texts have equal results.
    """
    if text.isascii():
        return text.lower().replace("_", "-").replace("`", "'")
    text = unicodedata.normalize("NFD", text.translate(_CLEANING)).casefold()
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", text.translate(_CLEANING)).replace("l·l", "ll")


def unaccent(word: str) -> str:
    """A normalised word with its letters' accents off: `señor` → `senor`, `køb` → `kob`, `œuf` → `oeuf`."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", word.translate(_UNACCENTING))


def fold(text: str) -> str:
    """The text normalised and without accents: what two spellings that differ only in case or accents share."""
    return unaccent(normalise(text))

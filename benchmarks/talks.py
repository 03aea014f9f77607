"""Reading the evaluation sets that the benchmarks are given: talks with questions, and facts in several languages."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from offline_memory import Turn


@dataclass(frozen=True)
class Question:
    """A question with the ids of the turns that answer it; `category` as in LoCoMo (5: has no answer)."""

    text: str
    gold: frozenset[str]
    category: int = 0
    lang: str = "en"


@dataclass(frozen=True)
class Talk:
    """One memory and what is asked of it."""

    id: str
    speakers: tuple[str, ...]
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def locomo(folder: Path) -> list[Talk]:
    """LoCoMo talks (Maharana et al. 2024), one JSON file each."""
    return [_talk(json.loads(path.read_text("utf-8"))) for path in sorted(folder.glob("*.json"))]


def _talk(raw: dict) -> Talk:  # type: ignore[type-arg]
    turns: list[Turn] = []
    for part in raw["sessions"]:
        start = _moment(part["date_time"])
        for place, turn in enumerate(part["turns"]):
            text = turn["text"] + (f" [shares {turn['caption']}]" if turn.get("caption") else "")
            if text.strip():
                role = "user" if turn["speaker"] == raw["speakers"][0] else "assistant"
                turns.append(Turn(turn["dia_id"], text, start + 20.0 * place, turn["speaker"], role))
    known = {turn.id for turn in turns}
    questions = [
        Question(q["question"], frozenset(_evidence(q) & known), q["category"])
        for q in raw["questions"]
        if _evidence(q) & known
    ]
    return Talk(str(raw["id"]), tuple(raw["speakers"]), tuple(turns), tuple(questions))


def _moment(text: str) -> float:
    parsed = datetime.strptime(re.sub(r"\s+", " ", text.strip()), "%I:%M %p on %d %B, %Y")
    return parsed.replace(tzinfo=timezone.utc).timestamp()


def _evidence(question: dict) -> set[str]:  # type: ignore[type-arg]
    found = (re.findall(r"D:?(\d+):(\d+)", entry) for entry in question["evidence"])
    return {f"D{a}:{int(b)}" for pairs in found for a, b in pairs}


def multilingual(path: Path, without: int | None = None) -> list[Talk]:
    """One memory a language, each fact a user turn with an answer; asked in every language. With `without`, the fact
    of that id is left out of the memory and its questions have no answer."""
    facts = json.loads(path.read_text("utf-8"))
    talks = []
    for lang, rows in facts.items():
        turns = []
        for place, row in enumerate(r for r in rows if r["id"] != without):
            turns.append(Turn(str(row["id"]), row["fact"], 60.0 * place, lang=lang))
            turns.append(Turn(f"answer {row['id']}", "👍", 60.0 * place + 1, role="assistant", lang=lang))
        known = {row["id"] for row in rows}
        questions = [
            Question(row["question"], frozenset() if row["id"] == without else frozenset({str(row["id"])}), lang=other)
            for other, asked in facts.items()
            for row in asked
            if row["id"] in known and (without is None or row["id"] == without)
        ]
        talks.append(Talk(lang, (), tuple(turns), tuple(questions)))
    return talks

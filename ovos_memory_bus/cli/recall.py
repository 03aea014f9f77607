"""`ovos-memory-bus recall`: what the assistant would be told before it answers."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..errors import NotFound
from . import output
from .options import Asker, asker_options, json_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..client import AsyncMemoryClient, ContextAnswer, Trace


@dataclass(frozen=True, slots=True)
class Explanation:
    """A recall's trace, which holds no texts, and the texts of its items by id."""

    trace: Trace
    texts: Mapping[str, str]

    def text(self, id_: str) -> str:
        return output.shortened(self.texts.get(id_, id_))


@click.command()
@click.argument("text")
@click.option("--lang", help="The language of the text, e.g. de.")
@click.option("--backends", help="Ask only these, e.g. lexical,facts.")
@click.option("--limit", type=click.IntRange(min=0), help="Hits at most (default: the configuration's).")
@click.option("--deadline", type=click.FloatRange(0.01, 30), help="Seconds in which the memory must answer.")
@click.option("--messages", is_flag=True, help="Show the messages for the chat model too.")
@click.option("--explain", is_flag=True, help="Show how each backend ranked, and what fusion made of it.")
@asker_options
@json_option
def recall(
    asker: Asker,
    text: str,
    lang: str | None,
    backends: str | None,
    limit: int | None,
    deadline: float | None,
    messages: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Recall what matters before TEXT is answered."""
    names = [name.strip() for name in backends.split(",")] if backends else None

    async def recalled(memory: AsyncMemoryClient) -> tuple[ContextAnswer, Explanation | None]:
        answer = await memory.context(
            text, timeout=deadline, request_id=uuid.uuid4().hex, lang=lang, backends=names, max_results=limit
        )
        return answer, await _explained(memory, answer) if explain else None

    answer, explanation = asker.ask(recalled)
    data = output.plain(answer)
    if explanation is not None:
        data["explain"] = output.plain(explanation.trace.data)
    output.show(
        data,
        as_json,
        lambda: _hits(answer),
        lambda: _facts(answer),
        lambda: output.harmless(f"Summary: {answer.summary}") if answer.summary else None,
        lambda: _messages(answer) if messages else None,
        lambda: _backends(answer),
        lambda: _candidates(explanation) if explanation else None,
        lambda: _ranked(explanation) if explanation else None,
    )


async def _explained(memory: AsyncMemoryClient, answer: ContextAnswer) -> Explanation:
    trace = await memory.explain(answer.request_id)
    texts = {hit.id: hit.content for hit in answer.hits}
    for candidate in trace["candidates"]:
        if candidate["id"] not in texts:
            try:
                texts[candidate["id"]] = (await memory.get_memory(candidate["id"])).content
            except NotFound:  # forgotten since
                continue
    return Explanation(trace, texts)


def _hits(answer: ContextAnswer) -> Table | str:
    if not answer.hits:
        return "Nothing was recalled."
    rows = [
        (f"{hit.score:.2f}", output.local_time(hit.created_at), hit.role, hit.content, ", ".join(hit.backends))
        for hit in answer.hits
    ]
    return output.table("Recalled", ("score", "when", "who", "what", "found by"), rows, right=("score",))


def _facts(answer: ContextAnswer) -> Table | None:
    rows = [(fact.metadata.get("category"), fact.content) for fact in answer.facts]
    return output.table("Facts", ("about", "fact"), rows) if rows else None


def _messages(answer: ContextAnswer) -> Table:
    return output.table("Messages", ("role", "content"), [(m.role, m.content) for m in answer.messages])


def _backends(answer: ContextAnswer) -> Table:
    rows = [
        (name, report.status, _ms(report.took), report.hits, report.error) for name, report in answer.backends.items()
    ]
    rows.append(("all", "partial" if answer.partial else "ok", _ms(answer.took), len(answer.hits), None))
    return output.table("Backends", ("backend", "status", "ms", "hits", "error"), rows, right=("ms", "hits"))


def _candidates(explanation: Explanation) -> Table:
    rows = [
        (
            f"{c['score']:.2f}",
            f"{c['fusion_score']:.4f}",
            "yes" if c["kept"] else f"no: {c['why']}",
            ", ".join(c["backends"]),
            explanation.text(c["id"]),
        )
        for c in explanation.trace["candidates"]
    ]
    columns = ("score", "fusion score", "kept", "found by", "what")
    return output.table("Fusion", columns, rows, right=("score", "fusion score"))


def _ranked(explanation: Explanation) -> Table:
    rows: list[Sequence[Any]] = [
        (name, hit["rank"], f"{hit['score']:.4f}", explanation.text(hit["id"]))
        for name, part in explanation.trace["backends"].items()
        for hit in part.get("ranked", ())
    ]
    return output.table("Ranked by backend", ("backend", "rank", "score", "what"), rows, right=("rank", "score"))


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.1f}"

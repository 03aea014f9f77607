"""Facts and summaries made better by a language model, where an endpoint is configured: background work only."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from ..config import FactsConfig, LlmConfig, SummaryConfig
from ..extraction import CATEGORIES, Extraction, FactCandidate, merge
from ..extraction.merging import SINGLE_VALUED
from ..llm import ChatClient, LlmUnavailable, objects_in
from ..records import Item, to_wire_time
from ..store.base import Drawn, Job, NewItem, Store
from .base import BaseBackend, Found, Query
from .facts import Drawing, as_stored, new_fact, wanted
from .stale import ENDED_BY, is_current, stale_turns
from .summary import SummaryWriter

LOG = logging.getLogger(__name__)
FACT_JOB, SUMMARY_JOB = "llm_fact", "llm_summary"
FIRST_DELAY, LONGEST_DELAY = 5.0, 3_600.0  # seconds between two tries of a job: doubled, with jitter
CONFIDENCE = 0.8
LONGEST_VALUE = 200

FACTS_PROMPT = (
    "You extract lasting facts that a user states about themselves in one utterance. Answer with a JSON array only. "
    'Each entry: {"category": one of ' + ", ".join(CATEGORIES) + ', "subject": "user", or for family and pets the '
    'relation or animal in English, "value": the shortest words of the utterance that carry the fact, "sentence": the '
    "fact as one short sentence in the language of the utterance}. Questions, orders, moods, plans of the moment, and "
    "what is said of other people give no entry. Without any fact answer []."
)
SUMMARY_PROMPT = (
    "Summarise the conversation for an assistant that will go on with it: who the user is, what they want, what was "
    "agreed, names and numbers. Write in the language of the conversation, at most {tokens} words, plain text only."
)


class Enricher(BaseBackend):
    """Asks the model about turns and sessions, one job after the other; a failing endpoint costs time, never facts."""

    name = "llm"
    kind = "worker"

    def __init__(
        self, store: Store, llm: LlmConfig, facts: FactsConfig, summary: SummaryConfig, drawing: Drawing
    ) -> None:
        self._store, self._config, self._facts, self._drawing = store, llm, facts, drawing
        self._client = ChatClient(llm)
        self._writer = SummaryWriter(store)
        self._summary = summary
        self._failing = False

    @property
    def jobs(self) -> Sequence[str]:
        return (FACT_JOB, SUMMARY_JOB)

    def wants(self, item: NewItem) -> Sequence[str]:
        if item.kind == "turn" and item.role == "user" and self._facts.enabled:
            return (FACT_JOB,)
        # a summary written on the device is what the model is asked to better
        by_device = item.kind == "summary" and item.metadata.get("by") == "extract"
        return (SUMMARY_JOB,) if by_device and self._summary.enabled else ()

    async def search(self, query: Query) -> Found:
        return Found()

    async def work(self) -> bool:
        for kind in (FACT_JOB, SUMMARY_JOB):
            await self._store.drop_jobs(kind, self._config.max_jobs, self._config.max_age)
            jobs = await self._store.due(kind, 1)
            if jobs:
                await self._try(jobs[0])
                return True
        return False

    def status(self) -> Mapping[str, Any]:
        return {"failing": self._failing}

    async def _try(self, job: Job) -> None:
        """Do one job; when the model cannot, put it off."""
        try:
            item = (await self._store.by_seq([job.seq])).get(job.seq)
            drawn = Drawn()
            if item is not None:
                drawn = await (self._fact(item) if job.kind == FACT_JOB else self._better_summary(item))
        except LlmUnavailable as error:
            if not self._failing:
                LOG.warning("%s; what was drawn on the device stands, the work is tried again", error)
            self._failing = True
            delay = min(FIRST_DELAY * 2**job.attempts, LONGEST_DELAY) * random.uniform(0.75, 1.25)
            await self._store.postpone(job.kind, job.seq, delay)
            return
        self._failing = False
        seen = {item.seq: item.updated_at} if item is not None else {}
        await self._store.draw(replace(drawn, done=((job.kind, job.seq),), seen=seen))
        self._drawing.wake()

    async def _fact(self, turn: Item) -> Drawn:
        """What the model reads in a turn, beside what the device read; nothing that the user contradicted since."""
        prompt = self._config.facts_prompt or FACTS_PROMPT
        withheld = await self._store.withheld([turn.seq])
        found = _candidates(objects_in(await self._client.complete(prompt, turn.content)), turn)
        found = wanted(found, withheld[turn.seq])
        known = [f for f in await self._store.of_kind(turn.owner, "fact") if f.agent_id == turn.agent_id]
        later = {
            f.metadata.get("category")
            for f in known
            if f.created_at > turn.created_at or str(f.metadata.get("valid_to") or "") > turn.created_at.isoformat()
        }
        stands = [fact for fact in found if fact.category not in later or fact.category not in SINGLE_VALUED]
        current = {fact.id: fact for fact in known if is_current(fact)}
        changes = merge(
            [as_stored(fact) for fact in current.values()], Extraction(tuple(stands)), turn.created_at.timestamp()
        )
        sources = await self._store.sources_of([fact.seq for fact in current.values()])
        # what the device read in the same turn and the model reads otherwise gives way; what was said before it ends
        replaced = [current[id_] for id_ in changes.ends if sources.get(current[id_].seq) == [turn.seq]]
        ended = [current[id_] for id_ in changes.ends if current[id_].created_at < turn.created_at]
        when = to_wire_time(turn.created_at)
        return Drawn(
            adds=tuple(self._drawing.planned(new_fact(turn, fact)) for fact in changes.adds),
            metadata={fact.seq: {**fact.metadata, "valid_to": when, ENDED_BY: turn.id} for fact in ended},
            removes=tuple(fact.seq for fact in replaced),
            withheld=withheld,
        )

    async def _better_summary(self, item: Item) -> Drawn:
        """The model's summary of the same turns, in place of the device's."""
        turns = await self._writer.covered(item)
        if not turns:
            return Drawn()
        prompt = (self._config.summary_prompt or SUMMARY_PROMPT).replace(
            "{tokens}", str(self._summary.max_summary_tokens)
        )
        facts = await self._store.of_kind(item.owner, "fact", item.session_id)
        stale = await stale_turns(self._store, item.owner, facts)
        talk = "\n".join(f"{turn.name or turn.role}: {turn.content}" for turn in turns if turn.seq not in stale)
        text = (await self._client.complete(prompt, talk)).strip()
        if len(text) > 8 * self._summary.max_summary_tokens or text[0] in "[{":
            raise LlmUnavailable("the language model's summary is too long or no prose")
        new = self._writer.item(turns, text, "llm", datetime.now(timezone.utc))
        return Drawn(adds=(self._drawing.planned(new),), removes=(item.seq,))


def _candidates(entries: Sequence[Mapping[str, Any]], turn: Item) -> list[FactCandidate]:
    """The entries that are facts in our form and stand in the turn's own words."""
    found = []
    for entry in entries:
        category, value, sentence = entry.get("category"), entry.get("value"), entry.get("sentence")
        if category not in CATEGORIES or not isinstance(value, str) or not isinstance(sentence, str):
            continue
        value, sentence = value.strip(), sentence.strip()
        if value and sentence and len(value) <= LONGEST_VALUE and value.casefold() in turn.content.casefold():
            subject = entry.get("subject")
            found.append(
                FactCandidate(
                    category, subject if isinstance(subject, str) else "user", value, CONFIDENCE, False, sentence
                )
            )
    return found

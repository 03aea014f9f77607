"""Which background work an item takes along when it is exported, and which it means where it arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..backends import enricher, facts, summary
from ..backends.base import EMBED_JOB
from ..store.base import NewItem
from .lines import Arrival

Planned = Callable[[NewItem], NewItem]
"""Completes an item with the background work that it means in the place of arrival."""
DRAWING = (facts.JOB, summary.JOB, enricher.FACT_JOB, enricher.SUMMARY_JOB)
"""The work whose results are items: an export holds them."""


def arrived(arrival: Arrival, planned: Planned, model: str | None) -> NewItem:
    """The item with its vectors and jobs. Indexes are built anew, but from vectors of the `model` in use where it
    brings them; what draws items from it was done where it comes from, and only what was still open there is to be done
    here."""
    item = replace(planned(arrival.item), vectors=arrival.vectors)
    if item.history_only:
        return replace(item, jobs=(), vectors={})
    done = {EMBED_JOB} if model in arrival.vectors else set()
    if arrival.open_jobs is not None:
        done |= {job for job in DRAWING if job not in arrival.open_jobs}
    return replace(item, jobs=tuple(job for job in item.jobs if job not in done))

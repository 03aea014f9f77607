"""`/metrics`: figures for Prometheus, counted from the recalls as they happen and from the status when they are read.

Nothing in them is text of a memory or names an owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import choose_encoder

from ..tracing import Trace
from .disk import Disk

PREFIX = "ovos_memory_"
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
WELL = ("ok", "skipped")  # a backend's replies that make no recall partial


class Metrics:
    """The figures of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._status: Mapping[str, Any] = {}
        self._disk = Disk(0, 0)
        ProcessCollector(registry=self._registry)
        self._registry.register(self)
        self._recall = Histogram(
            f"{PREFIX}recall_seconds", "Recalls by the time they took", buckets=SECONDS, registry=self._registry
        )
        self._partial = Counter(
            f"{PREFIX}recalls_partial", "Recalls that left without a backend's part", registry=self._registry
        )
        self._reply = Histogram(
            f"{PREFIX}backend_reply_seconds",
            "A backend's replies by the time they took",
            ("backend",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._replies = Counter(
            f"{PREFIX}backend_replies", "A backend's replies by status", ("backend", "status"), registry=self._registry
        )

    def count(self, trace: Trace) -> None:
        """Take a recall into account."""
        self._recall.observe(trace.took)
        for name, reply in trace.backends.items():
            self._replies.labels(name, reply["status"]).inc()
            self._reply.labels(name).observe(reply["took"])
        if any(reply["status"] not in WELL for reply in trace.backends.values()):
            self._partial.inc()

    def written(self, status: Mapping[str, Any], disk: Disk, accept: str) -> tuple[bytes, str]:
        """All figures in the format that `accept` prefers, and its content type; `status` as `memory.status` has it."""
        self._status, self._disk = status, disk
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type

    def collect(self) -> Iterable[Metric]:
        """What the status says, for the registry."""
        yield from _of_status(self._status) if self._status else ()
        yield GaugeMetricFamily(f"{PREFIX}disk_bytes", "What the memory takes on the disk", self._disk.used)
        yield GaugeMetricFamily(f"{PREFIX}disk_free_bytes", "What is free there", self._disk.free)


def _of_status(status: Mapping[str, Any]) -> Iterator[Metric]:
    yield InfoMetricFamily(f"{PREFIX}version", "The program", {"version": status["version"]})
    yield GaugeMetricFamily(f"{PREFIX}ready", "Whether requests are answered", float(status["ready"]))
    yield GaugeMetricFamily(f"{PREFIX}uptime_seconds", "Since the service started", status["uptime"])
    items = GaugeMetricFamily(f"{PREFIX}items", "What is remembered", labels=("kind",))
    for kind, count in status["counts"].items():
        if kind != "owners":
            items.add_metric((kind,), count)
    yield items
    yield GaugeMetricFamily(f"{PREFIX}owners", "Whose memories there are", status["counts"].get("owners", 0))
    jobs = GaugeMetricFamily(f"{PREFIX}jobs", "Background work left", labels=("state",))
    for state in ("pending", "failed", "waiting"):
        jobs.add_metric((state,), status["queue"][state])
    yield jobs
    yield GaugeMetricFamily(f"{PREFIX}oldest_job_seconds", "The oldest pending work's age", status["queue"]["oldest"])
    up = GaugeMetricFamily(f"{PREFIX}backend_up", "Whether a backend runs", labels=("backend",))
    restarts = CounterMetricFamily(f"{PREFIX}backend_restarts", "How often it was restarted", labels=("backend",))
    for name, backend in status["backends"].items():
        up.add_metric((name,), float(backend["status"] == "running"))
        restarts.add_metric((name,), backend["restarts"])
    yield up
    yield restarts

"""What a check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: which part, how it is, in words, and what to do about it."""

    part: str
    state: str
    text: str
    mend: str | None = None


def ok(part: str, text: str) -> Finding:
    return Finding(part, OK, text)


def warn(part: str, text: str, mend: str) -> Finding:
    return Finding(part, WARN, text, mend)


def fail(part: str, text: str, mend: str) -> Finding:
    return Finding(part, FAIL, text, mend)


def failed(findings: Sequence[Finding]) -> bool:
    """Whether anything is broken; warnings are not."""
    return any(finding.state == FAIL for finding in findings)

"""What a step of `setup` or `uninstall` came to."""

from __future__ import annotations

from dataclasses import dataclass

DONE, UNCHANGED, PLANNED, SKIPPED, FAILED = "done", "unchanged", "planned", "skipped", "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """Which part, what became of it (`planned`: a dry run would have done it), in words, and what is left to do.

    `code` is the command's exit code where it failed."""

    part: str
    outcome: str
    text: str
    mend: str | None = None
    code: int = 0


def done(part: str, text: str, dry_run: bool, mend: str | None = None) -> Step:
    """It was done, or would be."""
    return Step(part, PLANNED if dry_run else DONE, text, mend)

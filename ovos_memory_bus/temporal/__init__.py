"""Time in questions: which time an utterance asks about, which conversations that is, and how to say a date back."""

from .describe import describe
from .intent import SessionRef, TimeIntent, TimeRange
from .parser import parse
from .sessions import resolve, resolve_sessions, split_sessions, spread

__all__ = [
    "SessionRef",
    "TimeIntent",
    "TimeRange",
    "describe",
    "parse",
    "resolve",
    "resolve_sessions",
    "split_sessions",
    "spread",
]

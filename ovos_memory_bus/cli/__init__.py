"""The command `ovos-memory-bus`: every sub-command in a module of its own."""

from __future__ import annotations

from .main import main

__all__ = ["main"]

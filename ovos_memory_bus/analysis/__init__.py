"""Words of a text in its language, for keyword recall (docs/analysis.md): pure functions, nothing read after the first
use of a language."""

from __future__ import annotations

from .folding import fold
from .terms import QueryTerm, analyse, is_blank, query_terms
from .tokens import LONGEST_TERM

__all__ = ["LONGEST_TERM", "QueryTerm", "analyse", "fold", "is_blank", "query_terms"]

"""The only truth: what was said and what was drawn from it, on disk. Indexes are derived from it."""

"""The kinds of memory. A new one is one file here and one line in registry.py, or an entry point of the group
`ovos.memory.backends`; see docs/writing-a-backend.md."""

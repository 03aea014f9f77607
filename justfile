# What there is to do in this checkout; each is one command without just, too.

# everything that is checked
test *arguments:
    script/test {{ arguments }}

# style, types and layers, without the tests
check:
    script/setup test
    .venv/bin/ruff check .
    .venv/bin/mypy --strict ovos_memory_bus
    .venv/bin/lint-imports

format:
    .venv/bin/ruff check --fix .
    .venv/bin/ruff format .

# a memory at work
demo:
    script/demo

# recall quality and speed, beside the peers; takes a while
bench *arguments:
    .venv/bin/python benchmarks/recall.py {{ arguments }}

# the pictures of the page in docs/images
screenshots:
    script/screenshots

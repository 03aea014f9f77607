"""The backend keeps the contract that every backend must, and finds what was heard wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from ovos_memory_backend_sounds import soundex, sounds

from ovos_memory_bus.testing import RetrieverContract


class TestSounds(RetrieverContract):
    factory = staticmethod(sounds)

    async def test_a_name_is_found_as_it_was_heard(self, tmp_path: Path) -> None:
        async with self.bench(tmp_path) as bench:
            await bench.tell("Catherine called about the piano", "Robert paints")
            assert await bench.found("did Catharyne call") == ["Catherine called about the piano"]


CODES = {"robert": "r163", "rupert": "r163", "ashcraft": "a261", "tymczak": "t522", "pfister": "p236", "lee": "l000"}


@pytest.mark.parametrize("word", CODES)
def test_soundex(word: str) -> None:
    assert soundex(word) == CODES[word]

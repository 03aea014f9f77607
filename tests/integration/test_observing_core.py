"""`observe: true` beside a real ovos-core: a skill's turns are remembered, those of the memory's own skill are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from daemon import Daemon
from rig import Bus
from turns import history, recorded
from voice import Core, Speaker
from wire import Wire

CONFIG = {"backends": ["recency", "lexical"], "observe": True}
PARROT = """
from ovos_utils import classproperty
from ovos_utils.process_utils import RuntimeRequirements
from ovos_workshop.decorators import intent_handler
from ovos_workshop.skills import OVOSSkill


class Parrot(OVOSSkill):
    @classproperty
    def runtime_requirements(self):
        return RuntimeRequirements(
            network_before_load=False, internet_before_load=False, requires_network=False, requires_internet=False
        )

    @intent_handler("treasure.intent")
    def handle_treasure(self, message):
        self.speak("pieces of eight")
        self.speak("under the palm tree")
"""


def install_parrot(folder: Path) -> None:
    """A package with one skill, as pip would put it."""
    locale = folder / "parrot" / "locale" / "en-us"
    locale.mkdir(parents=True)
    (locale / "treasure.intent").write_text("where is the treasure\n")
    (folder / "parrot" / "__init__.py").write_text(PARROT)
    info = folder / "parrot-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ovos.plugin.skill]\nskill-parrot.acme = parrot:Parrot\n")


@pytest.fixture(scope="module")
def core(shared_bus: Bus, memory: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    home, site = tmp_path_factory.mktemp("core"), tmp_path_factory.mktemp("site")
    install_parrot(site)
    with pytest.MonkeyPatch.context() as patch, Wire(shared_bus.url) as wire:
        patch.setenv("PYTHONPATH", str(site))
        with closing(Core(shared_bus, home, ["en-US"])) as core:
            core.wait_until_ready(wire)
            yield core


def test_a_skills_turn_is_remembered(core: Core, wire: Wire) -> None:
    speaker = Speaker(wire, {"session_id": "deck"})
    assert speaker.say("where is the treasure") == ["pieces of eight", "under the palm tree"]
    answer = "pieces of eight\nunder the palm tree"
    assert recorded(wire, "deck", answer) == [("user", "where is the treasure"), ("assistant", answer)]
    items = wire.do("memory.item.list", {"order": "asc"}, {"session_id": "deck"})["items"]
    assert [item["metadata"] for item in items] == [{}, *[{"skill_id": "skill-parrot.acme"}] * 2]


def test_what_is_said_to_the_memorys_own_skill_is_not(core: Core, wire: Wire) -> None:
    speaker = Speaker(wire, {"session_id": "hold"})
    assert speaker.say("what do you remember about my parrot")
    assert speaker.say("where is the treasure")
    assert recorded(wire, "hold", "pieces of eight\nunder the palm tree")[0] == ("user", "where is the treasure")
    assert len(history(wire, "hold")) == 2

"""`ovos-memory-bus setup` and `uninstall` in homes of their own: what they write, leave alone, and take back."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, run
from daemon import PROGRAM, needs_model
from homes import NOBODY_THERE, Home

from ovos_memory_bus.models import manifest
from ovos_memory_bus.models.folders import find

LEFT_OUT = ("--without", "model")
MINE = '{\n  // mine\n  "lang": "pt-pt",\n  "location": {"timezone": {"code": "Europe/Lisbon"}}\n}\n'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.make(tmp_path / "home")


def setup(home: Home, *options: str) -> Done:
    return run("setup", *LEFT_OUT, *options, "--json", env=home.env)


def outcomes(done: Done) -> dict[str, str]:
    return {step["part"]: step["outcome"] for step in done.data["steps"]}


def test_a_new_user_gets_all_and_a_second_run_changes_nothing(home: Home) -> None:
    first = setup(home)
    assert (first.code, first.data["ok"]) == (0, True)
    assert outcomes(first) == dict.fromkeys(("configuration", "persona", "unit", "service"), "done")
    assert json.loads(home.persona.read_text())["memory_module"] == "ovos-memory-bus-plugin"
    assert home.asked() == ["daemon-reload", "enable ovos-memory-bus.service", "restart ovos-memory-bus.service"]
    before = home.files()
    second = setup(home)
    assert outcomes(second) == dict.fromkeys(("configuration", "persona", "unit", "service"), "unchanged")
    assert home.files() == before
    assert len(home.asked()) == 3


def test_a_dry_run_changes_nothing(home: Home) -> None:
    home.configure(MINE)
    before = home.files()
    planned = setup(home, "--dry-run", "--web")
    assert outcomes(planned) == dict.fromkeys(("configuration", "persona", "unit", "service"), "planned")
    assert home.files() == before
    assert home.asked() == []
    setup(home)
    before = home.files()
    planned = run("uninstall", "--purge", "--dry-run", "--json", env=home.env)
    assert outcomes(planned)["unit"] == outcomes(planned)["service"] == "planned"
    assert home.files() == before


def test_the_configuration_keeps_all_else_and_the_old_file(home: Home) -> None:
    home.configure(MINE)
    home.conf.chmod(0o640)
    assert outcomes(setup(home, "--web"))["configuration"] == "done"
    text = home.conf.read_text()
    assert text.startswith('{\n  // mine\n  "lang": "pt-pt",\n')
    section = json.loads(text.replace("// mine", ""))["memory"]
    assert section == {"lang": "pt-pt", "timezone": "Europe/Lisbon", "web": {"enabled": True}}
    (kept,) = home.conf.parent.glob("*.bak")
    assert kept.read_text() == MINE
    assert stat.S_IMODE(home.conf.stat().st_mode) == 0o640


def test_what_is_configured_already_rules(home: Home) -> None:
    mine = {"memory": {"timezone": "Asia/Tokyo", "lang": "ja-JP", "backends": ["lexical"], "web": {"port": 9}}}
    home.configure(json.dumps(mine))
    assert outcomes(setup(home, "--keywords-only"))["configuration"] == "unchanged"
    assert home.configured() == mine
    setup(home, "--web")
    assert home.configured() == {"memory": {**mine["memory"], "web": {"port": 9, "enabled": True}}}


def test_keywords_only_needs_no_model(home: Home) -> None:
    done = run("setup", "--keywords-only", "--json", env=home.env)
    assert outcomes(done)["model"] == "skipped"
    assert home.configured()["memory"]["backends"] == ["recency", "lexical", "facts", "summary"]


@needs_model
def test_a_model_that_is_there_is_taken(home: Home) -> None:
    env = {**home.env, "OVOS_MEMORY_MODELS": str(find(manifest()).parent)}
    assert outcomes(run("setup", "--json", env=env))["model"] == "unchanged"


@pytest.mark.parametrize("text", ["{", "[]", "lang: pt", '{"memory": 7}', '{"memory": [1]}'])
def test_a_configuration_that_cannot_be_read_is_left_and_the_rest_is_done(home: Home, text: str) -> None:
    home.configure(text)
    done = setup(home)
    assert done.code == 2
    assert outcomes(done) == {"configuration": "failed", "persona": "done", "unit": "done", "service": "done"}
    assert home.conf.read_text() == text
    assert "nothing was changed" in done.out or "correct it" in done.out


def test_a_linked_configuration_stays_a_link(home: Home) -> None:
    home.configure("{}")
    real = home.conf.rename(home.path / "dotfiles.conf")
    home.conf.symlink_to(real)
    setup(home)
    assert home.conf.is_symlink()
    assert "memory" in json.loads(real.read_text())


@pytest.mark.parametrize("held", [{"name": "Echo"}, {"name": "Ada", "memory_module": "ovos-memory-bus-plugin"}])
def test_a_persona_of_the_users_is_left_alone(home: Home, held: dict[str, Any]) -> None:
    home.persona.parent.mkdir(parents=True)
    file = home.persona.with_name(f"{held['name']}.json")
    file.write_text(json.dumps(held))
    assert outcomes(setup(home))["persona"] == ("skipped" if held["name"] == "Echo" else "unchanged")
    assert [path.name for path in home.persona.parent.iterdir()] == [file.name]
    assert json.loads(file.read_text()) == held


def test_under_ovos_its_units_start_and_stop_the_memory(home: Home) -> None:
    (home.path / "has-ovos").touch()
    setup(home)
    text = home.unit.read_text()
    assert "WantedBy=ovos.service\n" in text
    assert "PartOf=ovos.service\n" in text
    (home.path / "has-ovos").unlink()
    assert outcomes(setup(home))["unit"] == "done"
    assert "WantedBy=default.target\n" in home.unit.read_text()
    assert "PartOf" not in home.unit.read_text()


def test_without_systemd_the_unit_waits(tmp_path: Path) -> None:
    home = Home.make(tmp_path / "home", NOBODY_THERE)
    done = setup(home)
    assert done.code == 0
    assert outcomes(done)["service"] == "skipped"
    assert home.unit.exists()
    assert "ovos-memory-bus run" in done.data["steps"][-1]["mend"]


def test_a_systemd_that_refuses_is_told(home: Home) -> None:
    (home.path / "broken").touch()
    done = setup(home)
    assert done.code == 1
    step = done.data["steps"][-1]
    assert (step["outcome"], step["text"]) == (
        "failed",
        "systemctl --user enable ovos-memory-bus.service: Failed to enable unit",
    )


def test_parts_can_be_left_out(home: Home) -> None:
    setup(home, "--without", "service", "--without", "persona")
    assert list(home.files()) == [".config/mycroft/mycroft.conf"]


def test_uninstall_takes_back_what_setup_did(home: Home) -> None:
    home.configure(MINE)
    setup(home, "--web")
    (home.data).mkdir(parents=True)
    (home.data / "memory.db").write_bytes(b"memories")
    done = run("uninstall", "--json", env=home.env)
    assert done.code == 0
    assert outcomes(done) == dict.fromkeys(("service", "unit", "configuration", "persona"), "done")
    assert home.conf.read_text() == MINE
    assert not home.unit.exists()
    assert not home.persona.exists()
    assert (home.data / "memory.db").exists()
    assert home.asked()[-2:] == ["disable --now ovos-memory-bus.service", "daemon-reload"]
    again = run("uninstall", "--json", env=home.env)
    assert set(outcomes(again).values()) == {"unchanged"}


def test_uninstall_keeps_a_persona_that_was_changed(home: Home) -> None:
    setup(home)
    home.persona.write_text(home.persona.read_text().replace("You are helpful.", "You are a pirate."))
    assert outcomes(run("uninstall", "--json", env=home.env))["persona"] == "skipped"
    assert "pirate" in home.persona.read_text()


def test_purge_takes_what_is_ours_and_nothing_else(home: Home) -> None:
    setup(home)
    model = home.data / "models" / manifest().name
    model.mkdir(parents=True)
    (model / "model.onnx").write_bytes(b"x")
    for name in ("memory.db", "memory.db-wal", "0a.hnsw", "0a.json", "0a.frame.npz", "service.lock", "web.token"):
        (home.data / name).write_bytes(b"x")
    (home.data / "letter.txt").write_text("mine")
    refused = run("uninstall", "--purge", "--json", env=home.env)
    assert refused.code == 1  # nobody could be asked
    assert (home.data / "memory.db").exists()
    done = run("uninstall", "--purge", "--yes", "--json", env=home.env)
    assert done.code == 0
    assert [str(path.relative_to(home.data)) for path in home.data.rglob("*")] == ["letter.txt"]


def test_the_unit_names_what_systemd_would_not_know(home: Home, tmp_path: Path) -> None:
    env = {**home.env, "XDG_DATA_HOME": str(tmp_path / "my data 100%")}
    run("setup", *LEFT_OUT, env=env)
    text = home.unit.read_text()
    assert f'Environment="XDG_DATA_HOME={tmp_path}/my data 100%%"\n' in text
    assert f'"-{tmp_path}/my data 100%%/ovos-memory-bus"\n' in text
    assert f"ExecStart={PROGRAM} run\n" in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("data_home", [None, "my data 100%"])
def test_systemd_takes_the_unit_and_finds_it_well_closed(home: Home, tmp_path: Path, data_home: str | None) -> None:
    env = home.env | ({"XDG_DATA_HOME": str(tmp_path / data_home)} if data_home else {})
    run("setup", *LEFT_OUT, env=env)
    env["XDG_RUNTIME_DIR"] = str(tmp_path)

    def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["systemd-analyze", "--user", *arguments, str(home.unit)]
        return subprocess.run(command, env=env, capture_output=True, text=True)

    verified = analyze("verify")
    assert (verified.returncode, verified.stderr) == (0, "")
    judged = analyze("security", "--offline=true")
    if "unrecognized option" in judged.stderr:
        pytest.skip("this systemd-analyze is too old to judge a unit that is not loaded")
    exposure = re.search(r"exposure level for \S+ ([\d.]+)", judged.stdout)
    assert exposure is not None
    assert float(exposure[1]) < 6.0  # a plain unit of a user has above 9

"""The command without a bus: its parts, its help, its errors, and that its documentation is complete."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from ovos_memory_bus import errors
from ovos_memory_bus.cli import output
from ovos_memory_bus.cli.checks import personas
from ovos_memory_bus.cli.main import EXIT_CODES, cli, exit_code
from ovos_memory_bus.client import Memory

DOCS = Path(__file__).parents[2] / "docs" / "command.md"
NOWHERE = ("--bus", "ws://127.0.0.1:1/core", "--timeout", "0.2")


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


def commands(group: click.Group = cli, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its name as typed."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield path + name, command


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_command_explains_itself(name: str) -> None:
    shown = run(*name.split(), "--help")
    assert shown.exit_code == 0
    assert "Options:" in shown.output


def test_every_command_and_option_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    missing = []
    for name, command in commands():
        if f"### `{name}" not in text:
            missing.append(name)
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                missing += [option for option in parameter.opts if f"`{option}" not in text]
    assert not missing


def test_every_exit_code_is_documented() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)}
    assert codes == {0, 1} | {code for _, code in EXIT_CODES}


def test_every_command_that_answers_speaks_json() -> None:
    silent = [name for name, command in commands() if not any("--json" in p.opts for p in command.params)]
    assert sorted(silent) == ["completion", "mcp", "run", "tools"]


@pytest.mark.parametrize(("shell", "says"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --")])
def test_completion_is_a_script_for_the_shell(shell: str, says: str) -> None:
    shown = run("completion", shell)
    assert shown.exit_code == 0
    assert says in shown.output
    assert "_OVOS_MEMORY_BUS_COMPLETE" in shown.output


def test_completion_completes_commands_and_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(words: str, place: int) -> set[str]:
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(place))
        monkeypatch.setenv("_OVOS_MEMORY_BUS_COMPLETE", "bash_complete")
        shown = CliRunner().invoke(cli, prog_name="ovos-memory-bus", complete_var="_OVOS_MEMORY_BUS_COMPLETE")
        return {line.partition(",")[2] for line in shown.output.splitlines()}

    assert {"remember", "recall"} <= completed("ovos-memory-bus re", 1)
    assert completed("ovos-memory-bus completion ", 2) == {"bash", "zsh", "fish"}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.MemoryBusError("x"), 1),
        (errors.ConfigError("x"), 2),
        (errors.InvalidRequest("x"), 2),
        (errors.BusUnavailable("x"), 3),
        (errors.DeadlineExceeded("x"), 3),
        (errors.FolderInUse("x"), 4),
        (errors.StorageTooNew("x"), 4),
        (errors.ModelBroken("x"), 5),
        (errors.NotFound("x"), 6),
    ],
)
def test_exit_codes(error: errors.MemoryBusError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("recall", "x"),
        ("remember", "x"),
        ("add", "x"),
        ("list",),
        ("search", "x"),
        ("show", "x"),
        ("edit", "x", "--content", "y"),
        ("forget", "last", "--yes"),
    ],
)
def test_without_a_bus_one_sentence_and_code_3(words: tuple[str, ...]) -> None:
    shown = run(*words, *NOWHERE)
    assert shown.exit_code == 3
    assert shown.stdout == ""
    assert shown.stderr.splitlines() == [
        "ovos-memory-bus: no messagebus at ws://127.0.0.1:1/core within 0.2 s: "
        "start ovos-messagebus, or name another one with --bus"
    ]


def test_errors_are_json_where_json_is_wanted() -> None:
    shown = run("status", "--json", *NOWHERE)
    assert json.loads(shown.stdout)["error"]["code"] == "bus_unavailable"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("forget", "query", "--yes"), "say what to forget"),
        (("forget", "ids", "--yes"), "name the items"),
        (("forget", "last", "surplus", "--yes"), "'surplus' is too much"),
        (("add", "x", "--metadata", "{"), "--metadata must be a JSON object"),
        (("search", "x", "--metadata", "[1]"), "--metadata must be a JSON object"),
        (("run", "--config", "/nowhere/at/all.json"), "cannot read the configuration file"),
        (("import", "/nowhere/at/all.jsonl", "--data-dir", "{tmp}/new"), "cannot be read"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_done(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    shown = run(*(word.replace("{tmp}", str(tmp_path)) for word in words))
    assert shown.exit_code == 2
    assert says in shown.stderr


def test_an_export_of_nothing_makes_no_memory(tmp_path: Path) -> None:
    shown = run("export", "--data-dir", str(tmp_path / "none"), "-o", str(tmp_path / "x.jsonl"))
    assert shown.exit_code == 4
    assert "name the folder with --data-dir" in shown.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["/etc/hostname", "/dev/null"])
def test_what_is_no_export_is_refused(file: str, tmp_path: Path) -> None:
    shown = run("import", file, "--data-dir", str(tmp_path / "new"))
    assert shown.exit_code == 2
    assert "is no export of ovos-memory-bus" in shown.stderr


def test_models_are_listed_as_json() -> None:
    listed = json.loads(run("models", "list", "--json").stdout)
    assert [entry["default"] for entry in listed] == [True] + [False] * (len(listed) - 1)
    assert all(entry["size"] > 0 and entry["languages"] for entry in listed)


def test_an_unknown_model_ends_with_code_5() -> None:
    shown = run("models", "install", "nonsense")
    assert shown.exit_code == 5
    assert "there is no model called 'nonsense'" in shown.stderr


def test_only_the_command_s_own_imports_are_paid_for_help() -> None:
    import subprocess

    heavy = ("anyio", "aiohttp", "aiosqlite", "numpy", "onnxruntime", "rich.table", "ovos_config")
    code = f"import sys, ovos_memory_bus.cli; print([name for name in {heavy!r} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 猫 👩‍💻", "plain ünïcode 猫 👩‍💻"),
        ("\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"),
        ("line\nbreak\ttab", "line\nbreak\ttab"),
        ("a\u202egnp.exe\x00\x07\r", "a\ufffdgnp.exe\ufffd\ufffd\ufffd"),
    ],
)
def test_what_was_remembered_does_not_steer_the_terminal(text: str, shown: str) -> None:
    assert output.harmless(text) == shown


def test_tables_show_markup_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    output.show(None, False, lambda: output.table("t", ("what",), [("[red]not red[/red]",)]))
    assert "[red]not red[/red]" in capsys.readouterr().out


def test_results_become_json() -> None:
    memory = Memory("1", "x", metadata={"a": (1, 2)})
    assert json.loads(json.dumps(output.plain([memory])))[0]["metadata"] == {"a": [1, 2]}


# -- personas, as doctor sees them

ENGINE = "ovos-chat-openai-plugin"


def persona(tmp_path: Path, **config: object) -> list[tuple[str, str]]:
    file = tmp_path / "assistant.json"
    file.write_text(json.dumps({"name": "a", "handlers": [ENGINE], **config}))
    return [(finding.state, finding.text) for finding in personas.persona(file)]


def test_a_persona_whose_engine_drops_system_messages_is_warned_of(tmp_path: Path) -> None:
    ((state, text),) = persona(tmp_path, memory_module=personas.PLUGIN)
    assert state == "warn"
    assert ENGINE in text


@pytest.mark.parametrize(
    "blocks",
    [
        {ENGINE: {"allow_system_prompts": True}},
        {personas.PLUGIN: {"inject_mode": "user"}},
        {"handlers": ["some-other-engine"]},
    ],
)
def test_a_persona_that_can_remember_is_well(tmp_path: Path, blocks: dict[str, object]) -> None:
    ((state, _),) = persona(tmp_path, memory_module=personas.PLUGIN, **blocks)
    assert state == "ok"


def test_a_persona_with_a_wrong_block_is_broken(tmp_path: Path) -> None:
    ((state, text),) = persona(tmp_path, memory_module=personas.PLUGIN, **{personas.PLUGIN: {"inject_mode": "nope"}})
    assert state == "fail"
    assert "inject_mode" in text


def test_personas_with_another_memory_are_left_alone(tmp_path: Path) -> None:
    assert persona(tmp_path, memory_module="another") == []


def test_a_persona_file_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("{")
    (finding,) = personas.persona(tmp_path / "b.json")
    assert finding.state == "warn"
    assert "b.json" in finding.text

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.cli.app import VERBS
from lockstep.results.verdict import worst
from tests.processes import without_progress

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

COMMAND = [sys.executable, "-m", "lockstep"]


def test_version(desk: "Desk") -> None:
    ran = desk.run("--version")
    assert ran.code == 0
    assert ran.out.startswith("lockstep 0.")


def test_help_names_every_verb(desk: "Desk") -> None:
    ran = desk.run("--help")
    assert ran.code == 0
    assert "check " in ran.out
    assert "replay " in ran.out


def test_help_says_nothing_of_types(desk: "Desk") -> None:
    for verb in VERBS:
        ran = desk.run(verb, "--help")
        assert ran.code == 0
        assert not re.search("<[a-z]", ran.out), verb


def test_help_loads_neither_models_nor_tables() -> None:
    program = (
        "import sys; from lockstep.cli.main import run; run(['--help']); "
        "print(sorted(m for m in sys.modules if m.startswith(('rich', 'lockstep.language.model', "
        "'lockstep.plain.search', 'hypothesis'))))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.endswith("[]\n")


@pytest.mark.parametrize(
    ("codes", "expected"),
    [([], 0), ([0, 3], 3), ([3, 1, 0], 1), ([1, 2, 3], 2), ([2, 70, 0], 70), ([2, 130, 70], 130)],
)
def test_the_worst_code_wins(codes: list[int], expected: int) -> None:
    assert worst(codes) == expected


def test_an_exit_code_that_nobody_knows_is_not_taken_for_none() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        worst([0, 5])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("chek", "No such command 'chek'. Did you mean 'check'?\n  cure: see `lockstep --help`"),
        ("replay", "Missing argument 'FILE'\n  cure: see `lockstep replay --help`"),
        (
            "replay --html trace.json",
            "Missing argument 'FILE'\n"
            "  cure: put it before the options: --html took trace.json as its own value",
        ),
        ("propose --json lease", "Missing argument 'NAME'\n  cure: see `lockstep propose --help`"),
        (
            "check --scop small",
            "No such option: --scop (Possible options: --json, --scope, --steps)\n"
            "  cure: see `lockstep check --help`",
        ),
    ],
)
def test_a_mistake_in_the_arguments_has_its_cure(desk: "Desk", arguments: str, said: str) -> None:
    ran = desk.run(*arguments.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"lockstep: {said}\n")


def test_without_arguments_the_help_is_printed(desk: "Desk") -> None:
    ran = desk.run()
    assert (ran.code, ran.err) == (2, "")
    assert ran.out == desk.run("--help").out


def test_no_workspace_is_one_line_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desk: "Desk"
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = desk.run("check")
    assert ran.code == 2
    assert ran.err.startswith(f"lockstep: there is no workspace in {tmp_path} or above it\n  cure:")


def test_colour_and_progress_on_a_terminal_only(desk: "Desk") -> None:
    reader, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    command = subprocess.run(
        [*COMMAND, "check", "turnstile"],
        stdout=terminal,
        stderr=terminal,
        env=environment,
        check=False,
    )
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(reader, 65536):
            shown += part
    except OSError:
        pass  # how the end of a terminal is read on Linux
    os.close(reader)
    assert command.returncode == 0
    assert b"\x1b[32mturnstile holds" in shown
    piped = subprocess.run([*COMMAND, "check", "turnstile"], capture_output=True, check=False)
    assert piped.stderr == b""
    assert b"\x1b" not in piped.stdout


def test_a_reader_that_goes_away_changes_no_verdict(desk: "Desk") -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [*COMMAND, "check", "turnstile"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert ran.returncode == 0
    assert without_progress(ran.stderr.decode()) == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_output_that_is_full_is_one_line(desk: "Desk") -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*COMMAND, "check", "turnstile"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ran.returncode == 2
    complaint = "lockstep: the output cannot be written: No space left on device\n"
    assert without_progress(ran.stderr.decode()) == complaint


def test_a_workspace_is_named_from_anywhere(
    desk: "Desk", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    ran = desk.run("check", "turnstile", "--workspace", str(desk.root))
    assert (ran.code, ran.err) == (0, "")
    shipped = desk.run("check", "fetch_response", "--scope", "small", "--workspace", "kafka")
    assert (shipped.code, shipped.err) == (0, "")
    nowhere = desk.run("check", "--workspace", "nowhere")
    assert nowhere.code == 2
    assert f"there is no workspace in {empty / 'nowhere'}" in nowhere.err
    assert desk.run("check").code == 2, "the choice is one command's"

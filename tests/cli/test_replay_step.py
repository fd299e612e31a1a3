"""`replay --step`: forward and back through a behaviour, by commands from standard input."""

import io
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import COMMAND, started_program

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FILE = "kept/turnstile-entries_are_paid-stays_open.itf.json"
HEAD = (
    "turnstile (scope small, fault stays_open)\n"
    "violated  entries_are_paid is violated again, as recorded\n"
    "3 steps; ? lists the commands\n"
    "0  the initial state\n"
    "     arm = {east: LOCKED}\n"
    "     2 other variables are 0, False, None or empty\n"
)
FIRST = (
    "1  coin(g=east)                                     models/turnstile.py:33\n"
    "     arm[east]: LOCKED -> OPEN\n"
    "     coins[east]: 0 -> 1\n"
)
SECOND = (
    "2  push(g=east)                               models/faults/turnstile.py:9\n"
    "     <- changed by the fault stays_open\n"
    "     entries[east]: 0 -> 1\n"
)
THIRD = (
    "3  push(g=east)                               models/faults/turnstile.py:9\n"
    "     <- changed by the fault stays_open\n"
    "     entries[east]: 1 -> 2\n"
    "entries_are_paid(g=east) is false                invariants/turnstile.py:9\n"
    "     s.entries[g] <= s.coins[g]                 invariants/turnstile.py:11\n"
    "     s.entries[g] = 2\n"
    "     s.coins[g] = 1\n"
)


@pytest.fixture
def saved(desk: "Desk") -> Path:
    arguments = ["--scope", "small", "--fault", "stays_open", "--save", "kept"]
    assert desk.run("check", "turnstile", *arguments).code == 1
    return desk.root / FILE


def stepped(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, commands: str, *options: str, code: int = 1
) -> str:
    """What is printed after the head for some commands."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(commands))
    ran = desk.run("replay", FILE, "--step", *options)
    assert (ran.code, ran.err) == (code, "")
    return ran.out if options else ran.out.removeprefix(HEAD)


@pytest.mark.parametrize(
    ("commands", "printed"),
    [
        ("", ""),
        ("q\nn\n", ""),
        ("n", FIRST),
        ("\nnext\nn\n", FIRST + SECOND + THIRD),
        ("n 2\nb\n", SECOND + FIRST),
        ("n 9\nn\n", THIRD + "this is the end already\n"),
        ("b\n", "this is the beginning already\n"),
        ("go 2\nback 2\n", SECOND + HEAD.partition("commands\n")[2]),
        ("g 4\n", "4 is no step\n  cure: go 0 to go 3\n"),
        ("go\n", "nothing is no step\n  cure: go 0 to go 3\n"),
        ("n two\n", "'two' is no number of steps\n  cure: write one, as in: next 3\n"),
        ('until s.entries["east"] == 1\n', SECOND),
        ("n\nshow coins\ns arm\n", FIRST + "coins = {east: 1}\narm = {east: OPEN}\n"),
        ("s\n", "arm = {east: LOCKED}\ncoins = {east: 0}\nentries = {east: 0}\n"),
        ("s arms\n", "there is no variable 'arms'\n  cure: did you mean arm?\n"),
        ("jump\n", "there is no command 'jump'\n  cure: ? lists the commands\n"),
        ("l\n", "* 0  the beginning\n  1  coin(g=east)\n  2  push(g=east)\n  3  push(g=east)\n"),
    ],
)
def test_commands(
    desk: "Desk", saved: Path, monkeypatch: pytest.MonkeyPatch, commands: str, printed: str
) -> None:
    assert stepped(desk, monkeypatch, commands) == printed


def test_help_names_every_command(
    desk: "Desk", saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = stepped(desk, monkeypatch, "?\nhelp\n").splitlines()
    words = [line.split()[0] for line in lines]
    assert words == ["next", "back", "go", "until", "show", "list", "help", "quit"] * 2


def test_a_predicate_is_typed_as_claims_are(
    desk: "Desk", saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched = desk.root / "touched"
    commands = (
        "until s.nobody\n"
        "until s.coins\n"
        f'until open({str(touched)!r}, "w")\n'
        "until import os\n"
        "until \n"
        "until any(s.coins[g] > 1 for g in Gate)\n"
        'until s.coins["east"] == 0 and s.arm["east"] == Arm.LOCKED\n'
    )
    out = stepped(desk, monkeypatch, commands)
    assert "there is no variable nobody" in out
    assert "this is a map from {'east'} to 0..2, not a condition" in out
    assert "open cannot be called in a model" in out
    assert "'import os' is no predicate" in out
    assert "'' is no predicate" in out
    assert out.endswith("it is true in no later state\nit is true here, and in no later state\n")
    assert not touched.exists()


def test_the_steps_of_another_version(
    desk: "Desk", saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = stepped(desk, monkeypatch, "n 9\n", "--on", "turnstile", code=0)
    assert out.startswith(
        "turnstile (scope small, fault stays_open), on turnstile\n"
        "holds  turnstile stops it: step 3, push(g=east), is not enabled\n"
        "2 steps; "
    )
    assert out.endswith(
        "2  push(g=east)                                     models/turnstile.py:41\n"
        "     arm[east]: OPEN -> LOCKED\n"
        "     entries[east]: 0 -> 1\n"
        "3  push(g=east) is not enabled                      models/turnstile.py:41\n"
        "     s.arm[g] == Arm.OPEN                           models/turnstile.py:43\n"
        "     s.arm[g] = LOCKED\n"
    )


def test_it_goes_with_no_json(desk: "Desk", saved: Path) -> None:
    ran = desk.run("replay", FILE, "--step", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("lockstep: --step does not go with --json\n")


@pytest.mark.parametrize("text", [b"\xff\xfe\n", b"\x00\x1b[2J\n"])
def test_commands_that_are_no_text(desk: "Desk", saved: Path, text: bytes) -> None:
    done = subprocess.run(
        [*COMMAND, "replay", FILE, "--step"], input=text, capture_output=True, check=False
    )
    assert done.returncode in (1, 2)
    assert b"Traceback" not in done.stderr


def test_ctrl_c_while_it_waits(desk: "Desk", saved: Path) -> None:
    step = [*COMMAND, "replay", FILE, "--step"]
    with started_program(step, stdin=subprocess.PIPE) as command:
        assert command.process.stdin is not None
        command.process.stdin.write("l\n")
        command.process.stdin.flush()
        while not (line := command.line()).startswith("  3"):
            assert line
        command.send(signal.SIGINT)
        assert command.ended() == (130, "", "lockstep: interrupted\n")

"""However the command is ended, its children end with it and its temporary folders go."""

import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import java_that_waits, started, started_program

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

_SAYS_WHEN_ASKED = """
import z3

from lockstep.cli.main import main

check = z3.Solver.check

def said(self, *assumptions):
    print("asked", flush=True)
    return check(self, *assumptions)

z3.Solver.check = said
main()
"""
"""The command, with a line when the solver is asked something."""

CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize("number", CAUGHT, ids=lambda each: each.name)
def test_a_signal_while_tlc_runs_is_ctrl_c(
    desk: "Desk", tmp_path: Path, number: signal.Signals
) -> None:
    waiting = java_that_waits(tmp_path / "java")
    with started(
        "twin", temporary=tmp_path / "temporary", JAVA_HOME=str(tmp_path / "java")
    ) as command:
        command.await_that(waiting.exists)
        assert command.left() != []
        command.send(number)
        code, out, err = command.ended()
        assert (code, err) == (130, "lockstep: interrupted\n")
        assert "interrupted; not compared: letters small" in out
        assert command.left() == []


def test_a_kill_while_tlc_runs_leaves_no_child_and_the_next_run_tidies_up(
    desk: "Desk", tmp_path: Path
) -> None:
    home, temporary = tmp_path / "java", tmp_path / "temporary"
    waiting = java_that_waits(home)
    with started("twin", temporary=temporary, JAVA_HOME=str(home)) as command:
        command.await_that(waiting.exists)
        command.send(signal.SIGKILL)
        assert command.ended()[0] == -signal.SIGKILL
        abandoned = command.left()
    assert abandoned
    waiting.unlink()
    with (
        started("twin", temporary=temporary, JAVA_HOME=str(home)) as first,
        started("twin", temporary=temporary, JAVA_HOME=str(home)) as second,
    ):
        for command in (first, second):
            command.await_that(waiting.exists)
            command.await_that(lambda: len(command.left()) == 4)  # noqa: B023
        assert not set(abandoned) & set(first.left())
        for command in (first, second):
            command.send(signal.SIGTERM)
            assert command.ended()[0] == 130
        assert first.left() == []


def test_what_the_parent_ignores_is_ignored(desk: "Desk", tmp_path: Path) -> None:
    waiting = java_that_waits(tmp_path / "java")
    with started(
        "twin",
        temporary=tmp_path / "temporary",
        ignored=[signal.SIGHUP],
        JAVA_HOME=str(tmp_path / "java"),
    ) as command:
        command.await_that(waiting.exists)
        command.send(signal.SIGHUP)
        time.sleep(0.2)
        assert command.process.poll() is None
        command.send(signal.SIGTERM)
        assert command.ended()[0] == 130


@pytest.mark.parametrize("number", CAUGHT, ids=lambda each: each.name)
def test_a_signal_during_a_proof_is_ctrl_c(
    desk: "Desk", tmp_path: Path, number: signal.Signals
) -> None:
    long = ("turnstile", "--scope", "default", "--k", "60")
    program = [sys.executable, "-c", _SAYS_WHEN_ASKED, "prove", *long]
    with started_program(program, temporary=tmp_path / "temporary") as command:
        assert command.line() == "asked\n"
        command.send(number)
        code, _, err = command.ended()
    assert (code, err) == (130, "lockstep: interrupted\n")


@pytest.mark.parametrize("number", CAUGHT, ids=lambda each: each.name)
def test_what_was_checked_before_a_signal_is_printed(
    desk: "Desk", tmp_path: Path, number: signal.Signals
) -> None:
    desk.edit("models/turnstile.py", "from", "while True:\n    pass\nfrom")
    with started("check", temporary=tmp_path / "temporary") as command:
        assert command.line() == "scope default\n"
        assert command.line().startswith("model")
        assert command.line().startswith("letters   violated")
        command.send(number)
        code, rest, err = command.ended()
    assert (code, err) == (130, "lockstep: interrupted\n")
    assert "interrupted; not checked: turnstile\n" in rest


MOMENTS = 25
"""Delays at which each signal is sent, spread evenly over a run."""


@pytest.mark.verify
@pytest.mark.parametrize("number", [*CAUGHT, signal.SIGKILL], ids=lambda each: each.name)
def test_a_signal_at_any_moment_of_a_comparison_leaves_nothing(
    desk: "Desk", tmp_path: Path, number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    with started("twin", "turnstile", temporary=temporary) as command:
        began = time.monotonic()
        assert command.ended()[0] == 0
        whole = time.monotonic() - began
    for moment in range(MOMENTS):
        with started("twin", "turnstile", temporary=temporary) as command:
            time.sleep(whole * moment / MOMENTS)
            command.send(number)
            code, out, err = command.ended()
            if number is signal.SIGKILL:
                assert code in (-number, 0)
                continue
            if err == "lockstep: interrupted\n":
                # Where the signal came while a text was run by `exec`, as dataclasses do, Python
                # itself ends by SIGINT at last, which a shell counts as 130 too.
                assert code in (130, -signal.SIGINT)
            elif code != 0:
                # Before the first line of lockstep runs, the signal is the system's, and so
                # it is when all is printed and tidied up.
                assert code == -number
                assert whole * moment / MOMENTS < 1 or "2 comparisons: 2 holds" in out
            assert command.left() == []
    with started("twin", "turnstile", temporary=temporary) as command:
        assert command.ended()[0] == 0
        assert command.left() == []

"""The command `lockstep simulate`, with a simulator whose lines are numbers."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.kafka.conform import plain
from tests.processes import started_program, without_progress

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Desk

COMMAND = [sys.executable, "-m", plain.COMMAND]


@pytest.fixture
def simulating(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk at which logs can be simulated."""
    plain.simulate_plainly(monkeypatch.setattr)
    monkeypatch.setenv("PYTHONPATH", str(plain.ROOT))
    return desk


def test_what_was_written(simulating: Desk) -> None:
    arguments = "--log out --lines 100 --brokers 2 --departures 0.1"
    ran = simulating.run("simulate", *arguments.split())
    summary = "out: 100 lines of 2 brokers in 2 files, 10 departures\n  6 loud\n  4 low\n"
    assert (ran.code, ran.out, ran.err) == (0, summary, "")
    ran = simulating.run("simulate", "turnstile", "--log", "more", "--lines", "9", "--json")
    (answer,) = ran.json["results"]
    assert (answer["kind"], answer["model"], answer["seed"]) == ("simulate", "turnstile", 0)
    assert answer["details"] == {"broker": 1, "lines": 9, "files": 1, "departures": {}}
    assert ran.json["summary"] == {
        "model": "turnstile",
        "log": "more",
        "lines": 9,
        "departures": {},
        "exit_code": 0,
    }


def test_kinds_are_listed(simulating: Desk) -> None:
    ran = simulating.run("simulate", "--list-kinds")
    assert ran.out.split("\n")[0].split() == ["kind", "breaks", "requirements"]
    assert "loud" in ran.out
    assert "it is low" in ran.out
    ran = simulating.run("simulate", "--list-kinds", "--json")
    assert [kind["name"] for kind in ran.json["results"]] == ["loud", "low"]


@pytest.mark.parametrize(
    ("arguments", "because"),
    [
        (("--departures", "much"), "'much' is not a share of lines"),
        (("--departures", "2"), "'2' is not a share of lines, which is from 0 to 1"),
        (("--departures", "nan"), "'nan' is not a share"),
        (("--compress", "bz2"), "'bz2' is none of none, gzip, zstd"),
        (("--lines", "0"), "should be greater than or equal to 1"),
        (
            ("--log", "out", "--departures", "0.1", "--kinds", "loud,lo"),
            "there is no kind of departure 'lo'",
        ),
        ((), "there is no folder to write to"),
    ],
)
def test_what_is_refused(simulating: Desk, arguments: tuple[str, ...], because: str) -> None:
    ran = simulating.run("simulate", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert because in " ".join(ran.err.replace("│", " ").split())


def test_a_workspace_without_a_simulator(desk: Desk) -> None:
    ran = desk.run("simulate", "--log", "out", "--workspace", ".")
    assert ran.code == 2
    assert "no model can be simulated" in ran.err


def test_outside_of_any_workspace(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = desk.run("simulate", "--list-kinds")
    assert ran.code == 0
    assert "epoch-repeated" in ran.out
    assert "no workspace here has the model: --workspace kafka is used" in ran.err


def test_a_file_cannot_be_made(simulating: Desk) -> None:
    simulating.root.joinpath("out").write_text("a file")
    ran = simulating.run("simulate", "--log", "out")
    assert (ran.code, ran.err) == (2, "lockstep: out cannot be written: File exists\n")


def _full_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.daily(3)
@pytest.mark.parametrize("brokers", ["1", "2"])
@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
def test_the_disk_is_full(simulating: Desk, brokers: str, compression: str) -> None:
    arguments = ["--lines", "100000", "--brokers", brokers, "--compress", compression]
    ran = subprocess.run(
        [*COMMAND, "simulate", "--log", "out", *arguments, "--jobs", "2"],
        capture_output=True,
        text=True,
        preexec_fn=_full_disk,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = without_progress(ran.stderr).splitlines()
    assert line.startswith("lockstep: out/broker-")
    assert line.endswith("cannot be written: File too large")


def test_nobody_reads_what_was_written(simulating: Desk) -> None:
    command = [*COMMAND, "simulate", "--log", "out", "--lines", "9"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (ran.returncode, without_progress(ran.stderr.decode())) == (0, "")


def test_ctrl_c_ends_every_process(simulating: Desk, tmp_path: Path) -> None:
    arguments = ("simulate", "--log", "out", "--lines", "1000000000", "--brokers", "2")
    with started_program([*COMMAND, *arguments, "--jobs", "2"], temporary=tmp_path / "tmp") as one:
        one.await_that(lambda: len([*simulating.root.glob("out/*/*.log")]) == 2)
        one.send(signal.SIGINT)
        code, _, errors = one.ended()
        assert (code, errors) == (130, "lockstep: interrupted\n")

"""Mistakes of lockstep itself: one line, a report, exit code 70, and never a verdict."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from lockstep.plain.engine import Disagreement
from lockstep.requests.version import Version
from lockstep.system.interruption import INTERRUPTION
from lockstep.verbs import check as verb

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

MISTAKES = (
    Disagreement("unlatched holds in plain Python"),
    RecursionError("maximum recursion depth exceeded"),
    AssertionError(),
    MemoryError(),
    KeyError("a\nb"),
    SystemExit(0),
    OSError(5, "Input/output error"),
)


def report_of(error_output: str) -> str:
    """The report that the only line on standard error names."""
    assert error_output.startswith("lockstep: internal error: ")
    assert error_output.count("\n") == 1
    assert "this is a mistake in lockstep, not a verdict" in error_output
    return Path(error_output.rstrip().rpartition("the report is in ")[2]).read_text("utf-8")


def failing(error: BaseException) -> NoReturn:
    raise error


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: type(each).__name__)
def test_a_mistake_anywhere_is_one_line_and_a_report(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, mistake: BaseException
) -> None:
    monkeypatch.setattr("lockstep.workspace.Workspace.models", lambda _: failing(mistake))
    monkeypatch.setenv("A_SECRET", "not to be reported")
    ran = desk.run("check")
    assert ran.code == 70
    assert ran.out == ""
    report = report_of(ran.err)
    assert type(mistake).__name__ in ran.err
    assert "Traceback" in report
    assert f"Python {sys.version}" in report
    assert "not to be reported" not in report
    assert len(list((desk.root / ".lockstep").glob("internal-error-*.txt"))) == 1


def test_the_other_models_are_checked_all_the_same(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a_first", "z_last"):
        for folder in ("models", "invariants"):
            text = (desk.root / folder / "turnstile.py").read_text("utf-8")
            copy = text.replace("models.turnstile", f"models.{name}")
            (desk.root / folder / f"{name}.py").write_text(copy, encoding="utf-8")
        spec = f'[model]\nname = "{name}"\nrequirements = ["kip_9"]\n'
        (desk.root / "specs" / f"{name}.toml").write_text(spec, encoding="utf-8")
    explore_one = verb._check

    def check(plan: object, version: Version, watch: object) -> object:
        if version.model == "turnstile":
            raise Disagreement("machine code found what plain Python does not")
        return explore_one(plan, version, watch)  # type: ignore[arg-type]

    monkeypatch.setattr(verb, "_check", check)
    ran = desk.run("check")
    assert ran.code == 70
    report_of(ran.err)
    lines = [line.split()[:3] for line in ran.out.splitlines()]
    assert ["z_last", "holds", "3"] in lines
    assert ["turnstile", "error"] in lines
    assert "not checked: internal error: lockstep.plain.engine.Disagreement" in ran.out
    ran = desk.run("check", "--json")
    assert ran.code == 70
    codes = {row["model"]: row["exit_code"] for row in ran.json["results"]}
    assert codes == {"a_first": 0, "letters": 0, "turnstile": 70, "z_last": 0}


@pytest.mark.parametrize(
    ("verb", "broken"),
    [
        (("prove", "turnstile"), "lockstep.verbs.prove._prove"),
        (("prove", "turnstile"), "lockstep.verbs.prove.load_subjects"),
        (("faults", "turnstile"), "lockstep.verbs.fault_task._Fault.run"),
    ],
)
def test_every_verb_keeps_the_crash_of_one_as_its_result(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...], broken: str
) -> None:
    monkeypatch.setattr(broken, lambda *_, **__: failing(AssertionError("no such thing")))
    ran = desk.run(*verb)
    assert ran.code == 70
    for line in ran.err.splitlines(keepends=True):  # each fault is a task that may crash
        report_of(line)
    assert "internal error: AssertionError: no such thing" in ran.out


def test_a_thread_that_dies_is_no_success(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    explore_one = verb._check

    def check(*arguments: object) -> object:
        thread = threading.Thread(target=failing, args=[ValueError("in a thread")])
        thread.start()
        thread.join()
        return explore_one(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(verb, "_check", check)
    ran = desk.run("check")
    assert ran.code == 70
    assert "in a thread" in report_of(ran.err)


def test_a_report_goes_elsewhere_where_the_workspace_cannot_be_written(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (desk.root / ".lockstep").write_text("a file where the folder would be")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(verb, "_check", lambda *_: failing(ValueError("somewhere")))
    ran = desk.run("check", "turnstile")
    assert ran.code == 70
    report_of(ran.err)
    assert len(list(tmp_path.glob("internal-error-*.txt"))) == 1


def test_a_report_is_reported_where_nothing_can_be_written(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (desk.root / ".lockstep").write_text("a file where the folder would be")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    monkeypatch.setattr(verb, "_check", lambda *_: failing(ValueError("nowhere")))
    ran = desk.run("check", "turnstile")
    assert ran.code == 70
    assert "Traceback" in ran.err
    assert "the report cannot be written and is above" in ran.err.splitlines()[-1]


@pytest.mark.parametrize(
    "start", ["from lockstep.cli.main import main; main()", "import lockstep.__main__"]
)
def test_both_ways_to_start_it_end_alike(desk: "Desk", start: str) -> None:
    program = (
        "import sys, lockstep.workspace as w; sys.argv = ['lockstep', 'check']\n"
        f"def broken(*_): raise RuntimeError('mistaken')\nw.find_workspace = broken\n{start}"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(desk.root)},
    )
    assert ran.returncode == 70
    assert ran.stdout == ""
    assert "RuntimeError: mistaken" in ran.stderr.splitlines()[-1]


def test_a_signal_that_a_callback_swallows_ends_the_run_all_the_same(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    explore_one = verb._check

    class Swallowing:
        def __del__(self) -> None:
            INTERRUPTION._raise(signal.SIGTERM, None)

    def check(*arguments: object) -> object:
        Swallowing()
        return explore_one(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(verb, "_check", check)
    try:
        ran = desk.run("check")
    finally:
        INTERRUPTION.has_come = False
    assert (ran.code, ran.err) == (130, "lockstep: interrupted\n")
    assert "interrupted; not checked: turnstile" in ran.out


def test_arguments_that_cannot_be_read_are_not_a_verdict(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep.cli.app._group", lambda: failing(TypeError("parsing")))
    assert desk.run("check").code == 70

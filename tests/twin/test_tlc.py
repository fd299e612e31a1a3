from __future__ import annotations

import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.twin.dump import read_dump
from lockstep.twin.findings import INITIAL_LABEL, Findings
from lockstep.twin.tla_parser import ModelValue, TlaFunction, TlaValue
from lockstep.twin.tlc import (
    TlcOptions,
    TlcOutOfMemory,
    TlcProgress,
    TlcRun,
    TlcTimeout,
    run_tlc,
)
from lockstep.twin.tool_messages import ToolMessage
from tests.twin.counters import explore

DATA = Path(__file__).parent / "data"
COUNTERS = DATA / "Counters.tla"
ENDLESS = DATA / "Endless.tla"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that stands in for the system's temporary one."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def _config(folder: Path, text: str) -> Path:
    path = folder / "check.cfg"
    path.write_text(text)
    return path


def _counters(folder: Path, *lines: str, spec: str = "Spec") -> Path:
    members = "CONSTANT Processes = {p1, p2}"
    return _config(folder, "\n".join([f"SPECIFICATION {spec}", members, *lines]) + "\n")


def _count(one: int, other: int) -> TlaValue:
    return TlaFunction({ModelValue("p1"): one, ModelValue("p2"): other})


def test_a_module_that_holds_is_counted(tmp_path: Path) -> None:
    expected = explore(2)
    run = run_tlc(COUNTERS, _counters(tmp_path, "INVARIANT InRange"), TlcOptions(workers=1))
    assert (run.verdict, run.violated, run.message) == ("holds", None, "")
    assert run.initial == run.initial_generated == len(expected.initial)
    assert run.distinct == len(expected.states)
    assert run.transitions == expected.edges.total()
    assert run.steps == expected.steps
    assert run.generated == run.transitions + run.initial
    assert run.depth == run.steps + 1
    assert run.trace == ()
    assert 0 < run.seconds < 60


def test_initial_states_that_come_up_twice_are_no_transitions(tmp_path: Path) -> None:
    module = tmp_path / "Twice.tla"
    module.write_text(
        "---- MODULE Twice ----\nVARIABLE x\n"
        "Init == x \\in {1, 2} \\/ x \\in {2, 3}\nNext == x = 1 /\\ x' = 2\n====\n"
    )
    run = run_tlc(module, _config(tmp_path, "INIT Init\nNEXT Next\n"))
    assert (run.initial, run.initial_generated, run.generated) == (3, 4, 5)
    assert run.transitions == 1


def test_a_violated_invariant_comes_with_a_shortest_trace(tmp_path: Path) -> None:
    config = _counters(tmp_path, "INVARIANT InRange NeverAllFull")
    run = run_tlc(COUNTERS, config, TlcOptions(workers=1))
    assert (run.verdict, run.violated) == ("violated", "NeverAllFull")
    assert run.message == "Invariant NeverAllFull is violated."
    # Two increments of one process, and then the other catches up.
    assert [step.action for step in run.trace] == [
        INITIAL_LABEL,
        "Increment",
        "Increment",
        "CatchUp",
    ]
    assert run.trace[0].state["count"] == _count(0, 0)
    assert run.trace[-1].state["count"] == _count(2, 2)
    assert run.loops_to is None


def test_an_invariant_violated_at_the_start(tmp_path: Path) -> None:
    run = run_tlc(COUNTERS, _counters(tmp_path, "INVARIANT ClockAtZero"))
    assert (run.verdict, run.violated) == ("violated", "ClockAtZero")
    assert run.message == "Invariant ClockAtZero is violated by the initial state"
    assert run.trace == ((INITIAL_LABEL, {"count": _count(0, 0), "clock": -1}),)


def test_a_property_violated_at_the_start(tmp_path: Path) -> None:
    run = run_tlc(COUNTERS, _counters(tmp_path, "PROPERTY ClockAtZero"))
    assert (run.verdict, run.violated) == ("violated", "ClockAtZero")
    assert run.trace == ((INITIAL_LABEL, {"count": _count(0, 0), "clock": -1}),)


def test_a_violated_action_property_shows_the_step(tmp_path: Path) -> None:
    run = run_tlc(COUNTERS, _counters(tmp_path, "PROPERTY NeverTwo"), TlcOptions(workers=1))
    assert (run.verdict, run.violated) == ("violated", "NeverTwo")
    assert [step.action for step in run.trace] == [INITIAL_LABEL, "Increment", "Increment"]


def test_a_liveness_violation_that_stutters(tmp_path: Path) -> None:
    run = run_tlc(COUNTERS, _counters(tmp_path, "PROPERTY AllFullAtLast"))
    assert (run.verdict, run.violated) == ("violated", None)
    assert run.message == "Temporal properties were violated."
    assert run.trace[0].action == INITIAL_LABEL
    assert run.loops_to == len(run.trace) - 1


def test_a_liveness_violation_that_goes_round(tmp_path: Path) -> None:
    config = _counters(tmp_path, "PROPERTY AllZeroAgainAndAgain", spec="FairSpec")
    run = run_tlc(COUNTERS, config)
    assert run.verdict == "violated"
    assert run.loops_to is not None
    assert 0 <= run.loops_to < len(run.trace)
    assert all(step.state["count"] != _count(0, 0) for step in run.trace[run.loops_to :])


def test_a_deadlock_is_reported_only_when_it_is_looked_for(tmp_path: Path) -> None:
    config = _config(tmp_path, "INIT Init\nNEXT CountToDeadEnd\n")
    assert run_tlc(ENDLESS, config).verdict == "holds"
    run = run_tlc(ENDLESS, config, TlcOptions(check_deadlock=True))
    assert (run.verdict, run.violated, run.message) == ("deadlock", None, "Deadlock reached.")
    assert [step.state["n"] for step in run.trace] == [0, 1, 2, 3]


def test_an_expression_without_a_value_is_an_error_with_its_trace(tmp_path: Path) -> None:
    run = run_tlc(COUNTERS, _counters(tmp_path, "INVARIANT NoValue"), TlcOptions(workers=1))
    assert run.verdict == "error"
    assert "Evaluating invariant NoValue failed" in run.message
    assert run.trace[-1].state["count"] == _count(1, 1)


def test_a_module_that_does_not_parse_is_an_error_with_its_place(tmp_path: Path) -> None:
    module = tmp_path / "Broken.tla"
    module.write_text("---- MODULE Broken ----\nVARIABLE x\nInit == x = missing\n====\n")
    run = run_tlc(module, _config(tmp_path, "INIT Init\nNEXT Init\n"))
    assert run.verdict == "error"
    assert "line 3, col 13" in run.message
    assert "Unknown operator: `missing'" in run.message
    assert "Parsing file" not in run.message
    assert (run.generated, run.transitions, run.steps) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("SPECIFICATION Spec\n", "Processes is not assigned a value"),
        ("SPECIFICATOIN Spec\n", "error in the configuration file at line 1"),
        (
            "SPECIFICATION Spec\nCONSTANT Processes = {p1}\nINVARIANT Absent\n",
            "Absent specified in the configuration file",
        ),
    ],
)
def test_a_configuration_that_does_not_fit_is_an_error(
    tmp_path: Path, text: str, reported: str
) -> None:
    run = run_tlc(COUNTERS, _config(tmp_path, text))
    assert run.verdict == "error"
    assert reported in run.message


def test_a_folder_with_blanks_holds_module_configuration_and_dump(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("Counters.tla", "Bounds.tla"):
        (folder / name).write_text((DATA / name).read_text())
    graph = folder / "the graph"
    run = run_tlc(folder / "Counters.tla", _counters(folder), TlcOptions(dump=graph))
    assert run.verdict == "holds"
    assert len(read_dump(graph).states) == run.distinct


def test_what_a_constraint_keeps_out_is_counted_but_not_in_the_graph(tmp_path: Path) -> None:
    graph = tmp_path / "graph.dot"
    run = run_tlc(COUNTERS, _counters(tmp_path, "CONSTRAINT FewSteps"), TlcOptions(dump=graph))
    read = read_dump(graph)
    assert len(read.states) == run.distinct == 8
    assert len(read.edges) < run.transitions


def test_progress_is_reported_at_the_end_at_least(tmp_path: Path) -> None:
    seen: list[TlcProgress] = []
    run = run_tlc(COUNTERS, _counters(tmp_path), TlcOptions(on_progress=seen.append))
    last = seen[-1]
    assert (last.generated, last.distinct, last.queued) == (run.generated, run.distinct, 0)
    assert last.depth == run.depth
    assert 0 < last.seconds <= run.seconds


class _Recorded(subprocess.Popen[str]):
    """Remembers every process that is started."""

    started: list[_Recorded]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.started.append(self)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[_Recorded]:
    _Recorded.started = []
    monkeypatch.setattr(subprocess, "Popen", _Recorded)
    return _Recorded.started


def test_a_run_leaves_only_the_dump_behind(tmp_path: Path, scratch: Path) -> None:
    before = sorted(DATA.iterdir())
    config = _counters(tmp_path, "INVARIANT NeverAllFull", "PROPERTY AllFullAtLast")
    folder = tmp_path / "graphs"
    folder.mkdir()
    run_tlc(COUNTERS, config, TlcOptions(dump=folder / "graph.dot"))
    assert list(scratch.iterdir()) == []
    assert sorted(DATA.iterdir()) == before
    assert [path.name for path in folder.iterdir()] == ["graph.dot"]


def test_a_brief_run_finds_the_same(tmp_path: Path, processes: list[_Recorded]) -> None:
    expected = explore(2)
    run = run_tlc(COUNTERS, _counters(tmp_path), TlcOptions(workers=1, brief=True))
    assert (run.distinct, run.transitions) == (len(expected.states), expected.edges.total())
    command = processes[-1].args
    assert isinstance(command, list)
    assert "-XX:TieredStopAtLevel=1" in command


def test_modules_are_looked_for_in_the_library(tmp_path: Path) -> None:
    folder, library = tmp_path / "around it", tmp_path / "the library"
    folder.mkdir()
    library.mkdir()
    for name in ("Counters.tla", "Bounds.tla"):
        (library / name).write_text((DATA / name).read_text())
    module = folder / "Around.tla"
    module.write_text("---- MODULE Around ----\nEXTENDS Counters\n====\n")
    run = run_tlc(module, _counters(folder), TlcOptions(library=library))
    assert run.distinct == len(explore(2).states)


def test_a_liveness_property_goes_with_a_dump(tmp_path: Path) -> None:
    config = _counters(tmp_path, "PROPERTY AllFullAtLast")
    run = run_tlc(COUNTERS, config, TlcOptions(dump=tmp_path / "graph.dot"))
    assert (run.verdict, run.message) == ("violated", "Temporal properties were violated.")


def test_a_timeout_stops_tlc_and_is_inconclusive(
    tmp_path: Path, scratch: Path, processes: list[_Recorded]
) -> None:
    config = _config(tmp_path, "INIT Init\nNEXT Next\n")
    with pytest.raises(TlcTimeout, match="within 2 s") as raised:
        run_tlc(ENDLESS, config, TlcOptions(timeout=2, dump=tmp_path / "graph.dot"))
    assert raised.value.exit_code is ExitCode.INCONCLUSIVE
    assert processes[-1].poll() is not None
    assert list(scratch.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["check.cfg", "scratch"]


def test_ctrl_c_stops_tlc(
    tmp_path: Path,
    scratch: Path,
    processes: list[_Recorded],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(self: Findings, message: ToolMessage) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Findings, "take", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_tlc(ENDLESS, _config(tmp_path, "INIT Init\nNEXT Next\n"))
    assert processes[-1].poll() is not None
    assert list(scratch.iterdir()) == []


def test_running_out_of_memory_is_inconclusive(tmp_path: Path) -> None:
    config = _config(tmp_path, "INIT Init\nNEXT Huge\n")
    with pytest.raises(TlcOutOfMemory, match="with 32m of heap") as raised:
        run_tlc(ENDLESS, config, TlcOptions(heap="32m", timeout=60))
    assert raised.value.exit_code is ExitCode.INCONCLUSIVE


def test_a_heap_that_java_cannot_have_is_reported_in_its_words(tmp_path: Path) -> None:
    config = _config(tmp_path, "INIT Init\nNEXT Next\n")
    with pytest.raises(LockstepError, match="TLC did not start") as raised:
        run_tlc(ENDLESS, config, TlcOptions(heap="9000000g"))
    assert "heap" in raised.value.message


def test_runs_at_the_same_time_do_not_meet(tmp_path: Path) -> None:
    config = _counters(tmp_path)

    def run(_: int) -> TlcRun:
        return run_tlc(COUNTERS, config, TlcOptions(workers=1))

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(run, range(2))
    assert first.verdict == second.verdict == "holds"
    assert first.generated == second.generated


def test_a_missing_java_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LockstepError, match=r"^Java 17 or later is needed: .*PATH has no java"):
        run_tlc(COUNTERS, _counters(tmp_path))


@pytest.mark.parametrize(
    ("module", "config", "options", "reported"),
    [
        ("Absent.tla", "a.cfg", {}, "There is no TLC module"),
        ("Endless.tla", "absent.cfg", {}, "There is no TLC configuration"),
        ("Endless.txt", "a.cfg", {}, "must be a .tla file"),
        ("Endless.tla", "a.cfg", {"workers": 0}, "one worker or more"),
        ("Endless.tla", "a.cfg", {"heap": "lots"}, "not a size of Java's heap"),
        ("Endless.tla", "a.cfg", {"dump": Path("absent/graph.dot")}, "there is no folder absent"),
    ],
)
def test_what_cannot_be_run_is_refused_before_java_starts(
    tmp_path: Path,
    processes: list[_Recorded],
    module: str,
    config: str,
    options: dict[str, Any],
    reported: str,
) -> None:
    (tmp_path / "a.cfg").write_text("INIT Init\nNEXT Next\n")
    (tmp_path / "Endless.tla").write_text(ENDLESS.read_text())
    with pytest.raises(LockstepError, match=reported):
        run_tlc(tmp_path / module, tmp_path / config, TlcOptions(**options))
    assert processes == []

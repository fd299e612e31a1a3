import dataclasses
import itertools
import json
import shutil
import sys
from pathlib import Path

import pytest

from bench import __main__, process
from bench.bench import Bench
from bench.cases import MODELS, Case, load_case
from bench.machine import Machine
from bench.process import Run, measure
from bench.rows import Checks, Counts, Entrant, Row, Status, printed_counts
from bench.search import with_checks
from bench.table import as_json, markdown, ratios
from bench.tools import handwritten, lockstep, spin, tlc
from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.language.notation import Kind
from lockstep.specs.scopes import ModelSpec, Scope

ROOT = Path(__file__).resolve().parents[2]
_UNPINNED = ModelSpec(None, "anything", scopes={"default": Scope("default")})
ENTRANT = Entrant("somebody", Checks.STATES, "something")


@pytest.fixture(scope="module")
def case() -> Case:
    return load_case(ROOT, "fetch_response", "small")


def _run(
    seconds: float, *, output: str = "", exit_code: int = 0, ran_out_of_time: bool = False
) -> Run:
    return Run(seconds, 2 * seconds, 2**30, exit_code, output, ran_out_of_time)


def _right(case: Case) -> Counts:
    return Counts(case.states, case.transitions, case.depth)


@pytest.mark.daily(2)
@pytest.mark.parametrize("model", MODELS)
def test_the_program_by_hand_finds_what_there_is(model: str, tmp_path: Path) -> None:
    case = load_case(ROOT, model, "small")
    (row,) = handwritten.rows(case, Bench(tmp_path, tmp_path, limit=60.0, repeats=1))
    if row.status is Status.NOT_MEASURED:
        pytest.skip(f"not measured: {row.because}")
    assert (row.status, row.because) == (Status.MEASURED, "")
    assert row.counts == _right(case)


def test_a_peer_without_its_compiler_is_not_measured(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bench = Bench(tmp_path, tmp_path, limit=60.0, repeats=1)
    rows = [*handwritten.rows(case, bench), *spin.rows(case, bench)]
    assert [row.status for row in rows] == [Status.NOT_MEASURED] * 3
    assert rows[0].because == "no C++ compiler is installed"
    assert rows[1].because == "spin and gcc not installed"


@pytest.mark.parametrize("field", ["states", "transitions", "depth"])
def test_a_row_that_counts_otherwise_is_void(case: Case, field: str) -> None:
    wrong = dataclasses.replace(_right(case), **{field: 7})
    row = ENTRANT.row(case, [_run(1.0)], wrong)
    assert row.status is Status.VOID
    assert row.because == f"7 {field}, where there are {getattr(case, field):,}"
    assert "void" in markdown(case, [row])
    assert ratios(row, [row]) is None


def test_what_a_tool_does_not_count_is_not_held_against_it(case: Case) -> None:
    assert ENTRANT.row(case, [_run(1.0)], Counts(case.states)).status is Status.MEASURED


def test_a_row_needs_a_count_of_states_no_complaint_and_a_good_end(case: Case) -> None:
    silent = ENTRANT.row(case, [_run(1.0)], Counts())
    assert (silent.status, silent.because) == (
        Status.VOID,
        "it did not say how many states it found",
    )
    complaining = ENTRANT.row(case, [_run(1.0)], _right(case), complaint="something is violated")
    assert (complaining.status, complaining.because) == (Status.VOID, "something is violated")
    failed = ENTRANT.row(case, [_run(1.0, output="so long\n", exit_code=3)], _right(case))
    assert (failed.status, failed.because) == (Status.VOID, "exit code 3: so long")


def test_a_row_that_ran_out_of_time_says_how_far_it_came(case: Case) -> None:
    stopped = _run(600.0, exit_code=-9, ran_out_of_time=True)
    row = ENTRANT.row(case, [stopped], Counts(100, 900))
    assert row.status is Status.NOT_FINISHED
    assert row.because == "stopped after 600 s, when it had found 100 of 3,232 states"


def _rows(case: Case) -> list[Row]:
    def ours(checks: Checks, seconds: float) -> Row:
        return Entrant(lockstep.WARM, checks, "").row(case, [_run(seconds)], _right(case))

    return [
        ours(Checks.ALL, 4.0),
        ours(Checks.STATES, 2.0),
        ENTRANT.row(case, [_run(9.0), _run(5.0)], _right(case)),
        ENTRANT.row(case, [_run(600.0, ran_out_of_time=True)], Counts(case.states // 2)),
        Entrant("another", Checks.NONE, "").row(case, [_run(5.0)], _right(case)),
    ]


def test_a_row_is_compared_with_the_one_that_checks_as_much(case: Case) -> None:
    rows = _rows(case)
    assert [ratios(row, rows) for row in rows] == [
        (1.0, 1.0),
        (1.0, 1.0),
        (2.5, 2.5),
        (600.0, 600.0),
        None,
    ]


def test_a_row_that_did_not_say_how_far_it_came_is_not_compared(case: Case) -> None:
    row = ENTRANT.row(case, [_run(600.0, ran_out_of_time=True)], Counts())
    assert ratios(row, _rows(case)) is None


def test_the_table_has_a_line_for_each_row_and_a_note_for_what_is_amiss(case: Case) -> None:
    lines = markdown(case, _rows(case)).splitlines()
    assert lines[2] == "3,232 states, 10,608 transitions, depth 23."
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    assert {len(line) for line in cells} == {10}
    fastest = "5.0", "10.0", "", "1,024", str(round(2**30 / 3232)), "0.00", "2.50", "2.50"
    assert cells[4] == ["somebody", "states", *fastest]
    stopped = ">600.0", ">1200.0", "", "1,024", "", "0.00", "~600.00", "~600.00"
    assert cells[5] == ["somebody", "states", *stopped]
    note = (
        "- somebody (states): not finished: stopped after 600 s, when it had found 1,616 of 3,232"
    )
    assert lines[-2:] == ["", f"{note} states"]


def test_the_json_has_what_the_table_has(case: Case) -> None:
    machine = Machine("2026-01-01", "a processor", 2, 24.0, "Linux", 0.1, {"python": "3.11"})
    document = json.loads(as_json(machine, [(case, _rows(case))]))
    assert document["machine"]["cores"] == 2
    rows = document["cases"][0]["rows"]
    assert [row["wall_ratio"] for row in rows] == [1.0, 1.0, 2.5, 600.0, None]
    assert rows[2]["seconds"] == 5.0
    assert rows[2]["runs"] == 2
    assert rows[2]["counts"] == {"states": 3232, "transitions": 10608, "depth": 23}


def test_counts_are_read_from_what_the_tools_print(case: Case) -> None:
    assert printed_counts("states 12\ntransitions 34\nbytes 8\n") == Counts(12, 34)
    printed = (
        "Progress(5) at 2026: 1,000 states generated (9 s/min), 500 distinct states found (9 "
        "ds/min), 3 states left on queue.\n"
        "10609 states generated, 3232 distinct states found, 0 states left on queue.\n"
    )
    assert tlc._counts(printed) == Counts(3232, 10608)
    assert tlc._counts("nothing") == Counts()


def test_spin_prints_eight_digits_of_its_transitions(case: Case) -> None:
    def counts(transitions: int, printed: str) -> Counts:
        output = f"     3232 states, stored\n{printed} transitions (= stored+matched)\n"
        changed = dataclasses.replace(case, transitions=transitions)
        return spin._counts(changed, _run(1.0, output=output))

    assert counts(10_608, "    10609") == Counts(3232, 10_608)
    assert counts(10_608, "    10610") == Counts(3232, 10_609)
    assert counts(131_769_216, "1.3176922e+08") == Counts(3232, 131_769_216)
    assert counts(131_769_300, "1.3176922e+08") == Counts(3232, 131_769_219)


def test_a_search_of_spins_that_is_not_complete_is_void() -> None:
    assert spin._complaint("State-vector 20 byte, depth reached 9, errors: 0") == ""
    assert spin._complaint("error: max search depth too small\nerrors: 0") != ""
    assert spin._complaint("pan:1: assertion violated x\nerrors: 1") != ""
    assert spin._complaint("killed") != ""


_NEVER = '''

@leads_to("9-1")
def nobody_pays(s, g: Gate):
    """What never comes is said to come."""
    return s.coins[g] == 0, s.entries[g] > s.coins[g]
'''


def test_the_whole_search_is_measured_each_time_and_no_liveness(tmp_path: Path) -> None:
    """The scope would be violated, or not conclusive, with what must come to pass."""
    root = tmp_path / "turnstile"
    shutil.copytree(ROOT / "tests" / "workspaces" / "turnstile", root)
    claims = root / "invariants" / "turnstile.py"
    text = claims.read_text("utf-8").replace("import invariant,", "import invariant, leads_to,")
    claims.write_text(text + _NEVER, "utf-8")
    turnstile = load_case(root, "turnstile", "default")
    bench = Bench(tmp_path, tmp_path, limit=60.0, repeats=2)
    rows = list(itertools.islice(lockstep.rows(turnstile, bench), 2))
    assert [(row.tool, row.status, row.because) for row in rows] == [
        (lockstep.COLD, Status.MEASURED, ""),
        (lockstep.WARM, Status.MEASURED, ""),
    ]
    for row in rows:
        assert row.run is not None
        (result,) = json.loads(row.run.output)["results"]
        assert result["since"] is None
    config = tlc._config(turnstile, root / "tla" / "MCTurnstile.cfg")
    assert "NobodyPays" not in config
    assert "EntriesArePaid" in config


def test_what_is_said_of_progress_is_no_result(tmp_path: Path) -> None:
    """A search of ten seconds says on standard error how far it is: its row was void."""
    program = "import sys; print('{}'); print('lockstep: 10 s  large', file=sys.stderr)"
    run = measure([sys.executable, "-c", program], tmp_path)
    assert (run.output, run.errors) == ("{}\n", "lockstep: 10 s  large\n")
    assert run.last_words == "lockstep: 10 s  large"


def test_a_scope_that_a_peer_is_not_written_for_is_not_measured(tmp_path: Path) -> None:
    case = load_case(ROOT, "fetch_session", "two_fetchers")
    (row,) = handwritten.rows(case, Bench(tmp_path, tmp_path, limit=60.0, repeats=1))
    assert row.status is Status.NOT_MEASURED
    assert row.because in (
        "it is written for other scopes: one consumer, one partition",
        "no C++ compiler is installed",
    )


@pytest.mark.parametrize(("states", "code"), [(3232, 0), (7, 1)])
def test_a_void_row_ends_the_bench_with_an_error(
    states: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(case: Case, bench: Bench) -> list[Row]:
        return [ENTRANT.row(case, [_run(1.0)], Counts(states))]

    monkeypatch.setattr(__main__, "TOOLS", {"lockstep": rows})
    options = ["--scope", "small", "--models", "fetch_response", "--results", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["bench", *options])
    assert __main__.main() == code


def test_fewer_checks_leave_the_rest_of_the_model_alone() -> None:
    model = load_model(ROOT, "fetch_response")
    states = with_checks(model, Checks.STATES)
    assert {prop.kind for prop in states.properties} == {Kind.INVARIANT, Kind.SOMETIMES}
    assert with_checks(model, Checks.NONE).properties == ()
    whole = with_checks(model, Checks.ALL)
    assert whole == model.without(Kind.LEADS_TO)
    assert states.actions == model.actions


def test_constants_are_reported_as_numbers(case: Case) -> None:
    assert case.numbers["PARTITIONS"] == 2
    session = load_case(ROOT, "fetch_session", "large").numbers
    assert (session["SESSION_IDS"], session["MAX_FETCHER_LOG_START"]) == (2, -1)
    odd = dataclasses.replace(case, constants={"SESSION_IDS": (1, 3)})
    with pytest.raises(LockstepError, match=r"SESSION_IDS = \(1, 3\) is not 1, 2, 3"):
        _ = odd.numbers


def test_a_scope_without_pinned_counts_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.cases.load_model_spec", lambda root, model: _UNPINNED)
    with pytest.raises(LockstepError, match="does not pin its counts"):
        load_case(tmp_path, "anything", "default")


def test_a_process_is_measured_whole() -> None:
    busy = "print(sum(range(3_000_000)))"
    run = measure([sys.executable, "-c", busy], ROOT, environment={"ADDED": "1"})
    assert run.output == "4499998500000\n"
    assert (run.exit_code, run.ran_out_of_time) == (0, False)
    assert run.cpu_seconds > 0
    assert run.seconds > 0
    assert run.peak_bytes > 2**20


BUSY = "import time\nwhile time.process_time() < 0.5: pass\n"


@pytest.mark.parametrize("starts", ["run", "Popen"])
def test_the_time_of_processes_of_processes_counts_once(starts: str) -> None:
    """Whether the one that started them waits for them, or ends at once and leaves them behind."""
    before = set(process._children())
    nested = f"import subprocess, sys; subprocess.{starts}([sys.executable, '-c', {BUSY!r}])"
    run = measure([sys.executable, "-c", nested], ROOT)
    assert run.exit_code == 0
    assert 0.5 <= run.cpu_seconds < 1.0
    assert set(process._children()) <= before


def test_the_time_of_a_process_that_nobody_waits_for_is_seen() -> None:
    lingers = f"{BUSY}time.sleep(1)"
    ignores = "import signal, subprocess, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    nested = f"{ignores}; subprocess.run([sys.executable, '-c', {lingers!r}])"
    assert measure([sys.executable, "-c", nested], ROOT).cpu_seconds >= 0.5


def test_what_a_stopped_process_leaves_behind_is_ended_too() -> None:
    before = set(process._children())
    left = "import time; time.sleep(60)"
    leaves = f"[sys.executable, '-c', {left!r}], start_new_session=True"
    waits = f"import subprocess, sys, time; subprocess.Popen({leaves}); time.sleep(60)"
    assert measure([sys.executable, "-c", waits], ROOT, limit=1.0).ran_out_of_time
    assert set(process._children()) <= before


def test_a_process_is_stopped_in_time() -> None:
    wait = "import time; print('begun', flush=True); time.sleep(60)"
    run = measure([sys.executable, "-c", wait], ROOT, limit=1.0)
    assert run.ran_out_of_time
    assert run.seconds < 30


def test_short_runs_are_repeated_and_long_ones_are_not(tmp_path: Path) -> None:
    bench = Bench(tmp_path, tmp_path, limit=60.0, repeats=3)
    assert len(bench.runs(lambda: _run(1.0))) == 3
    assert len(bench.runs(lambda: _run(31.0))) == 1
    assert len(bench.runs(lambda: _run(1.0, exit_code=2))) == 1

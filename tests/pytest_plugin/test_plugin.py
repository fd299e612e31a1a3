"""What pytest collects of a workspace, and what becomes of it."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.pytest_plugin.conftest import Project

ROOT = Path(__file__).parents[2]
ALL = [
    "lockstep.toml.every_file_is_read",
    "lockstep.toml.requirements",
    "specs.turnstile.toml.check[small]",
    "specs.turnstile.toml.check[default]",
    "specs.turnstile.toml.fault[stays_open]",
    "specs.turnstile.toml.fault[kicked_open]",
    "specs.turnstile.toml.every_claim_is_caught",
    "specs.turnstile.toml.twin[small]",
    "specs.turnstile.toml.twin[default]",
]
CHECKS = ALL[2:4]
MODEL = "models/turnstile.py"
FAULTS = "models/faults/turnstile.py"


def test_it_is_an_entry_point_of_the_installed_package() -> None:
    """Where this fails, the environment is older than the entry point: `make .venv/.installed`."""
    assert [one.value for one in entry_points(group="pytest11", name="lockstep")] == [
        "lockstep.pytest_plugin.plugin"
    ]


def test_everything_passes_though_each_warning_is_an_error(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nstrict = true\nfilterwarnings =\n    error\n" + EDITABLE)
    run = project.pytest("--lockstep", "-q")
    assert (run.code, list(run.outcomes)) == (0, ALL)
    assert run.ids("passed") == ALL
    assert run.properties["specs.turnstile.toml.check[default]"] == {
        **{"verdict": "holds", "states": "64", "transitions": "208", "depth": "10"}
    }
    assert "warning" not in run.out
    assert run.err == ""


EDITABLE = (
    "    ignore:Module already imported so cannot be rewritten; _editable"
    ":pytest.PytestAssertRewriteWarning\n"
)
"""Of an editable install, which the tests run with."""


def test_several_processes_find_the_same(project: Project) -> None:
    run = project.pytest("--lockstep", "-q", "-n", "2")
    assert (run.code, sorted(run.ids("passed"))) == (0, sorted(ALL))


def test_nothing_is_collected_or_loaded_unless_it_is_switched_on(project: Project) -> None:
    project.write(
        "test_own.py",
        "import sys\n"
        "def test_own():\n"
        "    assert 'lockstep.pytest_plugin.plugin' in sys.modules\n"
        "    heavy = ('lockstep.verbs', 'lockstep.plain', 'numpy', 'llvmlite', 'z3')\n"
        "    assert not sys.modules.keys() & {*heavy, 'lockstep.pytest_plugin.items'}\n",
    )
    run = project.pytest("-q", "-p", "no:hypothesispytest")
    assert (run.code, list(run.outcomes)) == (0, ["test_own.test_own"])


def test_the_plugin_can_be_left_out(project: Project) -> None:
    run = project.pytest("--lockstep", "-p", "no:lockstep")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "unrecognized arguments: --lockstep" in run.err


def test_an_ini_option_says_which_kinds_there_are(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nlockstep = check\n")
    run = project.pytest("-q", "-k", "specs")
    assert (run.code, list(run.outcomes)) == (0, CHECKS)


def test_a_kind_that_there_is_not_is_refused(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nlockstep = chekc\n")
    run = project.pytest("-q")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "names 'chekc', which is no kind of claims\n  cure: did you mean check?" in run.err


def test_without_a_workspace_it_says_so(tmp_path: Path) -> None:
    run = Project(tmp_path).pytest("--lockstep", "--rootdir", str(tmp_path))
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "there is no workspace in" in run.err


def test_the_workspace_comes_with_testpaths_but_not_with_a_path(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\ntestpaths = tests\nlockstep = check\n")
    project.write("tests/test_own.py", "def test_own():\n    pass\n")
    run = project.pytest("-q", "-n", "1")
    assert (run.code, sorted(run.outcomes)) == (
        0,
        [ALL[0], *sorted(CHECKS), "tests.test_own.test_own"],
    )
    assert list(project.pytest("-q", "tests").outcomes) == ["tests.test_own.test_own"]
    one = project.pytest("-q", "specs/turnstile.toml::check[small]")
    assert (one.code, one.ids("passed")) == (0, CHECKS[:1])


def test_other_scopes_are_checked_only_when_they_are_named(project: Project) -> None:
    project.write(
        "specs/turnstile.toml",
        '[model]\nname = "turnstile"\nrequirements = ["kip_9"]\n'
        "[scopes.default]\nconstants = { MAX_COINS = 1 }\n[scopes.large]\n",
    )
    project.write("pytest.ini", "[pytest]\nlockstep = check\n")
    assert list(project.pytest("-q", "specs").outcomes) == CHECKS[1:]
    large = project.pytest("-q", "specs", "--lockstep-scope", "large")
    assert list(large.outcomes) == ["specs.turnstile.toml.check[large]"]
    every = project.pytest("-q", "specs", "--lockstep-scope", "all")
    assert list(every.outcomes) == [CHECKS[1], *large.outcomes]
    unknown = project.pytest("--lockstep-scope", "lagre")
    assert unknown.code == pytest.ExitCode.USAGE_ERROR
    assert "no model has such a scope\n  cure: did you mean large?" in unknown.err


def test_a_violation_is_shown_and_the_line_below_shows_it_again(project: Project) -> None:
    paid_back = "    new.entries[g] = s.entries[g] + 1\n    new.coins[g] = 0\n"
    project.edit(MODEL, "    new.entries[g] = s.entries[g] + 1\n", paid_back)
    run = project.pytest("--lockstep", "-q", "-k", "check and small")
    assert (run.code, run.ids("failure")) == (1, CHECKS[:1])
    assert "check[small] - violated: entries_are_paid" in run.out  # in the short summary
    assert "entries[east]: 0 -> 1" in run.out
    assert "Traceback" not in run.out
    again = next(line for line in run.out.splitlines() if "reproduce with" in line).split()[2:]
    replayed = subprocess.run(
        [sys.executable, "-m", *again], cwd=project.root, capture_output=True, text=True
    )
    assert replayed.returncode == 1
    assert "entries_are_paid" in replayed.stdout


def test_what_is_not_decided_is_a_failure(project: Project) -> None:
    project.edit("specs/turnstile.toml", "[scopes.small.idle]", "[scopes.large.idle]")
    run = project.pytest("--lockstep", "-q", "-k", "check and small")
    assert (run.code, run.ids("failure")) == (1, CHECKS[:1])
    assert "inconclusive" in run.out
    assert "reproduce with  lockstep check turnstile --scope small" in run.out


def test_a_fault_that_another_claim_catches_fails_with_its_behaviour(project: Project) -> None:
    project.edit(FAULTS, 'breaks="opens_only_for_a_coin"', 'breaks="entries_are_paid"')
    run = project.pytest("--lockstep", "-q", "-k", "_open")
    assert run.outcomes == {ALL[4]: "passed", ALL[5]: "failure"}
    assert "turnstile.kicked_open: caught first by opens_only_for_a_coin" in run.out
    assert "arm[east]: LOCKED -> OPEN" in run.out


def test_a_claim_that_no_fault_breaks_fails(project: Project) -> None:
    text = project.root.joinpath(FAULTS).read_text().partition("@fault(breaks")[0]
    project.write(FAULTS, text)
    run = project.pytest("--lockstep", "-q", "-k", "_open or every_claim")
    assert run.ids("failure") == ["specs.turnstile.toml.every_claim_is_caught"]
    assert "turnstile.opens_only_for_a_coin: no fault breaks it first" in run.out


def test_twins_are_skipped_without_java_and_the_last_lines_say_so(project: Project) -> None:
    twins = ("--lockstep", "-q", "-k", "twin")
    run = project.pytest(*twins, PATH="/nowhere", JAVA_HOME="")
    assert (run.code, run.ids("skipped")) == (0, ALL[-2:])
    assert "lockstep: 2 twins not compared: Java 17 or later is needed" in run.out


def test_a_model_without_a_file_of_scopes_is_checked(project: Project) -> None:
    project.root.joinpath("specs/turnstile.toml").unlink()
    run = project.pytest("--lockstep", "-q", "-k", "check")
    assert list(run.outcomes) == ["models.turnstile.check[default]"]


def test_a_damaged_file_of_scopes_is_an_error_of_the_run(project: Project) -> None:
    project.edit("specs/turnstile.toml", "[scopes.small]", "[scopes.small")
    run = project.pytest("--lockstep", "-q")
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "specs/turnstile.toml" in run.out
    assert "Traceback" not in run.out


def test_a_file_that_nothing_reads_fails(project: Project) -> None:
    project.write("invariants/turnstyle.py", "from models.turnstile import Gate\n")
    run = project.pytest("--lockstep", "-q", "-k", "every_file")
    assert (run.code, run.ids("failure")) == (1, ALL[:1])
    assert "did you mean turnstile?" in run.out


def test_a_workspace_without_models_fails(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("lockstep.toml", '[workspace]\nname = "empty"\n')
    run = project.pytest("--lockstep", "-q", "--rootdir", str(tmp_path))
    assert run.code != 0
    assert "has no models" in run.out + run.err


def test_recorded_logs_are_followed(project: Project) -> None:
    project.write(
        "pytest.ini", "[pytest]\nlockstep = samples\nlockstep_samples =\n    logs/*.log\n"
    )
    refused = project.pytest("-q")
    assert refused.code == pytest.ExitCode.USAGE_ERROR
    assert "the pattern 'logs/*.log', which fits no file" in refused.err
    project.write("logs/one.log", "")
    run = project.pytest("-q", "logs")
    assert list(run.outcomes) == ["logs.one.log.conforms"]
    assert "reproduce with  lockstep conform logs/one.log" in run.out


@pytest.mark.parametrize("is_in_workspace", [False, True])
def test_logs_are_followed_through_kafkas_models(
    project: Project, tmp_path: Path, is_in_workspace: bool
) -> None:
    """In a workspace of somebody's own, and where there is none."""
    if not is_in_workspace:
        project = Project(tmp_path / "logs-alone")
    ini = "[pytest]\nlockstep = samples\nlockstep_samples = logs/*.log\n"
    project.write("pytest.ini", ini)
    whole = (ROOT / "tests/data/request-log/java-consumer.log").read_text("utf-8")
    project.write("logs/whole.log", whole)
    project.write("logs/wrong.log", whole.replace('"sessionEpoch":3,', '"sessionEpoch":4,'))
    run = project.pytest("-q", "logs", "--rootdir", str(project.root))
    assert run.ids("passed") == ["logs.whole.log.conforms"], run.out + run.err
    assert run.ids("failure") == ["logs.wrong.log.conforms"]

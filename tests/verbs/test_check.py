"""`lockstep.verbs` from Python: no terminal, results as objects."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.requests.run import OnProgress, Watch
from lockstep.results.search_result import Progress
from lockstep.results.verdict import Verdict
from lockstep.verbs.check import Checked, CheckRequest, CheckResult, Unchecked, check
from lockstep.verbs.faults import FaultsRequest, faults
from lockstep.workspace import Workspace, find_workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    return find_workspace(root)


def edit(workspace: Workspace, file: str, old: str, new: str) -> None:
    path = workspace.root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_results_come_one_by_one_and_print_nothing(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    results: list[CheckResult] = []
    run = check(CheckRequest(workspace=workspace), on_result=results.append)
    assert tuple(results) == run.results
    assert [result.verdict for result in run.results] == [Verdict.VIOLATED, Verdict.HOLDS]
    assert (run.exit_code, run.pending) == (0, ()), "the violation is pinned"
    assert capsys.readouterr() == ("", "")


def test_a_model_that_cannot_be_loaded_is_a_result(workspace: Workspace) -> None:
    edit(workspace, "models/letters.py", "    require(", "    requires(")
    letters, turnstile = check(CheckRequest(workspace=workspace)).results
    assert isinstance(letters, Unchecked)
    assert (letters.exit_code, turnstile.exit_code) == (2, 0)


class Onlooker(Watch):
    """Remembers what it looked on at, and interrupts one of the searches."""

    def __init__(self, interrupted: str = "") -> None:
        self.titles: list[tuple[str, int | None]] = []
        self._interrupted = interrupted

    @contextmanager
    def search(
        self, title: str, expected: int | None
    ) -> Iterator[Callable[[Progress], None] | None]:
        self.titles.append((title, expected))
        if title == self._interrupted:
            raise KeyboardInterrupt
        yield None


def test_who_looks_on_is_informed_of_each_search(workspace: Workspace) -> None:
    onlooker = Onlooker()
    check(CheckRequest(workspace=workspace), watch=onlooker)
    assert onlooker.titles == [("letters default", 83), ("turnstile default", 64)]


def test_what_an_interrupt_prevents_is_pending(workspace: Workspace) -> None:
    run = check(CheckRequest(workspace=workspace), watch=Onlooker("turnstile default"))
    assert [isinstance(result, Checked) for result in run.results] == [True]
    assert (run.pending, run.exit_code) == (("turnstile",), 130)
    broken = faults(FaultsRequest(("turnstile",), workspace), watch=Onlooker("turnstile fault"))
    assert not broken.interrupted


def test_only_some_properties_are_checked(workspace: Workspace) -> None:
    request = CheckRequest(("turnstile",), workspace, only=("entries_are_paid",))
    (result,) = check(request).results
    assert isinstance(result, Checked)
    assert [prop.name for prop in result.model.properties] == ["entries_are_paid"]
    assert result.judgement.pins is None, "a part is not compared with what the whole is pinned to"
    request = CheckRequest(("turnstile",), workspace, omitted=("entries_are_paid",))
    (result,) = check(request).results
    assert isinstance(result, Checked)
    assert "entries_are_paid" not in [prop.name for prop in result.model.properties]
    assert len(result.model.properties) == 2


def test_an_unknown_property_names_the_nearest(workspace: Workspace) -> None:
    request = CheckRequest(("turnstile",), workspace, only=("entries_are_pade",))
    (result,) = check(request).results
    assert isinstance(result, Unchecked)
    assert "did you mean entries_are_paid?" in str(result.error)


def test_a_check_goes_on_past_a_violation(workspace: Workspace) -> None:
    claims = "\n".join(
        f"\n@invariant\ndef fewer_than_{most}(s, g: Gate):\n    return s.coins[g] < {most}\n"
        for most in (1, 2)
    )
    file = workspace.root / "invariants" / "turnstile.py"
    file.write_text(file.read_text("utf-8") + claims, encoding="utf-8")
    request = CheckRequest(("turnstile",), workspace, scope="default", goes_on=True)
    (result,) = check(request).results
    assert isinstance(result, Checked)
    traces = [one.trace for one in (result, *result.others)]
    shortest = {
        one.result.violation.properties: len(one.trace.steps)
        for one in (result, *result.others)
        if one.result.violation is not None and one.trace is not None
    }
    assert shortest == {("fewer_than_1",): 1, ("fewer_than_2",): 3}
    assert len({one.saved for one in (result, *result.others)}) == len(traces) == 2
    (stopped,) = check(CheckRequest(("turnstile",), workspace, scope="default")).results
    assert isinstance(stopped, Checked)
    assert (stopped.others, stopped.rest) == ((), None)


FEW_COINS = """

@invariant
def there_are_no_coins(s, g: Gate):
    return s.coins[g] < 1


@step_invariant
def each_gate_gives_change(s, new, g: Gate):
    when(s.entries[g] > 5)
    return s.coins[g] < 6
"""


def add_claims(workspace: Workspace, text: str) -> None:
    file = workspace.root / "invariants" / "turnstile.py"
    file.write_text(file.read_text("utf-8") + text, encoding="utf-8")


def checked_all(workspace: Workspace, watch: Watch = Watch(), **options: object) -> Checked:
    request = CheckRequest(("turnstile",), workspace, goes_on=True, **options)  # type: ignore[arg-type]
    (result,) = check(request, watch=watch).results
    assert isinstance(result, Checked)
    return result


def test_the_rest_is_judged_where_a_property_is_violated(workspace: Workspace) -> None:
    add_claims(workspace, FEW_COINS)
    onlooker = Onlooker()
    result = checked_all(workspace, onlooker)
    assert isinstance(result.rest, Checked)
    assert len(result.rest.model.properties) == 4
    assert result.rest.result.states == 64
    assert result.rest.verdict is Verdict.INCONCLUSIVE
    assert "premise never true in this scope: each_gate" in result.rest.judgement.because
    titles = [title for title, _ in onlooker.titles]
    assert titles == ["turnstile default", "turnstile default, the rest"]


def test_a_rest_that_is_not_explored_to_its_end_says_so(workspace: Workspace) -> None:
    add_claims(workspace, FEW_COINS)
    result = checked_all(workspace, max_states=20, engine="python")
    assert isinstance(result.rest, Checked)
    assert result.rest.verdict is Verdict.INCONCLUSIVE
    assert "stopped as bounded" in result.rest.judgement.because


def test_a_rest_that_is_interrupted_leaves_the_violation(workspace: Workspace) -> None:
    add_claims(workspace, FEW_COINS)
    result = checked_all(workspace, Onlooker("turnstile default, the rest"))
    assert result.result.violated == ("there_are_no_coins",)
    assert isinstance(result.rest, Checked)
    assert (result.rest.verdict, result.exit_code) == (Verdict.INCONCLUSIVE, 130)


def test_a_rest_that_cannot_be_explored_leaves_the_violation(workspace: Workspace) -> None:
    add_claims(workspace, FEW_COINS)

    class Full(Watch):
        def search(
            self, title: str, expected: int | None
        ) -> AbstractContextManager[OnProgress | None]:
            if title.endswith("rest"):
                raise LockstepError("no room for the rest")
            return nullcontext(None)

    result = checked_all(workspace, Full())
    assert result.result.violated == ("there_are_no_coins",)
    assert isinstance(result.rest, Unchecked)
    assert (str(result.rest.error), result.exit_code) == ("no room for the rest", 2)


def test_a_deadlock_does_not_hide_the_rest(workspace: Workspace) -> None:
    """Jammed gates, which nobody mends, are stuck long before each gate is full."""
    edit(workspace, "models/turnstile.py", "require(s.arm[g] != Arm.OPEN)", "require(False)")
    add_claims(
        workspace,
        "\n@invariant\ndef never_full(s):\n"
        "    return any(s.entries[g] < MAX_COINS for g in Gate)\n",
    )
    edit(workspace, "invariants/turnstile.py", "import Arm, Gate", "import MAX_COINS, Arm, Gate")
    result = checked_all(workspace)
    assert result.result.violated == ("deadlock",)
    (other,) = result.others
    assert other.result.violated == ("never_full",)
    assert isinstance(result.rest, Checked)
    assert [prop.name for prop in result.rest.model.properties] == [
        "entries_are_paid",
        "opens_only_for_a_coin",
        "somebody_gets_in",
    ]
    assert result.rest.judgement.because == "never fired in this scope: collect"


def test_where_no_property_is_left_there_is_no_rest(workspace: Workspace) -> None:
    add_claims(workspace, FEW_COINS)
    result = checked_all(workspace, only=("there_are_no_coins",))
    assert result.result.violated == ("there_are_no_coins",)
    assert (result.others, result.rest) == ((), None)


@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        ({"engine": "steam"}, "the engines are: auto, compiled, python"),
        ({"only": ("a",), "omitted": ("b",)}, "--only does not go with --except"),
        ({"simulate": 3, "symmetry": True}, "--simulate does not go with --symmetry"),
        ({"pin": True, "fault": "stays_open"}, "--pin writes what a scope gives as it stands"),
    ],
)
def test_a_request_that_contradicts_itself_is_refused(
    wrong: dict[str, object], reported: str
) -> None:
    with pytest.raises(LockstepError, match=reported):
        CheckRequest(**wrong)  # type: ignore[arg-type]


def test_the_command_that_asks_the_same_again() -> None:
    request = CheckRequest(
        scope="small", constants={"MAX": 2, "NAMES": ("a b", "c")}, memory=2**20, liveness=True
    )
    assert request.again("gate") == (
        'lockstep check gate --scope small --set MAX=2 --set NAMES=\'["a b", "c"]\' '
        "--memory 1048576B --liveness"
    )


def test_a_fault_that_does_not_load_leaves_the_others(workspace: Workspace) -> None:
    edit(workspace, "models/faults/turnstile.py", "s.entries[g] + 1", "s.entries(g) + 1")
    (model,) = faults(FaultsRequest(("turnstile",), workspace)).results
    assert [run.name for run in model.runs] == ["kicked_open"]
    assert len(model.errors) == 1
    assert model.exit_code == 2

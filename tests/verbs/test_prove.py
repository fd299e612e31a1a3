"""Proofs from a script: nothing is printed, and all that a reader would see is in the result."""

import shutil
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.requests.prove import AskOptions
from lockstep.results.verdict import Verdict
from lockstep.verbs.ask import Compared, Searched, ask
from lockstep.verbs.prove import Proved, ProveRequest, Result, Unproved, prove
from lockstep.workspace import Workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    return Workspace(root, "turnstile")


def test_each_result_is_reported_when_it_is_there(
    workspace: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    results: list[Result] = []
    (workspace.root / "specs" / "letters.toml").write_text("[")
    request = ProveRequest(("turnstile", "letters"), workspace, scope="small", depth=2)
    run = prove(request, on_result=results.append)
    assert list(run.results) == results
    turnstile, letters = results
    assert isinstance(turnstile, Proved)
    assert turnstile.verdict is Verdict.INCONCLUSIVE
    assert isinstance(letters, Unproved)
    assert (run.exit_code, run.pending) == (2, ())
    assert capfd.readouterr() == ("", "")


def test_a_model_that_is_not_there_is_refused(workspace: Workspace) -> None:
    with pytest.raises(LockstepError, match="there is no model 'none'"):
        prove(ProveRequest(("turnstile", "none"), workspace))


def test_a_violation_comes_with_its_behaviour_and_its_file(
    workspace: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    run = prove(ProveRequest(("turnstile",), workspace, scope="small", fault="stays_open"))
    (proved,) = run.results
    assert isinstance(proved, Proved)
    assert proved.violation is not None
    assert proved.violation.properties == ("entries_are_paid",)
    assert proved.counterexample is not None
    assert proved.counterexample.file is not None
    assert proved.counterexample.file.is_file()
    assert run.exit_code == 1
    assert capfd.readouterr() == ("", "")


def test_a_workspace_without_proofs(workspace: Workspace) -> None:
    with pytest.raises(LockstepError, match="no model here has a proof"):
        prove(ProveRequest(workspace=workspace))


def test_a_search_and_a_comparison_print_nothing(
    workspace: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    request = ProveRequest(("turnstile",), workspace)
    searched = ask(request, AskOptions(find="s.entries['east'] > 0"))
    assert isinstance(searched, Searched)
    assert (searched.verdict, searched.exit_code) == (Verdict.HOLDS, 0)
    assert searched.trace is not None
    assert [step.action for step in searched.trace.steps] == ["coin", "push"]
    compared = ask(request, AskOptions(equal=("push", "jam")))
    assert isinstance(compared, Compared)
    assert (compared.verdict, compared.exit_code) == (Verdict.VIOLATED, 1)
    assert compared.contrast is not None
    assert capfd.readouterr() == ("", "")

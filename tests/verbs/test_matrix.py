"""The requirement matrix from Python: a request, a result, and nothing printed."""

import shutil
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.verbs.matrix import MatrixRequest, matrix
from lockstep.workspace import Workspace, find_workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    return find_workspace(root)


@pytest.mark.parametrize("models", [(), ("turnstile",)])
def test_every_requirement_is_there_and_nothing_is_printed(
    workspace: Workspace, models: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    result = matrix(MatrixRequest(models, workspace))
    assert [row.id for row in result.requirements] == ["9-1", "9-2", "9-3", "9-4"]
    assert (result.problems, result.exit_code) == ([], 0)
    assert capsys.readouterr() == ("", "")


def test_a_reference_that_leads_nowhere_is_a_problem(workspace: Workspace) -> None:
    file = workspace.root / "specs" / "kip_9.toml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("action turnstile.coin", "action turnstile.pay"), "utf-8")
    result = matrix(MatrixRequest(workspace=workspace))
    assert len(result.problems) == 1
    assert result.exit_code == 1


def test_models_without_requirements_are_refused(workspace: Workspace) -> None:
    with pytest.raises(LockstepError, match="letters: there are no requirements"):
        matrix(MatrixRequest(("letters",), workspace))

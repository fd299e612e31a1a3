from pathlib import Path

import pytest

from lockstep import workspace
from lockstep.errors import LockstepError
from lockstep.workspace import (
    NoWorkspace,
    Workspace,
    find_workspace,
    open_workspace,
    option_for,
)
from lockstep_kafka.workspaces import workspace_for_logs


def test_the_nearest_folder_above_is_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "lockstep.toml").write_text('[workspace]\nname = "outer"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_workspace(inner).root == find_workspace(str(inner)).root == tmp_path
    assert find_workspace(inner).name == "outer"
    (tmp_path / "a" / "lockstep.toml").write_text("[workspace]\n")
    found = find_workspace(inner)
    assert (found.root, found.name) == (tmp_path / "a", "a")
    assert found.output == tmp_path / "a" / ".lockstep"


def test_a_project_may_be_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lockstep]\nname = "gates"\n')
    assert find_workspace(tmp_path).name == "gates"
    (tmp_path / "pyproject.toml").write_text("[tool.lockstep]\n")
    assert find_workspace(tmp_path).name == tmp_path.name


@pytest.mark.parametrize(
    "project", ["", "[tool.other]\n# lockstep\n", "lockstep = = 1", "tool = 1"]
)
def test_a_project_of_somebody_else_is_none(
    tmp_path: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "SHIPPED", tmp_path / "none")
    (tmp_path / "pyproject.toml").write_text(project)
    with pytest.raises(LockstepError, match="there is no workspace in"):
        find_workspace(tmp_path)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in no workspace, with a lockstep that carries one."""
    shipped, here = tmp_path / "package" / "kafka", tmp_path / "here"
    shipped.mkdir(parents=True)
    here.mkdir()
    (shipped / "lockstep.toml").write_text('[workspace]\nname = "kafka"\n')
    monkeypatch.setattr(workspace, "SHIPPED", shipped)
    monkeypatch.chdir(here)
    return here


def test_the_shipped_workspace_is_used_where_it_is_named_or_for_logs(
    outside: Path, tmp_path: Path
) -> None:
    """A check in the wrong folder must not be one of Kafka's models, which hold."""
    with pytest.raises(NoWorkspace, match="there is no workspace in"):
        find_workspace()
    for found in (open_workspace("kafka"), workspace_for_logs()):
        assert found == Workspace(tmp_path / "package" / "kafka", "kafka", shipped=True)
        assert found.output == outside / ".lockstep", "an installed package is not written to"
    (outside / "lockstep.toml").write_text('[workspace]\nname = "own"\n')
    assert find_workspace() == Workspace(outside, "own")
    assert workspace_for_logs().shipped, "it has no model of logs"
    (outside / "models").mkdir()
    (outside / "models" / "fetch_session.py").touch()
    assert workspace_for_logs() == Workspace(outside, "own")


def test_no_other_error_is_taken_for_no_workspace(outside: Path) -> None:
    (outside / "lockstep.toml").write_text("[workspace")
    with pytest.raises(LockstepError, match=r"lockstep\.toml is not TOML"):
        workspace_for_logs()


def test_what_a_command_needs_to_find_a_workspace(outside: Path, tmp_path: Path) -> None:
    other = tmp_path / "two words"
    other.mkdir()
    assert option_for(other) == f" --workspace '{other}'"
    assert option_for(tmp_path / "package" / "kafka") == " --workspace kafka"
    (outside / "lockstep.toml").write_text('[workspace]\nname = "own"\n')
    assert option_for(outside) == ""
    assert option_for(other) == f" --workspace '{other}'"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[workspace", "lockstep.toml is not TOML"),
        ("", "workspace is missing"),
        ("[workspace]\nnam = 'x'\n", "workspace.nam: is not a key that is known here"),
        ("[workspace]\nname = 1\n", "workspace.name: is 1, not a text"),
    ],
)
def test_a_damaged_mark_is_an_error(tmp_path: Path, text: str, reported: str) -> None:
    (tmp_path / "lockstep.toml").write_text(text)
    with pytest.raises(LockstepError, match=reported):
        find_workspace(tmp_path)

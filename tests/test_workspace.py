from pathlib import Path

import pytest

from lockstep import workspace
from lockstep.errors import LockstepError
from lockstep.workspace import find_workspace


def test_the_nearest_folder_above_is_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "lockstep.toml").write_text('[workspace]\nname = "outer"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_workspace(inner).root == tmp_path
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


def test_the_shipped_workspace_is_the_last_resort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, here = tmp_path / "package" / "kafka", tmp_path / "here"
    shipped.mkdir(parents=True)
    here.mkdir()
    (shipped / "lockstep.toml").write_text('[workspace]\nname = "kafka"\n')
    monkeypatch.setattr(workspace, "SHIPPED", shipped)
    monkeypatch.chdir(here)
    found = find_workspace()
    assert (found.root, found.name, found.shipped) == (shipped, "kafka", True)
    assert found.output == here / ".lockstep", "an installed package is not written to"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[workspace", "lockstep.toml is not TOML"),
        ("", "workspace is missing"),
        ("[workspace]\nnam = 'x'\n", "workspace.nam: is not a key that is known here"),
        ("[workspace]\nname = 1\n", "workspace.name: is 1, not a text"),
    ],
)
def test_a_damaged_mark_is_an_error(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "lockstep.toml").write_text(text)
    with pytest.raises(LockstepError, match=told):
        find_workspace(tmp_path)

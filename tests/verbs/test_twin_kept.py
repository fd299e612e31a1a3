"""A comparison that holds is printed again as long as nothing of model or twin has changed."""

import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from lockstep.language import model
from lockstep.requests.run import OnProgress, Watch
from lockstep.results.verdict import Verdict
from lockstep.verbs.twin import Compared, TwinRequest, twin
from lockstep.workspace import Workspace, find_workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
TWIN = "tla/Turnstile.tla"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    return find_workspace(root)


def compared(workspace: Workspace, watch: Watch = Watch(), **options: object) -> Compared:
    request = TwinRequest(("turnstile",), workspace, "small", **options)  # type: ignore[arg-type]
    (result,) = twin(request, watch=watch).results
    assert isinstance(result, Compared)
    return result


def append(workspace: Workspace, file: str, text: str) -> None:
    with (workspace.root / file).open("a", encoding="utf-8") as stream:
        stream.write(text)


def test_the_same_is_reported_again(workspace: Workspace, tmp_path: Path) -> None:
    first, again = compared(workspace), compared(workspace)
    assert (first.since, again.since is None) == (None, False)
    assert again.verdict is Verdict.HOLDS
    assert (again.result.run.distinct, again.result.explored.states) == (5, 5)
    assert again.result.seconds == first.result.seconds
    assert compared(workspace, keep=tmp_path / "files").since is None
    assert compared(workspace, liveness=True).since is None


def test_a_model_is_loaded_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compared is what the decision is kept for."""
    names: list[str] = []
    load_model = model.load_model

    def counted(root: Path, name: str, constants: Mapping[str, object]) -> model.Model:
        names.append(name)
        return load_model(root, name, constants)

    for module in ("lockstep.verbs.twin", "lockstep.twin.twin"):
        monkeypatch.setattr(f"{module}.load_model", counted, raising=False)
    compared(workspace)
    assert names == ["turnstile"]


@pytest.mark.parametrize(
    ("file", "text"),
    [("models/turnstile.py", "\n# A remark.\n"), (TWIN, "\nA remark below the module.\n")],
)
def test_a_changed_text_is_compared_again(workspace: Workspace, file: str, text: str) -> None:
    compared(workspace)
    append(workspace, file, text)
    assert compared(workspace).since is None


def test_a_twin_that_is_edited_meanwhile_is_not_kept(workspace: Workspace) -> None:
    class Editor(Watch):
        def search(
            self, title: str, expected: int | None
        ) -> AbstractContextManager[OnProgress | None]:
            if title.endswith("TLC"):
                append(workspace, TWIN, "\nA remark below the module.\n")
            return super().search(title, expected)

    compared(workspace, Editor())
    assert not (workspace.output / "decided" / "twin").exists()
    assert compared(workspace).since is None

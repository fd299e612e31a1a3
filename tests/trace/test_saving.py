"""One saver of traces: the name of the file, its folder, and why there is none."""

import errno
import shutil
from pathlib import Path

import pytest

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.trace import Trace
from lockstep.trace.itf import Origin, Saved, file_name, read, save_trace
from lockstep.workspace import Workspace, find_workspace

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"
ORIGIN = Origin("letters", "boxes_hold_one_letter")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".lockstep"))
    return find_workspace(root)


def counterexample(workspace: Workspace) -> tuple[Model, Trace]:
    model = load_model(workspace.root, "letters")
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    return model, violation.trace


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        (Origin("lamp", "is_lit"), "lamp-is_lit.itf.json"),
        (Origin("lamp", "is_lit", fault="dark"), "lamp-is_lit-dark.itf.json"),
        (Origin("lamp", "deadlock"), "lamp-deadlock.itf.json"),
        (Origin("lamp", None, error="outside"), "lamp-error.itf.json"),
        (Origin("lamp", None, error="outside", fault="dark"), "lamp-error-dark.itf.json"),
        (Origin("lamp", None, goal="s.lit"), "lamp-found.itf.json"),
    ],
)
def test_a_file_is_named_for_what_it_shows(origin: Origin, name: str) -> None:
    assert file_name(origin) == name


def test_a_trace_is_saved_in_the_workspace_and_hidden_from_git(workspace: Workspace) -> None:
    model, trace = counterexample(workspace)
    saved = save_trace(workspace, model, trace, ORIGIN)
    folder = workspace.root / ".lockstep"
    assert saved == Saved(folder / "counterexamples" / "letters-boxes_hold_one_letter.itf.json")
    assert (folder / ".gitignore").read_text() == "*\n"
    assert saved.file is not None
    assert len(read(saved.file).steps) == len(trace.steps)


def test_another_folder_is_made_and_an_earlier_file_replaced(
    workspace: Workspace, tmp_path: Path
) -> None:
    model, trace = counterexample(workspace)
    folder = tmp_path / "new" / "folder"
    first = save_trace(workspace, model, trace, ORIGIN, folder)
    assert first.file is not None
    first.file.write_text("damaged")
    assert save_trace(workspace, model, trace, ORIGIN, folder) == first
    assert [path.name for path in folder.iterdir()] == [first.file.name]
    assert read(first.file).origin.property == "boxes_hold_one_letter"
    assert not workspace.output.exists()


def test_a_folder_that_cannot_be_made(workspace: Workspace) -> None:
    model, trace = counterexample(workspace)
    workspace.output.write_text("a file stands here")
    saved = save_trace(workspace, model, trace, ORIGIN)
    assert saved == Saved(None, f"{workspace.output} cannot be written: File exists")


def test_a_full_disk(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    model, trace = counterexample(workspace)
    monkeypatch.setattr("os.replace", is_full)
    saved = save_trace(workspace, model, trace, ORIGIN, tmp_path)
    file = tmp_path / "letters-boxes_hold_one_letter.itf.json"
    assert saved == Saved(None, f"{file} cannot be written: No space left on device")
    assert not list(tmp_path.glob("*.itf.json*"))

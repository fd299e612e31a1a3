"""The command `lockstep init`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.workspace import find_workspace

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FILES = [
    "drivers/lease.py",
    "drivers/lock.py",
    "invariants/delivery.py",
    "invariants/lease.py",
    "lockstep.toml",
    "models/delivery.py",
    "models/faults/delivery.py",
    "models/faults/lease.py",
    "models/lease.py",
    "specs/delivery.toml",
    "specs/kip_9998.toml",
    "specs/kip_9999.toml",
    "specs/lease.toml",
    "tests/test_delivery.py",
    "tla/Delivery.tla",
    "tla/MCDelivery.cfg",
    "tla/MCDelivery.tla",
]


@pytest.fixture
def empty(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def files(root: Path) -> list[str]:
    return sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file())


def test_a_new_folder(desk: Desk, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = desk.run("init", "demo")
    assert (ran.code, ran.err) == (0, "")
    assert files(empty / "demo") == FILES
    lines = ran.out.splitlines()
    assert lines[: len(FILES)] == [f"wrote demo/{file}" for file in FILES]
    assert [line[:2] for line in lines[-5:]] == ["1.", "2.", "3.", "4.", "5."]
    assert lines[-5] == "1. cd demo && lockstep check"
    monkeypatch.chdir(empty / "demo")
    assert find_workspace().name == "demo"
    assert desk.run("check").code == 0


def test_a_project_that_is_there(desk: Desk, empty: Path) -> None:
    """Its own files stay as they are, those with the names of our folders included."""
    own = {
        "pyproject.toml": '[project]\nname = "theirs"\n[tool.ruff]\n',
        "models/__init__.py": "raise SystemExit",
        "models/neural.py": "import torch",
        "tests/__init__.py": "",
        "tests/test_theirs.py": "def test(): pass",
        "specs/openapi.yaml": "openapi: 3",
        "README.md": "# theirs",
    }
    for name, text in own.items():
        (empty / name).parent.mkdir(exist_ok=True)
        (empty / name).write_text(text)
    ran = desk.run("init", ".")
    assert (ran.code, ran.err) == (0, "")
    assert {name: (empty / name).read_text() for name in own} == own
    assert files(empty) == sorted([*own, *FILES])
    assert "\n1. lockstep check\n" in ran.out
    for command in ("check", "faults", "matrix"):
        checked = desk.run(*command.split())
        assert (checked.code, checked.err) == (0, ""), command


def test_a_name_that_toml_has_to_escape(desk: Desk, empty: Path) -> None:
    name = 'my "own" folder'
    ran = desk.run("init", name)
    assert (ran.code, ran.err) == (0, "")
    assert find_workspace(empty / name).name == name
    assert f"1. cd '{name}' && lockstep check" in ran.out


def test_all_that_is_in_the_way_is_named(desk: Desk, empty: Path) -> None:
    (empty / "tests").mkdir()
    (empty / "tests" / "test_delivery.py").write_text("theirs")
    (empty / "tla").symlink_to("nowhere")
    (empty / "models").mkdir()
    (empty / "models" / "old.py").write_text("print 1")
    (empty / "specs").mkdir()
    (empty / "specs" / "api.toml").write_text("")
    before = files(empty)
    ran = desk.run("init", ".")
    assert ran.code == 2
    assert files(empty) == before
    assert ran.err.splitlines() == [
        "lockstep: nothing was written:",
        "  tests/test_delivery.py is there already",
        "  tla is there already",
        "  models/old.py would be taken for a model",
        "  specs/api.toml would be read, and refused: there is no model api "
        "(requirements are in kip_N.toml)",
        "  cure: move them, or make the workspace in a folder below: lockstep init protocols",
    ]


@pytest.mark.parametrize(
    ("marker", "text"),
    [("lockstep.toml", "[workspace]\n"), ("pyproject.toml", "[tool.lockstep]\n")],
)
def test_a_workspace_is_not_made_twice(desk: Desk, empty: Path, marker: str, text: str) -> None:
    (empty / marker).write_text(text)
    ran = desk.run("init", ".")
    assert ran.code == 2
    assert f"{empty} is a workspace already\n  cure: go there; `lockstep new model" in ran.err
    assert files(empty) == [marker]


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("/", "'/' gives a workspace no name"),
        ("a\nb", "gives a workspace no name"),
        (" ", "gives a workspace no name"),
        ("file", "file is no folder"),
        ("file/below", "file cannot be written: File exists"),
        ("/proc/none", "cannot be written"),
    ],
)
def test_where_no_workspace_can_be(desk: Desk, empty: Path, name: str, because: str) -> None:
    (empty / "file").write_text("")
    ran = desk.run("init", name)
    assert ran.code == 2
    assert because in ran.err
    assert os.listdir(empty) == ["file"]


def test_json(desk: Desk, empty: Path) -> None:
    ran = desk.run("init", "demo", "--json")
    (row,) = ran.json["results"]
    assert (row["kind"], row["model"], row["exit_code"]) == ("init", "", 0)
    assert row["details"] == {"workspace": "demo", "folder": str(empty / "demo"), "files": FILES}

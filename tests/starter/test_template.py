"""What the files of a new workspace, and of a new protocol, say is so in every engine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep.starter import template
from lockstep.starter.template import MODEL, WORKSPACE, filled, in_the_way, write_new
from tests.cli.conftest import Desk

A_NAME = {"my_protocol": "lock_service", "MyProtocol": "LockService"}


@pytest.fixture
def begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    """A workspace with the files of both templates."""
    for name in (WORKSPACE, MODEL):
        write_new(tmp_path, filled(name, A_NAME))
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, capsys)


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "check --scope small",
        "faults",
        "matrix",
        "prove",
        "twin",
    ],
)
def test_every_check_passes(begun: Desk, command: str) -> None:
    ran = begun.run(*command.split())
    progress = r"lockstep: \d+ s  .*"  # where it takes ten seconds
    assert ran.code == 0
    assert all(re.fullmatch(progress, line) for line in ran.err.splitlines())
    assert "delivery" in ran.out
    assert ("lock_service" in ran.out) == (command != "matrix")
    assert "lease" in ran.out
    assert "not pinned" not in ran.out
    assert "not proved" not in ran.out


def test_the_bug_of_its_lock_is_found_and_shortened(
    begun: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("drive", "lease", "--driver", "drivers/lease.py")
    row = begun.run(*command, "--pairs", "--json").json["results"][0]
    stimuli = [one["stimulus"] for one in row["details"]["departure"]["stimuli"]]
    assert stimuli == ["acquire", "tick", "tick", "extend"]
    monkeypatch.delitem(sys.modules, "lock")  # this process has imported it
    begun.edit("drivers/lock.py", "!= client", "!= client or self.now >= self.until")
    ran = begun.run(*command, "--pairs")
    assert ran.code == 0
    assert "pairs         82 of 82 done" in ran.out


def test_its_tests_pass(begun: Desk) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "passed" in ran.stdout


def test_no_placeholder_is_left(begun: Desk) -> None:
    texts = [file.read_text() for file in begun.root.rglob("*") if file.is_file()]
    assert len(texts) > 7
    assert [text for text in texts if "my_protocol" in text or "MyProtocol" in text] == []


def test_bytecode_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / MODEL / "models" / "__pycache__"
    folder.mkdir(parents=True)
    folder.joinpath("a.cpython-311.pyc").write_bytes(b"\xff")
    folder.parent.joinpath("my_protocol.py").write_text("MyProtocol")
    monkeypatch.setattr(template, "_TEMPLATES", tmp_path)
    assert filled(MODEL, A_NAME) == {Path("models/lock_service.py"): "LockService"}


def tree(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text() if path.is_file() else "a folder"
        for path in root.rglob("*")
    }


PARTS = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: Path(*parts))


@given(st.dictionaries(PATHS, st.just("new"), max_size=4), st.lists(PATHS, max_size=4))
def test_all_is_written_or_nothing(
    tmp_path_factory: pytest.TempPathFactory, files: dict[Path, str], others: list[Path]
) -> None:
    root = tmp_path_factory.mktemp("root")
    for path in others:
        try:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("old")
        except OSError:
            pass  # the paths that were drawn do not go together
    before, taken = tree(root), in_the_way(root, files)
    try:
        write_new(root, files)
    except LockstepError:
        assert tree(root) == before
    else:
        assert not taken
        after = tree(root)
        assert before.items() <= after.items()
        assert {path: after[str(path)] for path in files} == files


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, open_really = [], Path.open

    def opens(path: Path, *arguments: object, **options: object) -> object:
        opened.append(path)
        if len(opened) == 5:
            raise OSError(28, "No space left on device", str(path))
        return open_really(path, *arguments, **options)  # type: ignore[call-overload]

    files = filled(MODEL, A_NAME)
    monkeypatch.setattr(Path, "open", opens)
    with pytest.raises(LockstepError, match="cannot be written: No space left on device"):
        write_new(tmp_path / "here", files)
    assert os.listdir(tmp_path) == []

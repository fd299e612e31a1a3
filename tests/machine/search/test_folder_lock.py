"""A checkpoint's folder is one process's at a time, and nobody's once that process is gone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.machine.search.search_folder import FolderLock
from tests.processes import Started, started_program

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from lockstep.explore.engines import explore
from lockstep.plain.exploration import Exploration
from lockstep.language.model import load_model

model = load_model(Path("tests/workspaces/turnstile"), "letters")

def wait(progress):
    print("holds the folder", flush=True)
    time.sleep(600)

explore(model, Exploration("compiled", checkpoint=Path(sys.argv[1]), on_progress=wait))
"""
CHECK = [sys.executable, "-m", "lockstep", "check", "letters", "--engine", "compiled"]


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Started]:
    """A process that is in the middle of its search."""
    folder = tmp_path / "letters-default"
    with started_program([sys.executable, "-c", HOLDER, str(folder)], ROOT) as process:
        assert process.line() == "holds the folder\n"
        yield process


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CHECK, "--checkpoint", str(folder), "--save", str(folder / "traces")],
        cwd=ROOT / "tests" / "workspaces" / "turnstile",
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_second_process_is_informed_of_the_first(tmp_path: Path, holder: Started) -> None:
    second = check(tmp_path)
    assert second.returncode == 2
    assert f"is in use by process {holder.process.pid}\n" in second.stdout + second.stderr
    assert "Traceback" not in second.stderr


def test_the_lock_goes_with_the_process(tmp_path: Path, holder: Started) -> None:
    holder.send(signal.SIGKILL)
    holder.ended()
    assert check(tmp_path).returncode == 0


def test_the_holder_is_named(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with pytest.raises(LockstepError, match=f"in use by process {os.getpid()}"):
        FolderLock(tmp_path)
    lock.release()
    FolderLock(tmp_path).release()


def test_a_folder_that_cannot_be_locked_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(LockstepError, match="cannot be opened"):
        FolderLock(tmp_path)

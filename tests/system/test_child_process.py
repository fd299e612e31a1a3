import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lockstep.system.child_process import output_of
from lockstep.system.scratch import scratch_folder


def test_what_it_prints_and_how_it_ends(tmp_path: Path) -> None:
    script = "import os, sys; print(os.getcwd()); print('wrong', file=sys.stderr); sys.exit(7)"
    ran = output_of([sys.executable, "-u", "-c", script], 60, tmp_path)
    assert (ran.returncode, ran.stdout) == (7, f"{tmp_path}\nwrong\n")


def test_an_end_by_a_signal_is_counted_as_a_shell_does() -> None:
    assert output_of(["/bin/sh", "-c", "kill -15 $$"], 60).returncode == 143


def test_it_reads_nothing() -> None:
    assert output_of(["/bin/cat"], 60).stdout == ""


def test_a_program_that_is_not_there_says_so() -> None:
    ran = output_of(["/nowhere/program"], 60)
    assert (ran.returncode, ran.stdout) == (
        1,
        "/nowhere/program cannot be started: No such file or directory\n",
    )


def test_time_that_runs_out_ends_the_children_of_the_program_too(tmp_path: Path) -> None:
    file = tmp_path / "child"
    with pytest.raises(subprocess.TimeoutExpired):
        output_of(["/bin/sh", "-c", f"sleep 600 & echo $! > {file}; wait"], 1)
    stat = Path("/proc", file.read_text().strip(), "stat")
    end = time.monotonic() + 10
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


def test_scratch_folders_that_nobody_holds_are_removed_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "mine-abandoned").mkdir()
    (tmp_path / "mine-abandoned" / "file").touch()
    (tmp_path / "mine-file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "mine-link").symlink_to(tmp_path / "other")
    with scratch_folder("mine-", tmp_path) as first, scratch_folder("mine-", tmp_path) as second:
        (first / "file").touch()
        assert {path.name for path in tmp_path.iterdir()} == {
            *(first.name, second.name),
            *("mine-file", "mine-link", "other"),
        }
    assert {path.name for path in tmp_path.iterdir()} == {"mine-file", "mine-link", "other"}
    assert os.listdir(tmp_path / "other") == []

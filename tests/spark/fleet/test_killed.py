"""Runs that are killed, and the same command again: the tables of a run that nobody kills."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.cluster import command_of, descendants, remaining
from tests.spark.fleet.pipeline import LOGS, ROOT
from tests.spark.fleet.runs import Runs, of_fleet, process

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = (
    "m4-isolation-level-not-looked-at",
    "fa9-two-lines-run-together",
    "m1-one-id-two-live-sessions",
)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    for name in CASES:
        broker = folder / name
        broker.mkdir()
        shutil.copy(LOGS / "cases" / f"{name}.log.gz", broker)
    return folder


@pytest.fixture(scope="module")
def whole(spark: SparkSession, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    runs = Runs(spark, tmp_path_factory.mktemp("whole"))
    runs.run(logs)
    return runs


@pytest.mark.verify
def test_an_interrupted_run_leaves_nothing_running(logs: Path, tmp_path: Path) -> None:
    """By SIGTERM, which does what Ctrl-C does, and which no shell ignores for us."""
    folder = tmp_path / "tables"
    command = [sys.executable, "-m", "lockstep", "conform", "--engine", "spark"]
    run = subprocess.Popen(
        [*command, *of_fleet(folder, logs)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    while not any("pyspark.daemon" in name for name in map(command_of, descendants(run.pid))):
        assert run.poll() is None
        time.sleep(0.1)
    started = {process: command_of(process) for process in descendants(run.pid)}
    run.terminate()
    _, told = run.communicate()
    assert told == "lockstep: interrupted\n"
    assert run.returncode == 130
    assert remaining(started) == []


@pytest.mark.verify
@pytest.mark.parametrize("place", ["inputs", "1", "3", "5", "batch"])
def test_a_driver_is_killed(
    spark: SparkSession, logs: Path, whole: Runs, tmp_path: Path, place: str
) -> None:
    arguments = of_fleet(tmp_path / "tables", logs)
    killed = process("tests.spark.fleet.killed_run", place, *arguments)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    again = process("lockstep", "conform", "--engine", "spark", *arguments)
    assert again.returncode == 1, again.stderr
    assert Runs(spark, tmp_path / "tables").content() == whole.content()

"""Runs that are killed, and the same command again: the tables of a run that nobody kills."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kafka.fleet.pipeline import LOGS, ROOT
from tests.kafka.fleet.runs import Runs, of_fleet, process
from tests.processes import COMMAND, command_of, started_program

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
    folder = tmp_path / "tables"
    command = [*COMMAND, "conform", "--engine", "spark", *of_fleet(folder, logs)]
    with started_program(command, ROOT, stdout=None) as run:
        run.await_that(lambda: any("pyspark.daemon" in command_of(one) for one in run.below()), 600)
        run.send(signal.SIGINT)
        code, _, reported = run.ended()
    assert (code, reported) == (130, "lockstep: interrupted\n")


@pytest.mark.verify
@pytest.mark.parametrize("place", ["inputs", "1", "3", "5", "batch"])
def test_a_driver_is_killed(
    spark: SparkSession, logs: Path, whole: Runs, tmp_path: Path, place: str
) -> None:
    arguments = of_fleet(tmp_path / "tables", logs)
    killed = process("tests.kafka.fleet.killed_run", place, *arguments)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    again = process("lockstep", "conform", "--engine", "spark", *arguments)
    assert again.returncode == 1, again.stderr
    assert Runs(spark, tmp_path / "tables").content() == whole.content()

"""A search survives the end of its driver, and that of an executor, at any moment."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from lockstep.plain.exploration import Exploration
from lockstep.spark.search.search import SETTINGS, NearBounds, explore_on_spark
from lockstep.spark.session import KEPT_SESSION, SparkOptions
from tests.processes import Started, command_of, kill, started_program
from tests.spark.cluster import cluster
from tests.spark.search.cases import ROOT, Case, compared

pytestmark = pytest.mark.verify

SCOPE = "sizes"
"""Of session_cache: 192,934 states on 17 levels."""
NEAR = NearBounds(states=1500, small=500, owners=4)
SEARCH = """
import sys
from pathlib import Path
from lockstep.plain.exploration import Exploration
from lockstep.spark.search.search import explore_on_spark
from tests.spark.search.cases import Case
from tests.spark.search.test_kills import NEAR, SCOPE
case = Case.of("session_cache", SCOPE)
print("begins", flush=True)
request = Exploration(
    "spark",
    deadlock_allowed=case.deadlock_allowed,
    master=sys.argv[1],
    checkpoint=Path(sys.argv[2]),
)
result = explore_on_spark(case.program, request, near=NEAR)
print(result.states, result.transitions, result.depth, result.verdict, flush=True)
"""


def driver(master: str, folder: Path) -> AbstractContextManager[Started]:
    command = [sys.executable, "-c", SEARCH, master, str(folder)]
    return started_program(command, ROOT, stderr=subprocess.DEVNULL)


def runs_in(folder: Path) -> int:
    return len(list(folder.glob("runs/*.parquet")))


def test_killed_drivers_leave_nothing_running_and_the_same_counts(tmp_path: Path) -> None:
    expected = Case.of("session_cache", SCOPE).on_one_machine()
    chance, kills, answer = random.Random(15), 0, ""
    while not answer:
        with driver("local[2]", tmp_path) as search:
            search.line()
            before, process = runs_in(tmp_path), search.process
            ends = time.monotonic() + 120
            # Somewhere in the level after the next commit.
            while (
                runs_in(tmp_path) == before and process.poll() is None and time.monotonic() < ends
            ):
                time.sleep(0.02)
            with suppress(subprocess.TimeoutExpired):
                process.wait(chance.uniform(0, 3) if kills < 4 else 600)
            if process.poll() is None:
                search.send(signal.SIGKILL)
                kills += 1
            answer = search.ended()[1].strip()
    assert kills >= 3
    counts = (expected.states, expected.transitions, expected.depth, expected.verdict)
    assert answer == " ".join(map(str, counts))


def test_ctrl_c_leaves_nothing_running() -> None:
    command = [sys.executable, "-m", "lockstep", "check", "fetch_response", "--scope", "large"]
    command += ["--engine", "spark", "--master", "local[2]", "--no-cache"]
    with started_program(command, ROOT, stderr=subprocess.STDOUT) as search:
        search.await_that(
            lambda: any("pyspark" in command_of(child) for child in search.below()), 120
        )
        time.sleep(12)
        search.send(signal.SIGINT)
        code, output, _ = search.ended(120)
    assert code == 130, output
    assert "interrupted" in output


def test_killed_executors_of_a_cluster_change_nothing(tmp_path: Path) -> None:
    case = Case.of("session_cache", SCOPE)
    expected = compared(case.on_one_machine())
    with cluster(tmp_path / "cluster") as running:
        killed: list[int] = []

        def kill_one() -> None:
            executors = [one for one in running.executors() if one not in killed]
            if len(executors) == 2 and len(killed) < 3:
                killed.append(executors[0])
                kill(executors[0])

        moments = iter([2, 5, 9])
        moment = next(moments)

        def on_progress(progress: object) -> None:
            nonlocal moment
            if runs_in(tmp_path / "search") >= 8 * moment:
                kill_one()
                moment = next(moments, 10**9)

        request = Exploration(
            "spark",
            deadlock_allowed=case.deadlock_allowed,
            master=running.master,
            checkpoint=tmp_path / "search",
            on_progress=on_progress,
        )
        try:
            KEPT_SESSION.session(SparkOptions(running.master, settings=SETTINGS))
            result = explore_on_spark(case.program, request, near=NEAR)
        finally:
            KEPT_SESSION.stop()
    assert killed
    assert compared(result) == expected

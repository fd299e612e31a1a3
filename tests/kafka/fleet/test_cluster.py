"""A fleet's logs on a cluster whose executors are other processes, one of which is killed."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kafka.fleet.pipeline import BROKER_FROM, ROOT, fleet
from tests.kafka.fleet.runs import Runs
from tests.processes import COMMAND, kill, started_program
from tests.spark.cluster import cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS = 1_200.0


@pytest.mark.verify
def test_an_executor_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    logs = fleet(tmp_path / "logs")
    whole = Runs(spark, tmp_path / "whole")
    whole.run(logs)
    tables = tmp_path / "tables"
    with cluster(tmp_path / "cluster") as machines:
        where = ["--engine", "spark", "--out", str(tables), "--master", machines.master]
        # Executors find the text of the workspace in the cache alone.
        changed = {"LOCKSTEP_CACHE": str(cache(tmp_path))}
        whole_command = [*COMMAND, "conform", *where, "--broker-from", BROKER_FROM, str(logs)]
        with started_program(whole_command, ROOT, changed=changed, stdout=None) as run:
            killed = False
            end = time.monotonic() + _SECONDS
            while run.process.poll() is None and time.monotonic() < end:
                following = tables.joinpath("inputs", "_delta_log").exists()
                if following and not killed and len(executors := machines.executors()) == 2:
                    kill(executors[0])
                    killed = True
                time.sleep(0.2)
            code, _, complaints = run.ended()
            assert (killed, code) == (True, 1), complaints
    assert Runs(spark, tables).content() == whole.content()


def cache(folder: Path) -> Path:
    """An empty cache but for the jars, which need not be fetched again, and for machine code.

    Where the code is there, logs are followed in columns, and the state is kept in other bytes.
    """
    from lockstep.system.user_cache import cache_folder

    new = folder / "cache"
    new.mkdir(mode=0o700)
    for jar in cache_folder().glob("*.jar"):
        new.joinpath(jar.name).symlink_to(jar)
    if (compiled := cache_folder() / "compiled").is_dir():
        shutil.copytree(compiled, new / "compiled")
    return new

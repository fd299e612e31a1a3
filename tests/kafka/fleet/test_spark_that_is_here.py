"""`conform` in a Spark that somebody else started: by `spark-submit`, or in a notebook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lockstep.spark.jars import TABLE_JARS
from lockstep.system.maven import jar_of
from tests.kafka.fleet.pipeline import LOGS, ROOT
from tests.kafka.fleet.runs import JAVA_OPTIONS

CASE = "m1-one-id-two-live-sessions.log.gz"

SUBMITTED = """\
from lockstep.cli.main import main

main()
"""

NOTEBOOK = """\
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from lockstep.errors import LockstepError
from lockstep_kafka.verbs.conform_fleet import conform_fleet
from lockstep_kafka.verbs.conform_request import ConformRequest

jars, out, *logs = sys.argv[1:]
settings = {"spark.master": "local[1]", "spark.ui.enabled": "false", "spark.jars": jars}
spark = SparkSession.builder.config(map=settings).getOrCreate()
for number, log in enumerate(logs):
    tables = Path(out, str(number))
    try:
        result = conform_fleet(ConformRequest(logs=(log,), engine="spark", out=tables))
        print(result.new.lines, "lines")
    except LockstepError as error:
        print(error)
print(spark.range(4).count(), spark.conf.get("spark.sql.session.timeZone"))
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(LOGS / "cases" / CASE, folder)
    return folder


def ran(tmp_path: Path, program: list[str], text: str, *arguments: str) -> tuple[int, str, str]:
    """Run a script's text; its exit code and what it printed."""
    script = tmp_path / "script.py"
    script.write_text(text)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "JDK_JAVA_OPTIONS": f"{JAVA_OPTIONS} -Duser.timezone=Asia/Tokyo",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [*program, str(script), *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    return done.returncode, done.stdout, done.stderr


def table_jars() -> str:
    return ",".join(str(jar_of(jar)) for jar in TABLE_JARS)


@pytest.mark.slow
@pytest.mark.verify
def test_spark_submit_with_jars(tmp_path: Path, logs: Path) -> None:
    spark_submit = str(Path(sys.executable).with_name("spark-submit"))
    program = [spark_submit, "--master", "local[1]", "--jars", table_jars()]
    command = ["conform", "--engine", "spark", "--out", str(tmp_path / "tables"), str(logs)]
    code, out, complaints = ran(tmp_path, program, SUBMITTED, *command)
    assert code == 1, (out, complaints)
    assert "new in this run: " in out
    assert f"tables: {tmp_path / 'tables'}" in out


@pytest.mark.verify
def test_a_notebook_with_delta_tables_and_without_topics(tmp_path: Path, logs: Path) -> None:
    given = [table_jars(), str(tmp_path / "tables"), str(logs), "kafka://127.0.0.1:9/logs"]
    code, out, complaints = ran(tmp_path, [sys.executable], NOTEBOOK, *given)
    assert code == 0, complaints
    read, refused, *_, last = out.splitlines()
    assert read.endswith(" lines")
    assert refused.startswith("the Spark that is here has no topics of Kafka")
    assert last == "4 Asia/Tokyo"
    assert "/ 50]" not in complaints  # as many tasks as Delta takes where nothing is set


def test_a_notebook_without_delta_tables(tmp_path: Path, logs: Path) -> None:
    given = ["", str(tmp_path / "tables"), str(logs)]
    code, out, complaints = ran(tmp_path, [sys.executable], NOTEBOOK, *given)
    assert code == 0, complaints
    refused, cure, last = out.splitlines()
    assert refused == "the Spark that is here has no Delta tables"
    assert "--packages io.delta:delta-spark_4.1_2.13:4.2.0," in cure
    assert last == "4 Asia/Tokyo"
    assert not any(tmp_path.joinpath("tables").rglob("_delta_log"))

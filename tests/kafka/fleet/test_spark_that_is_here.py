"""`conform` in a Spark that somebody else started: by `spark-submit`, or in a notebook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.spark.session import TABLE_JARS
from lockstep.system.maven import jar_of
from lockstep.workspace import find_workspace
from lockstep_kafka.columns.compiled import kernel
from lockstep_kafka.verbs.conform_fleet import conform_fleet
from lockstep_kafka.verbs.conform_tables import conform_tables
from lockstep_kafka.verbs.requests import ConformRequest
from tests.kafka.fleet.pipeline import LOGS, ROOT
from tests.kafka.fleet.runs import JAVA_OPTIONS, assert_same_tables
from tests.packages import python_without_lockstep, wheel_in
from tests.spark.cluster import cluster, connect_server

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
from lockstep_kafka.verbs.requests import ConformRequest

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


JOB = """\
import sys
from pathlib import Path

import lockstep
import pyarrow
from pyspark.sql import SparkSession

from lockstep_kafka.columns.compiled import is_compiled
from lockstep_kafka.verbs.conform_fleet import follow_logs


def file_in_a_task(batches):
    import lockstep_kafka

    for _ in batches:
        yield pyarrow.RecordBatch.from_pydict({"file": [lockstep_kafka.__file__]})


tables, logs, *connect = sys.argv[1:]
if connect:
    url, archive = connect
    spark = SparkSession.builder.remote(url).getOrCreate()
    spark.addArtifacts(archive, pyfile=True)
else:
    spark = SparkSession.builder.getOrCreate()
print(lockstep.__file__)
print(spark.range(1).mapInArrow(file_in_a_task, "file string").first()[0])
print(is_compiled())
result = follow_logs(spark, [logs], Path(tables))
print(result.conform.exit_code, result.new.lines, "lines")
"""

DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.ui.enabled": "false",
}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(LOGS / "cases" / CASE, folder)
    return folder


def ran(
    tmp_path: Path,
    program: list[str],
    text: str,
    *arguments: str,
    python: Path = Path(sys.executable),
    path: Path = ROOT,
) -> tuple[int, str, str]:
    """Run a script's text; its exit code and what it printed."""
    script = tmp_path / "script.py"
    script.write_text(text)
    environment = {
        **os.environ,
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "PYSPARK_PYTHON": str(python),
        "PYTHONPATH": str(path),
        "JDK_JAVA_OPTIONS": f"{JAVA_OPTIONS} -Duser.timezone=Asia/Tokyo",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [*program, str(script), *arguments],
        cwd=ROOT if path == ROOT else tmp_path,
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


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("is_local", [True, False])
def test_spark_submit_hands_lockstep_on(tmp_path: Path, logs: Path, is_local: bool) -> None:
    """Nothing of lockstep is installed, for the driver or for tasks."""
    machines = nullcontext() if is_local else cluster(tmp_path / "cluster")
    with machines as running:
        submit(tmp_path, logs, "local[1]" if running is None else running.master)


@pytest.mark.slow
@pytest.mark.verify
def test_spark_connect_takes_lockstep_as_an_artifact(tmp_path: Path, logs: Path) -> None:
    pytest.importorskip("grpc", reason="pip install 'pyspark[connect]'")
    archive, python = packed(tmp_path)
    settings = DELTA | {"spark.jars": table_jars()}
    with connect_server(tmp_path / "server", settings, python) as url:
        assert_follows(Job(tmp_path, [str(python)], archive, python), logs, url, str(archive))


def submit(tmp_path: Path, logs: Path, master: str) -> None:
    archive, python = packed(tmp_path)
    settings = (part for item in DELTA.items() for part in ("--conf", "=".join(item)))
    spark_submit = str(Path(sys.executable).with_name("spark-submit"))
    program = [spark_submit, "--master", master, "--jars", table_jars(), *settings]
    program += ["--py-files", str(archive)]
    assert_follows(Job(tmp_path, program, archive, python), logs)


def packed(folder: Path) -> tuple[Path, Path]:
    """lockstep as an archive, and a Python without lockstep."""
    archive = wheel_in(folder).rename(folder / "lockstep.zip")
    return archive, python_without_lockstep(folder / "environment")


@dataclass(frozen=True)
class Job:
    """How `JOB` is run: lockstep is in an archive alone."""

    folder: Path
    program: list[str]
    archive: Path
    python: Path


def assert_follows(job: Job, logs: Path, *connect: str) -> None:
    """A job writes what one process writes."""
    kernel()  # or lines would be followed one by one
    tables, local = job.folder / "tables", job.folder / "local"
    code, out, complaints = ran(
        job.folder, job.program, JOB, str(tables), str(logs), *connect,
        python=job.python, path=job.archive,
    )  # fmt: skip
    assert code == 0, complaints
    in_driver, in_task, compiled, said = out.splitlines()
    assert in_driver == f"{job.archive}/lockstep/__init__.py"
    assert in_task.endswith("/lockstep.zip/lockstep_kafka/__init__.py")
    assert compiled == "True"
    request = ConformRequest((str(logs),), out=local, workspace=find_workspace(ROOT))
    result = conform_tables(request)
    assert result.new is not None
    assert said == f"{result.conform.exit_code} {result.new.lines} lines"
    assert_same_tables(tables, local)


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


def test_the_command_refuses_spark_connect(tmp_path: Path, logs: Path) -> None:
    master = "sc://127.0.0.1:1"
    request = ConformRequest((str(logs),), engine="spark", out=tmp_path / "tables", master=master)
    with pytest.raises(LockstepError, match="is Spark Connect") as refused:
        conform_fleet(request)
    assert "call follow_logs" in str(refused.value.cure)

"""Lines from a topic of a real broker on loopback."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.errors import LockstepError
from lockstep.spark.session import SparkOptions, spark_session
from lockstep_kafka.drive.broker import NEWEST_BROKER, Broker
from lockstep_kafka.drive.wire import HOST
from lockstep_kafka.fleet.run import Run
from lockstep_kafka.fleet.source import Topic
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import DEPARTURES, SESSIONS
from tests.kafka.fleet.one_machine import rows_of
from tests.kafka.fleet.pipeline import LOGS, OBSERVED, ROOT
from tests.kafka.fleet.runs import JAVA_OPTIONS, Runs
from tests.processes import COMMAND, Started, started_program

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_url_that_names_no_topic() -> None:
    assert Topic.of("kafka://a:1,b:2/logs") == Topic("a:1,b:2", "logs")
    with pytest.raises(LockstepError, match="names no topic"):
        Topic.of("kafka://a/logs")


NAME = "m4-isolation-level-not-looked-at"
KEY = "(?P<broker>[^/]+)$"
"""A broker is the key of its records."""
FIRST = 0.5
"""The share of the lines that are in the topic when it is first followed."""
SECONDS = 300.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / NAME / "request.log.gz"
    file.parent.mkdir()
    shutil.copy(LOGS / "cases" / f"{NAME}.log.gz", file)
    return file


def produce(spark: SparkSession, address: str, lines: Sequence[str]) -> None:
    """Write lines into the topic, as a shipper does."""
    records = spark.createDataFrame([(NAME, line) for line in lines], "key string, value string")
    writer = records.coalesce(1).write.format("kafka").option("topic", "logs")
    writer.option("kafka.bootstrap.servers", address).save()


@pytest.mark.verify
def test_lines_of_a_topic(file: Path, tmp_path: Path) -> None:
    """What a topic holds is followed once; then what has come since."""
    settings = {"spark.driver.extraJavaOptions": JAVA_OPTIONS}
    options = SparkOptions("local[2]", tables=True, topics=True, settings=settings)
    observed = replace(OBSERVED, broker_from=KEY)
    with closing(Broker(NEWEST_BROKER)) as broker, spark_session("tests", options) as spark:
        address = f"{HOST}:{broker.port}"
        runs = Runs(spark, tmp_path / "tables")
        lines = [row.value for row in spark.read.text(str(file)).collect()]
        half = int(FIRST * len(lines))
        for part in (lines[:half], lines[half:], []):
            if part:
                produce(spark, address, part)
            tables = Tables(spark, runs.folder)
            Run(spark, tables, observed).follow_topic(Topic(address, "logs"))
        (expected,) = rows_of(file.parent)["session"]
        (session,) = runs.rows(SESSIONS)
        numbers = ("lines", "partial", "verdict", "session", "client", "first_time", "last_time")
        assert {key: str(session[key])[:19] for key in numbers} == {
            key: str(expected[key])[:19] for key in numbers
        }
        departures = runs.rows(DEPARTURES)
        assert {row["file"] for row in departures} == {f"logs/0/{NAME}"}
        assert all(row["text"] == lines[row["line"]] for row in departures)


@pytest.mark.verify
def test_lines_that_come_are_followed_until_ctrl_c(file: Path, tmp_path: Path) -> None:
    settings = {"spark.driver.extraJavaOptions": JAVA_OPTIONS}
    options = SparkOptions("local[1]", tables=True, topics=True, settings=settings)
    expected = rows_of(file.parent)
    with closing(Broker(NEWEST_BROKER)) as broker, spark_session("tests", options) as spark:
        address = f"{HOST}:{broker.port}"
        runs = Runs(spark, tmp_path / "tables")
        lines = [row.value for row in spark.read.text(str(file)).collect()]
        half = int(FIRST * len(lines))
        produce(spark, address, lines[:half])
        where = ["--out", str(runs.folder), "--master", "local[2]", "--broker-from", KEY]
        page = tmp_path / "page.html"
        options_of_run = ["--engine", "spark", "--follow", "--page", str(page)]
        command = ["conform", *options_of_run, *where, f"kafka://{address}/logs"]
        java = {"JDK_JAVA_OPTIONS": JAVA_OPTIONS}
        with started_program([*COMMAND, *command], ROOT, changed=java) as run:
            followed = wait_for_lines(run, runs, 1)
            assert page.exists()  # before the first batch ends, as on a topic that is quiet
            produce(spark, address, lines[half:])
            (session,) = expected["session"]
            assert followed < session["lines"]
            wait_for_lines(run, runs, session["lines"])
            run.send(signal.SIGTERM)
            code, _, complaints = run.ended()
        assert code == 130, complaints
        assert len(runs.rows(DEPARTURES)) == len(expected["departure"])


def wait_for_lines(run: Started, runs: Runs, lines: int) -> int:
    """Wait until at least so many lines of the one session are followed; how many are."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert run.process.poll() is None, run.ended()[2]
        rows = runs.rows(SESSIONS) if runs.tables.is_there(SESSIONS) else []
        if rows and rows[0]["lines"] >= lines:
            return int(rows[0]["lines"])
        time.sleep(0.5)
    raise TimeoutError(f"{lines} lines are not followed")

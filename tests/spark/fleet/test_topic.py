"""Lines from a topic of a real broker on loopback."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.spark.fleet.run import follow_topic
from lockstep.spark.fleet.tables import DEPARTURES, SESSIONS, Tables
from lockstep.spark.fleet.topic import Topic
from lockstep.spark.session import SparkOptions, spark_session
from tests.spark.fleet.kafka_broker import kafka_broker
from tests.spark.fleet.one_machine import rows_of
from tests.spark.fleet.pipeline import LOGS, OBSERVED
from tests.spark.fleet.runs import JAVA_OPTIONS, Runs


def test_a_url_that_names_no_topic() -> None:
    assert Topic.of("kafka://a:1,b:2/logs") == Topic("a:1,b:2", "logs")
    with pytest.raises(LockstepError, match="names no topic"):
        Topic.of("kafka://a/logs")


@pytest.mark.verify
def test_lines_of_a_topic(tmp_path: Path) -> None:
    """What a topic holds is followed once; then what has come since."""
    name = "m4-isolation-level-not-looked-at"
    file = tmp_path / name / "request.log.gz"
    file.parent.mkdir()
    shutil.copy(LOGS / "cases" / f"{name}.log.gz", file)
    settings = {"spark.driver.extraJavaOptions": JAVA_OPTIONS}
    options = SparkOptions("local[2]", tables=True, topics=True, settings=settings)
    observed = replace(OBSERVED, broker_from="(?P<broker>[^/]+)$")  # the key of a record
    broker_folder = tmp_path / "kafka"
    broker_folder.mkdir()
    with kafka_broker(broker_folder) as address, spark_session("tests", options) as spark:
        runs = Runs(spark, tmp_path / "tables")
        lines = [row.value for row in spark.read.text(str(file)).collect()]
        half = len(lines) // 2
        for part in (lines[:half], lines[half:], []):
            if part:
                rows = [(name, line) for line in part]
                records = spark.createDataFrame(rows, "key string, value string")
                writer = records.coalesce(1).write.format("kafka").option("topic", "logs")
                writer.option("kafka.bootstrap.servers", address).save()
            follow_topic(spark, Tables(spark, runs.folder), observed, Topic(address, "logs"))
        (expected,) = rows_of(file.parent)["session"]
        (session,) = runs.rows(SESSIONS)
        numbers = ("lines", "partial", "verdict", "session", "client", "first_time", "last_time")
        assert {key: str(session[key])[:19] for key in numbers} == {
            key: str(expected[key])[:19] for key in numbers
        }
        departures = runs.rows(DEPARTURES)
        assert {row["file"] for row in departures} == {f"logs/0/{name}"}
        assert all(row["text"] == lines[row["line"]] for row in departures)

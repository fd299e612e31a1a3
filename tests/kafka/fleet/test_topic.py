"""Lines from a topic of a real broker on loopback."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.java_gateway import JavaMember

from lockstep.errors import LockstepError
from lockstep.spark.session import SparkOptions, spark_session
from lockstep_kafka.drive.broker import Broker
from lockstep_kafka.drive.wire import HOST
from lockstep_kafka.fleet.columns import OF_LINE
from lockstep_kafka.fleet.run import Run
from lockstep_kafka.fleet.source import Topic, TopicSource
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import DEPARTURES, SESSIONS, STATES
from lockstep_kafka.jars import NEWEST_BROKER
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


def produce(spark: SparkSession, topic: Topic, lines: Sequence[str], partition: int = 0) -> None:
    """Write lines into a partition, as a shipper does."""
    records = spark.createDataFrame(
        [(NAME, line, partition) for line in lines], "key string, value string, partition int"
    )
    writer = records.coalesce(1).write.format("kafka").option("topic", topic.name)
    writer.option("kafka.bootstrap.servers", topic.servers).save()


@contextmanager
def admin(spark: SparkSession, address: str) -> Iterator[Any]:
    """Kafka's own, with the classes of Java's."""
    java = spark._jvm
    assert java is not None
    properties = java.java.util.Properties()
    properties.put("bootstrap.servers", address)
    with closing(java.org.apache.kafka.clients.admin.Admin.create(properties)) as made:
        yield made, java


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[SparkSession, str]]:
    """A session, and the address of a broker."""
    settings = {"spark.driver.extraJavaOptions": JAVA_OPTIONS}
    options = SparkOptions("local[2]", tables=True, topics=True, settings=settings)
    with closing(Broker(NEWEST_BROKER)) as broker, spark_session("tests", options) as spark:
        yield spark, f"{HOST}:{broker.port}"


def assert_is_said(file: Path, runs: Runs, records: Mapping[tuple[str, int], str]) -> None:
    """The tables say what one process says of a file; `records` are its lines by their places."""
    (expected,) = rows_of(file.parent)["session"]
    (session,) = runs.rows(SESSIONS)
    numbers = ("lines", "partial", "verdict", "session", "client", "first_time", "last_time")
    assert {key: str(session[key])[:19] for key in numbers} == {
        key: str(expected[key])[:19] for key in numbers
    }
    departures = runs.rows(DEPARTURES)
    assert len(departures) == len(rows_of(file.parent)["departure"])
    for row in departures:
        assert row["text"] == records[row["file"], row["line"]]


RECORDS_TO_DELETE = "org.apache.kafka.clients.admin.RecordsToDelete"
OF_KEY = replace(OBSERVED, broker_from=KEY)


@pytest.mark.verify
def test_lines_of_a_topic(cluster: tuple[SparkSession, str], file: Path, tmp_path: Path) -> None:
    """What a topic holds is followed once; then what has come since."""
    spark, address = cluster
    topic, runs = Topic(address, "logs"), Runs(spark, tmp_path / "tables")
    lines = [row.value for row in spark.read.text(str(file)).collect()]
    half = int(FIRST * len(lines))
    for part in (lines[:half], lines[half:], []):
        if part:
            produce(spark, topic, part)
        Run(spark, Tables(spark, runs.folder), OF_KEY).follow_topic(topic)
    places = ((f"logs/0/{NAME}", offset) for offset in range(len(lines)))
    assert_is_said(file, runs, dict(zip(places, lines, strict=True)))


@pytest.mark.verify
def test_lines_that_went_on_in_another_partition(
    cluster: tuple[SparkSession, str], file: Path, tmp_path: Path
) -> None:
    """One task follows all of them then. The text of a record that has gone since is left out."""
    spark, address = cluster
    topic, runs = Topic(address, "moved"), Runs(spark, tmp_path / "tables")
    lines = [row.value for row in spark.read.text(str(file)).collect()]
    moved = max(row["line"] for row in rows_of(file.parent)["departure"]) - 1
    parts = lines[:moved], lines[moved:]
    with admin(spark, address) as (kafka, java):
        made = java.org.apache.kafka.clients.admin.NewTopic(topic.name, len(parts), 1)
        kafka.createTopics(java.java.util.List.of(made)).all().get()
        records: dict[tuple[str, int], str] = {}
        for partition, part in enumerate(parts):
            produce(spark, topic, part, partition)
            file_name = f"moved/{partition}/{NAME}"
            records |= {(file_name, offset): text for offset, text in enumerate(part)}
        Run(spark, Tables(spark, runs.folder), OF_KEY).follow_topic(topic)
        assert_is_said(file, runs, records)
        # By its name Py4J finds the field that has it, too.
        before = JavaMember("beforeOffset", None, f"z:{RECORDS_TO_DELETE}", java._gateway_client)
        gone = before(1)
        last = java.org.apache.kafka.common.TopicPartition(topic.name, 1)
        kafka.deleteRecords(java.java.util.Map.of(last, gone)).all().get()
    places = Tables(spark, runs.folder).rows(DEPARTURES)
    places = places.selectExpr(*OF_LINE.names, "broker", "'' AS partition").distinct()
    source = TopicSource(topic, OF_KEY, in_columns=False)
    left = {
        (row["file"], row["line"]): row["text"] for row in source.texts(places, places).collect()
    }
    wanted = {(row["file"], row["line"]) for row in places.collect()}
    assert (f"moved/1/{NAME}", 0) in wanted
    assert left == {place: records[place] for place in wanted - {(f"moved/1/{NAME}", 0)}}


@pytest.mark.verify
def test_no_record_is_shuffled(cluster: tuple[SparkSession, str], tmp_path: Path) -> None:
    spark, address = cluster
    source = TopicSource(Topic(address, "logs"), OF_KEY, in_columns=False)
    rows = spark.createDataFrame(
        [("logs/0", 0, 0, b"no request")], "file string, order long, line long, content binary"
    )
    states = (
        Tables(spark, tmp_path / "tables")
        .rows(STATES)
        .selectExpr("broker", "CAST(part AS BIGINT) AS line", "bytes AS content")
    )
    plan = str(source.followed(rows, states)._jdf.queryExecution().executedPlan())
    assert "MapInArrow" in plan
    assert "Exchange" not in plan


@pytest.mark.verify
def test_lines_that_come_are_followed_until_ctrl_c(file: Path, tmp_path: Path) -> None:
    settings = {"spark.driver.extraJavaOptions": JAVA_OPTIONS}
    options = SparkOptions("local[1]", tables=True, topics=True, settings=settings)
    expected = rows_of(file.parent)
    with closing(Broker(NEWEST_BROKER)) as broker, spark_session("tests", options) as spark:
        address = f"{HOST}:{broker.port}"
        topic, runs = Topic(address, "logs"), Runs(spark, tmp_path / "tables")
        lines = [row.value for row in spark.read.text(str(file)).collect()]
        half = int(FIRST * len(lines))
        produce(spark, topic, lines[:half])
        where = ["--out", str(runs.folder), "--master", "local[2]", "--broker-from", KEY]
        page = tmp_path / "page.html"
        options_of_run = ["--engine", "spark", "--follow", "--page", str(page)]
        command = ["conform", *options_of_run, *where, f"kafka://{address}/logs"]
        java = {"JDK_JAVA_OPTIONS": JAVA_OPTIONS}
        with started_program([*COMMAND, *command], ROOT, changed=java) as run:
            followed = wait_for_lines(run, runs, 1)
            assert page.exists()  # before the first batch ends, as on a topic that is quiet
            produce(spark, topic, lines[half:])
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

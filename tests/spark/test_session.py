"""A session on this machine, with tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.errors import LockstepError
from lockstep.spark.session import KEPT_SESSION, SparkOptions, master_of, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.slow
@pytest.mark.daily(4)
def test_a_session_has_tables_and_our_own_python_and_a_kept_one_gives_way(tmp_path: Path) -> None:
    kept = KEPT_SESSION.session(SparkOptions("local[1]"))
    assert kept.range(2).count() == 2
    with spark_session("test", SparkOptions("local[1]", tables=True)) as spark:
        rows = spark.range(3)
        rows.write.format("delta").save(str(tmp_path / "table"))
        assert spark.read.format("delta").load(str(tmp_path / "table")).count() == 3

        def python(batches):  # type: ignore[no-untyped-def]
            import pyarrow

            for batch in batches:
                names = [sys.executable] * batch.num_rows
                yield pyarrow.RecordBatch.from_pydict({"python": names})

        programs = rows.mapInArrow(python, "python string").distinct().collect()
    assert [row.python for row in programs] == [sys.executable]


def test_without_pyspark_the_cure_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with (
        pytest.raises(LockstepError, match="PySpark is not installed") as raised,
        spark_session("t"),
    ):
        pass
    assert "lockstep[spark]" in str(raised.value.cure)


@pytest.mark.slow
@pytest.mark.daily(4)
def test_a_session_of_somebody_else_goes_on_as_it_was() -> None:
    """In a notebook there is one; what is done beside it leaves it, and its settings, alone."""
    from pyspark.sql import SparkSession

    theirs = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    notebook = theirs.getOrCreate()
    batch = "spark.sql.execution.arrow.maxRecordsPerBatch"
    try:
        before = notebook.conf.get(batch)
        assert master_of(None) == master_of("local[1]") == "local[1]"
        with pytest.raises(LockstepError, match=r"has Spark on local\[1\] already"):
            master_of("local[2]")
        with spark_session("test") as spark:
            assert spark.conf.get(batch) != before
            assert spark.range(3).count() == 3
        kept = KEPT_SESSION.session(SparkOptions("local[1]"))
        assert kept.range(2).count() == 2
        KEPT_SESSION.stop()
        with pytest.raises(KeyboardInterrupt), spark_session("test"):
            raise KeyboardInterrupt
        assert_missing_jars_are_refused()
        assert notebook.range(4).count() == 4
        assert notebook.conf.get(batch) == before
    finally:
        stop(notebook)
    with spark_session("test", SparkOptions("local[1]")) as spark:
        assert spark.range(3).count() == 3


def assert_missing_jars_are_refused() -> None:
    """Before a job, where Spark that is here already has been started without them."""
    for options, missing in (
        (SparkOptions("local[1]", tables=True), "no Delta tables"),
        (SparkOptions("local[1]", topics=True), "no topics of Kafka"),
    ):
        with pytest.raises(LockstepError, match=missing) as raised, spark_session("t", options):
            pass
        assert "--packages" in str(raised.value.cure)
    assert "io.delta:delta-spark_" not in str(raised.value.cure)
    assert "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1" in str(raised.value.cure)


def stop(session: SparkSession) -> None:
    """Stop a session and its JVM, as the end of a process does."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    assert gateway is not None
    session.stop()
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None
    gateway.proc.stdin.close()
    gateway.proc.wait(60)


@pytest.mark.parametrize(
    ("master", "threads"),
    [("local", 1), ("local[3]", 3), ("local[12,2]", 12), ("local[*]", None), ("spark://h:1", None)],
)
def test_a_local_master_names_threads(master: str, threads: int | None) -> None:
    assert SparkOptions(master).threads == threads

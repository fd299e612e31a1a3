"""A session on this machine, with tables."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.spark.session import KEPT_SESSION, SparkOptions, spark_session


def test_a_session_has_tables_and_our_own_python(tmp_path: Path) -> None:
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


def test_without_pyspark_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with (
        pytest.raises(LockstepError, match="PySpark is not installed") as raised,
        spark_session("t"),
    ):
        pass
    assert "lockstep[spark]" in str(raised.value.cure)


def test_a_kept_session_gives_way_and_one_of_somebody_else_stays() -> None:
    kept = KEPT_SESSION.session(SparkOptions("local[1]"))
    assert kept.range(2).count() == 2
    with spark_session("test", SparkOptions("local[1]")) as spark:
        with (
            pytest.raises(LockstepError, match="has a Spark session of its own"),
            spark_session("another"),
        ):
            pass
        assert spark.range(3).count() == 3

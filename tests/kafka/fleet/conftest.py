"""One session for a module of tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from lockstep.spark.session import SparkOptions, spark_session
from tests.kafka.fleet.runs import JAVA_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    settings = {"spark.driver.extraJavaOptions": JAVA_OPTIONS}
    options = SparkOptions("local[2]", tables=True, settings=settings)
    with spark_session("tests", options) as session:
        yield session

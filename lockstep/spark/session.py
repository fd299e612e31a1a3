"""A Spark session, with what the jobs need and without Spark's own chatter."""

from __future__ import annotations

import importlib.util
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.spark.jars import SOURCE_JARS, TABLE_JARS
from lockstep.system.java import find_java
from lockstep.system.maven import jar_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL_MASTER = "local[*]"
"""Spark within one process, on all of its cores."""

_QUIET = logging.ERROR
_STOP_SECONDS = 20.0
_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class SparkOptions:
    """Where a job runs, and what it needs there.

    `master` is Spark's: `local[N]`, `spark://HOST:PORT`, `k8s://...`. `tables` are Delta tables,
    `topics` Kafka's topics as a source. `settings` are Spark's own, and win over ours.
    """

    master: str = LOCAL_MASTER
    tables: bool = False
    topics: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Whether the driver does the work itself."""
        return self.master.startswith("local")


@contextmanager
def spark_session(name: str, options: SparkOptions = SparkOptions()) -> Iterator[SparkSession]:
    """A session that is stopped after the block, whatever ends it.

    `LockstepError` where PySpark or Java is missing, or where the master cannot be reached.
    """
    if importlib.util.find_spec("pyspark") is None:
        raise LockstepError(
            "PySpark is not installed, and this engine needs it",
            cure="pip install 'lockstep[spark]'",
        )
    java = find_java()
    # Spark's launcher takes the Java of JAVA_HOME, and Spark's workers the first Python of PATH.
    os.environ["JAVA_HOME"] = str(java.parent.parent)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if options.is_local or options.master.startswith("spark://127.0.0.1"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    logging.getLogger("py4j").setLevel(_QUIET)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name).master(options.master)
    for key, value in (_settings(options) | dict(options.settings)).items():
        builder = builder.config(key, value)
    try:
        session = _started(builder)
    except BaseException as error:
        _end_java(at_once=True)
        if not isinstance(error, Exception):
            raise
        raise LockstepError(
            f"Spark does not start on {options.master}: {_first_line(error)}",
            cure="look whether the master runs and can be reached from here",
        ) from error
    session.sparkContext.setLogLevel(logging.getLevelName(_QUIET))
    try:
        yield session
    finally:
        _end(session)


def _started(builder: SparkSession.Builder) -> SparkSession:
    """The session, started by another thread.

    In the main one Spark would take Ctrl-C for itself, and what starts would have to answer first.
    """
    outcome: list[SparkSession | Exception] = []

    def start() -> None:
        try:
            outcome.append(builder.getOrCreate())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=start, name="lockstep-spark", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def _end(session: SparkSession) -> None:
    """Stop the session, and the JVM that was started for it: nothing of it is left running."""
    session.stop()
    _end_java()


def _end_java(*, at_once: bool = False) -> None:
    """End the JVM; `at_once` where it may be in the middle of something."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is None:
        return
    process = gateway.proc
    if at_once:
        process.kill()
    else:
        gateway.shutdown()
    # Without these a later session of this process would look for the JVM that is gone.
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _settings(options: SparkOptions) -> dict[str, str]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        # A batch is one call of ours: large enough that the calls cost nothing.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    }
    jars = [*(TABLE_JARS if options.tables else ()), *(SOURCE_JARS if options.topics else ())]
    if jars:
        settings["spark.jars"] = ",".join(str(jar_of(jar)) for jar in jars)
    if options.tables:
        settings |= {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            # A table's own log is small: 50 tasks to read it, as Delta has it, take seconds.
            "spark.databricks.delta.snapshotPartitions": "2",
        }
    return settings


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)

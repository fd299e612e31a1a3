"""A Spark session, with what the jobs need and without Spark's own chatter."""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockstep.errors import LockstepError
from lockstep.spark.jvm import (
    OWN_JVM,
    STOP_SECONDS,
    end_jvm,
    own_session,
    silence_py4j,
    started,
)
from lockstep.system.java import find_java
from lockstep.system.maven import Artifact, jar_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE_JARS = (
    Artifact(
        "io.delta",
        "delta-spark_4.1_2.13",
        "4.2.0",
        "8480050a55c7e50427f3bec3af9243f98fc7cbfa453a2ef55e6ea8d0b7b121ff",
    ),
    Artifact(
        "io.delta",
        "delta-storage",
        "4.2.0",
        "2d84df76551f2b3cd27b120abec67ccbba324cea6ec45eb659edcc54234f99f3",
    ),
)
"""The release of Delta Lake that is built for Spark 4.1."""

SOURCE_JARS = (
    Artifact(
        "org.apache.spark",
        "spark-sql-kafka-0-10_2.13",
        "4.1.1",
        "9c1ce986f548e6b1dcb0e2dfe2f253a0bc58f2232a32a0c9c6c674dd25a8570c",
    ),
    Artifact(
        "org.apache.spark",
        "spark-token-provider-kafka-0-10_2.13",
        "4.1.1",
        "e510adc37b03d01d0a190d0dab472b5538e05eaa77454f7e9477156d7a6820ae",
    ),
    Artifact(
        "org.apache.kafka",
        "kafka-clients",
        "3.9.1",
        "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9",
    ),
    Artifact(
        "org.apache.commons",
        "commons-pool2",
        "2.12.1",
        "5273c8bc8c0dca2211175c0d27efbd7228efae99689aac001a8e1ef8e872e9ef",
    ),
)
"""Spark's own source, with the client and the pool that its POM names."""

LOCAL_MASTER = "local[*]"
"""Spark within one process, on all of its cores."""

_OF_DELTA = "spark.databricks.delta."


_FEW_JOBS = {
    # Of a run on one machine the JVM's own work is most of what is fixed: its better compiler, and
    # Java that is made for each plan, took more than they gave, for no line of a log passes there.
    # Adaptive plans made a job of each stage.
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # What a task carries is a file of the driver's from this size on, which stays until Spark ends:
    # with each batch that is followed one more.
    "spark.broadcast.UDFCompressionThreshold": "256m",
}
_PARTITIONS = "spark.sql.shuffle.partitions"


@dataclass(frozen=True)
class SparkOptions:
    """Where a job runs, and what it needs there.

    `master` is Spark's: `local[N]`, `spark://HOST:PORT`, `k8s://...`; `LockstepError` for that of
    Spark Connect. `tables` are Delta tables, `topics` Kafka's topics as a source. `settings` are
    Spark's own, and win over ours.
    """

    master: str = LOCAL_MASTER
    tables: bool = False
    topics: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.master.startswith("sc:"):
            raise LockstepError(
                f"{self.master} is Spark Connect, which has no SparkContext to send tasks by",
                cure="name the cluster's own master, such as spark://HOST:7077",
            )

    @property
    def is_local(self) -> bool:
        """Whether the driver does the work itself."""
        return self.master.startswith("local")

    @property
    def threads(self) -> int | None:
        """The threads that a local master names; None where it is for Spark to say how many."""
        named = re.match(r"local(?:\[(\d+)|$)", self.master)
        return int(named[1] or 1) if named else None


@dataclass(frozen=True)
class _Library:
    """What Spark does not ship: a class that shows that it is there, and its jars.

    `jars` begin with the one that needs the others.
    """

    what: str
    shown_by: str
    jars: tuple[Artifact, ...]


_TABLES = _Library("Delta tables", "io.delta.sql.DeltaSparkSessionExtension", TABLE_JARS)
_TOPICS = _Library(
    "topics of Kafka", "org.apache.spark.sql.kafka010.KafkaSourceProvider", SOURCE_JARS
)


class KeptSession:
    """A session that is stopped when the process ends, or when another is wanted."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._session: SparkSession | None = None
        self._options = SparkOptions()
        atexit.register(self.stop)

    def session(self, options: SparkOptions) -> SparkSession:
        """The session with these options; `LockstepError` where there can be none."""
        if self._session is None or options != self._options or _is_stopped(self._session):
            self._session = self._stack.enter_context(spark_session("lockstep", options))
            self._options = options
        return self._session

    def stop(self) -> None:
        """Stop the session, if there is one."""
        self._session = None
        self._stack.close()


KEPT_SESSION = KeptSession()
"""The session that the searches of this process share."""


def java_for_spark() -> Path:
    """The Java that Spark is run with; `LockstepError` where that or PySpark is missing."""
    if importlib.util.find_spec("pyspark") is None:
        raise LockstepError(
            "PySpark is not installed, and this engine needs it",
            cure="pip install 'lockstep[spark]'",
        )
    return find_java()


def master_of(named: str | None) -> str:
    """The master of the Spark that this process has already, else the one that is named.

    `LockstepError` where both are there, and differ.
    """
    given = _given_master()
    if given is not None and named not in (None, given):
        raise LockstepError(
            f"this process has Spark on {given} already, and {named} is another master",
            cure="leave out --master",
        )
    return given or named or LOCAL_MASTER


@contextmanager
def spark_session(name: str, options: SparkOptions = SparkOptions()) -> Iterator[SparkSession]:
    """A session for a block.

    Spark that was here before, a notebook's or that of `spark-submit`, gives a session of its own
    and goes on afterwards with its own settings. Else Spark is started, and stopped after the
    block, whatever ends it. Spark allows a process one context: a kept session of ours is stopped
    first. `LockstepError` where PySpark or Java is missing, the master cannot be reached, or Spark
    that was here before lacks the jars of what is asked for: a JVM takes none once it runs.
    """
    java = java_for_spark()
    KEPT_SESSION.stop()
    settings = _settings(options) | dict(options.settings)
    silence_py4j()
    if _spark_is_here():
        with _session_beside(settings) as session:
            _refuse_missing(session, options)
            yield session
        return
    # Spark's launcher takes the Java of JAVA_HOME, and Spark's workers the first Python of PATH.
    os.environ["JAVA_HOME"] = str(java.parent.parent)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if options.is_local or options.master.startswith("spark://127.0.0.1"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    jars = [jar for library in _libraries(options) for jar in library.jars]
    if jars:
        settings.setdefault("spark.jars", ",".join(str(jar_of(jar)) for jar in jars))
    if options.tables and options.is_local:
        settings = _FEW_JOBS | {_PARTITIONS: str(options.threads or os.cpu_count() or 1)} | settings
    settings = {**settings, "spark.app.name": name, "spark.master": options.master}
    with tempfile.TemporaryFile() as complaints:
        try:
            yield started(settings, lambda: own_session(settings, complaints), complaints)
        except KeyboardInterrupt:
            end_jvm(interrupted=True)
            raise
        finally:
            end_jvm()


def _spark_is_here() -> bool:
    """Whether this process has a JVM of Spark's already."""
    from pyspark import SparkContext

    return SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ


def _is_stopped(session: SparkSession) -> bool:
    from pyspark import SparkContext

    return session.sparkContext is not SparkContext._active_spark_context


def _given_master() -> str | None:
    """The master of a Spark that was not started here."""
    if importlib.util.find_spec("pyspark") is None:
        return None
    from pyspark import SparkConf, SparkContext

    if not _spark_is_here() or SparkContext._gateway is OWN_JVM.gateway is not None:
        return None
    context = SparkContext._active_spark_context
    if context is not None:
        return context.master
    SparkContext._ensure_initialized()
    return SparkConf().get("spark.master")


@contextmanager
def _session_beside(settings: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session in a JVM that is not ours to end."""
    from pyspark import SparkContext

    had_context = SparkContext._active_spark_context is not None
    with tempfile.TemporaryFile() as complaints:
        session = started(settings, lambda: _session_of_theirs(settings), complaints)
    try:
        yield session
    except KeyboardInterrupt:
        # Another thread: what this one asks next would get the answer to what was interrupted.
        thread = threading.Thread(target=_interrupt, args=[session], name="lockstep-spark")
        thread.start()
        thread.join(STOP_SECONDS)
        raise
    finally:
        if not had_context:
            session.stop()


def _session_of_theirs(settings: Mapping[str, str]) -> SparkSession:
    """A session beside those that are there, or the first one of a JVM without any."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        session = SparkSession.builder.getOrCreate().newSession()
        for name, value in settings.items():
            # Of Delta's own settings Spark knows nothing until a table is used.
            if session.conf.isModifiable(name) or name.startswith(_OF_DELTA):
                session.conf.set(name, value)
        return session
    SparkContext._ensure_initialized()
    conf = SparkConf()
    for name, value in settings.items():
        conf.setIfMissing(name, value)
    return SparkSession.builder.config(conf=conf).getOrCreate()


def _refuse_missing(session: SparkSession, options: SparkOptions) -> None:
    """Refuse a Spark that was here before without the jars of what is asked for."""
    jvm: Any = session._jvm
    libraries = _libraries(options)
    for library in libraries:
        if not jvm.org.apache.spark.util.Utils.classIsLoadable(library.shown_by):
            packages = ",".join(each.jars[0].coordinate for each in libraries)
            raise LockstepError(
                f"the Spark that is here has no {library.what}",
                cure=f"start it with --packages {packages}, or with these as spark.jars.packages",
            )


def _interrupt(session: SparkSession) -> None:
    """End what a session runs."""
    for query in session.streams.active:
        query.stop()
    session.interruptAll()


def _settings(options: SparkOptions) -> dict[str, str]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        # A batch is one call of ours: large enough that the calls cost nothing.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    }
    if options.tables:
        settings |= {
            "spark.sql.extensions": _TABLES.shown_by,
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            # A table's own log is small: 50 tasks to read it, as Delta has it, take seconds.
            f"{_OF_DELTA}snapshotPartitions": "2",
        }
    return settings


def _libraries(options: SparkOptions) -> list[_Library]:
    return [_TABLES] * options.tables + [_TOPICS] * options.topics

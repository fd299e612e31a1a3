"""The JVM of Spark that is started here: Ctrl-C does not reach it, and nothing of it is left."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any

from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STOP_SECONDS = 20.0
"""How long to wait for what is to end."""
_LOOK_SECONDS = 0.05
_QUIET = logging.ERROR


class OwnJvm:
    """The way to the JVM that was started here, while there is one."""

    gateway: Any = None


OWN_JVM = OwnJvm()


def silence_py4j() -> None:
    """What Py4J logs as errors is raised as well, or follows from an interruption."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_not_of_py4j)


def started(
    settings: Mapping[str, str], make: Callable[[], SparkSession], complaints: IO[bytes]
) -> SparkSession:
    """A session that another thread makes; `complaints` takes what the JVM says of itself.

    In the main thread Spark would take Ctrl-C for itself, and what starts would have to answer
    first.
    """
    outcome: list[SparkSession | Exception] = []

    def start() -> None:
        try:
            outcome.append(make())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=start, name="lockstep-spark", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
    session = outcome[0]
    if isinstance(session, Exception):
        raise LockstepError(
            f"Spark does not start on {settings.get('spark.master', 'what is here')}: "
            f"{_why(session, complaints)}",
            cure="look whether the master runs and can be reached from here",
        ) from session
    return session


def own_session(settings: Mapping[str, str], complaints: IO[bytes]) -> SparkSession:
    """The session, in a JVM that Ctrl-C does not reach."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    process = {"stderr": complaints, "start_new_session": True}
    gateway = launch_gateway(conf, process)  # type: ignore[no-untyped-call]
    OWN_JVM.gateway = gateway
    SparkContext._ensure_initialized(gateway=gateway)
    session = SparkSession.builder.config(map={**settings}).getOrCreate()
    session.sparkContext.setLogLevel(logging.getLevelName(_QUIET))
    return session


def end_jvm(*, interrupted: bool = False) -> None:
    """Stop the session, and the JVM that was started for it: nothing of it is left running.

    Where a call was `interrupted`, what is asked next would get that call's answer: nothing is.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway, OWN_JVM.gateway = OWN_JVM.gateway, None
    if interrupted:
        SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
    elif gateway is None:
        return
    else:
        if (session := SparkSession._instantiatedSession) is not None:
            session.stop()
        gateway.shutdown()
    # Without these a later session of this process would look for the JVM that is gone.
    SparkContext._gateway = SparkContext._jvm = None
    if gateway is None:
        return
    process = gateway.proc
    if interrupted:
        process.kill()
    process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _why(error: Exception, complaints: IO[bytes]) -> str:
    """Why Spark does not start: what Java says of it, where it says anything."""
    complaints.seek(0)
    lines = complaints.read().decode("utf-8", "replace").splitlines()
    said = [line for line in lines if line.startswith(("Exception in", "Error: "))]
    return said[0] if said else next(iter(str(error).splitlines()), type(error).__name__)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Py4J logs to the root logger each call that is interrupted."""
    return "py4j" not in record.pathname

"""What ends a job is reported in a line, out of the pages that Spark makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.failures import reported_plainly

_PAGES = """\
[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: Job aborted
  File "worker.py", line 1, in main
    process()
{}

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(x.scala:1)
"""


@pytest.mark.parametrize(
    ("cause", "reported"),
    [
        ("lockstep.errors.LockstepError: the state is damaged\n  cure: begin again", "is damaged"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/x'", "cannot read its log"),
        ("EOFError: /x has become shorter than 9 bytes while it was read", "become shorter"),
        ("ModuleNotFoundError: No module named 'lockstep_kafka'", "a task has no lockstep_kafka"),
        ("[SCHEMA_NOT_FOUND] The schema `a`.`tables` cannot be found.", "has no schema tables"),
        ("io.delta.exceptions.ConcurrentAppendException: Files were added", "another run"),
        (
            "org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node",
            "the topic cannot be read: Timed out",
        ),
    ],
)
def test_a_cause_is_found(cause: str, reported: str) -> None:
    with pytest.raises(LockstepError, match=reported) as raised, reported_plainly(Path("tables")):
        raise PySparkException(_PAGES.format(cause))
    assert raised.value.cure is not None


def test_a_mistake_of_lockstep_stays_one() -> None:
    pages = _PAGES.format("AssertionError: a line is no file")
    with pytest.raises(PySparkException), reported_plainly(Path("tables")):
        raise PySparkException(pages)


class OfJava(Py4JJavaError):  # type: ignore[misc]
    """An error as Py4J has it, without a JVM to ask for its text."""

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)

    def __str__(self) -> str:
        return str(self.args[0])


def test_what_only_java_raises_is_a_line() -> None:
    pages = "An error occurred while calling o8.save.\n: java.io.IOException: disk full\n\tat a.b"
    with pytest.raises(LockstepError) as raised, reported_plainly(Path("tables")):
        raise OfJava(pages)
    assert raised.value.message == "Spark cannot go on: java.io.IOException: disk full"
    with pytest.raises(Py4JJavaError), reported_plainly(Path("tables")):
        raise OfJava(f"{pages}\nTraceback (most recent call last):\nAssertionError")

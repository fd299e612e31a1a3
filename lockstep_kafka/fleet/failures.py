"""What ended a job, for the reader: Spark wraps it in pages of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lockstep.errors import LockstepError

_OURS = re.compile(
    r"^lockstep\.errors\.LockstepError: (?P<message>.*)(?:\n +cure: (?P<cure>.*))?", re.MULTILINE
)
_FILE_ERRORS = ("OSError", "FileNotFoundError", "PermissionError", "EOFError", "IsADirectoryError")
_MISSING = re.compile(r"^ModuleNotFoundError: No module named '(?P<package>\w+)", re.MULTILINE)
_CONFLICT = re.compile(r"Concurrent\w*Exception|DELTA_CONCURRENT")
_KAFKA = re.compile(r"org\.apache\.kafka\.common\.(?:\w+\.)*\w+Exception: (?P<message>.*)")
_JAVA = re.compile(r"^: (?P<message>.+)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_STREAM_IS_TAKEN = "Multiple streaming queries are concurrently using"


@contextmanager
def reported_plainly(tables: str | Path) -> Iterator[None]:
    """Raise what ended a job as a `LockstepError`, where it is no mistake of lockstep."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        text = str(error)
        reported = _reported(text, tables)
        if reported is None and isinstance(error, Py4JJavaError):
            reported = _of_java(text)
        if reported is None:
            raise
        raise reported from error


def _reported(text: str, tables: str | Path) -> LockstepError | None:
    if ours := _OURS.search(text):
        return LockstepError(ours["message"], cure=ours["cure"])
    if missing := _MISSING.search(text):
        return LockstepError(
            f"the Python of a task has no {missing['package']}",
            cure="install it there; of lockstep the wheel will do, handed on as lockstep.zip",
        )
    if "[SCHEMA_NOT_FOUND]" in text:
        return LockstepError(
            f"the catalog has no schema {tables}",
            cure="make it, or name a folder: as a Path, or with a slash",
        )
    if _CONFLICT.search(text) or _STREAM_IS_TAKEN in text:
        return LockstepError(
            f"another run has written to {tables} meanwhile",
            cure="let one run at a time write there, and run this one again",
        )
    for line in text.splitlines():
        kind, _, message = line.partition(": ")
        if kind in _FILE_ERRORS:
            return LockstepError(
                f"a task cannot read its log: {message}",
                cure="run the same again when the file is there; what was read is kept",
            )
    if of_kafka := _KAFKA.search(text):
        return LockstepError(
            f"the topic cannot be read: {of_kafka['message']}",
            cure="look whether its broker can be reached from here, and has the topic",
        )
    return None


def _of_java(text: str) -> LockstepError | None:
    """What Java raised, where no Python of ours did, and PySpark has no error of its own for it."""
    raised = _JAVA.search(text)
    if raised is None or _TRACEBACK in text:
        return None
    return LockstepError(
        f"Spark cannot go on: {raised['message']}", cure="look into Spark's own log for the rest"
    )

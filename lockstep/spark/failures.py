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
_CONFLICT = re.compile(r"Concurrent\w*Exception|DELTA_CONCURRENT")
_KAFKA = re.compile(r"org\.apache\.kafka\.common\.(?:\w+\.)*\w+Exception: (?P<message>.*)")
_STREAM_IS_TAKEN = "Multiple streaming queries are concurrently using"


@contextmanager
def told_plainly(tables: Path) -> Iterator[None]:
    """Raise what ended a job as a `LockstepError`, where it is no mistake of lockstep."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        told = _told(str(error), tables)
        if told is None:
            raise
        raise told from error


def _told(text: str, tables: Path) -> LockstepError | None:
    if ours := _OURS.search(text):
        return LockstepError(ours["message"], cure=ours["cure"])
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

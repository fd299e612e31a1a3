"""Request logs of Apache Kafka's brokers, followed through the model `fetch_session`.

The reader gives lines in the order in which their requests arrived; the follower judges clients and
brokers apart. docs/reference/conform.md says what is inferred, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep.conform.findings import (
    MOVED,
    FileFinding,
    Finding,
    LineFinding,
    LoadModel,
    Place,
    Progress,
)
from models.kafka_files.request_log import (
    FetchLine,
    LogLine,
    OtherRequest,
    Reason,
    Skipped,
    in_arrival_order,
    log_files,
    read_request_log,
)
from models.observed_sessions.explanations import Explanations
from models.observed_sessions.request_log_follower import RequestLogFollower

_LINES_OF_PROGRESS = 5_000
"""How many lines are read between two reports of how far the reading is."""

_LOSSES = (Reason.TRUNCATED, Reason.MALFORMED, Reason.LATE)

_LINES_OF_A_FILE = 2**40
"""More than any file has: lines of all files are numbered through."""


def observe(logs: Sequence[str], load: LoadModel) -> Iterator[Finding]:
    """Follow every session of some logs: files, directories of files, or `-`.

    `LockstepError` for a log that does not exist.
    """
    files = log_files(logs)
    follower = RequestLogFollower(Explanations(load))
    starts = {file.path: place * _LINES_OF_A_FILE for place, file in enumerate(files)}
    lines = others = 0
    interruption: KeyboardInterrupt | None = None

    def read() -> Iterator[LogLine]:
        """The lines until Ctrl-C: those that are held for their order then still come out."""
        nonlocal interruption
        try:
            for file in files:
                yield from read_request_log(file.path)
        except KeyboardInterrupt as error:
            interruption = error

    try:
        for line in in_arrival_order(read()):
            lines += 1
            if lines % _LINES_OF_PROGRESS == 0:
                yield Progress(line.file, lines, follower.followed, others)
            if isinstance(line, FetchLine):
                if line.moved:
                    detail = f"correlation id {line.correlation_id}"
                    yield LineFinding(Place(line.file, line.line), MOVED, detail)
                yield from follower.follow(line, starts[line.file] + line.line)
            elif isinstance(line, OtherRequest):
                others += 1
                follower.other_request(line, starts[line.file] + line.line)
            else:
                yield _not_followed(line)
    except KeyboardInterrupt as error:
        interruption = error
    yield Progress("", lines, follower.followed, others)
    yield from follower.close()
    if interruption is not None:
        raise interruption


def _not_followed(line: Skipped) -> Finding:
    if line.reason is Reason.UNREADABLE:
        return FileFinding(line.file, line.detail)
    return LineFinding(
        Place(line.file, line.line),
        line.reason.value,
        line.detail,
        is_loss=line.reason in _LOSSES,
    )

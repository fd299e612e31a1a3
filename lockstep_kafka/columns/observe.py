"""Request logs of Apache Kafka's brokers, followed through the model `fetch_session`.

Each broker is followed by itself; clients and brokers are judged apart. docs/reference/conform.md
says what is inferred, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep_kafka.columns.log_reader import Brokers
from lockstep_kafka.files.broker_paths import BrokerPaths
from lockstep_kafka.files.log_files import log_files
from lockstep_kafka.findings import Finding
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import LoadModel

LINES_OF_A_FILE = 2**40
"""More than any file has: lines of all files are numbered through."""


def observe(logs: Sequence[str], load: LoadModel, paths: BrokerPaths) -> Iterator[Finding]:
    """Follow every session of some logs: files, folders, patterns, or `-`.

    `LockstepError` for a log that does not exist, or whose path should name a broker, and does not.
    """
    yield from follow_logs(logs, Explanations(load), paths)


def follow_logs(
    logs: Sequence[str], explanations: Explanations, paths: BrokerPaths
) -> Iterator[Finding]:
    """As `observe`, with a model that is loaded."""
    files = log_files(logs)
    for file in files:
        paths.broker(file.path)  # that a path names no broker is reported before anything else
    brokers = Brokers(explanations, paths)
    interruption: KeyboardInterrupt | None = None
    try:
        for place, file in enumerate(files):
            yield from brokers.read(file.path, place * LINES_OF_A_FILE)
    except KeyboardInterrupt as error:
        interruption = error  # those that are held for their order then still come out
    for follower in brokers.followers.values():
        yield from follower.close()
    yield brokers.progress("")
    if interruption is not None:
        raise interruption

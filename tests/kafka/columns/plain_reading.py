"""Logs read line by line and followed by plain Python: what columns have to find, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from lockstep_kafka.columns.observe import LINES_OF_A_FILE, follow_logs
from lockstep_kafka.files.broker_paths import BrokerPaths, broker_of
from lockstep_kafka.files.lines import Skipped, finding_of
from lockstep_kafka.files.log_files import log_files
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import Finding, Progress
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations


def plainly(logs: Sequence[str], model: Explanations, paths: BrokerPaths) -> Iterator[Finding]:
    """Everything that is found, in the order in which it is."""
    followers: dict[str, BrokerFollower] = {}
    for place, file in enumerate(log_files(logs)):
        for line in read_request_log(file.path):
            if isinstance(line, Skipped):
                yield finding_of(line)
                continue
            broker = broker_of(line, paths)
            if broker not in followers:
                followers[broker] = BrokerFollower(broker, model)
            yield from followers[broker].follow(line, place * LINES_OF_A_FILE + line.line)
    yield from chain.from_iterable(follower.close() for follower in followers.values())


def in_columns(logs: Sequence[str], model: Explanations, paths: BrokerPaths) -> Iterator[Finding]:
    """Everything that `observe` finds, but how far it is."""
    for finding in follow_logs(logs, model, paths):
        if not isinstance(finding, Progress):
            yield finding

"""Logs as they would stand there had the broker's wall clock stepped."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import structs

from lockstep_kafka.files.lines import Request, Skipped
from lockstep_kafka.files.log_files import BrokerPaths, broker_of, log_files
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import Finding, RemarkFinding, Verdict
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations

Steps = Mapping[int, int]
"""By how many milliseconds the clock steps before the line at a place."""


@cache
def requests_of(log: Path) -> Sequence[Request]:
    """The requests of a file, or of a directory."""
    return [
        line
        for file in log_files([log])
        for line in read_request_log(file.path)
        if not isinstance(line, Skipped)
    ]


def stepped(requests: Sequence[Request], steps: Steps) -> list[Request]:
    """The requests with the times that the clock would have given them."""
    ahead, moved = 0, []
    for place, request in enumerate(requests):
        ahead += steps.get(place, 0)
        time_ms = request.time_ms
        later = None if time_ms is None else time_ms + ahead
        moved.append(structs.replace(request, time_ms=later))
    return moved


def taking_turns(requests: Sequence[Request], chance: random.Random) -> list[Request]:
    """The requests as if each client had two connections, and sent the next one on any of both.

    Correlation ids of both are counted on without a hole.
    """
    ids: dict[str, int] = {}
    turned = []
    for request in requests:
        connection = f"{request.connection}{chance.choice(('', '7777'))}"
        ids[connection] = ids.get(connection, 0) + 1
        turned.append(
            structs.replace(request, connection=connection, correlation_id=ids[connection])
        )
    return turned


def departures(model: Explanations, requests: Sequence[Request]) -> list[str]:
    """What departs, each line of each side once."""
    followers: dict[str, BrokerFollower] = {}
    found: list[Finding] = []
    for place, request in enumerate(requests):
        broker = broker_of(request, BrokerPaths())
        if broker not in followers:
            followers[broker] = BrokerFollower(broker, model)
        found += followers[broker].follow(request, place)
    for follower in followers.values():
        found += follower.close()
    return [
        f"{finding.remark.at} {finding.side}: {finding.remark.because}"
        for finding in found
        if isinstance(finding, RemarkFinding) and finding.remark.verdict is Verdict.DEPARTS
    ]

"""Logs of behaviours, followed, and shown to the reader of a test that fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lockstep_kafka.files.lines import OtherRequest
from lockstep_kafka.findings import Finding, Remark, SessionFinding, Verdict
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.simulated.lines import Line
from tests.kafka.sessions.logs import BEGIN_MS
from tests.kafka_models import fetch_session


def explanations() -> Explanations:
    return Explanations(fetch_session)


def findings(model: Explanations, log: Iterable[Line]) -> list[SessionFinding]:
    """What is found in a log, whose lines come as they stand in it."""
    follower = BrokerFollower("", model)
    everything: list[Finding] = []
    for position, line in enumerate(log):
        everything += follower.follow(line, position)
    everything += follower.close()
    return [finding for finding in everything if isinstance(finding, SessionFinding)]


def departures(model: Explanations, log: Iterable[Line]) -> list[Remark]:
    """The first departure of each side that departs."""
    return [
        side.worst
        for finding in findings(model, log)
        for side in (finding.client_side, finding.broker_side)
        if side.worst is not None and side.verdict is Verdict.DEPARTS
    ]


def report(model: Explanations, log: Sequence[Line]) -> str:
    """The lines of a log that departs without which it would not depart; empty if it conforms."""
    if not departures(model, log):
        return ""
    kept = list(log)
    for line in log:
        fewer = [other for other in kept if other is not line]
        if departures(model, fewer):
            kept = fewer
    reported = [
        f"line {remark.at.line} departs: {remark.because} ({', '.join(remark.requirements)})"
        for remark in departures(model, kept)
    ]
    return "\n".join([*map(_shown, kept), *reported])


def _shown(line: Line) -> str:
    head = f"{line.line}: {line.client_id} {line.connection} #{line.correlation_id}"
    if isinstance(line, OtherRequest):
        return f"{head} {line.api}"
    asked = {
        name.partition: (wanted.fetch_offset, wanted.max_bytes)
        for name, wanted in line.partitions.items()
    }
    answered = {
        name.partition: (
            answer.error_code,
            answer.high_watermark,
            answer.log_start_offset,
            answer.records_size,
        )
        for name, answer in line.answered.items()
    }
    forgotten = [name.partition for name in line.forgotten]
    arrival, completion = (line.arrival_ms or 0) - BEGIN_MS, (line.time_ms or 0) - BEGIN_MS
    return (
        f"{head} version {line.version} from {arrival:.0f} to {completion:.0f} ms "
        f"({line.session_id}, {line.session_epoch}) asks {asked} forgets {forgotten}: "
        f"error {line.error_code}, session {line.response_session_id}, "
        f"throttled {line.throttle_time_ms} ms, {answered}"
    )

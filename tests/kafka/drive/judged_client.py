"""What a client did against a leader that the model plays: by steps, and as a log shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lockstep.drive.driver import Took
from lockstep.drive.driving import Course, Limits, drive
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded, closing
from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.plain.exploration import Walks
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep_kafka.drive.clients import Client
from lockstep_kafka.drive.kafka_client import KafkaClient, NotJudgedError
from lockstep_kafka.drive.loopback import Waiting
from lockstep_kafka.drive.wire import Reply
from lockstep_kafka.files.lines import FetchLine, RequestedPartition, TopicPartition
from lockstep_kafka.findings import Finding, RemarkFinding, SessionFinding, SideName
from lockstep_kafka.findings import Verdict as Side
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from tests.kafka.drive.exercises import ROOT

MODEL, SCOPE = "fetch_session", "data"
WIDE = {
    "SESSION_IDS": tuple(range(1, 6)),
    "MAX_EPOCH": 2**31 - 1,
    "MAX_OFFSET": 12,
    "MAX_LEADER_EPOCH": 0,
    "MAX_FETCHED_EPOCH": 0,
    "MAX_DISTURBANCES": 4,
    "MAX_FAILURES": 2,
}
"""Besides `SCOPE`, which has two partitions. Logs are short, so that most steps are requests. With
few session ids the leader is soon left without one, and nothing more can be done."""


@dataclass
class Judged:
    """What came of a run: at most one of the three texts says why it ended before its last step.

    `departs` is why nothing explains what the client did, `not_judged` why that is open, and
    `inconclusive` what else ended it. Of the requests that the model explains `after` counts those
    that came after an answer or a disturbance, `heads` the kinds of session id and epoch. By the
    follower of logs, `judged` requests were judged and `remarks` counts the departures of the
    client by the requirement.
    """

    client: str
    departs: str = ""
    not_judged: str = ""
    inconclusive: str = ""
    steps: int = 0
    after: Counter[str] = field(default_factory=Counter)
    heads: Counter[str] = field(default_factory=Counter)
    judged: int = 0
    remarks: Counter[str] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        """How many requests the model explains."""
        return sum(self.heads.values())


SECONDS = 45.0
"""A run that takes longer is inconclusive."""

_LEFT_OUT = "evict", "restart_broker", "restart_fetcher", "serve_full_without_session"


class _Watched(KafkaClient):
    """A driver that remembers what came after what, in one behaviour.

    With `is_calm` sessions live: by chance alone few of them come to their second request.
    """

    def __init__(self, client: Client, *, is_calm: bool) -> None:
        super().__init__(client)
        self.never = dict.fromkeys(_LEFT_OUT, "Sessions live here.") if is_calm else {}  # type: ignore[misc]
        self.judged = Judged(f"{self.client.name} {self.client.version}")
        self._last = self._sent_by = ""
        self._is_begun = False

    def reset(self, constants: Mapping[str, Any]) -> None:
        if self._is_begun:
            raise LockstepError("no departure is shortened: replays would be counted, too")
        self._is_begun = True
        super().reset(constants)

    def count(self) -> None:
        """Count the request that was sent last: it was found to be one that the model allows."""
        if self._sent_by:
            self.judged.heads[self._sent_by] += 1
            if self._last:
                self.judged.after[self._last] += 1
            self._last = self._sent_by = ""

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        self.count()
        done = super().do(action, arguments)
        if isinstance(done, Took) and self._seen[arguments["f"]] is not None:
            self._sent_by = done.action
        elif arguments.get("via") == "AWAITED" or action in ("disconnect", "restart_fetcher"):
            self._last = action
        return done


def judged_client(
    client: Client,
    explanations: Explanations,
    walks: Walks,
    fault: str | None = None,
    constants: Mapping[str, object] | None = None,
    *,
    is_calm: bool = True,
) -> Judged:
    """Drive a client along one random behaviour; `LockstepError` for a mistake of its driver."""
    assert walks.count == 1, "counting ends with the first departure"
    driver = _Watched(client, is_calm=is_calm)
    values = {**load_model_spec(ROOT, MODEL).scope(SCOPE).constants, **WIDE, **(constants or {})}
    guarded = Guarded(driver)
    with closing(guarded):
        following = Following(load_model(ROOT, MODEL, values, fault=fault), guarded)
        _judge(driver, following, Course(walks))
    driver.judged.steps = following.steps
    _follow(driver.judged, BrokerFollower("leader", explanations), driver.exchanges)
    return driver.judged


def _judge(driver: _Watched, following: Following, course: Course) -> None:
    """What came of the run, in words; `KeyboardInterrupt` where it was interrupted."""
    judged = driver.judged
    try:
        came = drive(following, course, Limits(seconds=SECONDS))
    except NotJudgedError as error:
        judged.not_judged = error.why
        return
    if came.interrupted:
        raise KeyboardInterrupt
    if came.departed is not None:
        judged.departs = _reason(str(came.departed))
        return
    driver.count()
    if came.verdict is not Verdict.HOLDS:
        judged.inconclusive = came.because


def _reason(departed: str) -> str:
    """Why the first outcome does not explain a departure, without the values."""
    lines = departed.strip().splitlines()
    said = next((n for n, line in enumerate(lines) if "no outcome explains" in line), -2)
    return re.sub(r"\(f=.*\)", "", lines[said + 1].strip())


def _follow(
    judged: Judged, follower: BrokerFollower, exchanges: list[tuple[Waiting, Reply]]
) -> None:
    found: list[Finding] = []
    for number, (waiting, reply) in enumerate(exchanges):
        found += follower.follow(_line(waiting, reply, number), number)
    for finding in (*found, *follower.close()):
        if isinstance(finding, SessionFinding):
            judged.judged += finding.client_side.judged
        elif isinstance(finding, RemarkFinding) and finding.side is SideName.CLIENT:
            is_departure = finding.remark.verdict is Side.DEPARTS
            judged.remarks.update(finding.remark.requirements if is_departure else ())


def _line(waiting: Waiting, reply: Reply, number: int) -> FetchLine:
    """The line that a broker's log would have of an exchange."""
    fetch, asked = waiting.fetch, waiting.fetch.asked
    return FetchLine(
        line=number + 1,
        file="loopback",
        time_ms=None,
        version=asked.version,
        correlation_id=asked.correlation_id,
        client_id=asked.client_id,
        connection=str(waiting.connection.number),
        replica_id=-1,
        session_id=fetch.session_id,
        session_epoch=fetch.epoch,
        partitions={
            TopicPartition(p, 0): RequestedPartition(
                one.fetch_offset,
                one.log_start_offset,
                one.partition_max_bytes,
                one.current_leader_epoch,
                one.last_fetched_epoch,
            )
            for p, one in fetch.partitions.items()
        },
        forgotten=tuple(TopicPartition(p, 0) for p in sorted(fetch.forgotten)),
        max_wait_ms=100,
        min_bytes=1,
        error_code=reply.error,
        response_session_id=reply.session_id,
        throttle_time_ms=reply.throttle_ms,
        answered={TopicPartition(p, 0): one for p, one in reply.answered.items()},
    )

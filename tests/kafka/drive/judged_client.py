"""What a client did against a leader that the model plays: by steps, and as a log shows it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.drive.departure import Departed
from lockstep.drive.driven import to_pytest
from lockstep.drive.driver import Took
from lockstep.drive.driving import shortened
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded, closing
from lockstep.language.model import load_model
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
from tests.kafka.drive.behaviours import BEHAVIOURS, along
from tests.kafka.drive.exercises import ROOT

MODEL, SCOPE = "fetch_session", "data"
WIDE = {
    "SESSION_IDS": tuple(range(1, 6)),
    "MAX_EPOCH": 2**31 - 1,
    "MAX_OFFSET": 12,
    "MAX_LEADER_EPOCH": 0,
    "MAX_FETCHED_EPOCH": 0,
    "MAX_DISTURBANCES": 1000,
    "MAX_FAILURES": 9,
    "BEGINS_AGAIN": True,
    "SEEKS": True,
}
"""Besides `SCOPE`, which has two partitions."""

IN_STEP, DEPARTS, NEVER = "in step", "**departs**", "does not come up"


@dataclass(frozen=True)
class Way:
    """How a client is driven: what its user does, whether topics have ids, the leader's fault."""

    user: str
    topic_ids: bool = False
    fault: str | None = None


@dataclass(frozen=True)
class Shortest:
    """The shortest behaviour that was found to a departure, as a test and as a diagram."""

    client: str
    way: Way
    why: str
    test: str
    diagram: str


@dataclass
class Judged:
    """What came of runs: by behaviour, and by the departures that were found.

    `outcomes` counts how the runs of a behaviour ended. Of the requests that the model explains
    `after` counts those that came after an answer or a disturbance, `heads` the kinds of session id
    and epoch. By the follower of logs, `judged` requests were judged, and `remarks` counts the
    departures of the client by the requirement.
    """

    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    found: dict[str, Shortest] = field(default_factory=dict)
    after: Counter[str] = field(default_factory=Counter)
    heads: Counter[str] = field(default_factory=Counter)
    judged: int = 0
    remarks: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Judged) -> Judged:
        names = {*self.outcomes, *other.outcomes}
        return Judged(
            {one: self.outcomes[one] + other.outcomes[one] for one in names},
            {**other.found, **self.found},
            self.after + other.after,
            self.heads + other.heads,
            self.judged + other.judged,
            self.remarks + other.remarks,
        )

    @property
    def requests(self) -> int:
        """How many requests the model explains."""
        return sum(self.heads.values())

    @property
    def endings(self) -> Counter[str]:
        """How the runs of all behaviours ended."""
        return reduce(add, self.outcomes.values(), Counter())


class _Watched(KafkaClient):
    """A driver that counts what came after what, while `judged` is there."""

    def __init__(self, client: Client, user: str) -> None:
        super().__init__(client, user)
        self.judged: Judged | None = None
        self._last = self._sent_by = ""

    def reset(self, constants: Mapping[str, Any]) -> None:
        self._last = self._sent_by = ""
        super().reset(constants)

    def count(self) -> None:
        """Count the request that was sent last: it was found to be one that the model allows."""
        if self._sent_by and self.judged is not None:
            self.judged.heads[self._sent_by] += 1
            self.judged.after[self._last] += 1
            self._last = self._sent_by = ""

    def unanswered(self) -> list[tuple[Waiting, Reply]]:
        """The requests under way, as if the leader knew no session."""
        waiting = [one for one in self._waiting.values() if one is not None]
        return [(one, Reply(70 if one.fetch.epoch > 0 else 0, 0, {}, {})) for one in waiting]

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        self.count()
        done = super().do(action, arguments)
        if action == "send" and isinstance(done, Took) and self._seen[arguments["f"]] is not None:
            self._sent_by = done.action
        elif arguments.get("via") == "AWAITED" or action in ("disconnect", "restart_fetcher"):
            self._last = action
        return done


@contextmanager
def followed(client: Client | KafkaClient, way: Way) -> Iterator[Following]:
    """A client, or a driver of one, beside the model in which it is judged."""
    driver = client if isinstance(client, KafkaClient) else KafkaClient(client, way.user)
    constants = {**WIDE, "TOPIC_IDS": way.topic_ids}
    values = {**load_model_spec(ROOT, MODEL).scope(SCOPE).constants, **constants}
    guarded = Guarded(driver)
    with closing(guarded):
        yield Following(load_model(ROOT, MODEL, values, fault=way.fault), guarded)


def judged_client(client: Client, explanations: Explanations, way: Way) -> Judged:
    """Drive a client along all behaviours; `LockstepError` for a mistake of its driver."""
    driver, judged = _Watched(client, way.user), Judged()
    with followed(driver, way) as following:
        for name, behaviour in BEHAVIOURS.items():
            driver.judged = judged
            try:
                outcome = IN_STEP if along(following, behaviour) else NEVER
                exchanges = driver.exchanges
                driver.count()
            except NotJudgedError as error:
                outcome, exchanges = f"not judged: {error.why}", driver.exchanges
            except Departed as departed:
                outcome = DEPARTS
                exchanges = [*driver.exchanges, *driver.unanswered()]
                driver.judged = None
                if (why := _why(departed)) not in judged.found:
                    judged.found[why] = _shortest(client, way, following, departed)
            _follow(judged, explanations, exchanges)
            judged.outcomes[name][outcome] += 1
    return judged


def _shortest(client: Client, way: Way, following: Following, departed: Departed) -> Shortest:
    best = shortened(following, departed)
    departure = best.departure
    test = to_pytest(
        following.stimuli,
        departure.stimuli,
        MODEL,
        f"kafka-client:{client.name}+{way.user}",
        scope=SCOPE,
        constants={**WIDE, "TOPIC_IDS": way.topic_ids},
        fault=way.fault,
    )
    diagram = to_mermaid(sequence(following.model, departure.trace, fault=way.fault))
    return Shortest(f"{client.name} {client.version}", way, _why(best), test, diagram)


def _why(departed: Departed) -> str:
    """Why the first outcome does not explain a departure, without the values."""
    lines = str(departed).strip().splitlines()
    said = next((n for n, line in enumerate(lines) if "no outcome explains" in line), -2)
    return re.sub(r"\(f=.*\)", "", lines[said + 1].strip())


def _follow(
    judged: Judged, explanations: Explanations, exchanges: list[tuple[Waiting, Reply]]
) -> None:
    follower = BrokerFollower("leader", explanations)
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

"""A request and its response, as the broker's side is judged by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    RequestedPartition,
    TopicPartition,
)
from lockstep_kafka.sessions.knowledge import (
    FIRST_WITH_TOPIC_IDS,
    Connection,
    LeaderSession,
)
from lockstep_kafka.sessions.leader_case import Membership, Row

_FIRST_WITH_LOG_START = 5


@dataclass(slots=True)
class Position:
    """Where a line stands in all of the log, and the line of its connection before it."""

    number: int
    connection: Connection


class Exchange:
    """A request and its response, and what their partitions have in common."""

    __slots__ = (
        "absence",
        "asked",
        "filled",
        "has_topic_ids",
        "is_replica",
        "line",
        "members",
        "position",
        "reads_committed",
        "row",
        "tells_log_start",
    )

    def __init__(self, row: Row, line: FetchLine, position: Position) -> None:
        self.row = row
        self.line = line
        self.position = position
        self.has_topic_ids = line.version >= FIRST_WITH_TOPIC_IDS
        self.is_replica = line.is_follower
        self.tells_log_start = line.version >= _FIRST_WITH_LOG_START
        self.reads_committed = line.isolation_level == 1
        self.asked = len(line.partitions)
        self.filled = 0
        """How many partitions are answered with records."""
        for answer in line.answered.values():
            if answer.records_size:
                self.filled += 1
        self.members = 0
        """How many partitions the session has before."""
        self.absence = Membership.ABSENT
        """Whether the session has a partition that it is not known to have."""

    def within(self, session: LeaderSession) -> None:
        """The request is an incremental one of a session."""
        self.members = len(session.partitions)
        if not session.is_whole:
            self.absence = Membership.OPEN

    def is_definite(self, leader_epoch: int) -> bool:
        """Whether a request says which topic, and which epoch of its leader, it means."""
        return self.has_topic_ids and leader_epoch >= 0


class Named(NamedTuple):
    """What a request and its response say of one partition."""

    partition: TopicPartition
    interest: RequestedPartition | None
    answer: AnsweredPartition | None
    is_forgotten: bool
    has_data: bool
    """Whether the answer reports the leader's log."""
    may_hide_records: bool = False
    """Whether records say nothing: a KRaft leader that does not know its watermark sends some."""


def has_data(answer: AnsweredPartition) -> bool:
    """Whether an answer reports the leader's log, and nothing that stands in for it."""
    return (
        answer.error_code == 0
        and answer.preferred_read_replica < 0
        and not answer.has_diverging_epoch
        and not answer.has_snapshot_id
    )


def partitions_of(line: FetchLine, names: Iterable[TopicPartition]) -> Iterator[Named]:
    """What an exchange says of each of some partitions."""
    requested, answered, forgotten = line.partitions, line.answered, line.forgotten
    removed = () if line.asks_for_all else forgotten
    for partition in tuple(names):
        answer = answered.get(partition)
        # A replica is sent no watermark that a KRaft leader does not know yet. A log need not
        # say how many bytes of records there are.
        is_unknown = answer is not None and (
            answer.records_size is None or (line.is_follower and answer.high_watermark < 0)
        )
        yield Named(
            partition,
            # One that is listed, too, is added first, and then removed (227-D10).
            None if partition in removed else requested.get(partition),
            answer,
            partition in forgotten,
            answer is not None and not is_unknown and has_data(answer),
            is_unknown,
        )

"""Judges the broker: whether a leader, as far as the log shows it, may answer a request so.

What is taken for known rests on what the log says, never on a guess: see docs/reference/conform.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    TopicPartition,
)
from lockstep_kafka.findings import Place, Remark
from lockstep_kafka.sessions.exchange import Exchange, Named, Position, partitions_of
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.knowledge import (
    Held,
    LeaderSession,
    read_end,
)
from lockstep_kafka.sessions.leader_case import (
    BEYOND_ALL,
    FULL,
    OPEN,
    UNKNOWN,
    Answer,
    Cached,
    LeaderCase,
    Membership,
    Others,
    Row,
)
from lockstep_kafka.sessions.leader_lines import why
from lockstep_kafka.sessions.leader_logs import LeaderLogs

_OUT_OF_RANGE = 1

_UNSUPPORTED_COMPRESSION = 76
"""The one error beside which a watermark may be cached: a broker before 4.0 does (227-D4)."""


class LeaderSide:
    """Judges the partitions of a response by the model's leader, and takes them in."""

    def __init__(self, explanations: Explanations) -> None:
        self._explanations = explanations

    def answers_full(
        self,
        logs: LeaderLogs,
        session: LeaderSession | None,
        row: Row,
        line: FetchLine,
        position: Position,
    ) -> Iterator[Remark]:
        """Judge the response to a full request; `session` is the one that it opens."""
        exchange = Exchange(row, line, position)
        for named in partitions_of(line, {**line.partitions, **line.answered}):
            partition, interest = named[:2]
            leader_epoch = UNKNOWN if interest is None else interest.leader_epoch
            least = logs.least(partition, leader_epoch, exchange)
            case = _case(exchange, named, None, least)
            outcome = self._explanations.leader(case)
            if outcome is None:
                yield from self._departure(partition, case, line)
            if session is not None and interest is not None:
                session.partitions[partition] = Held(interest)
                logs.watch(partition, session)
                if outcome is not None:
                    _take_in(logs, session, named, outcome, line)
            _tell(logs, named, leader_epoch, exchange, session if interest is not None else None)

    def answers_incremental(
        self,
        logs: LeaderLogs,
        session: LeaderSession,
        row: Row,
        line: FetchLine,
        position: Position,
    ) -> Iterator[Remark]:
        """Judge the response to an incremental request, and take both in."""
        if not (
            line.partitions
            or line.answered
            or line.forgotten
            or session.readable
            or session.lagging
        ):
            return
        exchange = Exchange(row, line, position)
        exchange.within(session)
        for named in partitions_of(line, _names(logs, exchange, session)):
            partition, interest = named[:2]
            held = session.partitions.get(partition)
            current = interest if interest is not None or held is None else held.interest
            leader_epoch, least = UNKNOWN, (0, 0)
            if current is not None:
                leader_epoch = current.leader_epoch
                least = logs.least(partition, leader_epoch, exchange)
                if held is not None:
                    least = _at_least(least, exchange, held, leader_epoch)
            case = _case(exchange, named, held, least)
            outcome = self._explanations.leader(case)
            if outcome is None:
                yield from self._departure(partition, case, line)
            self._move(logs, session, named, outcome, line)
            _tell(logs, named, leader_epoch, exchange, session)

    def overtaken(self, logs: LeaderLogs, session: LeaderSession, line: FetchLine) -> None:
        """Take in a request that was accepted, and refused when a later one overtook it."""
        for partition, interest in line.partitions.items():
            held = session.partitions.get(partition)
            if held is None:
                session.partitions[partition] = Held(interest, UNKNOWN, UNKNOWN)
                logs.watch(partition, session)
            else:
                held.interest = interest
            session.readable.pop(partition, None)
        for partition in line.forgotten:
            if session.partitions.pop(partition, None) is not None:
                logs.leave(partition, session)

    def _move(
        self,
        logs: LeaderLogs,
        session: LeaderSession,
        named: Named,
        outcome: Cached | None,
        line: FetchLine,
    ) -> None:
        """What the session has of the partition afterwards."""
        partition, interest, answer, is_forgotten = named[:4]
        held = session.partitions.get(partition)
        if outcome is None:
            # It departs: what the session has cached is open, but for what the request says.
            membership = Membership.ABSENT if is_forgotten else Membership.PRESENT
            outcome = Cached(membership, interest is not None, OPEN, OPEN)
            if interest is None and held is None:
                return
        if outcome.membership is Membership.ABSENT:
            if held is not None:
                del session.partitions[partition]
                logs.leave(partition, session)
            session.readable.pop(partition, None)
            return
        if held is None:
            if interest is None and answer is None:
                return
            held = session.partitions[partition] = Held(interest)
            logs.watch(partition, session)
        elif outcome.is_requested:
            held.interest = interest
        _take_in(logs, session, named, outcome, line)

    def _departure(
        self, partition: TopicPartition, case: LeaderCase, line: FetchLine
    ) -> Iterator[Remark]:
        rule, arguments = why(partition, case)
        remark = Remark(rule, Place(line.file, line.line), arguments)
        yield self._explanations.departure(remark, self._explanations.leader_refusals(case))


def _names(
    logs: LeaderLogs, exchange: Exchange, session: LeaderSession
) -> Iterable[TopicPartition]:
    """The partitions of which an exchange within a session says something."""
    line = exchange.line
    names: dict[TopicPartition, object] = {**line.partitions, **line.answered}
    for partition in line.forgotten:
        names[partition] = None
    if exchange.row is Row.THROTTLED:
        return names
    if session.readable and exchange.filled == 0 and not exchange.is_replica:
        withheld = next((name for name in session.readable if name not in names), None)
        if withheld is not None:
            names[withheld] = None
    for partition in tuple(session.lagging):
        held = session.partitions.get(partition)
        if held is None:
            session.lagging.pop(partition, None)
        elif partition not in names:
            leader_epoch = UNKNOWN if held.interest is None else held.interest.leader_epoch
            high_watermark, log_start = logs.least(partition, leader_epoch, exchange)
            if high_watermark > held.high_watermark or log_start > held.log_start:
                names[partition] = None
    return names


def _case(
    exchange: Exchange, named: Named, held: Held | None, least: tuple[int, int]
) -> LeaderCase:
    """The case of a partition; `least` is what the leader's log must have reached."""
    interest, answer, is_forgotten, has_data = named[1:5]
    offset = high_watermark = log_start = OPEN
    if held is not None:
        high_watermark, log_start = held.high_watermark, held.log_start
        if held.interest is not None:
            offset = max(held.interest.fetch_offset, 0)
    # What is asked for at a negative offset is answered with an error, whatever the log has.
    requested = OPEN if interest is None else max(interest.fetch_offset, 0)
    seen, is_filled = None, False
    if answer is not None:
        is_filled = bool(answer.records_size)
        is_forgotten_at_once = answer.error_code != 0 and exchange.row not in FULL
        seen = Answer(
            has_data,
            # Within a session no watermark is cached beside an error (227-D4).
            UNKNOWN if is_forgotten_at_once else answer.high_watermark,
            answer.log_start_offset if exchange.tells_log_start else least[1],
            is_filled and not named.may_hide_records,
        )
    if exchange.is_replica or exchange.filled > is_filled:
        # A follower over its replication quota may get nothing (227-D34): that looks as if
        # others had used the limit up.
        others = Others.WITH_RECORDS
    elif (
        exchange.absence is Membership.OPEN
        or exchange.members > (held is not None)
        or exchange.asked > (interest is not None)
    ):
        others = Others.QUIET
    else:
        others = Others.ABSENT
    if exchange.reads_committed and (seen is None or not seen.has_records):
        offset = _uncommitted(offset, held, answer)
        requested = _uncommitted(requested, held, answer)
    return LeaderCase(
        exchange.row,
        exchange.is_replica,
        exchange.absence if held is None else Membership.PRESENT,
        is_forgotten,
        others,
        seen,
        offset,
        high_watermark,
        log_start,
        requested,
        *least,
    )


def _at_least(
    least: tuple[int, int],
    exchange: Exchange,
    held: Held,
    leader_epoch: int,
) -> tuple[int, int]:
    """What the leader's log must have reached, with what was reported to the session itself.

    What was reported in an earlier epoch is no bound: a former leader that follows takes the
    watermark of the new one. Nor is it one of a topic that has a name alone, which may be made
    again.
    """
    if held.reported_epoch == leader_epoch and exchange.is_definite(leader_epoch):
        return max(least[0], held.high_watermark), max(least[1], held.log_start)
    return least


def _tell(
    logs: LeaderLogs,
    named: Named,
    leader_epoch: int,
    exchange: Exchange,
    session: LeaderSession | None,
) -> None:
    """Keep what is answered of a partition, for all sessions that have it."""
    partition, answer, has_data = named.partition, named.answer, named.has_data
    if answer is None:
        return
    if has_data:
        is_latest = logs.tell(partition, leader_epoch, answer, exchange)
        if session is not None:
            if is_latest:
                session.lagging.pop(partition, None)
                if partition in session.partitions:
                    logs.watch(partition, session)
            else:
                logs.lag(partition, session)
    elif answer.error_code not in (0, _OUT_OF_RANGE):
        logs.forget(partition)


def _uncommitted(offset: int, held: Held | None, answer: AnsweredPartition | None) -> int:
    """A fetch offset, beyond all records where open transactions may hide those that follow it."""
    if offset == OPEN:
        return OPEN
    if answer is not None:
        end, beyond = answer.last_stable_offset, max(offset, answer.high_watermark)
    else:
        # The last stable offset may have moved since it was reported, but never back (227-D9).
        end, beyond = OPEN if held is None else held.stable, BEYOND_ALL
    return offset if offset < end else beyond


def _take_in(
    logs: LeaderLogs, session: LeaderSession, named: Named, outcome: Cached, line: FetchLine
) -> None:
    partition, answer = named.partition, named.answer
    held = session.partitions[partition]
    # Nothing lower is cached: what a damaged answer says stays open.
    held.high_watermark = max(outcome.high_watermark, OPEN)
    held.log_start = max(outcome.log_start, OPEN)
    if answer is not None:
        held.stable = answer.last_stable_offset
        held.reported_epoch = OPEN if held.interest is None else held.interest.leader_epoch
        if answer.error_code == _UNSUPPORTED_COMPRESSION:
            held.high_watermark = held.log_start = OPEN
    if held.high_watermark == UNKNOWN and (answer is None or answer.error_code):
        logs.lag(partition, session)
    interest = held.interest
    if (
        interest is not None
        and held.log_start >= 0
        and (
            held.log_start
            <= interest.fetch_offset
            < read_end(held.stable, held.high_watermark, line.isolation_level)
        )
    ):
        session.readable[partition] = None
    else:
        session.readable.pop(partition, None)

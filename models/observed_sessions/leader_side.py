"""Judges the broker: may a leader, as far as the log shows it, answer a request so?

What is taken for known rests on what the log says, never on a guess: see docs/reference/conform.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lockstep.conform.findings import Place, Remark
from models.kafka_files.request_log import (
    AnsweredPartition,
    FetchLine,
    RequestedPartition,
    TopicPartition,
)
from models.observed_sessions.explanations import Explanations
from models.observed_sessions.knowledge import (
    RECREATION_MS,
    Connection,
    Held,
    LeaderLog,
    LeaderSession,
    is_identified,
    read_end,
)
from models.observed_sessions.leader_cases import (
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

_OUT_OF_RANGE = 1

_LEFT_OUT = "227-13"

_BEYOND_ALL = 2**63 - 1


@dataclass(slots=True)
class Position:
    """Where a line stands in all of the log, and the line of its connection before it."""

    number: int
    connection: Connection


class LeaderLogs:
    """What one broker has told of its partitions, and which sessions hold them."""

    def __init__(self) -> None:
        self._logs: dict[TopicPartition, LeaderLog] = {}
        self._sessions: dict[TopicPartition, set[LeaderSession]] = {}

    def least(
        self, partition: TopicPartition, leader_epoch: int, line: FetchLine, position: Position
    ) -> tuple[int, int]:
        """The least high watermark and log start that the leader has when it serves a line."""
        log = self._logs.get(partition)
        if log is None or log.leader_epoch != leader_epoch or position.connection.position < 0:
            return 0, 0
        is_lasting = is_identified(line.version, leader_epoch)
        oldest = None
        if not is_lasting:
            if line.arrival_ms is None:
                return 0, 0
            oldest = line.arrival_ms - RECREATION_MS
        connection = position.connection
        return log.before(connection.position, connection.time_ms, oldest)

    def tell(
        self,
        partition: TopicPartition,
        leader_epoch: int,
        answer: AnsweredPartition,
        line: FetchLine,
        position: Position,
    ) -> None:
        """Keep what a response says of a partition."""
        log = self._logs.get(partition)
        if log is None or log.leader_epoch != leader_epoch:
            if log is not None and leader_epoch < log.leader_epoch:
                return
            log = self._logs[partition] = LeaderLog(leader_epoch)
        if log.tell(position.number, line.time_ms, answer.high_watermark, answer.log_start_offset):
            for session in self._sessions.get(partition, ()):
                session.lagging.add(partition)

    def compare(
        self, session: LeaderSession, partition: TopicPartition, answer: AnsweredPartition
    ) -> None:
        """Note whether any fetcher was told of a later watermark than the session now is."""
        log = self._logs.get(partition)
        if log is not None and log.highest > answer.high_watermark:
            session.lagging.add(partition)
        else:
            session.lagging.discard(partition)

    def forget(self, partition: TopicPartition) -> None:
        """The partition is another one, or has another leader: nothing is known of it."""
        self._logs.pop(partition, None)

    def forget_all(self) -> None:
        """The broker started anew."""
        self._logs.clear()

    def join(self, partition: TopicPartition, session: LeaderSession) -> None:
        """A session has the partition now."""
        self._sessions.setdefault(partition, set()).add(session)

    def leave(self, partition: TopicPartition, session: LeaderSession) -> None:
        """A session has the partition no more."""
        sessions = self._sessions.get(partition)
        if sessions is not None:
            sessions.discard(session)
            if not sessions:
                del self._sessions[partition]


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
        requested, answered = line.partitions, line.answered
        filled = sum(1 for answer in answered.values() if answer.records_size)
        for partition in (*requested, *(extra for extra in answered if extra not in requested)):
            interest, answer = requested.get(partition), answered.get(partition)
            others = self._others(line, filled, answer, len(requested) > (interest is not None))
            case = self._case(row, None, Membership.ABSENT, interest, False, answer, others, line)
            leader_epoch = UNKNOWN if interest is None else interest.leader_epoch
            high, start = logs.least(partition, leader_epoch, line, position)
            case = case._replace(least_high_watermark=high, least_log_start=start)
            outcome = self._explanations.leader(case)
            if outcome is None:
                yield from self._departure(partition, case, line)
            if answer is not None and answer.error_code not in (0, _OUT_OF_RANGE):
                logs.forget(partition)
            elif answer is not None and _has_data(answer):
                logs.tell(partition, leader_epoch, answer, line, position)
            if session is not None and interest is not None:
                held = session.partitions[partition] = Held(interest)
                logs.join(partition, session)
                if outcome is not None:
                    _take_in(session, partition, held, outcome, answer, line)
                if answer is not None and _has_data(answer):
                    logs.compare(session, partition, answer)

    def answers_incremental(
        self,
        logs: LeaderLogs,
        session: LeaderSession,
        row: Row,
        line: FetchLine,
        position: Position,
    ) -> Iterator[Remark]:
        """Judge the response to an incremental request, and take both in."""
        requested, answered = line.partitions, line.answered
        partitions = session.partitions
        forgotten = line.forgotten
        filled = 0
        for answer in answered.values():
            if answer.records_size:
                filled += 1
        names = dict.fromkeys(requested)
        names.update(dict.fromkeys(answered))
        names.update(dict.fromkeys(forgotten))
        if row is not Row.THROTTLED:
            if filled == 0 and session.readable and not line.is_follower:
                withheld = next((name for name in session.readable if name not in names), None)
                if withheld is not None:
                    names[withheld] = None
            if session.lagging:
                for partition in tuple(session.lagging):
                    if partition not in partitions:
                        session.lagging.discard(partition)
                    elif partition not in names:
                        names[partition] = None
        size = len(partitions)
        for partition in names:
            held = partitions.get(partition)
            interest, answer = requested.get(partition), answered.get(partition)
            if held is not None:
                membership = Membership.PRESENT
            else:
                membership = Membership.ABSENT if session.is_whole else Membership.OPEN
            is_forgotten = bool(forgotten) and partition in forgotten
            has_others = (
                not session.is_whole
                or size > (held is not None)
                or len(requested) > (interest is not None)
            )
            others = self._others(line, filled, answer, has_others)
            case = self._case(row, held, membership, interest, is_forgotten, answer, others, line)
            current = interest if interest is not None else held.interest if held else None
            leader_epoch = UNKNOWN if current is None else current.leader_epoch
            if current is not None:
                case = self._with_least(
                    case, logs, partition, held, current, session, line, position
                )
            outcome = self._explanations.leader(case)
            if outcome is None:
                yield from self._departure(partition, case, line)
            self._move(logs, session, partition, held, interest, is_forgotten, outcome, line)
            if answer is not None:
                if answer.error_code not in (0, _OUT_OF_RANGE):
                    logs.forget(partition)
                elif _has_data(answer):
                    logs.tell(partition, leader_epoch, answer, line, position)
                    logs.compare(session, partition, answer)

    def overtaken(self, session: LeaderSession, line: FetchLine) -> None:
        """Take in a request that was accepted, and refused when a later one overtook it."""
        for partition in line.forgotten:
            session.partitions.pop(partition, None)
        for partition, interest in line.partitions.items():
            held = session.partitions.get(partition)
            if held is None:
                session.partitions[partition] = Held(interest, UNKNOWN, UNKNOWN)
            else:
                held.interest = interest
            session.readable.discard(partition)

    def _move(
        self,
        logs: LeaderLogs,
        session: LeaderSession,
        partition: TopicPartition,
        held: Held | None,
        interest: RequestedPartition | None,
        is_forgotten: bool,
        outcome: Cached | None,
        line: FetchLine,
    ) -> None:
        """What the session has of the partition afterwards."""
        answer = line.answered.get(partition)
        if outcome is None:
            # It departs: what the session has cached is open, but for what the request says.
            outcome = Cached(
                Membership.ABSENT if is_forgotten else Membership.PRESENT,
                interest is not None,
                answer.high_watermark if answer is not None else OPEN,
                answer.log_start_offset if answer is not None else OPEN,
            )
            if interest is None and held is None:
                return
        if outcome.membership is Membership.ABSENT:
            if held is not None:
                del session.partitions[partition]
                logs.leave(partition, session)
            session.readable.discard(partition)
            return
        if held is None:
            if interest is None and answer is None:
                return
            held = session.partitions[partition] = Held(interest)
            logs.join(partition, session)
        elif outcome.is_requested:
            held.interest = interest
        _take_in(session, partition, held, outcome, answer, line)

    def _with_least(
        self,
        case: LeaderCase,
        logs: LeaderLogs,
        partition: TopicPartition,
        held: Held | None,
        current: RequestedPartition,
        session: LeaderSession,
        line: FetchLine,
        position: Position,
    ) -> LeaderCase:
        """The case, with the least that the leader's log must have reached."""
        high, start = logs.least(partition, current.leader_epoch, line, position)
        if held is not None and held.interest is not None:
            is_same = held.interest.leader_epoch == current.leader_epoch
            if is_same and (
                is_identified(line.version, current.leader_epoch)
                or _is_recent(session.told_ms, line)
                or _is_beyond(current, line.answered.get(partition))
            ):
                high, start = max(high, held.high_watermark), max(start, held.log_start)
        if (high, start) == (0, 0):
            return case
        return case._replace(least_high_watermark=high, least_log_start=start)

    def _others(
        self, line: FetchLine, filled: int, answer: AnsweredPartition | None, has_others: bool
    ) -> Others:
        if line.is_follower or filled > bool(answer is not None and answer.records_size):
            # A follower over its replication quota may get nothing (227-D34): that looks as if
            # others had used the limit up.
            return Others.WITH_RECORDS
        return Others.QUIET if has_others else Others.ABSENT

    def _case(
        self,
        row: Row,
        held: Held | None,
        membership: Membership,
        interest: RequestedPartition | None,
        is_forgotten: bool,
        answer: AnsweredPartition | None,
        others: Others,
        line: FetchLine,
    ) -> LeaderCase:
        offset = high_watermark = log_start = OPEN
        if held is not None:
            high_watermark, log_start = held.high_watermark, held.log_start
            if held.interest is not None:
                offset = held.interest.fetch_offset
        requested = OPEN if interest is None else interest.fetch_offset
        seen = None
        if answer is not None:
            has_data = _has_data(answer)
            seen = Answer(
                has_data,
                # An error, whatever watermark comes with it, is forgotten at once (227-D4).
                UNKNOWN if answer.error_code else answer.high_watermark,
                answer.log_start_offset,
                bool(answer.records_size) and has_data,
            )
        if line.isolation_level == 1 and (seen is None or not seen.has_records):
            offset, requested = (
                _uncommitted(offset, held, answer),
                _uncommitted(requested, held, answer),
            )
        return LeaderCase(
            row,
            line.is_follower,
            membership,
            offset,
            high_watermark,
            log_start,
            requested,
            is_forgotten,
            seen,
            0,
            0,
            others,
        )

    def _departure(
        self, partition: TopicPartition, case: LeaderCase, line: FetchLine
    ) -> Iterator[Remark]:
        because, requirements = _why(partition, case)
        candidates = self._explanations.leader_refusals(case)
        at = Place(line.file, line.line)
        yield self._explanations.departure(at, because, requirements, candidates)


def _is_recent(told_ms: float | None, line: FetchLine) -> bool:
    """Whether a request came so soon that its partitions are those of the answer before it."""
    arrival = line.arrival_ms
    return told_ms is not None and arrival is not None and arrival - told_ms <= RECREATION_MS


def _is_beyond(interest: RequestedPartition, answer: AnsweredPartition | None) -> bool:
    """Whether a fetch offset is beyond the watermark: a log made anew would refuse that offset."""
    return (
        answer is not None and _has_data(answer) and interest.fetch_offset > answer.high_watermark
    )


def _has_data(answer: AnsweredPartition) -> bool:
    """Whether an answer tells of the leader's log, and of nothing that stands in for it.

    A KRaft leader that does not know its high watermark yet answers -1.
    """
    return (
        answer.error_code == 0
        and answer.high_watermark >= 0
        and answer.preferred_read_replica < 0
        and not answer.has_diverging_epoch
        and not answer.has_snapshot_id
    )


def _uncommitted(offset: int, held: Held | None, answer: AnsweredPartition | None) -> int:
    """A fetch offset, beyond all records where open transactions may hide those that follow it."""
    if offset == OPEN:
        return OPEN
    if answer is not None:
        end, beyond = answer.last_stable_offset, max(offset, answer.high_watermark)
    else:
        # The last stable offset may have moved since it was told, but never back (227-D9).
        end, beyond = OPEN if held is None else held.stable, _BEYOND_ALL
    return offset if offset < end else beyond


def _take_in(
    session: LeaderSession,
    partition: TopicPartition,
    held: Held,
    outcome: Cached,
    answer: AnsweredPartition | None,
    line: FetchLine,
) -> None:
    held.high_watermark, held.log_start = outcome.high_watermark, outcome.log_start
    if answer is not None:
        held.stable = answer.last_stable_offset
    if held.high_watermark == UNKNOWN and (answer is None or answer.error_code):
        session.lagging.add(partition)
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
        session.readable.add(partition)
    else:
        session.readable.discard(partition)


def _why(partition: TopicPartition, case: LeaderCase) -> tuple[str, tuple[str, ...]]:
    """Why a case is not explained, in the words of the protocol, and the requirements broken."""
    answer = case.answer
    least_high, least_start = case.least_high_watermark, case.least_log_start
    if answer is None:
        if case.row in FULL:
            row = "227-34" if case.row is Row.SESSIONLESS else "227-36"
            return f"{partition} is asked for, but not answered", (row, "227-66")
        if 0 <= case.high_watermark < least_high:
            return (
                f"{partition} is left out: its fetcher knows high watermark {case.high_watermark}, "
                f"and another one was told {least_high} before",
                (_LEFT_OUT, "227-52"),
            )
        if case.membership is Membership.ABSENT:
            return f"{partition} is added to the session, but not answered", (_LEFT_OUT,)
        if case.high_watermark == UNKNOWN:
            return f"{partition} is available again, but not answered", (_LEFT_OUT,)
        offset = case.offset if case.requested == OPEN else case.requested
        return (
            f"no records are returned, although {partition} has some at offset {offset}: its high "
            f"watermark is {max(case.high_watermark, least_high)}",
            ("227-56",),
        )
    if case.membership is Membership.ABSENT and case.requested == OPEN:
        whose = "request" if case.row in FULL else "session"
        return f"{partition} is answered, but the {whose} does not have it", ("227-9",)
    if case.is_forgotten:
        return f"{partition} is answered, but the request removes it", ("227-44",)
    if answer.has_data and answer.high_watermark < least_high:
        return (
            f"the high watermark of {partition} goes back from {least_high} to "
            f"{answer.high_watermark}",
            ("227-12",),
        )
    if answer.has_data and answer.log_start < least_start:
        return (
            f"the log start of {partition} goes back from {least_start} to {answer.log_start}",
            ("227-12",),
        )
    if answer.has_records:
        return f"records are returned of {partition}, which has none to return", ("227-12",)
    if (answer.high_watermark, answer.log_start) == (case.high_watermark, case.log_start):
        return (
            f"{partition} is answered, although nothing about it changed and it has no records",
            ("227-52",),
        )
    return (
        f"no records are returned, although {partition} has some at the offset asked for: its high "
        f"watermark is {answer.high_watermark}",
        ("227-56",),
    )

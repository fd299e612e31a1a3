"""The side of the leader: of which partitions it answers, and what is cached of them then."""

from __future__ import annotations

from typing import Any

from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.kernels.case import explain, least
from lockstep_kafka.columns.kernels.held import (
    append,
    held_by,
    hold,
    keep_reported,
    leave,
    let_go,
    remove,
    watch,
)
from lockstep_kafka.columns.kernels.layout import (
    ANSWERED,
    ASKED,
    DONE,
    HELD,
    IS_LATEST,
    LOG,
    MARK,
    NAMED,
    NO_LOG,
    ODD_STEP,
    ROW,
    SESSION,
    TELLING,
)
from lockstep_kafka.sessions.leader_case import OPEN, UNKNOWN, Membership

_OUT_OF_RANGE = 1
_UNSUPPORTED_COMPRESSION = 76
"""The one error beside which a watermark may be cached: a broker before 4.0 does (227-D4)."""

_compiled: Any = njit(boundscheck=False, error_model="numpy")


_ABSENT = int(Membership.ABSENT)


@_compiled
def _name(m: Any, session: Any, partition: Any) -> Any:
    """Judge a partition, too, if it is not among those of the line already.

    There is none beyond `named_room`: a line with so many is judged by Python.
    """
    marks, names = counts_at(m.marks), counts_at(m.named)
    mark = partition * MARK.size
    if marks[mark + MARK.named] == m.mark or m.named_count >= m.named_room:
        return
    marks[mark + MARK.named] = m.mark
    named = m.named_count * NAMED.size
    m.named_count += 1
    is_forgotten = marks[mark + MARK.forgotten] == m.mark
    is_asked = marks[mark + MARK.asked] == m.mark and not is_forgotten
    is_answered = marks[mark + MARK.answered] == m.mark
    names[named + NAMED.partition] = partition
    names[named + NAMED.held] = held_by(m, session, partition)
    names[named + NAMED.asked] = marks[mark + MARK.asked_at] if is_asked else 0
    names[named + NAMED.answered] = marks[mark + MARK.answered_at] if is_answered else 0
    names[named + NAMED.forgotten] = 1 if is_forgotten else 0


@_compiled
def name_all(m: Any, row: Any, session: Any) -> Any:
    """Gather the partitions that the request or the response names."""
    rows = counts_at(m.rows)
    m.named_count = 0
    at = row + ROW.size
    for _ in range(rows[row + ROW.asked]):
        _name(m, session, rows[at + ASKED.partition])
        at += ASKED.size
    forgotten = at
    at += rows[row + ROW.forgotten]
    for _ in range(rows[row + ROW.answered]):
        _name(m, session, rows[at + ANSWERED.partition])
        at += ANSWERED.size
    for index in range(rows[row + ROW.forgotten]):
        _name(m, session, rows[forgotten + index])


@_compiled
def name_due(m: Any, row: Any, session: Any) -> Any:
    """Gather those, too, that a session would have to be answered of."""
    sessions, held = counts_at(m.sessions), counts_at(m.held_rows)
    logs, log_of, marks = counts_at(m.logs), counts_at(m.log_of), counts_at(m.marks)
    if m.filled == 0 and m.is_replica == 0:
        entry = sessions[session + SESSION.readable]
        while entry != 0:
            partition = held[entry + HELD.partition]
            if marks[partition * MARK.size + MARK.named] != m.mark:
                _name(m, session, partition)
                break
            entry = held[entry + HELD.next_readable]
    entry = sessions[session + SESSION.lagging]
    while entry != 0:
        partition = held[entry + HELD.partition]
        is_member = held[entry + HELD.is_member] != 0
        if is_member and marks[partition * MARK.size + MARK.named] != m.mark:
            if log_of[partition] == 0:
                m.stopped_at = partition
                return NO_LOG
            leader_epoch = UNKNOWN
            if held[entry + HELD.has_interest] != 0:
                leader_epoch = held[entry + HELD.leader_epoch]
            telling = least(m, row, partition, leader_epoch)
            high_watermark = logs[telling + TELLING.high_watermark] if telling != 0 else 0
            log_start = logs[telling + TELLING.log_start] if telling != 0 else 0
            if (
                high_watermark > held[entry + HELD.high_watermark]
                or log_start > held[entry + HELD.reported_log_start]
            ):
                _name(m, session, partition)
        entry = held[entry + HELD.next_lagging]
    return DONE


@_compiled
def explain_all(m: Any, row: Any) -> Any:
    """Whether the model explains what is answered of each partition; `named` has its outcomes."""
    names, log_of, held = counts_at(m.named), counts_at(m.log_of), counts_at(m.held_rows)
    for index in range(m.named_count):
        named = index * NAMED.size
        partition, entry = names[named + NAMED.partition], names[named + NAMED.held]
        if entry != 0 and held[entry + HELD.is_member] == 0:
            return ODD_STEP
        if log_of[partition] == 0:
            m.stopped_at = partition
            return NO_LOG
        code = explain(m, row, named)
        if code != DONE:
            return code
        if (
            names[named + NAMED.membership] == _ABSENT
            and m.is_full_request == 0
            and names[named + NAMED.answered] != 0
        ):
            return ODD_STEP
    return DONE


@_compiled
def _drop(m: Any, session: Any, entry: Any) -> Any:
    """A session has nothing of a partition any more."""
    sessions = counts_at(m.sessions)
    following = let_go(m, entry)
    if sessions[session + SESSION.held] == entry:
        sessions[session + SESSION.held] = following


@_compiled
def drop_removed(m: Any, session: Any) -> Any:
    """What lags in a session of partitions that were removed from it is forgotten."""
    sessions, held = counts_at(m.sessions), counts_at(m.held_rows)
    entry = sessions[session + SESSION.lagging]
    while entry != 0:
        following = held[entry + HELD.next_lagging]
        if held[entry + HELD.is_member] == 0:
            remove(m, session, SESSION.lagging, entry, HELD.is_lagging)
            _drop(m, session, entry)
        entry = following


@_compiled
def take_in(m: Any, row: Any, session: Any, named: Any) -> Any:
    """What the session has of a partition afterwards, and what was answered of that."""
    rows, sessions, held = counts_at(m.rows), counts_at(m.sessions), counts_at(m.held_rows)
    names, log_of = counts_at(m.named), counts_at(m.log_of)
    partition, entry = names[named + NAMED.partition], names[named + NAMED.held]
    asked, answered = names[named + NAMED.asked], names[named + NAMED.answered]
    log = log_of[partition]
    if names[named + NAMED.membership] == _ABSENT:
        if entry != 0:
            leave(m, log, entry)
            remove(m, session, SESSION.readable, entry, HELD.is_readable)
            if held[entry + HELD.is_lagging] != 0:
                held[entry + HELD.is_member] = 0
            else:
                _drop(m, session, entry)
            sessions[session + SESSION.members] -= 1
        return
    if entry == 0:
        if asked == 0 and answered == 0:
            return
        entry = hold(m, session, partition, sessions[session + SESSION.held])
        sessions[session + SESSION.held] = entry
        sessions[session + SESSION.members] += 1
        held[entry + HELD.is_member] = 1
        held[entry + HELD.stable] = held[entry + HELD.reported_epoch] = OPEN
        if asked != 0:
            want(m, entry, asked)
        watch(m, log, entry)
    elif names[named + NAMED.is_requested] != 0 and asked != 0:
        want(m, entry, asked)
    high_watermark = max(names[named + NAMED.high_watermark], OPEN)
    log_start = max(names[named + NAMED.log_start], OPEN)
    held[entry + HELD.high_watermark] = high_watermark
    held[entry + HELD.reported_log_start] = log_start
    if answered != 0:
        held[entry + HELD.stable] = rows[answered + ANSWERED.stable]
        has_interest = held[entry + HELD.has_interest] != 0
        held[entry + HELD.reported_epoch] = (
            held[entry + HELD.leader_epoch] if has_interest else OPEN
        )
        if rows[answered + ANSWERED.error] == _UNSUPPORTED_COMPRESSION:
            high_watermark = log_start = OPEN
            held[entry + HELD.high_watermark] = held[entry + HELD.reported_log_start] = OPEN
    if high_watermark == UNKNOWN and (answered == 0 or rows[answered + ANSWERED.error] != 0):
        append(m, session, SESSION.lagging, entry, HELD.is_lagging)
        leave(m, log, entry)
    end = held[entry + HELD.stable] if rows[row + ROW.isolation] == 1 else high_watermark
    if (
        held[entry + HELD.has_interest] != 0
        and log_start >= 0
        and log_start <= held[entry + HELD.offset] < end
    ):
        append(m, session, SESSION.readable, entry, HELD.is_readable)
    else:
        remove(m, session, SESSION.readable, entry, HELD.is_readable)
    if answered == 0:
        return
    if names[named + NAMED.has_data] == 0:
        forget_log(m, row, named)
    elif tell(m, row, named):
        remove(m, session, SESSION.lagging, entry, HELD.is_lagging)
        watch(m, log, entry)
    else:
        append(m, session, SESSION.lagging, entry, HELD.is_lagging)
        leave(m, log, entry)


@_compiled
def want(m: Any, entry: Any, asked: Any) -> Any:
    """What is wanted of a partition is what a request asks now."""
    rows, held = counts_at(m.rows), counts_at(m.held_rows)
    held[entry + HELD.has_interest] = 1
    for word in range(ASKED.size - 1):
        held[entry + HELD.offset + word] = rows[asked + ASKED.offset + word]


@_compiled
def forget_log(m: Any, row: Any, named: Any) -> Any:
    """Nothing is known of a partition after an error that another one, or leader, would give."""
    rows, names, logs = counts_at(m.rows), counts_at(m.named), counts_at(m.logs)
    error = rows[names[named + NAMED.answered] + ANSWERED.error]
    if error not in (0, _OUT_OF_RANGE):
        log = counts_at(m.log_of)[names[named + NAMED.partition]]
        logs[log + LOG.exists], logs[log + LOG.count] = 0, 0


@_compiled
def tell(m: Any, row: Any, named: Any) -> Any:
    """Keep what is answered of a partition for all sessions; whether it is the latest."""
    rows, names = counts_at(m.rows), counts_at(m.named)
    answered = names[named + NAMED.answered]
    code = keep_reported(
        m,
        counts_at(m.log_of)[names[named + NAMED.partition]],
        names[named + NAMED.leader_epoch],
        rows[row + ROW.file],
        rows[row + ROW.position],
        rows[row + ROW.time],
        max(rows[answered + ANSWERED.high_watermark], 0),
        max(rows[answered + ANSWERED.log_start], 0),
    )
    return code & IS_LATEST != 0

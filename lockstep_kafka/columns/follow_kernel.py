"""Follows rows that conform: what `BrokerFollower` does with a line that nothing is remarked of.

Each row is looked at whole before anything changes. A row of which something may be remarked, or
that begins or ends something, is left to `BrokerFollower` itself.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.case_kernel import explain, least
from lockstep_kafka.columns.held_kernel import (
    append,
    has_room,
    held_by,
    hold,
    leave,
    let_go,
    remove,
    told,
    watch,
)
from lockstep_kafka.columns.layout import (
    ANSWERED,
    ASKED,
    CASE,
    CONNECTION,
    COUNT,
    DONE,
    HELD,
    LOG,
    MARK,
    NAMED,
    NO_CONNECTION,
    NO_LOG,
    NO_ROOM,
    NO_SESSION_ROW,
    NOT_GIVEN,
    ODD_FETCH,
    ODD_STEP,
    OTHER,
    OTHER_REQUEST,
    ROW,
    SESSION,
    TELLING,
)
from lockstep_kafka.columns.order_kernel import connection_row
from lockstep_kafka.sessions.fetcher_cases import Expectation, Holding, Interest
from lockstep_kafka.sessions.leader_case import OPEN, UNKNOWN, Membership

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_FIRST_WITH_TOPIC_IDS = 13
_HIGHEST_EPOCH = 2**31 - 1
_MOST_IDS = 1_000
_HOUR_MS = 3_600_000
_INCREMENTAL = 3
"""The place of the row among those of `Row`."""
_HEADS = 16
"""Answers on heads of a kind: of incremental requests, of full ones with epoch 0, and with -1."""

_SAME_SESSION, _ANOTHER_SESSION = int(Holding.SAME), int(Holding.ANOTHER)
_NO_SESSION, _OPEN_SESSION = int(Holding.NONE), int(Holding.OPEN)
_SAME_EPOCH, _ANOTHER_EPOCH = int(Expectation.SAME), int(Expectation.ANOTHER)
_FULL, _OPEN_EPOCH = int(Expectation.FULL), int(Expectation.OPEN)
_NOT_FETCHED, _SAME = int(Interest.ABSENT), int(Interest.SAME)
_DIFFERENT, _OPEN_INTEREST = int(Interest.DIFFERENT), int(Interest.OPEN)
_ABSENT = int(Membership.ABSENT)
_OPEN_MEMBERSHIP = int(Membership.OPEN)


@_compiled
def _steps(earlier: Any, later: Any) -> Any:
    """How far one correlation id is from another, as 32 bits wrap."""
    return (later - earlier + 2**31) % 2**32 - 2**31


@_compiled
def _other(m: Any, row: Any, connection: Any) -> Any:
    """A request of another API takes a correlation id of its connection."""
    rows, connections, others = (
        counts_at(m.rows),
        counts_at(m.connections),
        counts_at(m.others),
    )
    last = connections[connection + CONNECTION.last_other]
    correlation = rows[row + ROW.correlation]
    if last != 0 and _steps(others[last + OTHER_REQUEST.correlation], correlation) <= 0:
        return ODD_STEP
    if connections[connection + CONNECTION.others_count] > _MOST_IDS:
        forget_others(m, connection)
        last = 0
    entry = m.first_other
    if entry != 0:
        m.first_other = others[entry + OTHER_REQUEST.next]
    else:
        entry = m.others_end
        if entry + OTHER_REQUEST.size > m.others_room:
            return NO_ROOM
        m.others_end += OTHER_REQUEST.size
    others[entry + OTHER_REQUEST.correlation] = correlation
    others[entry + OTHER_REQUEST.position] = rows[row + ROW.position]
    others[entry + OTHER_REQUEST.time] = rows[row + ROW.time]
    others[entry + OTHER_REQUEST.file] = rows[row + ROW.file]
    others[entry + OTHER_REQUEST.next] = 0
    if last == 0:
        connections[connection + CONNECTION.others] = entry
    else:
        others[last + OTHER_REQUEST.next] = entry
    connections[connection + CONNECTION.last_other] = entry
    connections[connection + CONNECTION.others_count] += 1
    m.other_requests += 1
    return DONE


@_compiled
def forget_others(m: Any, connection: Any) -> Any:
    connections, others = counts_at(m.connections), counts_at(m.others)
    first = connections[connection + CONNECTION.others]
    if first != 0:
        last = connections[connection + CONNECTION.last_other]
        others[last + OTHER_REQUEST.next] = m.first_other
        m.first_other = first
    connections[connection + CONNECTION.others] = 0
    connections[connection + CONNECTION.last_other] = 0
    connections[connection + CONNECTION.others_count] = 0


@_compiled
def _reach(m: Any, row: Any, connection: Any) -> Any:
    """The last line that surely was written before this Fetch was sent, into `seen_...`.

    False where a request of the connection that is there was numbered after it.
    """
    rows, connections, others = (
        counts_at(m.rows),
        counts_at(m.connections),
        counts_at(m.others),
    )
    m.seen_position = connections[connection + CONNECTION.position]
    m.seen_time = connections[connection + CONNECTION.time]
    m.seen_file = connections[connection + CONNECTION.file]
    correlation, here = rows[row + ROW.correlation], rows[row + ROW.position]
    entry = connections[connection + CONNECTION.others]
    while entry != 0:
        if _steps(others[entry + OTHER_REQUEST.correlation], correlation) <= 0:
            return False
        position = others[entry + OTHER_REQUEST.position]
        if m.seen_position < position < here:
            m.seen_position = position
            m.seen_time = others[entry + OTHER_REQUEST.time]
            m.seen_file = others[entry + OTHER_REQUEST.file]
        entry = others[entry + OTHER_REQUEST.next]
    return True


@_compiled
def _is_sent(m: Any, row: Any, connection: Any) -> Any:
    """Whether the fetcher can send the head of the request now, as far as it is known."""
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    session, epoch = (
        connections[connection + CONNECTION.session],
        connections[connection + CONNECTION.epoch],
    )
    number, sent = rows[row + ROW.session], rows[row + ROW.epoch]
    holding = _ANOTHER_SESSION
    if session == OPEN:
        holding = _OPEN_SESSION
    elif session == number and number != 0:
        holding = _SAME_SESSION
    elif session == 0:
        holding = _NO_SESSION
    expectation = _ANOTHER_EPOCH
    if epoch == OPEN:
        expectation = _OPEN_EPOCH
    elif epoch == 0:
        expectation = _FULL
    elif epoch == sent:
        expectation = _SAME_EPOCH
    kind = 0 if sent > 0 else 1 - sent
    return counts_at(m.heads)[kind * _HEADS + holding * 4 + expectation] != 0


@_compiled
def _mark(m: Any, row: Any) -> Any:
    """Note where the line names each partition."""
    rows, marks = counts_at(m.rows), counts_at(m.marks)
    m.mark += 1
    mark = m.mark
    at = row + ROW.size
    m.filled = 0
    for _ in range(rows[row + ROW.asked]):
        place = rows[at + ASKED.partition] * MARK.size
        marks[place + MARK.asked] = mark
        marks[place + MARK.asked_at] = at
        at += ASKED.size
    for _ in range(rows[row + ROW.forgotten]):
        marks[rows[at] * MARK.size + MARK.forgotten] = mark
        at += 1
    for _ in range(rows[row + ROW.answered]):
        place = rows[at + ANSWERED.partition] * MARK.size
        marks[place + MARK.answered] = mark
        marks[place + MARK.answered_at] = at
        size = rows[at + ANSWERED.records_size]
        if (
            size < 0
            or rows[at + ANSWERED.error] != 0
            or rows[at + ANSWERED.preferred] >= 0
            or rows[at + ANSWERED.hint] != 0
            or rows[at + ANSWERED.high_watermark] < 0
        ):
            return False  # what stands in for data is judged by Python
        m.filled += 1 if size > 0 else 0
        at += ANSWERED.size
    return True


@_compiled
def _lists(m: Any, row: Any, connection: Any) -> Any:
    """Whether the fetcher can list, and name as removed, what the request does."""
    rows, marks, held = counts_at(m.rows), counts_at(m.marks), counts_at(m.held_rows)
    listings, connections = counts_at(m.listings), counts_at(m.connections)
    unlisted = _NOT_FETCHED
    if connections[connection + CONNECTION.is_whole] == 0:
        unlisted = _OPEN_INTEREST
    at = row + ROW.size
    for _ in range(rows[row + ROW.asked]):
        partition = rows[at + ASKED.partition]
        entry = held_by(m, -connection, partition)
        interest = unlisted
        if entry != 0:
            interest = _SAME
            for word in range(ASKED.size - 1):
                if held[entry + HELD.offset + word] != rows[at + ASKED.offset + word]:
                    interest = _DIFFERENT
        is_forgotten = 1 if marks[partition * MARK.size + MARK.forgotten] == m.mark else 0
        if listings[interest * 4 + 2 + is_forgotten] == 0:
            return False
        at += ASKED.size
    for _ in range(rows[row + ROW.forgotten]):
        partition = rows[at]
        if marks[partition * MARK.size + MARK.asked] != m.mark:
            interest = unlisted if held_by(m, -connection, partition) == 0 else _DIFFERENT
            if listings[interest * 4 + 1] == 0:
                return False
        at += 1
    return True


@_compiled
def _name(m: Any, session: Any, partition: Any) -> Any:
    """Judge a partition, too, if the line does not have it among those already."""
    marks, names = counts_at(m.marks), counts_at(m.named)
    mark = partition * MARK.size
    if marks[mark + MARK.named] == m.mark:
        return
    if m.named_count >= m.named_room:
        m.is_full = 1
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
def _names(m: Any, row: Any, session: Any) -> Any:
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
def _due_names(m: Any, row: Any, session: Any) -> Any:
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
        if held[entry + HELD.is_member] == 0:
            return ODD_STEP
        if marks[partition * MARK.size + MARK.named] != m.mark:
            if logs[log_of[partition] + LOG.is_told] == 0:
                m.stopped_at = partition
                return NO_LOG
            leader_epoch = UNKNOWN
            if held[entry + HELD.has_interest] != 0:
                leader_epoch = held[entry + HELD.leader_epoch]
            telling = least(m, row, partition, leader_epoch)
            if telling != 0 and (
                logs[telling + TELLING.high_watermark] > held[entry + HELD.high_watermark]
                or logs[telling + TELLING.log_start] > held[entry + HELD.told_log_start]
            ):
                _name(m, session, partition)
        entry = held[entry + HELD.next_lagging]
    return DONE


@_compiled
def _answers(m: Any, row: Any) -> Any:
    """Whether the model explains what is answered of each partition; `named` has its outcomes."""
    names, logs, log_of = counts_at(m.named), counts_at(m.logs), counts_at(m.log_of)
    held = counts_at(m.held_rows)
    for index in range(m.named_count):
        named = index * NAMED.size
        partition, entry = names[named + NAMED.partition], names[named + NAMED.held]
        if entry != 0 and held[entry + HELD.is_member] == 0:
            return ODD_STEP
        log = log_of[partition]
        if logs[log + LOG.is_told] == 0 or logs[log + LOG.is_up] == 0:
            m.stopped_at = partition
            return NO_LOG
        code = explain(m, row, named)
        if code != DONE:
            return code
        if (
            names[named + NAMED.membership] == _ABSENT
            and m.is_full_request == 0
            and (
                names[named + NAMED.answered] != 0
                or (entry != 0 and held[entry + HELD.is_lagging] != 0)
            )
        ):
            return ODD_STEP
    return DONE


@_compiled
def _take_in(m: Any, row: Any, session: Any, named: Any) -> Any:
    """What the session has of a partition afterwards, and what was told of that."""
    rows, sessions, held = counts_at(m.rows), counts_at(m.sessions), counts_at(m.held_rows)
    names, log_of = counts_at(m.named), counts_at(m.log_of)
    partition, entry = names[named + NAMED.partition], names[named + NAMED.held]
    asked, answered = names[named + NAMED.asked], names[named + NAMED.answered]
    log = log_of[partition]
    if names[named + NAMED.membership] == _ABSENT:
        if entry != 0:
            leave(m, log, entry)
            remove(m, session, SESSION.readable, entry, HELD.is_readable)
            following = let_go(m, entry)
            if sessions[session + SESSION.held] == entry:
                sessions[session + SESSION.held] = following
            sessions[session + SESSION.members] -= 1
            sessions[session + SESSION.deleted] += 1
        return
    if entry == 0:
        if asked == 0 and answered == 0:
            return
        entry = hold(m, session, partition, sessions[session + SESSION.held])
        sessions[session + SESSION.held] = entry
        sessions[session + SESSION.members] += 1
        held[entry + HELD.is_member] = 1
        held[entry + HELD.stable] = held[entry + HELD.told_epoch] = OPEN
        if asked != 0:
            _want(m, entry, asked)
        watch(m, log, entry)
    elif names[named + NAMED.is_requested] != 0 and asked != 0:
        _want(m, entry, asked)
    held[entry + HELD.is_dirty] = 1
    high_watermark = max(names[named + NAMED.high_watermark], OPEN)
    log_start = max(names[named + NAMED.log_start], OPEN)
    held[entry + HELD.high_watermark] = high_watermark
    held[entry + HELD.told_log_start] = log_start
    if answered != 0:
        held[entry + HELD.stable] = rows[answered + ANSWERED.stable]
        has_interest = held[entry + HELD.has_interest] != 0
        held[entry + HELD.told_epoch] = held[entry + HELD.leader_epoch] if has_interest else OPEN
    elif high_watermark == UNKNOWN:
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
    if _tell(m, row, named):
        remove(m, session, SESSION.lagging, entry, HELD.is_lagging)
        watch(m, log, entry)
    else:
        append(m, session, SESSION.lagging, entry, HELD.is_lagging)
        leave(m, log, entry)


@_compiled
def _want(m: Any, entry: Any, asked: Any) -> Any:
    rows, held = counts_at(m.rows), counts_at(m.held_rows)
    held[entry + HELD.has_interest] = 1
    held[entry + HELD.is_dirty] = 1
    for word in range(ASKED.size - 1):
        held[entry + HELD.offset + word] = rows[asked + ASKED.offset + word]


@_compiled
def _tell(m: Any, row: Any, named: Any) -> Any:
    """Keep what is answered of a partition for all sessions; whether it is the latest told."""
    rows, names, logs = counts_at(m.rows), counts_at(m.named), counts_at(m.logs)
    held, log_of = counts_at(m.held_rows), counts_at(m.log_of)
    answered, leader_epoch = names[named + NAMED.answered], names[named + NAMED.leader_epoch]
    log = log_of[names[named + NAMED.partition]]
    high_watermark = max(rows[answered + ANSWERED.high_watermark], 0)
    log_start = max(rows[answered + ANSWERED.log_start], 0)
    file = rows[row + ROW.file]
    newest = log + LOG.tellings + TELLING.size * (logs[log + LOG.count] - 1)
    if (
        logs[log + LOG.exists] == 0
        or logs[log + LOG.leader_epoch] < leader_epoch
        or (
            file != logs[log + LOG.file]
            and logs[newest + TELLING.position] < rows[row + ROW.position]
        )
    ):
        logs[log + LOG.exists] = 1
        logs[log + LOG.leader_epoch] = leader_epoch
        logs[log + LOG.file] = file
        logs[log + LOG.count] = 0
    is_of_log = logs[log + LOG.leader_epoch] == leader_epoch and logs[log + LOG.file] == file
    if is_of_log:
        logs[log + LOG.is_dirty] = 1
    if is_of_log and told(m, log, row, high_watermark, log_start):
        other = logs[log + LOG.up]
        while other != 0:
            following = held[other + HELD.next_up]
            held[other + HELD.is_up] = 0
            append(m, held[other + HELD.owner], SESSION.lagging, other, HELD.is_lagging)
            other = following
        logs[log + LOG.up] = 0
    newest = log + LOG.tellings + TELLING.size * (logs[log + LOG.count] - 1)
    return logs[newest + TELLING.high_watermark] <= high_watermark


@_compiled
def _send(m: Any, row: Any, connection: Any) -> Any:
    """Take a request in: what the fetcher wants from now on."""
    rows, connections, held = (
        counts_at(m.rows),
        counts_at(m.connections),
        counts_at(m.held_rows),
    )
    at = row + ROW.size
    for _ in range(rows[row + ROW.asked]):
        partition = rows[at + ASKED.partition]
        entry = held_by(m, -connection, partition)
        if entry == 0:
            entry = hold(m, -connection, partition, connections[connection + CONNECTION.wanted])
            connections[connection + CONNECTION.wanted] = entry
        _want(m, entry, at)
        at += ASKED.size
    for _ in range(rows[row + ROW.forgotten]):
        entry = held_by(m, -connection, rows[at])
        if entry != 0:
            following = let_go(m, entry)
            if connections[connection + CONNECTION.wanted] == entry:
                connections[connection + CONNECTION.wanted] = following
            connections[connection + CONNECTION.unwanted] += 1
        at += 1
    connections[connection + CONNECTION.completion] = rows[row + ROW.time]


@_compiled
def _count(m: Any, row: Any, is_partial: Any) -> Any:
    """Count the line for its client, version and hour."""
    rows, counts = counts_at(m.rows), counts_at(m.counts)
    time = rows[row + ROW.time]
    hour = NOT_GIVEN if time == NOT_GIVEN else time // _HOUR_MS
    client, version = rows[row + ROW.client], rows[row + ROW.version]
    at = m.last_count
    for _ in range(m.counts_count + 1):
        if at >= m.counts_count * COUNT.size:
            at = 0
            continue
        if (
            counts[at + COUNT.client] == client
            and counts[at + COUNT.version] == version
            and counts[at + COUNT.hour] == hour
        ):
            break
        at += COUNT.size
    else:
        at = m.counts_count * COUNT.size
        m.counts_count += 1
        counts[at + COUNT.client], counts[at + COUNT.version] = client, version
        counts[at + COUNT.hour] = hour
        counts[at + COUNT.lines] = counts[at + COUNT.partial] = 0
    m.last_count = at
    counts[at + COUNT.lines] += 1
    counts[at + COUNT.partial] += is_partial


@_compiled
def _incremental(m: Any, row: Any, connection: Any) -> Any:
    """Follow a request within a session."""
    rows, connections, sessions = (
        counts_at(m.rows),
        counts_at(m.connections),
        counts_at(m.sessions),
    )
    number, epoch = rows[row + ROW.session], rows[row + ROW.epoch]
    version = rows[row + ROW.version]
    uses_ids = 1 if version >= _FIRST_WITH_TOPIC_IDS else 0
    if (
        number <= 0
        or epoch <= 0
        or epoch >= _HIGHEST_EPOCH
        or rows[row + ROW.error] != 0
        or rows[row + ROW.throttle] != 0
        or rows[row + ROW.response_session] != number
        or rows[row + ROW.moved] != 0
        or connections[connection + CONNECTION.uses_ids] != uses_ids
        or connections[connection + CONNECTION.settled] != number
    ):
        return ODD_STEP
    session = session_row(m, number)
    if session == 0 or sessions[session + SESSION.is_here] == 0:
        m.stopped_at = number
        return NO_SESSION_ROW
    if (
        sessions[session + SESSION.is_odd] != 0
        or sessions[session + SESSION.epoch] != epoch
        or sessions[session + SESSION.last_connection] != rows[row + ROW.connection]
        or not _reach(m, row, connection)
        or not _is_sent(m, row, connection)
        or not _mark(m, row)
    ):
        return ODD_STEP
    if connections[connection + CONNECTION.session] == number and not _lists(m, row, connection):
        return ODD_STEP
    m.is_full_request = 0
    m.is_replica = 1 if rows[row + ROW.replica] >= 0 else 0
    m.members = sessions[session + SESSION.members]
    m.absence = _ABSENT if sessions[session + SESSION.is_whole] != 0 else _OPEN_MEMBERSHIP
    asked, forgotten = rows[row + ROW.asked], rows[row + ROW.forgotten]
    if m.members <= forgotten and not _adds(m, row):
        return ODD_STEP
    m.named_count = 0
    if (
        asked != 0
        or forgotten != 0
        or rows[row + ROW.answered] != 0
        or sessions[session + SESSION.readable] != 0
        or sessions[session + SESSION.lagging] != 0
    ):
        counts_at(m.case)[CASE.row] = _INCREMENTAL
        _names(m, row, session)
        code = _due_names(m, row, session)
        if code == DONE:
            code = _answers(m, row)
        if code != DONE:
            return code
    if m.is_full != 0 or not has_room(m, asked + m.named_count):
        return NO_ROOM
    is_partial = 0
    if (
        connections[connection + CONNECTION.is_whole] == 0
        or sessions[session + SESSION.is_whole] == 0
    ):
        is_partial = 1
    _send(m, row, connection)
    for index in range(m.named_count):
        _take_in(m, row, session, index * NAMED.size)
    _judged(m, row, session, is_partial)
    _received(m, row, connection)
    return DONE


@_compiled
def _full(m: Any, row: Any, connection: Any) -> Any:
    """Follow a request outside of any session."""
    rows, connections, names = (
        counts_at(m.rows),
        counts_at(m.connections),
        counts_at(m.named),
    )
    case = counts_at(m.case)
    uses_ids = 1 if rows[row + ROW.version] >= _FIRST_WITH_TOPIC_IDS else 0
    served = counts_at(m.full_rows)[-rows[row + ROW.epoch]]
    if (
        served < 0
        or rows[row + ROW.error] != 0
        or rows[row + ROW.throttle] != 0
        or rows[row + ROW.response_session] != 0
        or rows[row + ROW.forgotten] != 0
        or rows[row + ROW.moved] != 0
        or connections[connection + CONNECTION.uses_ids] != uses_ids
        or connections[connection + CONNECTION.has_outside] == 0
        or not _reach(m, row, connection)
        or not _is_sent(m, row, connection)
        or not _mark(m, row)
    ):
        return ODD_STEP
    m.is_full_request = 1
    m.is_replica = 1 if rows[row + ROW.replica] >= 0 else 0
    m.members, m.absence = 0, _ABSENT
    _names(m, row, 0)
    case[CASE.row] = served
    code = _answers(m, row)
    if code != DONE:
        return code
    if m.is_full != 0:
        return NO_ROOM
    for index in range(m.named_count):
        if names[index * NAMED.size + NAMED.answered] != 0:
            _tell(m, row, index * NAMED.size)
    entry = connections[connection + CONNECTION.wanted]
    while entry != 0:
        connections[connection + CONNECTION.unwanted] += 1
        entry = let_go(m, entry)
    connections[connection + CONNECTION.wanted] = 0
    connections[connection + CONNECTION.is_whole] = 0
    connections[connection + CONNECTION.former] = 0
    connections[connection + CONNECTION.completion] = rows[row + ROW.time]
    connections[connection + CONNECTION.judged] += 1
    connections[connection + CONNECTION.last_line] = rows[row + ROW.line]
    connections[connection + CONNECTION.last_file] = rows[row + ROW.file]
    connections[connection + CONNECTION.last_time] = rows[row + ROW.time]
    connections[connection + CONNECTION.last_version] = rows[row + ROW.version]
    _count(m, row, 0)
    _received(m, row, connection)
    connections[connection + CONNECTION.session] = 0
    connections[connection + CONNECTION.epoch] = 0
    return DONE


@_compiled
def _adds(m: Any, row: Any) -> Any:
    """Whether the request lists a partition that it does not name as removed."""
    rows, marks = counts_at(m.rows), counts_at(m.marks)
    for index in range(rows[row + ROW.asked]):
        partition = rows[row + ROW.size + index * ASKED.size + ASKED.partition]
        if marks[partition * MARK.size + MARK.forgotten] != m.mark:
            return True
    return False


@_compiled
def session_row(m: Any, number: Any) -> Any:
    """The row of a session; 0 where it has none."""
    sessions, table = counts_at(m.sessions), counts_at(m.session_table)
    place = (number * 0x9E3779B1 >> 7) & m.session_mask
    while table[place] != 0:
        if sessions[table[place] + SESSION.number] == number:
            return table[place]
        place = (place + 1) & m.session_mask
    return 0


@_compiled
def _judged(m: Any, row: Any, session: Any, is_partial: Any) -> Any:
    """The session has processed the request, and expects the next epoch."""
    rows, sessions = counts_at(m.rows), counts_at(m.sessions)
    line, file, time = rows[row + ROW.line], rows[row + ROW.file], rows[row + ROW.time]
    sessions[session + SESSION.epoch] += 1
    sessions[session + SESSION.since_line] = line
    sessions[session + SESSION.since_file] = file
    sessions[session + SESSION.last_position] = rows[row + ROW.position]
    sessions[session + SESSION.last_time] = time
    sessions[session + SESSION.last_file] = file
    sessions[session + SESSION.used] = m.judged + 1
    sessions[session + SESSION.judged] += 1
    sessions[session + SESSION.partial] += is_partial
    sessions[session + SESSION.last_line] = line
    sessions[session + SESSION.last_line_file] = file
    sessions[session + SESSION.last_line_time] = time
    sessions[session + SESSION.last_version] = rows[row + ROW.version]
    _count(m, row, is_partial)


@_compiled
def _received(m: Any, row: Any, connection: Any) -> Any:
    """The fetcher has its response, and sends the next epoch next."""
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    forget_others(m, connection)
    connections[connection + CONNECTION.session] = rows[row + ROW.session]
    connections[connection + CONNECTION.epoch] = rows[row + ROW.epoch] + 1
    connections[connection + CONNECTION.since_line] = rows[row + ROW.line]
    connections[connection + CONNECTION.since_file] = rows[row + ROW.file]
    connections[connection + CONNECTION.correlation] = rows[row + ROW.correlation]
    connections[connection + CONNECTION.position] = rows[row + ROW.position]
    connections[connection + CONNECTION.time] = rows[row + ROW.time]
    connections[connection + CONNECTION.file] = rows[row + ROW.file]
    connections[connection + CONNECTION.is_changed] = 1
    m.followed += 1


@_compiled
def follow(m: Any, row: Any) -> Any:
    """Judge a row whose turn has come; `DONE`, or why it is left."""
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    kind = rows[row + ROW.kind]
    m.stopped_at = row
    if kind == ODD_FETCH:
        return ODD_STEP
    if m.counts_count >= m.counts_room:
        return NO_ROOM
    connection = connection_row(m, rows[row + ROW.connection])
    if connections[connection + CONNECTION.is_here] == 0:
        m.stopped_at = connection
        return NO_CONNECTION
    if kind == OTHER:
        code = _other(m, row, connection)
    elif connections[connection + CONNECTION.is_odd] != 0:
        code = ODD_STEP
    elif rows[row + ROW.epoch] > 0:
        code = _incremental(m, row, connection)
    elif rows[row + ROW.session] == 0 and rows[row + ROW.epoch] >= -1:
        code = _full(m, row, connection)
    else:
        code = ODD_STEP
    if code == DONE:
        m.judged += 1
        connections[connection + CONNECTION.used] = m.judged
    elif code == ODD_STEP:
        m.stopped_at = row
    return code

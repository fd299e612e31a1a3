"""The side of the fetcher: what it can send, and what it knows once it is answered."""

from __future__ import annotations

from typing import Any

from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.kernels.answers import want
from lockstep_kafka.columns.kernels.held import (
    held_by,
    hold,
    let_go,
)
from lockstep_kafka.columns.kernels.layout import (
    ANSWERED,
    ASKED,
    CONNECTION,
    DONE,
    FILE_BITS,
    FILES,
    HALF_OF_THE_IDS,
    HELD,
    LOWER_HALF,
    MARK,
    NO_ORDER_FILE,
    NO_ROOM,
    NO_TIME,
    NOT_GIVEN,
    ODD_STEP,
    OTHER_REQUEST,
    ROW,
)
from lockstep_kafka.columns.kernels.order import ordered_file
from lockstep_kafka.sessions.fetcher_cases import Expectation, Holding, Interest
from lockstep_kafka.sessions.knowledge import MOST_IDS
from lockstep_kafka.sessions.leader_case import OPEN

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_HEADS = 16
"""Answers on heads of a kind: of incremental requests, of full ones with epoch 0, and with -1."""

_SAME_SESSION, _ANOTHER_SESSION = int(Holding.SAME), int(Holding.ANOTHER)
_NO_SESSION, _OPEN_SESSION = int(Holding.NONE), int(Holding.OPEN)
_SAME_EPOCH, _ANOTHER_EPOCH = int(Expectation.SAME), int(Expectation.ANOTHER)
_FULL, _OPEN_EPOCH = int(Expectation.FULL), int(Expectation.OPEN)
_NOT_FETCHED, _SAME = int(Interest.ABSENT), int(Interest.SAME)
_DIFFERENT, _OPEN_INTEREST = int(Interest.DIFFERENT), int(Interest.OPEN)


@_compiled
def _steps(earlier: Any, later: Any) -> Any:
    """How far one correlation id is from another, as 32 bits wrap."""
    return (later - earlier + 2**31) % 2**32 - 2**31


@_compiled
def note_other(m: Any, row: Any, connection: Any) -> Any:
    """A request of another API takes a correlation id of its connection."""
    rows, others = counts_at(m.rows), counts_at(m.others)
    connections = counts_at(m.connections)
    last = connections[connection + CONNECTION.last_other]
    correlation = rows[row + ROW.correlation]
    if last != 0 and _steps(others[last + OTHER_REQUEST.link] >> 32, correlation) <= 0:
        return ODD_STEP
    time, file = rows[row + ROW.time], ordered_file(m, row)
    if time == NOT_GIVEN:
        time = NO_TIME
    elif not NO_TIME < time < -NO_TIME:
        return ODD_STEP
    if file >= FILES or not -HALF_OF_THE_IDS <= correlation < HALF_OF_THE_IDS:
        return ODD_STEP
    if connections[connection + CONNECTION.others_count] > MOST_IDS:
        forget_others(m, connection)
    if m.first_other == 0 and m.others_end + OTHER_REQUEST.size > m.others_room:
        return NO_ROOM
    entry = new_other(m, connection)
    others[entry + OTHER_REQUEST.link] = correlation << 32
    others[entry + OTHER_REQUEST.position] = rows[row + ROW.position]
    others[entry + OTHER_REQUEST.time] = time << FILE_BITS | file
    m.other_requests += 1
    return DONE


@_compiled
def new_other(m: Any, connection: Any) -> Any:
    """A connection has one more request of another API, its last one. There has to be room."""
    connections, others = counts_at(m.connections), counts_at(m.others)
    entry = m.first_other
    if entry != 0:
        m.first_other = others[entry + OTHER_REQUEST.link] & LOWER_HALF
    else:
        entry = m.others_end
        m.others_end += OTHER_REQUEST.size
    others[entry + OTHER_REQUEST.link] = 0
    last = connections[connection + CONNECTION.last_other]
    if last == 0:
        connections[connection + CONNECTION.others] = entry
    else:
        others[last + OTHER_REQUEST.link] += entry
    connections[connection + CONNECTION.last_other] = entry
    connections[connection + CONNECTION.others_count] += 1
    return entry


@_compiled
def forget_others(m: Any, connection: Any) -> Any:
    """The connection has no requests of other APIs any more."""
    connections, others = counts_at(m.connections), counts_at(m.others)
    first = connections[connection + CONNECTION.others]
    if first != 0:
        last = connections[connection + CONNECTION.last_other]
        others[last + OTHER_REQUEST.link] += m.first_other
        m.first_other = first
    connections[connection + CONNECTION.others] = 0
    connections[connection + CONNECTION.last_other] = 0
    connections[connection + CONNECTION.others_count] = 0


@_compiled
def reach(m: Any, row: Any, connection: Any) -> Any:
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
        link = others[entry + OTHER_REQUEST.link]
        if _steps(link >> 32, correlation) <= 0:
            return False
        position = others[entry + OTHER_REQUEST.position]
        if m.seen_position < position < here:
            m.seen_position = position
            time = others[entry + OTHER_REQUEST.time]
            m.seen_time = time >> FILE_BITS if time >> FILE_BITS != NO_TIME else NOT_GIVEN
            m.seen_file = time & (FILES - 1)
        entry = link & LOWER_HALF
    if ordered_file(m, row) == NO_ORDER_FILE:
        m.seen_file = NO_ORDER_FILE
    return True


@_compiled
def is_sent(m: Any, row: Any, connection: Any) -> Any:
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
def mark_names(m: Any, row: Any) -> Any:
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
        if size < 0:
            return False  # records may hide there: Python judges it
        m.filled += 1 if size > 0 else 0
        at += ANSWERED.size
    return True


@_compiled
def can_list(m: Any, row: Any, connection: Any) -> Any:
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
def send(m: Any, row: Any, connection: Any) -> Any:
    """Take a request in: what the fetcher wants from now on."""
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    at = row + ROW.size
    for _ in range(rows[row + ROW.asked]):
        partition = rows[at + ASKED.partition]
        entry = held_by(m, -connection, partition)
        if entry == 0:
            entry = hold(m, -connection, partition, connections[connection + CONNECTION.wanted])
            connections[connection + CONNECTION.wanted] = entry
        want(m, entry, at)
        at += ASKED.size
    for _ in range(rows[row + ROW.forgotten]):
        entry = held_by(m, -connection, rows[at])
        if entry != 0:
            following = let_go(m, entry)
            if connections[connection + CONNECTION.wanted] == entry:
                connections[connection + CONNECTION.wanted] = following
        at += 1
    connections[connection + CONNECTION.completion] = rows[row + ROW.time]


@_compiled
def adds_any(m: Any, row: Any) -> Any:
    """Whether the request lists a partition that it does not name as removed."""
    rows, marks = counts_at(m.rows), counts_at(m.marks)
    for index in range(rows[row + ROW.asked]):
        partition = rows[row + ROW.size + index * ASKED.size + ASKED.partition]
        if marks[partition * MARK.size + MARK.forgotten] != m.mark:
            return True
    return False


@_compiled
def received(m: Any, row: Any, connection: Any) -> Any:
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
    connections[connection + CONNECTION.file] = ordered_file(m, row)
    connections[connection + CONNECTION.is_changed] = 1
    m.followed += 1

"""Follows rows that conform: what `BrokerFollower` does with a line that nothing is remarked of.

Each row is looked at whole before anything changes. A row of which something may be remarked, or
that begins or ends something, is left to `BrokerFollower` itself.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.kernels.answers import (
    drop_removed,
    explain_all,
    forget_log,
    name_all,
    name_due,
    take_in,
    tell,
)
from lockstep_kafka.columns.kernels.held import (
    has_room,
    let_go,
)
from lockstep_kafka.columns.kernels.layout import (
    CASE,
    CONNECTION,
    COUNT,
    DONE,
    NAMED,
    NO_CONNECTION,
    NO_ORDER_FILE,
    NO_ROOM,
    NOT_GIVEN,
    ODD_FOLLOWED,
    ODD_STEP,
    OTHER,
    ROW,
    SERVED,
    SESSION,
)
from lockstep_kafka.columns.kernels.order import connection_row, ordered_file
from lockstep_kafka.columns.kernels.requests import (
    adds_any,
    can_list,
    is_sent,
    mark_names,
    note_other,
    reach,
    received,
    send,
)
from lockstep_kafka.sessions.leader_case import Membership

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_FIRST_WITH_TOPIC_IDS = 13
_HIGHEST_EPOCH = 2**31 - 1
_HOUR_MS = 3_600_000
_THROTTLED = 4
"""The place of the row among those of `Row`."""

_ABSENT = int(Membership.ABSENT)
_OPEN_MEMBERSHIP = int(Membership.OPEN)


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
        or rows[row + ROW.response_session] != number
        or rows[row + ROW.moved] != 0
        or connections[connection + CONNECTION.uses_ids] != uses_ids
        or connections[connection + CONNECTION.settled] != number
    ):
        return ODD_STEP
    is_throttled = rows[row + ROW.throttle] > 0 and rows[row + ROW.answered] == 0
    served = counts_at(m.served)[SERVED.throttled if is_throttled else SERVED.incremental]
    session = counts_at(m.session_table)[session_place(m, number)]
    if served < 0:
        return ODD_STEP
    if (
        session == 0
        or sessions[session + SESSION.is_here] == 0
        or sessions[session + SESSION.is_odd] != 0
        or 0 <= sessions[session + SESSION.client] != rows[row + ROW.client]
        or sessions[session + SESSION.epoch] != epoch
        or sessions[session + SESSION.last_connection] != rows[row + ROW.connection]
        or not reach(m, row, connection)
        or not is_sent(m, row, connection)
        or not mark_names(m, row)
    ):
        return ODD_STEP
    if connections[connection + CONNECTION.session] == number and not can_list(m, row, connection):
        return ODD_STEP
    m.is_full_request = 0
    m.is_replica = 1 if rows[row + ROW.replica] >= 0 else 0
    m.members = sessions[session + SESSION.members]
    m.absence = _ABSENT if sessions[session + SESSION.is_whole] != 0 else _OPEN_MEMBERSHIP
    asked, forgotten = rows[row + ROW.asked], rows[row + ROW.forgotten]
    if m.members <= forgotten and not adds_any(m, row):
        return ODD_STEP
    m.named_count = 0
    if (
        asked != 0
        or forgotten != 0
        or rows[row + ROW.answered] != 0
        or sessions[session + SESSION.readable] != 0
        or sessions[session + SESSION.lagging] != 0
    ):
        counts_at(m.case)[CASE.row] = served
        name_all(m, row, session)
        code = DONE if served == _THROTTLED else name_due(m, row, session)
        if code == DONE:
            code = explain_all(m, row)
        if code != DONE:
            return code
    if m.named_count >= m.named_room:
        return ODD_STEP
    if not has_room(m, asked + m.named_count):
        return NO_ROOM
    if served != _THROTTLED:
        drop_removed(m, session)
    is_partial = 0
    if (
        connections[connection + CONNECTION.is_whole] == 0
        or sessions[session + SESSION.is_whole] == 0
        or ordered_file(m, row) == NO_ORDER_FILE
    ):
        is_partial = 1
    send(m, row, connection)
    for index in range(m.named_count):
        take_in(m, row, session, index * NAMED.size)
    _judged(m, row, session, is_partial)
    received(m, row, connection)
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
    served = counts_at(m.served)[-rows[row + ROW.epoch]]
    if (
        served < 0
        or rows[row + ROW.error] != 0
        or rows[row + ROW.throttle] != 0
        or rows[row + ROW.response_session] != 0
        or rows[row + ROW.forgotten] != 0
        or rows[row + ROW.moved] != 0
        or connections[connection + CONNECTION.uses_ids] != uses_ids
        or connections[connection + CONNECTION.has_outside] == 0
        or not reach(m, row, connection)
        or not is_sent(m, row, connection)
        or not mark_names(m, row)
    ):
        return ODD_STEP
    m.is_full_request = 1
    m.is_replica = 1 if rows[row + ROW.replica] >= 0 else 0
    m.members, m.absence = 0, _ABSENT
    name_all(m, row, 0)
    case[CASE.row] = served
    code = explain_all(m, row)
    if code != DONE:
        return code
    if m.named_count >= m.named_room:
        return ODD_STEP
    for index in range(m.named_count):
        named = index * NAMED.size
        if names[named + NAMED.has_data] != 0:
            tell(m, row, named)
        elif names[named + NAMED.answered] != 0:
            forget_log(m, row, named)
    entry = connections[connection + CONNECTION.wanted]
    while entry != 0:
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
    received(m, row, connection)
    connections[connection + CONNECTION.session] = 0
    connections[connection + CONNECTION.epoch] = 0
    return DONE


@_compiled
def session_place(m: Any, number: Any) -> Any:
    """Where a session stands in the table of sessions, or the free place for it."""
    sessions, table = counts_at(m.sessions), counts_at(m.session_table)
    place = (number * 0x9E3779B1 >> 7) & m.session_mask
    while table[place] != 0 and sessions[table[place] + SESSION.number] != number:
        place = (place + 1) & m.session_mask
    return place


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
    sessions[session + SESSION.last_file] = ordered_file(m, row)
    sessions[session + SESSION.used] = m.judged + 1
    sessions[session + SESSION.judged] += 1
    sessions[session + SESSION.partial] += is_partial
    sessions[session + SESSION.last_line] = line
    sessions[session + SESSION.last_line_file] = file
    sessions[session + SESSION.last_line_time] = time
    sessions[session + SESSION.last_version] = rows[row + ROW.version]
    # Doubles that are not negative are in the order of their bits.
    if rows[row + ROW.total] > sessions[session + SESSION.longest]:
        sessions[session + SESSION.longest] = rows[row + ROW.total]
        sessions[session + SESSION.longest_at] = rows[row + ROW.position]
    _count(m, row, is_partial)


@_compiled
def follow(m: Any, row: Any) -> Any:
    """Judge a row whose turn has come; `DONE`, or why it is left."""
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    kind = rows[row + ROW.kind]
    m.stopped_at = row
    if kind == ODD_FOLLOWED:
        return ODD_STEP
    if m.counts_count >= m.counts_room:
        return NO_ROOM
    connection = connection_row(m, rows[row + ROW.connection])
    if connections[connection + CONNECTION.is_foreign] != 0:
        if kind == OTHER:
            m.other_requests += 1
        else:
            m.followed += 1
        return DONE
    if connections[connection + CONNECTION.is_here] == 0:
        m.stopped_at = connection
        return NO_CONNECTION
    if kind == OTHER:
        code = note_other(m, row, connection)
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

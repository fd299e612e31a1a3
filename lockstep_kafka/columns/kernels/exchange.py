"""What goes between Python's objects and the tables, many entries at a time."""

from __future__ import annotations

from typing import Any

from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.kernels.case import outcome_place
from lockstep_kafka.columns.kernels.follow import session_place
from lockstep_kafka.columns.kernels.held import (
    append,
    held_by,
    hold,
    keep_reported,
    leave,
    let_go,
    watch,
)
from lockstep_kafka.columns.kernels.layout import (
    CASE,
    CONNECTION,
    ENTRY,
    HELD,
    LOWER_HALF,
    OTHER_REQUEST,
    SESSION,
)
from lockstep_kafka.columns.kernels.order import connection_row
from lockstep_kafka.columns.kernels.requests import forget_others, new_other

_compiled: Any = njit(boundscheck=False, error_model="numpy")


@_compiled
def hold_all(m: Any) -> Any:
    """Entries from the buffer for an owner that has none; its first one."""
    held, buffer = counts_at(m.held_rows), counts_at(m.buffer)
    first = 0
    for index in range(m.count):
        at = index * ENTRY.size
        first = hold(m, m.owner, buffer[at + ENTRY.partition], first)
        for word in range(ENTRY.is_member, ENTRY.size):
            held[first + HELD.is_member + word - ENTRY.is_member] = buffer[at + word]
    return first


@_compiled
def take_entries(m: Any) -> Any:
    """The entries from `first` on go into the buffer, and are free."""
    held, buffer = counts_at(m.held_rows), counts_at(m.buffer)
    count, entry = 0, m.first
    while entry != 0:
        at = count * ENTRY.size
        buffer[at + ENTRY.partition] = held[entry + HELD.partition]
        for word in range(ENTRY.is_member, ENTRY.size):
            buffer[at + word] = held[entry + HELD.is_member + word - ENTRY.is_member]
        count += 1
        entry = let_go(m, entry)
    return 0


@_compiled
def count_of(m: Any) -> Any:
    """How many entries there are from `first` on."""
    held = counts_at(m.held_rows)
    count, entry = 0, m.first
    while entry != 0:
        count += 1
        entry = held[entry + HELD.next]
    return count


@_compiled
def list_all(m: Any) -> Any:
    """Put partitions of the buffer in a list of the session `owner`; 1 where one has no entry."""
    buffer = counts_at(m.buffer)
    for index in range(m.count):
        entry = held_by(m, m.owner, buffer[index])
        if entry == 0:
            return 1
        append(m, m.owner, m.ends, entry, m.flag)
    return 0


@_compiled
def listed(m: Any) -> Any:
    """The partitions of a list into the buffer, from the entry `first` on; how many there are."""
    held, buffer = counts_at(m.held_rows), counts_at(m.buffer)
    count, entry = 0, m.first
    while entry != 0:
        buffer[count] = held[entry + HELD.partition]
        count += 1
        entry = held[entry + m.flag + 1]
    return count


@_compiled
def watch_all(m: Any) -> Any:
    """The session `owner` is up to date in the partitions of the buffer; 1 where it lacks one."""
    buffer, log_of = counts_at(m.buffer), counts_at(m.log_of)
    for index in range(m.count):
        entry = held_by(m, m.owner, buffer[index])
        if entry == 0:
            return 1
        watch(m, log_of[buffer[index]], entry)
    return 0


@_compiled
def leave_all(m: Any) -> Any:
    """The partitions in which the entries from `first` on were up to date, into the buffer."""
    held, buffer, log_of = counts_at(m.held_rows), counts_at(m.buffer), counts_at(m.log_of)
    count, entry = 0, m.first
    while entry != 0:
        if held[entry + HELD.is_up] != 0:
            buffer[count] = held[entry + HELD.partition]
            leave(m, log_of[buffer[count]], entry)
            count += 1
        entry = held[entry + HELD.next]
    return count


@_compiled
def reported(m: Any) -> Any:
    """Keep what Python says was answered of the log `owner`, as `keep_reported` does."""
    buffer = counts_at(m.buffer)
    return keep_reported(
        m, m.owner, buffer[0], buffer[1], buffer[2], buffer[3], buffer[4], buffer[5]
    )


@_compiled
def others_of(m: Any) -> Any:
    """The other requests of the connection `owner` into the buffer; how many there are."""
    connections, others = counts_at(m.connections), counts_at(m.others)
    buffer = counts_at(m.buffer)
    count, entry = 0, connections[m.owner + CONNECTION.others]
    while entry != 0:
        for word in range(OTHER_REQUEST.size):
            buffer[count * OTHER_REQUEST.size + word] = others[entry + word]
        count += 1
        entry = others[entry + OTHER_REQUEST.link] & LOWER_HALF
    return count


@_compiled
def put_others(m: Any) -> Any:
    """The other requests of the buffer are those of the connection `owner`, which has none."""
    others, buffer = counts_at(m.others), counts_at(m.buffer)
    for index in range(m.count):
        entry = new_other(m, m.owner)
        for word in range(OTHER_REQUEST.size):
            others[entry + word] = buffer[index * OTHER_REQUEST.size + word]
    return 0


@_compiled
def put_case(m: Any) -> Any:
    """Keep the model's answer to the case that was asked for last."""
    place = outcome_place(m, counts_at(m.case)[CASE.key])
    counts_at(m.case_keys)[place] = counts_at(m.case)[CASE.key]
    counts_at(m.case_outcomes)[place] = m.outcome
    m.cases += 1
    return 0


@_compiled
def put_session(m: Any) -> Any:
    """The session `number`, which has no row, has the row `owner`."""
    sessions, table = counts_at(m.sessions), counts_at(m.session_table)
    place, row = session_place(m, m.number), m.owner
    m.sessions_count += 1
    for word in range(SESSION.size):
        sessions[row + word] = 0
    sessions[row + SESSION.number] = m.number
    table[place] = row
    return 0


@_compiled
def name_connection(m: Any) -> Any:
    """The row of the connection whose name has the number `number`."""
    return connection_row(m, m.number)


@_compiled
def drop_others(m: Any) -> Any:
    """The connection `owner` has no other requests."""
    forget_others(m, m.owner)
    return 0

"""Rows of lines: made of the fields that were read, and freed."""

from __future__ import annotations

from typing import Any

from numba import njit

from lockstep.machine.search.kernel_parts import counts_at, floats_at
from lockstep_kafka.columns.kernels.json_spec import FIELDS as F
from lockstep_kafka.columns.kernels.layout import (
    A_FETCH,
    ANOTHER_REQUEST,
    ANSWERED,
    ASKED,
    FETCH,
    OTHER,
    ROW,
)

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_FETCH_API = 1
_FIRST_WITH_TAGGED_REPLICA = 15


@_compiled
def new_row(m: Any, length: Any) -> Any:
    """Room for a row of so many words; 0 where there is none. Its first word is its size."""
    rows, free = counts_at(m.rows), counts_at(m.free_rows)
    size, kind = 32, 0
    while size < length:
        size *= 2
        kind += 1
    row = free[kind]
    if row != 0:
        free[kind] = rows[row + 1]
        return row
    row = m.rows_end
    if row + size > m.rows_room:
        m.is_full = 1
        return 0
    m.rows_end = row + size
    rows[row] = kind
    return row


@_compiled
def free_row(m: Any, row: Any) -> Any:
    """The row is used no more."""
    rows, free = counts_at(m.rows), counts_at(m.free_rows)
    kind = rows[row]
    rows[row + 1] = free[kind]
    free[kind] = row


@_compiled
def keep(m: Any) -> Any:
    """The row of what was read; 0 where there is no room."""
    rows, fields = counts_at(m.rows), counts_at(m.fields)
    is_fetch = fields[F.api] == _FETCH_API
    asked = m.asked_count * ASKED.size
    answered = m.answered_count * ANSWERED.size
    row = new_row(m, ROW.size + asked + m.forgotten_count + answered)
    if row == 0:
        return 0
    rows[row + ROW.kind] = FETCH if is_fetch else OTHER
    rows[row + ROW.line] = m.line
    rows[row + ROW.file] = m.file
    rows[row + ROW.time] = fields[F.time]
    floats_at(m.rows)[row + ROW.total] = fields[F.total_digits] / fields[F.total_scale]
    rows[row + ROW.version] = fields[F.version]
    rows[row + ROW.correlation] = fields[F.correlation]
    rows[row + ROW.client] = fields[F.client]
    rows[row + ROW.connection] = fields[F.connection]
    rows[row + ROW.api] = fields[F.name]
    rows[row + ROW.software_name] = fields[F.software_name]
    rows[row + ROW.software_version] = fields[F.software_version]
    rows[row + ROW.fingerprint] = fields[F.fingerprint]
    rows[row + ROW.moved] = 0
    if is_fetch:
        is_tagged = fields[F.version] >= _FIRST_WITH_TAGGED_REPLICA
        rows[row + ROW.replica] = fields[F.replica if is_tagged else F.old_replica]
        rows[row + ROW.session] = fields[F.session]
        rows[row + ROW.epoch] = fields[F.epoch]
        rows[row + ROW.max_wait] = fields[F.max_wait]
        rows[row + ROW.min_bytes] = fields[F.min_bytes]
        rows[row + ROW.error] = fields[F.error]
        rows[row + ROW.response_session] = fields[F.response_session]
        rows[row + ROW.throttle] = fields[F.throttle]
        rows[row + ROW.isolation] = fields[F.isolation]
    rows[row + ROW.asked] = m.asked_count
    rows[row + ROW.forgotten] = m.forgotten_count
    rows[row + ROW.answered] = m.answered_count
    at = row + ROW.size
    at = _copied(counts_at(m.asked), asked, rows, at)
    at = _copied(counts_at(m.forgotten), m.forgotten_count, rows, at)
    _copied(counts_at(m.answered), answered, rows, at)
    return row


@_compiled
def _copied(source: Any, count: Any, rows: Any, at: Any) -> Any:
    for index in range(count):
        rows[at + index] = source[index]
    return at + count


@_compiled
def note_edges(m: Any) -> Any:
    """Note what the line that was read names; False where there is no room.

    Each pair is a connection with `A_FETCH` or `ANOTHER_REQUEST`, with an odd number for the id of
    a session, or with an even one, which is positive, for a partition.
    """
    fields, edges, at = counts_at(m.fields), counts_at(m.edges), m.edges_end
    named = m.asked_count + m.forgotten_count + m.answered_count
    if at + 2 * (3 + named) > m.edges_room:
        return False
    connection = fields[F.connection]
    is_fetch = fields[F.api] == _FETCH_API
    at = _noted(edges, at, connection, A_FETCH if is_fetch else ANOTHER_REQUEST)
    if is_fetch:
        if fields[F.session] != 0:
            at = _noted(edges, at, connection, 2 * fields[F.session] + 1)
        if fields[F.response_session] != 0:
            at = _noted(edges, at, connection, 2 * fields[F.response_session] + 1)
        asked, forgotten = counts_at(m.asked), counts_at(m.forgotten)
        answered = counts_at(m.answered)
        for index in range(m.asked_count):
            partition = asked[index * ASKED.size + ASKED.partition]
            at = _noted(edges, at, connection, 2 * partition)
        for index in range(m.forgotten_count):
            at = _noted(edges, at, connection, 2 * forgotten[index])
        for index in range(m.answered_count):
            partition = answered[index * ANSWERED.size + ANSWERED.partition]
            at = _noted(edges, at, connection, 2 * partition)
    m.edges_end = at
    return True


@_compiled
def _noted(edges: Any, at: Any, connection: Any, named: Any) -> Any:
    edges[at], edges[at + 1] = connection, named
    return at + 2

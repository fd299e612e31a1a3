"""The order in which requests arrived: what `ArrivalOrder` does, on rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import counts_at, floats_at
from lockstep_kafka.columns.kernels.layout import (
    AHEAD,
    CLOCK,
    CONNECTION,
    DONE,
    FETCH,
    LATE,
    NO_ORDER_FILE,
    NOT_GIVEN,
    ODD_FOLLOWED,
    PASSED,
    REMEMBERED,
    REPEATED,
    ROW,
)
from lockstep_kafka.files.arrival_order import ORDERED_WITHIN_MS

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_HALF_OF_THE_IDS = 2**31
_ID_MASK = 2**32 - 1


@_compiled
def _is_before(m: Any, one: Any, other: Any) -> Any:
    arrivals, positions = floats_at(m.arrivals), counts_at(m.positions)
    if arrivals[one] != arrivals[other]:
        return arrivals[one] < arrivals[other]
    return positions[one] < positions[other]


@_compiled
def _swap(m: Any, one: Any, other: Any) -> Any:
    arrivals, positions, waits = (
        floats_at(m.arrivals),
        counts_at(m.positions),
        counts_at(m.waits),
    )
    arrivals[one], arrivals[other] = arrivals[other], arrivals[one]
    positions[one], positions[other] = positions[other], positions[one]
    waits[one], waits[other] = waits[other], waits[one]


@_compiled
def _wait(m: Any, arrival: Any, position: Any, what: Any) -> Any:
    """Put a row, or the negative of a connection, among those that wait."""
    at = m.waiting
    m.waiting += 1
    floats_at(m.arrivals)[at] = arrival
    counts_at(m.positions)[at] = position
    counts_at(m.waits)[at] = what
    while at > 0 and _is_before(m, at, (at - 1) // 2):
        _swap(m, at, (at - 1) // 2)
        at = (at - 1) // 2


@_compiled
def _first(m: Any) -> Any:
    """Take what arrived first from those that wait."""
    what = counts_at(m.waits)[0]
    m.waiting -= 1
    _swap(m, 0, m.waiting)
    at = 0
    while True:
        least = at
        for child in range(2 * at + 1, min(2 * at + 3, m.waiting)):
            if _is_before(m, child, least):
                least = child
        if least == at:
            return what
        _swap(m, at, least)
        at = least


@_compiled
def _place_of(m: Any, row: Any) -> Any:
    rows = counts_at(m.rows)
    value = np.uint64(rows[row + ROW.connection]) * np.uint64(0x9E3779B97F4A7C15)
    value ^= np.uint64(rows[row + ROW.correlation]) * np.uint64(0xD6E8FEB86659FD93)
    value ^= np.uint64(rows[row + ROW.fingerprint])
    return np.int64(value * np.uint64(0xD6E8FEB86659FD93) >> np.uint64(20)) & m.remembered_mask


@_compiled
def _is_remembered(m: Any, row: Any) -> Any:
    rows, remembered = counts_at(m.rows), counts_at(m.remembered)
    entry = counts_at(m.remembered_table)[_place_of(m, row)]
    while entry != 0:
        if (
            remembered[entry + REMEMBERED.connection] == rows[row + ROW.connection]
            and remembered[entry + REMEMBERED.correlation] == rows[row + ROW.correlation]
            and remembered[entry + REMEMBERED.fingerprint] == rows[row + ROW.fingerprint]
        ):
            return True
        entry = remembered[entry + REMEMBERED.next]
    return False


@_compiled
def remember(m: Any, row: Any) -> Any:
    """Keep the request for as long as the window, or for as many lines as are held."""
    rows, remembered = counts_at(m.rows), counts_at(m.remembered)
    table, clocks = counts_at(m.remembered_table), floats_at(m.clocks)
    times, places = floats_at(m.remembered_times), counts_at(m.remembered_places)
    ring = m.remembered_room
    index = (m.remembered_first + m.remembered_count) % ring
    entry, place = (index + 1) * REMEMBERED.size, _place_of(m, row)
    remembered[entry + REMEMBERED.connection] = rows[row + ROW.connection]
    remembered[entry + REMEMBERED.correlation] = rows[row + ROW.correlation]
    remembered[entry + REMEMBERED.fingerprint] = rows[row + ROW.fingerprint]
    remembered[entry + REMEMBERED.next] = table[place]
    table[place] = entry
    times[index], places[index] = clocks[CLOCK], place
    m.remembered_count += 1
    while times[m.remembered_first] < clocks[PASSED] or m.remembered_count > m.held_at_most:
        oldest = (m.remembered_first + 1) * REMEMBERED.size
        place = places[m.remembered_first]
        # The oldest of a place is the last of its entries.
        if table[place] == oldest:
            table[place] = 0
        else:
            before = table[place]
            while remembered[before + REMEMBERED.next] != oldest:
                before = remembered[before + REMEMBERED.next]
            remembered[before + REMEMBERED.next] = 0
        m.remembered_first = (m.remembered_first + 1) % ring
        m.remembered_count -= 1
        if m.remembered_count == 0:
            break


@_compiled
def _arrival(m: Any, row: Any) -> Any:
    """When a line arrived, by a clock that never goes back."""
    rows, clocks = counts_at(m.rows), floats_at(m.clocks)
    if rows[row + ROW.time] == NOT_GIVEN:
        return clocks[CLOCK]
    completed = np.float64(rows[row + ROW.time]) + clocks[AHEAD]
    if completed > clocks[CLOCK]:
        clocks[CLOCK] = completed
        clocks[PASSED] = completed - m.window
    elif completed < clocks[PASSED]:
        m.lines_behind += 1
        if m.lines_behind > m.lines_of_another_clock:
            clocks[AHEAD] += clocks[CLOCK] - completed
        return clocks[CLOCK]
    m.lines_behind = 0
    return completed - floats_at(m.rows)[row + ROW.total]


@_compiled
def _size_of(m: Any, row: Any) -> Any:
    rows = counts_at(m.rows)
    return 1 + rows[row + ROW.asked] + rows[row + ROW.answered]


@_compiled
def connection_row(m: Any, name: Any) -> Any:
    """The row of a connection; 0 where there is no room for a new one."""
    connections, of_name = counts_at(m.connections), counts_at(m.connection_of)
    row = of_name[name]
    if row == 0:
        row = m.connections_end
        if row + CONNECTION.size > m.connections_room:
            m.is_full = 1
            return 0
        m.connections_end = row + CONNECTION.size
        for index in range(CONNECTION.size):
            connections[row + index] = 0
        connections[row + CONNECTION.name] = name
        of_name[name] = row
    return row


@_compiled
def _order(m: Any, connection: Any, row: Any) -> Any:
    """Begin with a connection; the one that began first is forgotten where there are too many."""
    connections = counts_at(m.connections)
    if m.ordered >= m.ordered_at_most:
        first = m.first_ordered
        if connections[first + CONNECTION.first_waiting] == 0:
            connections[first + CONNECTION.is_ordered] = 0
            m.first_ordered = connections[first + CONNECTION.next_ordered]
            if m.first_ordered == 0:
                m.last_ordered = 0
            m.ordered -= 1
    if m.last_ordered == 0:
        m.first_ordered = connection
    else:
        connections[m.last_ordered + CONNECTION.next_ordered] = connection
    m.last_ordered = connection
    m.ordered += 1
    connections[connection + CONNECTION.is_ordered] = 1
    connections[connection + CONNECTION.next_ordered] = 0
    connections[connection + CONNECTION.newest] = counts_at(m.rows)[row + ROW.correlation]
    connections[connection + CONNECTION.given_out] = NOT_GIVEN
    connections[connection + CONNECTION.given_fingerprint] = 0


@_compiled
def shows_disorder(m: Any, row: Any) -> Any:
    """Whether a row, before it is taken up, is the first to show that its file is not in order."""
    rows = counts_at(m.rows)
    file, time = rows[row + ROW.file], rows[row + ROW.time]
    if file != m.read_file:
        m.read_file, m.newest_time = file, time
        return False
    if time == NOT_GIVEN:
        return False
    if m.newest_time == NOT_GIVEN or time > m.newest_time:
        m.newest_time = time
        return False
    coarse = 1_000 if time % 1_000 == 0 and m.newest_time % 1_000 == 0 else 0
    is_back = time < m.newest_time - ORDERED_WITHIN_MS - coarse
    if not is_back or file == m.unordered or file == m.unordered_before:
        return False
    m.unordered_before, m.unordered = m.unordered, file
    return True


@_compiled
def ordered_file(m: Any, row: Any) -> Any:
    """The file of a row, where what stands above it was written before."""
    file = counts_at(m.rows)[row + ROW.file]
    if file == m.unordered or file == m.unordered_before:
        return NO_ORDER_FILE
    return file


@_compiled
def take(m: Any, row: Any) -> Any:
    """Take a row up; `DONE` where it waits, `REPEATED` or `LATE` where it will not be given out."""
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    if m.remembered_count > 0 and _is_remembered(m, row):
        return REPEATED
    connection = connection_row(m, rows[row + ROW.connection])
    arrival = _arrival(m, row)
    fingerprint = rows[row + ROW.fingerprint]
    if fingerprint != 0:
        remember(m, row)
    position, kind = rows[row + ROW.position], rows[row + ROW.kind]
    if kind != FETCH and kind != ODD_FOLLOWED:
        m.held += 1
        _wait(m, arrival, position, row)
        return DONE
    if connections[connection + CONNECTION.is_ordered] == 0:
        _order(m, connection, row)
    newest = connections[connection + CONNECTION.newest]
    step = (rows[row + ROW.correlation] - newest + _HALF_OF_THE_IDS) & _ID_MASK
    steps = newest + step - _HALF_OF_THE_IDS
    given_out = connections[connection + CONNECTION.given_out]
    if steps > newest:
        connections[connection + CONNECTION.newest] = steps
    elif steps < given_out:
        return LATE
    elif (
        steps == given_out
        and fingerprint != 0
        and fingerprint == connections[connection + CONNECTION.given_fingerprint]
    ):
        return REPEATED
    elif steps < newest:
        rows[row + ROW.moved] = 1
    m.held += _size_of(m, row)
    rows[row + ROW.steps] = steps
    rows[row + ROW.next] = 0
    last = connections[connection + CONNECTION.last_waiting]
    if last == 0:
        connections[connection + CONNECTION.first_waiting] = row
        connections[connection + CONNECTION.last_waiting] = row
    elif rows[last + ROW.steps] <= steps:
        rows[last + ROW.next] = row
        connections[connection + CONNECTION.last_waiting] = row
    else:
        before, after = 0, connections[connection + CONNECTION.first_waiting]
        while rows[after + ROW.steps] <= steps:
            before, after = after, rows[after + ROW.next]
        rows[row + ROW.next] = after
        if before == 0:
            connections[connection + CONNECTION.first_waiting] = row
        else:
            rows[before + ROW.next] = row
    _wait(m, arrival, position, -connection)
    return DONE


@_compiled
def given_out(m: Any) -> Any:
    """The row that arrived first; 0 while it may still be another."""
    if m.waiting == 0:
        return 0
    passed = floats_at(m.clocks)[PASSED]
    if m.is_over == 0 and floats_at(m.arrivals)[0] >= passed and m.held <= m.held_at_most:
        return 0
    what = _first(m)
    if what > 0:
        m.held -= 1
        return what
    rows, connections = counts_at(m.rows), counts_at(m.connections)
    connection = -what
    row = connections[connection + CONNECTION.first_waiting]
    following = rows[row + ROW.next]
    connections[connection + CONNECTION.first_waiting] = following
    if following == 0:
        connections[connection + CONNECTION.last_waiting] = 0
    connections[connection + CONNECTION.given_out] = rows[row + ROW.steps]
    connections[connection + CONNECTION.given_fingerprint] = rows[row + ROW.fingerprint]
    m.held -= _size_of(m, row)
    return row

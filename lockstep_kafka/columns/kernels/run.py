"""The loop over lines: read, put in order, follow; it stops where Python has to do something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import binding
from numba import cfunc, from_dtype, njit, types

from lockstep.machine.search.kernel_parts import bytes_at, counts_at
from lockstep_kafka.columns.kernels.exchange import (
    count_of,
    drop_others,
    hold_all,
    leave_all,
    list_all,
    listed,
    name_connection,
    others_of,
    put_case,
    put_others,
    put_session,
    reported,
    take_entries,
    watch_all,
)
from lockstep_kafka.columns.kernels.follow import follow
from lockstep_kafka.columns.kernels.held import before, hash_held
from lockstep_kafka.columns.kernels.json_spec import FIELDS
from lockstep_kafka.columns.kernels.layout import (
    ANOTHER_BROKER,
    COMMANDS,
    CONNECTION,
    DISORDER,
    DONE,
    NO_ROOM,
    ODD_LINE,
    ROW,
    TEXT,
)
from lockstep_kafka.columns.kernels.order import given_out, remember, shows_disorder, take
from lockstep_kafka.columns.kernels.read import read
from lockstep_kafka.columns.kernels.rows import free_row, keep, new_row, note_edges
from lockstep_kafka.columns.kernels.text import line_end, partition_number

_compiled: Any = njit(boundscheck=False, error_model="numpy")


@_compiled
def _is_of_the_broker(m: Any) -> Any:
    """Whether the connection that was read is one of the broker that is followed."""
    connection = counts_at(m.fields)[FIELDS.connection]
    if m.prefix_length == 0 or counts_at(m.connection_of)[connection] != 0:
        return True
    texts, names, prefix = counts_at(m.texts), bytes_at(m.names), bytes_at(m.prefix)
    row = connection * TEXT.size
    if texts[row + TEXT.length] < m.prefix_length:
        return False
    start = texts[row + TEXT.start]
    for index in range(m.prefix_length):  # noqa: SIM110 - a loop is what numba makes fast
        if names[start + index] != prefix[index]:
            return False
    return True


@_compiled
def _run(m: Any) -> Any:
    """Go on until all lines are read and followed, or until something is to be done by Python."""
    rows = counts_at(m.rows)
    while True:
        while m.entering == 0:
            if m.current == 0:
                m.current = given_out(m)
                if m.current == 0:
                    break
            code = follow(m, m.current)
            if code != DONE:
                return code
            free_row(m, m.current)
            m.current = 0
        if m.entering == 0:
            if m.at >= m.end:
                return DONE
            end = line_end(m, m.at)
            m.line_end = end
            m.is_full = 0
            is_read = read(m, m.at, end)
            if m.is_full != 0 or m.connections_end + CONNECTION.size > m.connections_room:
                return NO_ROOM
            if not is_read:
                return ODD_LINE
            if not _is_of_the_broker(m):
                m.stopped_at = counts_at(m.fields)[FIELDS.connection]
                return ANOTHER_BROKER
            if m.is_scouting != 0:
                if not note_edges(m):
                    return NO_ROOM
                m.at = end + 1
                m.line += 1
                continue
            row = keep(m)
            if row == 0:
                return NO_ROOM
            rows[row + ROW.position] = m.first_position + m.line
            m.entering = row
            m.at = end + 1
            m.line += 1
        if m.remembered_count + 1 >= m.remembered_room:
            return NO_ROOM
        if shows_disorder(m, m.entering):
            m.stopped_at = m.entering
            return DISORDER
        code = take(m, m.entering)
        m.stopped_at = m.entering
        m.entering = 0
        if code != DONE:
            return code


@_compiled
def do(m: Any) -> Any:
    """Do what is asked for."""
    command = m.command
    if command == COMMANDS.run:
        return _run(m)
    if command == COMMANDS.hold_all:
        return hold_all(m)
    if command == COMMANDS.hash_held:
        return hash_held(m)
    if command == COMMANDS.take_entries:
        return take_entries(m)
    if command == COMMANDS.count_of:
        return count_of(m)
    if command == COMMANDS.list_all:
        return list_all(m)
    if command == COMMANDS.listed:
        return listed(m)
    if command == COMMANDS.watch_all:
        return watch_all(m)
    if command == COMMANDS.leave_all:
        return leave_all(m)
    if command == COMMANDS.least_reported:
        return before(m, m.owner)
    if command == COMMANDS.keep_reported:
        return reported(m)
    if command == COMMANDS.others_of:
        return others_of(m)
    if command == COMMANDS.put_others:
        return put_others(m)
    if command == COMMANDS.put_case:
        return put_case(m)
    if command == COMMANDS.put_session:
        return put_session(m)
    if command == COMMANDS.drop_others:
        return drop_others(m)
    if command == COMMANDS.new_row:
        return new_row(m, m.count)
    if command == COMMANDS.number_partition:
        return partition_number(m, m.owner, m.partition)
    if command == COMMANDS.free_row:
        free_row(m, m.owner)
        return 0
    if command == COMMANDS.remember:
        remember(m, m.owner)
        return 0
    return name_connection(m)


def module_text(fields: Sequence[str]) -> str:
    """The loop as the text of an LLVM module; `fields` are the words that it is given."""
    record = from_dtype(np.dtype([(field, np.int64) for field in fields]))
    kernel = cfunc(types.int64(record), error_model="numpy")(do.py_func)
    module = binding.parse_assembly(kernel.inspect_llvm())
    for part in module.functions:
        if part.name.startswith("cfunc."):
            inner = part.name.removeprefix("cfunc.")
            part.linkage = "internal"
    module.get_function(inner).name = "run"
    return str(module)

"""What sessions and fetchers have of partitions, and what leaders answered of these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.kernels.layout import (
    HELD,
    IS_LATER,
    IS_LATEST,
    LOG,
    MOST_TELLINGS,
    NOT_GIVEN,
    SESSION,
    TELLING,
)

_compiled: Any = njit(boundscheck=False, error_model="numpy")


@_compiled
def _place_of(m: Any, owner: Any, partition: Any) -> Any:
    value = np.uint64(owner) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ np.uint64(partition)) * np.uint64(0xD6E8FEB86659FD93)
    return np.int64(value >> np.uint64(24)) & m.held_mask


@_compiled
def held_by(m: Any, owner: Any, partition: Any) -> Any:
    """What an owner has of a partition; 0 for nothing."""
    held = counts_at(m.held_rows)
    entry = counts_at(m.held_table)[_place_of(m, owner, partition)]
    while entry != 0 and (
        held[entry + HELD.owner] != owner or held[entry + HELD.partition] != partition
    ):
        entry = held[entry + HELD.next_in_table]
    return entry


@_compiled
def hash_held(m: Any) -> Any:
    """Put all that owners have into the table, which is empty."""
    held, table = counts_at(m.held_rows), counts_at(m.held_table)
    for entry in range(HELD.size, m.held_end, HELD.size):
        if held[entry + HELD.owner] != 0:
            place = _place_of(m, held[entry + HELD.owner], held[entry + HELD.partition])
            held[entry + HELD.next_in_table] = table[place]
            table[place] = entry
    return 0


@_compiled
def has_room(m: Any, count: Any) -> Any:
    """Whether there is room for so many more."""
    return m.held_free + (m.held_room - m.held_end) // HELD.size >= count


@_compiled
def hold(m: Any, owner: Any, partition: Any, first: Any) -> Any:
    """A new entry of an owner, before its first one. There has to be room."""
    held, table = counts_at(m.held_rows), counts_at(m.held_table)
    entry = m.first_free
    if entry != 0:
        m.first_free = held[entry + HELD.next_in_table]
        m.held_free -= 1
    else:
        entry = m.held_end
        m.held_end += HELD.size
    for index in range(HELD.size):
        held[entry + index] = 0
    place = _place_of(m, owner, partition)
    held[entry + HELD.owner] = owner
    held[entry + HELD.partition] = partition
    held[entry + HELD.next_in_table] = table[place]
    table[place] = entry
    held[entry + HELD.next] = first
    if first != 0:
        held[first + HELD.previous] = entry
    return entry


@_compiled
def let_go(m: Any, entry: Any) -> Any:
    """Take an entry out of the table; the first entry of its owner after that, if it was that."""
    held, table = counts_at(m.held_rows), counts_at(m.held_table)
    place = _place_of(m, held[entry + HELD.owner], held[entry + HELD.partition])
    if table[place] == entry:
        table[place] = held[entry + HELD.next_in_table]
    else:
        before = table[place]
        while held[before + HELD.next_in_table] != entry:
            before = held[before + HELD.next_in_table]
        held[before + HELD.next_in_table] = held[entry + HELD.next_in_table]
    following, previous = held[entry + HELD.next], held[entry + HELD.previous]
    if following != 0:
        held[following + HELD.previous] = previous
    if previous != 0:
        held[previous + HELD.next] = following
    held[entry + HELD.owner] = 0
    held[entry + HELD.next_in_table] = m.first_free
    m.first_free = entry
    m.held_free += 1
    return following


@_compiled
def append(m: Any, session: Any, ends: Any, entry: Any, flag: Any) -> Any:
    """Put an entry at the end of a list of its session, where it is not there yet.

    `ends` is the word of the session that has the list's first entry, `flag` that of the entry that
    says whether it is in the list.
    """
    sessions, held = counts_at(m.sessions), counts_at(m.held_rows)
    if held[entry + flag] != 0:
        return
    last = sessions[session + ends + 1]
    held[entry + flag] = 1
    held[entry + flag + 1] = 0
    held[entry + flag + 2] = last
    if last == 0:
        sessions[session + ends] = entry
    else:
        held[last + flag + 1] = entry
    sessions[session + ends + 1] = entry


@_compiled
def remove(m: Any, session: Any, ends: Any, entry: Any, flag: Any) -> Any:
    """Take an entry out of a list of its session, where it is there."""
    sessions, held = counts_at(m.sessions), counts_at(m.held_rows)
    if held[entry + flag] == 0:
        return
    following, previous = held[entry + flag + 1], held[entry + flag + 2]
    held[entry + flag] = 0
    if previous == 0:
        sessions[session + ends] = following
    else:
        held[previous + flag + 1] = following
    if following == 0:
        sessions[session + ends + 1] = previous
    else:
        held[following + flag + 2] = previous


@_compiled
def watch(m: Any, log: Any, entry: Any) -> Any:
    """The session does not lag in the partition; a later watermark makes it."""
    logs, held = counts_at(m.logs), counts_at(m.held_rows)
    if held[entry + HELD.is_lagging] != 0 or held[entry + HELD.is_up] != 0:
        return
    first = logs[log + LOG.up]
    held[entry + HELD.is_up] = 1
    held[entry + HELD.next_up] = first
    held[entry + HELD.previous_up] = 0
    if first != 0:
        held[first + HELD.previous_up] = entry
    logs[log + LOG.up] = entry


@_compiled
def leave(m: Any, log: Any, entry: Any) -> Any:
    """The session has the partition no more, or lags in it already."""
    logs, held = counts_at(m.logs), counts_at(m.held_rows)
    if held[entry + HELD.is_up] == 0:
        return
    following, previous = held[entry + HELD.next_up], held[entry + HELD.previous_up]
    held[entry + HELD.is_up] = 0
    if previous == 0:
        logs[log + LOG.up] = following
    else:
        held[previous + HELD.next_up] = following
    if following != 0:
        held[following + HELD.previous_up] = previous


@_compiled
def has_seen(m: Any, position: Any, time: Any) -> Any:
    """Whether a line of its file was surely written before the Fetch that is judged was sent."""
    if position > m.seen_position:
        return False
    return time == NOT_GIVEN or m.seen_time == NOT_GIVEN or time <= m.seen_time


@_compiled
def before(m: Any, log: Any) -> Any:
    """The last telling that the Fetch that is judged can see; 0 for none."""
    logs = counts_at(m.logs)
    if m.seen_file != logs[log + LOG.file]:
        return 0
    telling = log + LOG.tellings + TELLING.size * (logs[log + LOG.count] - 1)
    while telling >= log + LOG.tellings:
        if has_seen(m, logs[telling + TELLING.position], logs[telling + TELLING.time]):
            return telling
        telling -= TELLING.size
    return 0


@_compiled
def _insert(m: Any, log: Any, place: Any) -> Any:
    """Make room for a telling at a place; the older half goes where there are too many."""
    logs = counts_at(m.logs)
    first = log + LOG.tellings
    at = first + TELLING.size * logs[log + LOG.count]
    while at > first + TELLING.size * place:
        at -= TELLING.size
        for word in range(TELLING.size):
            logs[at + TELLING.size + word] = logs[at + word]
    logs[log + LOG.count] += 1


@_compiled
def _reported(
    m: Any, log: Any, position: Any, time: Any, high_watermark: Any, log_start: Any
) -> Any:
    """Keep what a line says of a partition; whether its watermark is later than all before."""
    logs = counts_at(m.logs)
    first, count = log + LOG.tellings, logs[log + LOG.count]
    place = count
    while place > 0 and logs[first + TELLING.size * (place - 1)] > position:
        place -= 1
    if place > 0:
        earlier = first + TELLING.size * (place - 1)
        if (
            high_watermark <= logs[earlier + TELLING.high_watermark]
            and log_start <= logs[earlier + TELLING.log_start]
        ):
            return False
        high_watermark = max(high_watermark, logs[earlier + TELLING.high_watermark])
        log_start = max(log_start, logs[earlier + TELLING.log_start])
    newest = first + TELLING.size * (count - 1)
    is_later = place == count or high_watermark > logs[newest + TELLING.high_watermark]
    for index in range(place, count):
        later = first + TELLING.size * index
        logs[later + TELLING.high_watermark] = max(
            logs[later + TELLING.high_watermark], high_watermark
        )
        logs[later + TELLING.log_start] = max(logs[later + TELLING.log_start], log_start)
    _insert(m, log, place)
    telling = first + TELLING.size * place
    logs[telling + TELLING.position] = position
    logs[telling + TELLING.time] = time
    logs[telling + TELLING.high_watermark] = high_watermark
    logs[telling + TELLING.log_start] = log_start
    if count + 1 > MOST_TELLINGS:
        dropped = MOST_TELLINGS // 2
        for at in range(first, first + TELLING.size * (count + 1 - dropped)):
            logs[at] = logs[at + TELLING.size * dropped]
        logs[log + LOG.count] = count + 1 - dropped
    return is_later


@_compiled
def keep_reported(
    m: Any,
    log: Any,
    leader_epoch: Any,
    file: Any,
    position: Any,
    time: Any,
    high_watermark: Any,
    log_start: Any,
) -> Any:
    """Keep what is answered of a partition for all sessions: `IS_LATEST`, `IS_LATER`, or both."""
    logs, held = counts_at(m.logs), counts_at(m.held_rows)
    newest = log + LOG.tellings + TELLING.size * (logs[log + LOG.count] - 1)
    if (
        logs[log + LOG.exists] == 0
        or logs[log + LOG.leader_epoch] < leader_epoch
        or (file != logs[log + LOG.file] and logs[newest + TELLING.position] < position)
    ):
        logs[log + LOG.exists] = 1
        logs[log + LOG.leader_epoch] = leader_epoch
        logs[log + LOG.file] = file
        logs[log + LOG.count] = 0
    code = 0
    is_of_log = logs[log + LOG.leader_epoch] == leader_epoch and logs[log + LOG.file] == file
    if is_of_log and _reported(m, log, position, time, high_watermark, log_start):
        code = IS_LATER
        other = logs[log + LOG.up]
        while other != 0:
            following = held[other + HELD.next_up]
            held[other + HELD.is_up] = 0
            append(m, held[other + HELD.owner], SESSION.lagging, other, HELD.is_lagging)
            other = following
        logs[log + LOG.up] = 0
    newest = log + LOG.tellings + TELLING.size * (logs[log + LOG.count] - 1)
    if logs[newest + TELLING.high_watermark] <= high_watermark:
        code |= IS_LATEST
    return code

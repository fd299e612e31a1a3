"""The case of one partition of one request, and the model's answer where it was given before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import counts_at
from lockstep_kafka.columns.kernels.held import before
from lockstep_kafka.columns.kernels.layout import (
    ANSWERED,
    ASKED,
    CASE,
    DONE,
    EXPLAINED,
    HELD,
    LOG,
    NAMED,
    NEW_CASE,
    ODD_STEP,
    ROW,
    TELLING,
)
from lockstep_kafka.sessions.leader_case import OPEN, UNKNOWN, Membership, Others

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_PRESENT, _OPEN = int(Membership.PRESENT), int(Membership.OPEN)
_NOBODY, _QUIET, _FILLED = int(Others.ABSENT), int(Others.QUIET), int(Others.WITH_RECORDS)
_FIRST_WITH_TOPIC_IDS, _FIRST_WITH_LOG_START = 13, 5
_BEYOND_ALL = 2**63 - 1


@_compiled
def outcome_place(m: Any, key: Any) -> Any:
    """Where a case stands in the table of answers, or the free place for it."""
    keys = counts_at(m.case_keys)
    value = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(value >> np.uint64(20)) & m.case_mask
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & m.case_mask
    return place


@_compiled
def _ranked(m: Any, count: Any) -> Any:
    """The key of the numbers of a case by their order, and all of them in order in `numbers`.

    Negative where one of them is none of Kafka's.
    """
    case, numbers = counts_at(m.case), counts_at(m.numbers)
    numbers[0], numbers[1] = OPEN, UNKNOWN
    used = 2
    for index in range(count):
        number = case[CASE.offset + index]
        if number < OPEN:
            return -1
        if number <= UNKNOWN:
            continue
        at = used
        while at > 2 and numbers[at - 1] > number:
            at -= 1
        if at > 2 and numbers[at - 1] == number:
            continue
        for place in range(used, at, -1):
            numbers[place] = numbers[place - 1]
        numbers[at] = number
        used += 1
    key = 0
    for index in range(count):
        number, rank = case[CASE.offset + index], 0
        while numbers[rank] != number:
            rank += 1
        key = key << 4 | rank
    return key


@_compiled
def least(m: Any, row: Any, partition: Any, leader_epoch: Any) -> Any:
    """The telling that says what the leader has when it serves the request; 0 for none."""
    log = counts_at(m.log_of)[partition]
    logs = counts_at(m.logs)
    if logs[log + LOG.exists] == 0 or logs[log + LOG.leader_epoch] != leader_epoch:
        return 0
    if counts_at(m.rows)[row + ROW.version] < _FIRST_WITH_TOPIC_IDS or leader_epoch < 0:
        return 0
    return before(m, log)


@_compiled
def _uncommitted(offset: Any, end: Any, beyond: Any) -> Any:
    if offset == OPEN or offset < end:
        return offset
    return beyond


@_compiled
def explain(m: Any, row: Any, named: Any) -> Any:
    """Look up what the model says of a partition, and keep that; `DONE` where it explains it."""
    rows, held, names = counts_at(m.rows), counts_at(m.held_rows), counts_at(m.named)
    logs, case = counts_at(m.logs), counts_at(m.case)
    partition, entry = names[named + NAMED.partition], names[named + NAMED.held]
    asked, answered = names[named + NAMED.asked], names[named + NAMED.answered]
    is_forgotten = names[named + NAMED.forgotten]
    version = rows[row + ROW.version]
    has_own = entry != 0 and held[entry + HELD.has_interest] != 0
    leader_epoch, least_high, least_start = UNKNOWN, 0, 0
    if asked != 0 or has_own:
        leader_epoch = (
            rows[asked + ASKED.leader_epoch] if asked != 0 else held[entry + HELD.leader_epoch]
        )
        telling = least(m, row, partition, leader_epoch)
        if telling != 0:
            least_high = logs[telling + TELLING.high_watermark]
            least_start = logs[telling + TELLING.log_start]
        if (
            entry != 0
            and held[entry + HELD.reported_epoch] == leader_epoch
            and version >= _FIRST_WITH_TOPIC_IDS
            and leader_epoch >= 0
        ):
            least_high = max(least_high, held[entry + HELD.high_watermark])
            least_start = max(least_start, held[entry + HELD.reported_log_start])
    names[named + NAMED.leader_epoch] = leader_epoch
    offset = high_watermark = log_start = OPEN
    if entry != 0:
        high_watermark = held[entry + HELD.high_watermark]
        log_start = held[entry + HELD.reported_log_start]
        if has_own:
            offset = max(held[entry + HELD.offset], 0)
    requested = OPEN if asked == 0 else max(rows[asked + ASKED.offset], 0)
    is_filled = answered != 0 and rows[answered + ANSWERED.records_size] > 0
    # A KRaft leader that does not know its watermark sends a replica some, and says nothing.
    is_unknown = (
        answered != 0 and m.is_replica != 0 and rows[answered + ANSWERED.high_watermark] < 0
    )
    has_records = is_filled and not is_unknown
    others = _NOBODY
    if m.is_replica != 0 or m.filled > (1 if is_filled else 0):
        others = _FILLED
    elif (
        m.absence == _OPEN
        or m.members > (1 if entry != 0 else 0)
        or rows[row + ROW.asked] > (1 if asked != 0 else 0)
    ):
        others = _QUIET
    if rows[row + ROW.isolation] == 1 and not has_records:
        if answered != 0:
            end = rows[answered + ANSWERED.stable]
            reported = rows[answered + ANSWERED.high_watermark]
            offset = _uncommitted(offset, end, max(offset, reported))
            requested = _uncommitted(requested, end, max(requested, reported))
        else:
            end = OPEN if entry == 0 else held[entry + HELD.stable]
            offset = _uncommitted(offset, end, _BEYOND_ALL)
            requested = _uncommitted(requested, end, _BEYOND_ALL)
    membership = _PRESENT if entry != 0 else m.absence
    case[CASE.is_replica] = m.is_replica
    case[CASE.membership] = membership
    case[CASE.is_forgotten] = is_forgotten
    case[CASE.others] = others
    has_data = answered != 0 and (
        not is_unknown
        and rows[answered + ANSWERED.error] == 0
        and rows[answered + ANSWERED.preferred] < 0
        and rows[answered + ANSWERED.hint] == 0
    )
    names[named + NAMED.has_data] = 1 if has_data else 0
    case[CASE.is_answered] = 1 if answered != 0 else 0
    case[CASE.has_data] = 1 if has_data else 0
    case[CASE.has_records] = 1 if has_records else 0
    case[CASE.offset] = offset
    case[CASE.high_watermark] = high_watermark
    case[CASE.log_start] = log_start
    case[CASE.requested] = requested
    case[CASE.least_high_watermark] = least_high
    case[CASE.least_log_start] = least_start
    count = 6
    if answered != 0:
        count = 8
        # Within a session no watermark is cached beside an error (227-D4).
        is_failed = rows[answered + ANSWERED.error] != 0 and m.is_full_request == 0
        case[CASE.answered_high_watermark] = (
            UNKNOWN if is_failed else rows[answered + ANSWERED.high_watermark]
        )
        case[CASE.answered_log_start] = (
            rows[answered + ANSWERED.log_start] if version >= _FIRST_WITH_LOG_START else least_start
        )
    key = _ranked(m, count)
    if key < 0:
        return ODD_STEP
    head = case[CASE.row]
    for index in range(CASE.is_replica, CASE.offset):
        head = head << 2 | case[index]
    key |= (head << 1 | 1) << 32
    place = outcome_place(m, key)
    if counts_at(m.case_keys)[place] == 0:
        case[CASE.key] = key
        return NEW_CASE
    outcome = counts_at(m.case_outcomes)[place]
    if outcome & EXPLAINED == 0:
        return ODD_STEP
    numbers = counts_at(m.numbers)
    names[named + NAMED.membership] = outcome & 3
    names[named + NAMED.is_requested] = outcome >> 2 & 1
    names[named + NAMED.high_watermark] = numbers[outcome >> 3 & 15]
    names[named + NAMED.log_start] = numbers[outcome >> 7 & 15]
    return DONE

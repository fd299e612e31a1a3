"""Reads lines as Kafka writes them into rows; any other line is left to Python.

What is read here is what `read_line` reads. A line is left where anything is unusual: bytes that
are not ASCII, an escape, white space in the JSON, a field twice, a number that is too large. A
request of the metadata quorum is left, too, and a Fetch that is answered as its replicas do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import bytes_at, counts_at
from lockstep_kafka.columns.kernels.json_spec import FIELDS as F
from lockstep_kafka.columns.kernels.json_spec import KEY, OBJECTS
from lockstep_kafka.columns.kernels.layout import (
    ANSWERED,
    ASKED,
    MARK,
)
from lockstep_kafka.columns.kernels.text import (
    checksum,
    partition_number,
    skipped_value,
    text_number,
    written_time,
)
from lockstep_kafka.columns.kernels.values import integer, key_at, milliseconds
from lockstep_kafka.files.fetch_fields import (
    FIRST_WITH_TOPIC_IDS,
    NEWEST_VERSION,
    OLDEST_VERSION,
    Kind,
    Object,
)
from lockstep_kafka.files.lines import QuorumApi

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_ODD = -1
_FETCH_API = 1
_QUORUM_APIS = tuple(api.value for api in QuorumApi)
_FIRST_WITH_IDS, _OLDEST, _NEWEST = FIRST_WITH_TOPIC_IDS, OLDEST_VERSION, NEWEST_VERSION
_SIZE_MISSING = -2
_NO_SIZE = -1

_LINE, _HEADER, _REQUEST = int(Object.LINE), int(Object.HEADER), int(Object.REQUEST)
_RESPONSE, _ASKED_TOPIC, _ASKED = int(Object.RESPONSE), int(Object.ASKED_TOPIC), int(Object.ASKED)
_FORGOTTEN_TOPIC, _ANSWERED = int(Object.FORGOTTEN_TOPIC), int(Object.ANSWERED)
_ANSWERED_TOPIC, _CLIENT = int(Object.ANSWERED_TOPIC), int(Object.CLIENT)
_INTEGER, _TEXT, _TEXT_OR_NULL = int(Kind.INTEGER), int(Kind.TEXT), int(Kind.TEXT_OR_NULL)
_MILLISECONDS, _OBJECT, _OBJECTS = int(Kind.MILLISECONDS), int(Kind.OBJECT), int(Kind.OBJECTS)
_INTEGERS, _NULL = int(Kind.INTEGERS), int(Kind.NULL)

_QUOTE, _COMMA = 0x22, 0x2C
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = 0x7B, 0x7D, 0x5B, 0x5D


@_compiled
def _open(m: Any, of: Any) -> Any:
    """Fields of an object that need not be there have their defaults."""
    fields = counts_at(m.fields)
    if of == _ASKED:
        fields[F.log_start] = fields[F.leader_epoch] = fields[F.last_fetched] = -1
    elif of == _ANSWERED:
        fields[F.log_start] = fields[F.preferred] = fields[F.diverging] = -1
        fields[F.records_size] = _SIZE_MISSING
        fields[F.no_records] = 0
    elif of == _REQUEST:
        fields[F.session] = 0
        fields[F.epoch] = fields[F.replica] = -1
    elif of == _RESPONSE:
        fields[F.error] = fields[F.response_session] = 0
    elif of in (_ASKED_TOPIC, _ANSWERED_TOPIC, _FORGOTTEN_TOPIC):
        fields[F.topic_name] = fields[F.topic_id] = -1


@_compiled
def _topic(m: Any) -> Any:
    """The topic of the object that is read; negative where it is not there yet, or no id."""
    fields = counts_at(m.fields)
    if fields[F.version] < _FIRST_WITH_IDS:
        return fields[F.topic_name]
    return fields[F.topic_id]


@_compiled
def _close(m: Any, of: Any) -> Any:
    """Keep what an object says of a partition; False where it is said twice."""
    if of != _ASKED and of != _ANSWERED:
        return True
    fields, marks = counts_at(m.fields), counts_at(m.marks)
    partition = partition_number(m, fields[F.topic_of], fields[F.partition])
    mark = partition * MARK.size
    if of == _ASKED:
        if marks[mark + MARK.asked] == m.mark:
            return False
        marks[mark + MARK.asked] = m.mark
        asked, at = counts_at(m.asked), m.asked_count * ASKED.size
        asked[at + ASKED.partition] = partition
        asked[at + ASKED.offset] = fields[F.fetch_offset]
        asked[at + ASKED.log_start] = fields[F.log_start]
        asked[at + ASKED.max_bytes] = fields[F.max_bytes]
        asked[at + ASKED.leader_epoch] = fields[F.leader_epoch]
        asked[at + ASKED.last_fetched] = fields[F.last_fetched]
        m.asked_count += 1
        return True
    if marks[mark + MARK.answered] == m.mark:
        return False
    marks[mark + MARK.answered] = m.mark
    answered, at = counts_at(m.answered), m.answered_count * ANSWERED.size
    size = fields[F.records_size]
    if size == _SIZE_MISSING:
        size = 0 if fields[F.no_records] != 0 else _NO_SIZE
    elif size < 0:
        return False
    answered[at + ANSWERED.partition] = partition
    answered[at + ANSWERED.error] = fields[F.partition_error]
    answered[at + ANSWERED.high_watermark] = fields[F.high_watermark]
    answered[at + ANSWERED.stable] = fields[F.stable]
    answered[at + ANSWERED.log_start] = fields[F.log_start]
    answered[at + ANSWERED.records_size] = size
    answered[at + ANSWERED.preferred] = fields[F.preferred]
    answered[at + ANSWERED.hint] = 1 if fields[F.diverging] >= 0 else 0
    m.answered_count += 1
    return True


@_compiled
def _forgotten(m: Any, at: Any) -> Any:
    """Read the numbers of partitions in a list, after its bracket; where it ends, or negative."""
    text, forgotten = bytes_at(m.text), counts_at(m.forgotten)
    topic = _topic(m)
    if topic < 0:
        return _ODD
    if text[at] == _CLOSE_LIST:
        return at + 1
    while True:
        number, at = integer(m, at, 2**31 - 1)
        if at < 0 or m.forgotten_count >= m.scratch_room:
            return _ODD
        forgotten[m.forgotten_count] = partition_number(m, topic, number)
        m.forgotten_count += 1
        if text[at] == _CLOSE_LIST:
            return at + 1
        if text[at] != _COMMA:
            return _ODD
        at += 1


@_compiled
def _simple(m: Any, at: Any, key: Any) -> Any:
    """Read a value that is no object and no list of objects; where it ends, or negative."""
    text, fields, keys = bytes_at(m.text), counts_at(m.fields), counts_at(m.keys)
    kind, target = keys[key + KEY.kind], keys[key + KEY.target]
    if kind == _INTEGER:
        fields[target], at = integer(m, at, keys[key + KEY.limit])
        return at
    if kind in (_TEXT, _TEXT_OR_NULL):
        if text[at] == _QUOTE:
            fields[target], at = text_number(m, at + 1, target == F.topic_id)
            return at
        if kind == _TEXT or text[at] != 0x6E:
            return _ODD
        fields[target] = m.empty_text
        return skipped_value(m, at)
    if kind == _MILLISECONDS:
        fields[F.total_digits], fields[F.total_scale], at = milliseconds(m, at)
        return at
    if kind == _NULL:
        fields[target] = 1
        return skipped_value(m, at) if text[at] == 0x6E else _ODD
    if kind == _INTEGERS:
        return _forgotten(m, at + 1) if text[at] == _OPEN_LIST else _ODD
    return _ODD


@_compiled
def _object(m: Any, at: Any) -> Any:
    """Read the object of a line, from its first brace on; where it ends, or negative."""
    text, fields, keys = bytes_at(m.text), counts_at(m.fields), counts_at(m.keys)
    stack, required = counts_at(m.stack), counts_at(m.required)
    if text[at] != _OPEN:
        return _ODD
    at += 1
    of, seen, depth, in_list = _LINE, np.int64(0), 0, False
    while True:
        if text[at] == _CLOSE:
            version = fields[F.version]
            if of == _HEADER:
                if fields[F.api] == _FETCH_API and not _OLDEST <= version <= _NEWEST:
                    return _ODD
                needed = required[_OLDEST * OBJECTS + of]
            elif of == _CLIENT:
                needed = 0
            elif of == _LINE and fields[F.api] != _FETCH_API:
                needed = m.required_of_others
            else:
                needed = required[version * OBJECTS + of]
            if seen & needed != needed or not _close(m, of):
                return _ODD
            at += 1
            if depth == 0:
                return at
            if in_list and text[at] == _COMMA:
                if text[at + 1] != _OPEN:
                    return _ODD
                at += 2
                seen = np.int64(0)
                _open(m, of)
                if (of == _ASKED and m.asked_count >= m.scratch_room) or (
                    of == _ANSWERED and m.answered_count >= m.scratch_room
                ):
                    return _ODD
                continue
            if in_list:
                if text[at] != _CLOSE_LIST:
                    return _ODD
                at += 1
            depth -= 1
            of, seen = stack[3 * depth], stack[3 * depth + 1]
            in_list = stack[3 * depth + 2] != 0
            if text[at] == _COMMA:
                at += 1
            elif text[at] != _CLOSE:
                return _ODD
            else:
                continue
        if text[at] != _QUOTE:
            return _ODD
        key, at = key_at(m, at + 1, of)
        if at < 0:
            return _ODD
        nested = 0
        if key == 0:
            at = skipped_value(m, at)
        else:
            bit = keys[key + KEY.bit]
            if seen & bit != 0:
                return _ODD
            seen |= bit
            kind = keys[key + KEY.kind]
            if kind != _OBJECT and kind != _OBJECTS:
                at = _simple(m, at, key)
            elif keys[key + KEY.target] in (_REQUEST, _RESPONSE) and fields[F.api] != _FETCH_API:
                if fields[F.api] < 0:
                    return _ODD  # the header comes later
                at = skipped_value(m, at)
            elif kind == _OBJECT and text[at] == _OPEN:
                nested = 1
                at += 1
            elif kind == _OBJECTS and text[at] == _OPEN_LIST and text[at + 1] == _OPEN:
                nested = 2
                at += 2
            elif kind == _OBJECTS and text[at] == _OPEN_LIST and text[at + 1] == _CLOSE_LIST:
                at += 2
            else:
                return _ODD
        if at < 0:
            return _ODD
        if nested != 0:
            inner = keys[key + KEY.target]
            if inner in (_ASKED, _ANSWERED):
                fields[F.topic_of] = _topic(m)
                if fields[F.topic_of] < 0:
                    return _ODD
                if m.asked_count >= m.scratch_room or m.answered_count >= m.scratch_room:
                    return _ODD
            stack[3 * depth], stack[3 * depth + 1] = of, seen
            stack[3 * depth + 2] = 1 if in_list else 0
            depth += 1
            of, seen, in_list = inner, np.int64(0), nested == 2
            _open(m, of)
            continue
        if text[at] == _COMMA:
            at += 1
            if text[at] != _QUOTE:
                return _ODD
        elif text[at] != _CLOSE:
            return _ODD


@_compiled
def read(m: Any, at: Any, end: Any) -> Any:
    """Read the line between two places into the fields; whether it is one that is read here."""
    text, fields = bytes_at(m.text), counts_at(m.fields)
    fields[F.time], start = written_time(m, at, end)
    if start < 0:
        return False
    fields[F.api] = -1
    fields[F.total_digits], fields[F.total_scale] = 0, 1
    fields[F.software_name] = fields[F.software_version] = m.empty_text
    m.asked_count = m.forgotten_count = m.answered_count = 0
    m.mark += 1
    stop = _object(m, start)
    if stop < 0 or fields[F.api] in _QUORUM_APIS:
        return False
    # What the layout prints after the message has no brace, and no second message.
    for place in range(stop, end):
        byte = text[place]
        if byte == _CLOSE or byte == 0x43 or byte < 0x20 or byte > 0x7E:
            return False
    if stop < end and text[stop] != 0x20:
        return False
    fields[F.fingerprint] = checksum(m, start, stop)
    return True

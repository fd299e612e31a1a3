"""The text of lines: times, values that are passed over, check sums, and names that get numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import bytes_at, counts_at
from lockstep_kafka.columns.kernels.layout import NOT_GIVEN, PARTITION, TEXT

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_ODD = -1
_ID_LENGTH = 22
_DEEPEST = 32
_QUOTE, _COMMA, _COLON, _MINUS, _DOT = 0x22, 0x2C, 0x3A, 0x2D, 0x2E
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = 0x7B, 0x7D, 0x5B, 0x5D
_ZERO, _NINE = 0x30, 0x39


@_compiled
def text_number(m: Any, at: Any, is_id: Any) -> Any:
    """The number of the text that ends with the next quote, and the place behind that.

    The place is negative for a text with other bytes than printable ASCII, and for one that is no
    topic id where it should be one.
    """
    text, names, texts = bytes_at(m.text), bytes_at(m.names), counts_at(m.texts)
    start = at
    value = np.uint64(0xCBF29CE484222325)
    while text[at] != _QUOTE:
        byte = text[at]
        if byte < 0x20 or byte > 0x7E or byte == 0x5C:
            return 0, _ODD
        if is_id and not (
            0x30 <= byte <= 0x39
            or 0x41 <= byte <= 0x5A
            or 0x61 <= byte <= 0x7A
            or byte == _MINUS
            or byte == 0x5F
        ):
            return 0, _ODD
        value = (value ^ np.uint64(byte)) * np.uint64(0x100000001B3)
        at += 1
    length = at - start
    if is_id and length != _ID_LENGTH:
        return 0, _ODD
    hashed = np.int64((value ^ value >> np.uint64(31)) & np.uint64(2**62 - 1))
    table = counts_at(m.text_table)
    place = hashed & m.text_mask
    while table[place] != 0:
        number = table[place] - 1
        row = number * TEXT.size
        if texts[row + TEXT.hash] == hashed and texts[row + TEXT.length] == length:
            first, same = texts[row + TEXT.start], True
            for index in range(length):
                if names[first + index] != text[start + index]:
                    same = False
                    break
            if same:
                return number, at + 1
        place = (place + 1) & m.text_mask
    number = m.texts_count
    if number >= m.texts_room or m.names_end + length > m.names_room:
        m.is_full = 1
        return 0, _ODD
    row = number * TEXT.size
    texts[row + TEXT.hash] = hashed
    texts[row + TEXT.start] = m.names_end
    texts[row + TEXT.length] = length
    for index in range(length):
        names[m.names_end + index] = text[start + index]
    m.names_end += length
    m.texts_count = number + 1
    table[place] = number + 1
    return number, at + 1


@_compiled
def partition_number(m: Any, topic: Any, index: Any) -> Any:
    """The number of a partition; 0 where there is no room for another one, which is no number."""
    partitions, table = counts_at(m.partitions), counts_at(m.partition_table)
    value = np.uint64(topic) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(index)
    value *= np.uint64(0xD6E8FEB86659FD93)
    place = np.int64(value >> np.uint64(20)) & m.partition_mask
    while table[place] != 0:
        number = table[place]
        row = number * PARTITION.size
        if (
            partitions[row + PARTITION.topic] == topic
            and partitions[row + PARTITION.index] == index
        ):
            return number
        place = (place + 1) & m.partition_mask
    number = m.partitions_count
    if number >= m.partitions_room:
        m.is_full = 1
        return 0
    row = number * PARTITION.size
    partitions[row + PARTITION.topic] = topic
    partitions[row + PARTITION.index] = index
    m.partitions_count = number + 1
    table[place] = number
    return number


@_compiled
def _skipped_text(text: Any, at: Any) -> Any:
    while text[at] != _QUOTE:
        byte = text[at]
        if byte < 0x20 or byte > 0x7E or byte == 0x5C:
            return _ODD
        at += 1
    return at + 1


@_compiled
def _skipped_number(text: Any, at: Any) -> Any:
    if text[at] == _MINUS:
        at += 1
    start = at
    while _ZERO <= text[at] <= _NINE:
        at += 1
    if at == start or (text[start] == _ZERO and at - start > 1):
        return _ODD
    if text[at] == _DOT:
        at += 1
        start = at
        while _ZERO <= text[at] <= _NINE:
            at += 1
        if at == start:
            return _ODD
    return _ODD if text[at] == 0x65 or text[at] == 0x45 else at


@_compiled
def _skipped_word(text: Any, at: Any) -> Any:
    first = text[at]
    if first == 0x6E:
        is_word = text[at + 1] == 0x75 and text[at + 2] == 0x6C and text[at + 3] == 0x6C
        return at + 4 if is_word else _ODD
    if first == 0x74:
        is_word = text[at + 1] == 0x72 and text[at + 2] == 0x75 and text[at + 3] == 0x65
        return at + 4 if is_word else _ODD
    if first == 0x66 and text[at + 1] == 0x61 and text[at + 2] == 0x6C:
        return at + 5 if text[at + 3] == 0x73 and text[at + 4] == 0x65 else _ODD
    return _ODD


@_compiled
def skipped_value(m: Any, at: Any) -> Any:
    """Where a JSON value ends; negative for anything unusual in it."""
    text = bytes_at(m.text)
    kinds, depth = np.int64(0), 0  # a bit for each open bracket: 1 for an object
    while True:
        byte = text[at]
        is_open = False
        if byte in (_OPEN, _OPEN_LIST):
            if depth == _DEEPEST:
                return _ODD
            is_object = byte == _OPEN
            kinds = kinds << 1 | (1 if is_object else 0)
            depth += 1
            at += 1
            is_open = True
            if text[at] == (_CLOSE if is_object else _CLOSE_LIST):
                at += 1
                kinds >>= 1
                depth -= 1
                is_open = False
        elif byte == _QUOTE:
            at = _skipped_text(text, at + 1)
        elif byte == _MINUS or _ZERO <= byte <= _NINE:
            at = _skipped_number(text, at)
        else:
            at = _skipped_word(text, at)
        if at < 0:
            return _ODD
        while not is_open:
            if depth == 0:
                return at
            if text[at] == _COMMA:
                at += 1
                break
            if text[at] != (_CLOSE if kinds & 1 else _CLOSE_LIST):
                return _ODD
            at += 1
            kinds >>= 1
            depth -= 1
        if kinds & 1:
            if text[at] != _QUOTE:
                return _ODD
            at = _skipped_text(text, at + 1)
            if at < 0 or text[at] != _COLON:
                return _ODD
            at += 1


@_compiled
def _number(text: Any, at: Any, digits: Any) -> Any:
    """A number of so many digits; negative where other bytes stand there."""
    value = np.int64(0)
    for index in range(digits):
        byte = text[at + index]
        if byte < _ZERO or byte > _NINE:
            return _ODD
        value = value * 10 + (np.int64(byte) - _ZERO)
    return value


@_compiled
def _moment(text: Any, at: Any) -> Any:
    """Milliseconds since 1970 of `YYYY-MM-DD HH:MM:SS,mmm`; negative for any other text."""
    year, month, day = _number(text, at, 4), _number(text, at + 5, 2), _number(text, at + 8, 2)
    hour, minute = _number(text, at + 11, 2), _number(text, at + 14, 2)
    second, part = _number(text, at + 17, 2), _number(text, at + 20, 3)
    if (
        text[at + 4] != _MINUS
        or text[at + 7] != _MINUS
        or text[at + 10] != 0x20
        or text[at + 13] != _COLON
        or text[at + 16] != _COLON
        or text[at + 19] != _COMMA
    ):
        return _ODD
    if year < 1970 or not 1 <= month <= 12 or not 1 <= day <= 31:
        return _ODD
    # The last days of February are left: which ones there are depends on the year.
    is_short = month == 4 or month == 6 or month == 9 or month == 11
    if (is_short and day > 30) or (month == 2 and day > 28):
        return _ODD
    if not 0 <= hour <= 23 or not 0 <= minute <= 59 or not 0 <= second <= 59 or part < 0:
        return _ODD
    # Days from 1970 on, in years that begin with March.
    if month <= 2:
        year -= 1
        month += 12
    days = 365 * year + year // 4 - year // 100 + year // 400
    days += (153 * (month - 3) + 2) // 5 + day - 1 - 719_468
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + part


@_compiled
def written_time(m: Any, at: Any, end: Any) -> Any:
    """When a line was written, in milliseconds since 1970, and where its JSON begins.

    The place is negative for a line that does not begin as Kafka's own layouts have it.
    """
    text, marker = bytes_at(m.text), bytes_at(m.marker)
    if end - at < 64:
        return NOT_GIVEN, _ODD
    if text[at] == _OPEN_LIST:
        time = _moment(text, at + 1)
        at += 24
        if time < 0 or text[at] != _CLOSE_LIST:
            return NOT_GIVEN, _ODD
    else:
        time = _number(text, at, 13)
        at += 13
        if time < 0 or text[at] != 0x20:
            return NOT_GIVEN, _ODD
    for _ in range(32):
        at += 1
        same = True
        for index in range(m.marker_length):
            if text[at + index] != marker[index]:
                same = False
                break
        if same:
            return time, at + m.marker_length
        if at + m.marker_length >= end or text[at] == _OPEN or text[at] > 0x7E:
            return NOT_GIVEN, _ODD
    return NOT_GIVEN, _ODD


@_compiled
def line_end(m: Any, at: Any) -> Any:
    """Where the newline of a line stands; negative where there is none."""
    text = bytes_at(m.text)
    while at < m.end:
        if text[at] == 0x0A:
            return at
        at += 1
    return _ODD


@_compiled
def checksum(m: Any, at: Any, end: Any) -> Any:
    """The CRC-32 of some bytes, as `zlib.crc32` has it."""
    text, table = bytes_at(m.text), counts_at(m.crc)
    value = np.uint32(0xFFFFFFFF)
    while end - at >= 8:
        one = value ^ (
            np.uint32(text[at])
            | np.uint32(text[at + 1]) << np.uint32(8)
            | np.uint32(text[at + 2]) << np.uint32(16)
            | np.uint32(text[at + 3]) << np.uint32(24)
        )
        value = np.uint32(
            table[0x700 + (one & np.uint32(0xFF))]
            ^ table[0x600 + (one >> np.uint32(8) & np.uint32(0xFF))]
            ^ table[0x500 + (one >> np.uint32(16) & np.uint32(0xFF))]
            ^ table[0x400 + (one >> np.uint32(24))]
            ^ table[0x300 + text[at + 4]]
            ^ table[0x200 + text[at + 5]]
            ^ table[0x100 + text[at + 6]]
            ^ table[text[at + 7]]
        )
        at += 8
    while at < end:
        value = np.uint32(table[(value ^ np.uint32(text[at])) & np.uint32(0xFF)]) ^ (
            value >> np.uint32(8)
        )
        at += 1
    return np.int64(value ^ np.uint32(0xFFFFFFFF))

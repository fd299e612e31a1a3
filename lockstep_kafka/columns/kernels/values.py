"""Keys and numbers in the JSON of a line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.kernel_parts import bytes_at, counts_at
from lockstep_kafka.columns.kernels.json_spec import KEY, KEY_PLACES

_compiled: Any = njit(boundscheck=False, error_model="numpy")

_ODD = -1


_QUOTE, _COLON, _MINUS, _DOT = 0x22, 0x3A, 0x2D, 0x2E
_ZERO, _NINE = 0x30, 0x39


@_compiled
def key_at(m: Any, at: Any, of: Any) -> Any:
    """The field whose key begins here, and where its value begins.

    The field is 0 where the key is not one that is read, and the place is negative for no key.
    """
    text, keys, names = bytes_at(m.text), counts_at(m.keys), bytes_at(m.key_text)
    start = at
    value = np.uint64(of + 1)
    while text[at] != _QUOTE:
        byte = text[at]
        if byte < 0x20 or byte > 0x7E or byte == 0x5C:
            return 0, _ODD
        value = value * np.uint64(0x100000001B3) ^ np.uint64(byte)
        at += 1
    if text[at + 1] != _COLON:
        return 0, _ODD
    hashed = np.int64((value ^ value >> np.uint64(29)) & np.uint64(2**62 - 1)) | 1
    place = hashed % KEY_PLACES
    while keys[place * KEY.size] != 0:
        key = place * KEY.size
        if (
            keys[key] == hashed
            and keys[key + KEY.of] == of
            and keys[key + KEY.length] == at - start
        ):
            first = keys[key + KEY.text]
            same = True
            for index in range(at - start):
                if names[first + index] != text[start + index]:
                    same = False
            if same:
                return key, at + 2
        place = (place + 1) % KEY_PLACES
    return 0, at + 2


@_compiled
def integer(m: Any, at: Any, limit: Any) -> Any:
    """An integer of at most 18 digits, and where it ends; the place is negative for any other."""
    text = bytes_at(m.text)
    sign = 1
    if text[at] == _MINUS:
        sign = -1
        at += 1
    start, value = at, np.int64(0)
    while _ZERO <= text[at] <= _NINE and at - start < 19:
        value = value * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    digits = at - start
    if digits == 0 or digits > 18 or (text[start] == _ZERO and (digits > 1 or sign < 0)):
        return 0, _ODD
    if text[at] == _DOT or text[at] == 0x65 or text[at] == 0x45:
        return 0, _ODD
    value *= sign
    if value > limit or value < -limit - 1:
        return 0, _ODD
    return value, at


@_compiled
def milliseconds(m: Any, at: Any) -> Any:
    """The digits of a decimal number, by what to divide them, and where it ends."""
    text = bytes_at(m.text)
    start, value, scale = at, np.int64(0), 1
    while _ZERO <= text[at] <= _NINE and at - start < 16:
        value = value * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    digits = at - start
    if digits == 0 or (digits > 1 and text[start] == _ZERO):
        return 0, 1, _ODD
    if text[at] == _DOT:
        at += 1
        first = at
        while _ZERO <= text[at] <= _NINE and at - start < 17:
            value = value * 10 + (np.int64(text[at]) - _ZERO)
            scale *= 10
            at += 1
        if at == first:
            return 0, 1, _ODD
    # Up to 15 digits are a double exactly; the quotient by a power of ten is then rounded once.
    if at - start > 15 or text[at] == 0x65 or text[at] == 0x45:
        return 0, 1, _ODD
    return value, scale, at

"""The tables of one broker, and the kernel that works on them."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep_kafka.columns.compiled import kernel
from lockstep_kafka.columns.kernels import json_spec
from lockstep_kafka.columns.kernels.layout import (
    ANSWERED,
    ASKED,
    CASE,
    COMMANDS,
    CONNECTION,
    COUNT,
    HELD,
    LOG_SIZE,
    MARK,
    MEMORY,
    NAMED,
    NOT_GIVEN,
    OTHER_REQUEST,
    PARTITION,
    REMEMBERED,
    SERVED,
    SESSION,
    TEXT,
)
from lockstep_kafka.files.arrival_order import (
    CONNECTIONS,
    LINES_OF_ANOTHER_CLOCK,
    WINDOW_MS,
)
from lockstep_kafka.files.arrival_order import (
    HELD as HELD_AT_MOST,
)
from lockstep_kafka.files.layouts import MARKER

Array = NDArray[Any]

_PAGES: Final = 1 << 15
"""Bytes from which a table has pages of its own."""

NAMED_AT_MOST: Final = 1 << 15
"""Partitions of a line that are judged in columns."""

_PLACE: Final[dict[str, int]] = MEMORY._asdict()
_COMMAND: Final[dict[str, int]] = COMMANDS._asdict()


class _Growing(NamedTuple):
    """A table that gets longer: the numbers that say how much room it has, and how much is used.

    Both count units of so many words. At first it has room for `units`.
    """

    room: str
    used: str
    units: int
    words: int = 1
    first: int = 0
    """How much is used at first: number 0 names no partition and no row."""


_GROWING: Final = {
    "names": _Growing("names_room", "names_end", 1 << 18),
    "texts": _Growing("texts_room", "texts_count", 1 << 12, TEXT.size),
    "partitions": _Growing("partitions_room", "partitions_count", 1 << 12, PARTITION.size, 1),
    "rows": _Growing("rows_room", "rows_end", 1 << 20, first=32),
    "connections": _Growing(
        "connections_room", "connections_end", CONNECTION.size << 10, first=CONNECTION.size
    ),
    "others": _Growing(
        "others_room", "others_end", OTHER_REQUEST.size << 12, first=OTHER_REQUEST.size
    ),
    "sessions": _Growing("sessions_room", "sessions_end", SESSION.size << 10, first=SESSION.size),
    "held_rows": _Growing("held_room", "held_end", HELD.size << 13, first=HELD.size),
    "counts": _Growing("counts_room", "counts_count", 1 << 10, COUNT.size),
}

_HASHED: Final = {
    "text_table": ("text_mask", 1 << 13),
    "partition_table": ("partition_mask", 1 << 14),
    "session_table": ("session_mask", 1 << 12),
    "held_table": ("held_mask", 1 << 14),
    "case_keys": ("case_mask", 1 << 12),
    "remembered_table": ("remembered_mask", 1 << 14),
}
"""Tables by hashes: the number that has the bits of a place, and how many places there are."""


class Memory:
    """The tables and numbers of one broker."""

    def __init__(self) -> None:
        table: Array = np.zeros(MEMORY.size, np.int64)
        self._words = table.data  # of which a number is read and written sooner
        self._address = int(table.ctypes.data)
        self.tables: dict[str, Array] = {}
        self._kernel = kernel()
        self._constants()
        for name, one in _GROWING.items():
            words = np.uint8 if name == "names" else np.int64
            self.put(name, _zeros(one.units * one.words, words))
            self[one.room], self[one.used] = one.units, one.first
        for name, (mask, places) in _HASHED.items():
            self.put(name, _zeros(places))
            self[mask] = places - 1
        for name, size in (
            ("connection_of", 1 << 12),
            ("log_of", 1 << 12),
            ("marks", MARK.size << 12),
            ("logs", LOG_SIZE << 8),
            ("case_outcomes", 1 << 12),
            ("buffer", 1 << 16),
        ):
            self.put(name, _zeros(size))
        self.logs_end = LOG_SIZE
        self._free_sessions: list[int] = []

    def _constants(self) -> None:
        keys, key_text = json_spec.key_table()
        self.put("keys", keys)
        self.put("key_text", key_text)
        required = json_spec.required_bits()
        self.put("required", required)
        self["required_of_others"] = json_spec.required_of_others()
        self.put("marker", np.frombuffer(MARKER, np.uint8))
        self["marker_length"] = len(MARKER)
        self.put("crc", _crc_tables())
        room = self["scratch_room"] = 1 << 14
        self["named_room"] = NAMED_AT_MOST
        self["window"] = WINDOW_MS
        self["held_at_most"] = HELD_AT_MOST
        self["ordered_at_most"] = CONNECTIONS
        self["lines_of_another_clock"] = LINES_OF_ANOTHER_CLOCK
        waiting = HELD_AT_MOST + 64
        remembered = self["remembered_room"] = 1 << 10
        for name, words, size in (
            ("fields", np.int64, json_spec.FIELDS.size),
            ("stack", np.int64, 64),
            ("asked", np.int64, ASKED.size * (room + 1)),
            ("forgotten", np.int64, room + 1),
            ("answered", np.int64, ANSWERED.size * (room + 1)),
            ("free_rows", np.int64, 64),
            ("arrivals", np.float64, waiting),
            ("positions", np.int64, waiting),
            ("waits", np.int64, waiting),
            ("remembered", np.int64, REMEMBERED.size * (remembered + 1)),
            ("remembered_places", np.int64, remembered),
            ("remembered_times", np.float64, remembered),
            ("heads", np.int64, 48),
            ("served", np.int64, SERVED.size),
            ("listings", np.int64, 16),
            ("case", np.int64, CASE.size),
            ("numbers", np.int64, 16),
            ("named", np.int64, NAMED.size * (NAMED_AT_MOST + 1)),
        ):
            self.put(name, _zeros(size, words))
        self.put("clocks", np.array([-np.inf, 0.0, -np.inf]))

    def __getitem__(self, name: str) -> int:
        return self._words[_PLACE[name]]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[_PLACE[name]] = value

    def put(self, name: str, table: Array) -> None:
        """The table of a name is this one from now on."""
        self.tables[name] = table
        self[name] = table.ctypes.data

    def forget(self) -> None:
        """Nothing is followed any more: of the tables, that of counts is left."""
        self.tables = {"counts": self.tables["counts"]}

    def do(self, command: str, **numbers: int) -> int:
        """Have the kernel do something, with some numbers set before; its answer."""
        for name, value in numbers.items():
            self[name] = value
        self["command"] = _COMMAND[command]
        return self._kernel(self._address)

    def run(self) -> int:
        """Go on with the text from `at` to `end`; why it stopped."""
        self["command"] = _COMMAND["run"]
        return self._kernel(self._address)

    def buffer(self, words: int) -> Array:
        """Room for so many words to exchange."""
        if len(self.tables["buffer"]) < words:
            self.put("buffer", _zeros(2 * words))
        return self.tables["buffer"]

    def _longer(self, name: str) -> None:
        """Double a table."""
        table, used = self.tables[name], len(self.tables[name])
        if name in _GROWING:  # what lies behind takes no memory until it is written
            used = self[_GROWING[name].used] * _GROWING[name].words
        grown = _zeros(2 * len(table), table.dtype)
        grown[:used] = table[:used]
        self.put(name, grown)
        if name in _GROWING:
            self[_GROWING[name].room] = len(grown) // _GROWING[name].words
        if name == "held_rows":
            self["held_mask"] = 2 * self["held_room"] // HELD.size - 1
            self.put("held_table", _zeros(self["held_mask"] + 1))
            self.do("hash_held")

    def _hash_again(
        self, name: str, places: int, hashes: Array, values: Iterable[int]
    ) -> list[int]:
        """A table by hashes gets so many places, and has these values only; where each is."""
        mask = self[_HASHED[name][0]] = places - 1
        self.put(name, table := _zeros(places))
        taken = []
        for place, value in zip((hashes & mask).tolist(), values, strict=True):
            while table[place]:
                place = (place + 1) & mask
            table[place] = value
            taken.append(place)
        return taken

    def make_room(self) -> None:
        """Double what is half full; everything, where nothing is."""
        if self["remembered_count"] + 1 >= self["remembered_room"]:
            self._remember_more()
            return
        full = [name for name, one in _GROWING.items() if 2 * self[one.used] > self[one.room]]
        for name in full or _GROWING:
            self._longer(name)
            if name == "texts":
                self._longer("connection_of")
                count = self["texts_count"]
                hashes = self.tables["texts"][:: TEXT.size][:count]
                places = 2 * self["texts_room"]
                self._hash_again("text_table", places, hashes, range(1, count + 1))
            elif name == "partitions":
                self._longer("log_of")
                self._longer("marks")
                count = self["partitions_count"]
                rows = self.tables["partitions"].reshape(-1, PARTITION.size)[1:count]
                values = rows[:, 0].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
                values = (values ^ rows[:, 1].astype(np.uint64)) * np.uint64(0xD6E8FEB86659FD93)
                hashes = (values >> np.uint64(20)).astype(np.int64)
                places = 4 * self["partitions_room"]
                self._hash_again("partition_table", places, hashes, range(1, count))

    def _remember_more(self) -> None:
        """Double the ring of requests that are remembered; the oldest is the first of it."""
        room, count = self["remembered_room"], self["remembered_count"]
        order = (self["remembered_first"] + np.arange(count)) % room
        moved = np.zeros(room + 1, np.int64)
        moved[order + 1] = np.arange(1, count + 1) * REMEMBERED.size
        for name, words, head in (
            ("remembered", REMEMBERED.size, 1),
            ("remembered_places", 1, 0),
            ("remembered_times", 1, 0),
        ):
            table = self.tables[name].reshape(-1, words)
            grown = _zeros((2 * room + head) * words, table.dtype)
            grown.reshape(-1, words)[head : head + count] = table[order + head]
            self.put(name, grown)
        following = self.tables["remembered"][REMEMBERED.next :: REMEMBERED.size]
        following[:] = moved[following // REMEMBERED.size]
        places = self.tables["remembered_table"]
        places[:] = moved[places // REMEMBERED.size]
        self["remembered_first"], self["remembered_room"] = 0, 2 * room

    def number_of_text(self, text: bytes) -> int:
        """The number of a text, a new one where it has none."""
        value = 0xCBF29CE484222325
        for byte in text:
            value = (value ^ byte) * 0x100000001B3 & 2**64 - 1
        hashed = (value ^ value >> 31) & 2**62 - 1
        while (
            self["texts_count"] >= self["texts_room"]
            or self["names_end"] + len(text) > self["names_room"]
        ):
            self.make_room()
        names, texts, table = self.tables["names"], self.tables["texts"], self.tables["text_table"]
        mask = self["text_mask"]
        place = hashed & mask
        while table[place]:
            number = int(table[place]) - 1
            known, start, length = texts[number * TEXT.size : (number + 1) * TEXT.size].tolist()
            if known == hashed and names[start : start + length].tobytes() == text:
                return number
            place = (place + 1) & mask
        number, start = self["texts_count"], self["names_end"]
        texts[number * TEXT.size : (number + 1) * TEXT.size] = hashed, start, len(text)
        names[start : start + len(text)] = np.frombuffer(text, np.uint8)
        self["names_end"] = start + len(text)
        self["texts_count"] = number + 1
        table[place] = number + 1
        return number

    def number_of_partition(self, topic: int, index: int) -> int:
        """The number of a partition, a new one where it has none."""
        while (number := self.do("number_partition", owner=topic, partition=index)) == 0:
            self.make_room()
        return number

    def session_row(self) -> int:
        """A row for one more session, which gets a place in their table."""
        if 2 * self["sessions_count"] > self["session_mask"]:
            numbers = self.tables["sessions"][SESSION.size : self["sessions_end"] : SESSION.size]
            used = np.flatnonzero(numbers != NOT_GIVEN)
            self["sessions_count"] = len(used)
            places = self["session_mask"] + 1
            places *= 2 if 4 * len(used) > places else 1
            rows = (used + 1) * SESSION.size
            hashes = numbers[used] * 0x9E3779B1 >> 7
            self._hash_again("session_table", places, hashes, rows.tolist())
        if self._free_sessions:
            return self._free_sessions.pop()
        if self["sessions_end"] + SESSION.size > self["sessions_room"]:
            self._longer("sessions")
        row = self["sessions_end"]
        self["sessions_end"] = row + SESSION.size
        return row

    def free_session(self, row: int) -> None:
        """The row of a session is used no more; its place in the table leads nowhere."""
        words = self.tables["sessions"][row : row + SESSION.size]
        words[SESSION.number], words[SESSION.is_here] = NOT_GIVEN, 0
        self._free_sessions.append(row)

    def room_for_held(self, count: int) -> None:
        """Make room for so many more entries."""
        while self["held_free"] + (self["held_room"] - self["held_end"]) // HELD.size < count:
            self._longer("held_rows")

    def room_for_others(self, count: int) -> None:
        """Make room for so many more requests of other APIs."""
        while self["others_end"] + count * OTHER_REQUEST.size > self["others_room"]:
            self._longer("others")

    def room_for_case(self) -> None:
        """Make room for one more answer of the model."""
        if 2 * self["cases"] <= self["case_mask"]:
            return
        keys, outcomes = self.tables["case_keys"], self.tables["case_outcomes"]
        used = np.flatnonzero(keys)
        values = keys[used].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        hashes = (values >> np.uint64(20)).astype(np.int64)
        places = self._hash_again("case_keys", 2 * len(keys), hashes, keys[used].tolist())
        self.put("case_outcomes", _zeros(2 * len(keys)))
        self.tables["case_outcomes"][places] = outcomes[used]

    def new_log(self) -> int:
        """The place of a new partition's log."""
        if self.logs_end + LOG_SIZE > len(self.tables["logs"]):
            self._longer("logs")
        self.logs_end += LOG_SIZE
        return self.logs_end - LOG_SIZE


def _zeros(size: int, words: type[np.generic] | np.dtype[Any] = np.int64) -> Array:
    """So many zeros; memory is taken by what is written alone, and given back with them."""
    octets = size * np.dtype(words).itemsize
    if octets < _PAGES:
        return np.zeros(size, words)
    pages = mmap.mmap(-1, octets, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(pages, words)


@cache
def _crc_tables() -> Array:
    """The tables for a CRC-32 of eight bytes at a time."""
    tables = np.zeros(8 * 256, np.int64)
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        tables[byte] = value
    for ahead in range(1, 8):
        before = tables[(ahead - 1) * 256 : ahead * 256]
        tables[ahead * 256 : (ahead + 1) * 256] = before >> 8 ^ tables[before & 0xFF]
    return tables

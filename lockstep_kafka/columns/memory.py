"""The tables of one broker, and the kernel that works on them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

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

NAMED_AT_MOST: Final = 1 << 15
"""Partitions of a line that are judged in columns."""

_PLACE: Final[dict[str, int]] = MEMORY._asdict()
_COMMAND: Final[dict[str, int]] = COMMANDS._asdict()


class Memory:
    """The tables and numbers of one broker."""

    def __init__(self) -> None:
        self._words = np.zeros(MEMORY.size, np.int64)
        self._address = int(self._words.ctypes.data)
        self.tables: dict[str, Array] = {}
        self._kernel = kernel()
        self._constants()
        for name, words, size in (
            ("names", np.uint8, 1 << 18),
            ("texts", np.int64, TEXT.size << 12),
            ("text_table", np.int64, 1 << 14),
            ("connection_of", np.int64, 1 << 12),
            ("partitions", np.int64, PARTITION.size << 12),
            ("partition_table", np.int64, 1 << 14),
            ("log_of", np.int64, 1 << 12),
            ("marks", np.int64, MARK.size << 12),
            ("rows", np.int64, 1 << 20),
            ("connections", np.int64, CONNECTION.size << 10),
            ("others", np.int64, OTHER_REQUEST.size << 12),
            ("sessions", np.int64, SESSION.size << 10),
            ("session_table", np.int64, 1 << 12),
            ("held_rows", np.int64, HELD.size << 13),
            ("held_table", np.int64, 1 << 18),
            ("logs", np.int64, LOG_SIZE << 8),
            ("case_keys", np.int64, 1 << 16),
            ("case_outcomes", np.int64, 1 << 16),
            ("counts", np.int64, COUNT.size << 10),
            ("buffer", np.int64, 1 << 16),
        ):
            self.put(name, np.zeros(size, words))
        self["texts_room"] = self["partitions_room"] = 1 << 12
        self["names_room"] = 1 << 18
        self["text_mask"] = self["partition_mask"] = (1 << 14) - 1
        self["rows_room"] = 1 << 20
        self["connections_room"] = CONNECTION.size << 10
        self["others_room"] = OTHER_REQUEST.size << 12
        self["sessions_room"] = SESSION.size << 10
        self["session_mask"] = (1 << 12) - 1
        self["held_room"] = HELD.size << 13
        self["held_mask"] = (1 << 18) - 1
        self["case_mask"] = (1 << 16) - 1
        self["counts_room"] = 1 << 10
        self.logs_end = LOG_SIZE
        # 0 names no row.
        self["partitions_count"] = 1
        self["rows_end"] = 32
        self["connections_end"] = CONNECTION.size
        self["others_end"] = OTHER_REQUEST.size
        self["sessions_end"] = SESSION.size
        self["held_end"] = HELD.size

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
        self["remembered_room"] = waiting
        self["remembered_mask"] = (1 << 16) - 1
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
            ("remembered", np.int64, REMEMBERED.size * (waiting + 1)),
            ("remembered_places", np.int64, waiting),
            ("remembered_times", np.float64, waiting),
            ("remembered_table", np.int64, 1 << 16),
            ("heads", np.int64, 48),
            ("served", np.int64, SERVED.size),
            ("listings", np.int64, 16),
            ("case", np.int64, CASE.size),
            ("numbers", np.int64, 16),
            ("named", np.int64, NAMED.size * (NAMED_AT_MOST + 1)),
        ):
            self.put(name, np.zeros(size, words))
        self.put("clocks", np.array([-np.inf, 0.0, -np.inf]))

    def __getitem__(self, name: str) -> int:
        return int(self._words[_PLACE[name]])

    def __setitem__(self, name: str, value: int) -> None:
        self._words[_PLACE[name]] = value

    def put(self, name: str, table: Array) -> None:
        """The table of a name is this one from now on."""
        self.tables[name] = table
        self[name] = table.ctypes.data

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
            self.put("buffer", np.zeros(2 * words, np.int64))
        return self.tables["buffer"]

    def longer(self, name: str, room: str, words: int = 1) -> None:
        """Double a table whose room is counted in rows of so many words."""
        table = self.tables[name]
        grown = np.zeros(2 * len(table), table.dtype)
        grown[: len(table)] = table
        self.put(name, grown)
        if room:
            self[room] = len(grown) // words

    def make_room(self) -> None:
        """Double what is half full; everything, where nothing is."""
        full = [name for name in _FILLED if self._is_filled(name)] or list(_FILLED)
        for name in full:
            self._make_room_in(name)

    def _make_room_in(self, name: str) -> None:
        if name == "texts":
            self._texts()
        elif name == "partitions":
            self._partitions()
        else:
            self.longer(name, f"{name}_room".replace("held_rows", "held"), _ROWS.get(name, 1))

    def _is_filled(self, name: str) -> bool:
        used, room = _FILLED[name]
        return 2 * self[used] > self[room]

    def _texts(self) -> None:
        self.longer("texts", "texts_room", TEXT.size)
        self.longer("connection_of", "")
        self.put("text_table", table := np.zeros(4 * self["texts_room"], np.int64))
        mask = self["text_mask"] = len(table) - 1
        hashes = self.tables["texts"][:: TEXT.size][: self["texts_count"]] & mask
        for number, place in enumerate(hashes.tolist()):
            while table[place]:
                place = (place + 1) & mask
            table[place] = number + 1

    def _partitions(self) -> None:
        self.longer("partitions", "partitions_room", PARTITION.size)
        self.longer("log_of", "")
        self.longer("marks", "")
        self.put("partition_table", table := np.zeros(4 * self["partitions_room"], np.int64))
        mask = self["partition_mask"] = len(table) - 1
        rows = self.tables["partitions"].reshape(-1, PARTITION.size)[: self["partitions_count"]]
        values = rows[:, 0].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ rows[:, 1].astype(np.uint64)) * np.uint64(0xD6E8FEB86659FD93)
        places = (values >> np.uint64(20)).astype(np.int64) & mask
        for number, place in enumerate(places.tolist()[1:], 1):
            while table[place]:
                place = (place + 1) & mask
            table[place] = number

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

    def room_for_session(self) -> None:
        """Make room for one more session, with a place in their table."""
        if self["sessions_end"] + SESSION.size > self["sessions_room"]:
            self.longer("sessions", "sessions_room")
        if 2 * self["sessions_count"] <= self["session_mask"]:
            return
        self.put("session_table", table := np.zeros(2 * self["session_mask"] + 2, np.int64))
        mask = self["session_mask"] = len(table) - 1
        sessions = self.tables["sessions"]
        for row in range(SESSION.size, self["sessions_end"], SESSION.size):
            place = (int(sessions[row]) * 0x9E3779B1 >> 7) & mask
            while table[place]:
                place = (place + 1) & mask
            table[place] = row

    def room_for_held(self, count: int) -> None:
        """Make room for so many more entries."""
        while self["held_free"] + (self["held_room"] - self["held_end"]) // HELD.size < count:
            self.longer("held_rows", "held_room")

    def room_for_others(self, count: int) -> None:
        """Make room for so many more requests of other APIs."""
        while self["others_end"] + count * OTHER_REQUEST.size > self["others_room"]:
            self.longer("others", "others_room")

    def room_for_case(self) -> None:
        """Make room for one more answer of the model."""
        if 2 * self["cases"] <= self["case_mask"]:
            return
        keys, outcomes = self.tables["case_keys"], self.tables["case_outcomes"]
        used = np.flatnonzero(keys)
        for name in ("case_keys", "case_outcomes"):
            self.put(name, np.zeros(2 * len(keys), np.int64))
        mask = self["case_mask"] = 2 * len(keys) - 1
        values = keys[used].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        places = ((values >> np.uint64(20)).astype(np.int64) & mask).tolist()
        for old, place in zip(used.tolist(), places, strict=True):
            while self.tables["case_keys"][place]:
                place = (place + 1) & mask
            self.tables["case_keys"][place] = keys[old]
            self.tables["case_outcomes"][place] = outcomes[old]

    def new_log(self) -> int:
        """The place of a new partition's log."""
        if self.logs_end + LOG_SIZE > len(self.tables["logs"]):
            self.longer("logs", "")
        self.logs_end += LOG_SIZE
        return self.logs_end - LOG_SIZE


_FILLED = {
    "names": ("names_end", "names_room"),
    "texts": ("texts_count", "texts_room"),
    "partitions": ("partitions_count", "partitions_room"),
    "rows": ("rows_end", "rows_room"),
    "connections": ("connections_end", "connections_room"),
    "held_rows": ("held_end", "held_room"),
    "others": ("others_end", "others_room"),
    "counts": ("counts_count", "counts_room"),
}

_ROWS = {"counts": COUNT.size}
"""Tables whose room is counted in rows of so many words."""


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

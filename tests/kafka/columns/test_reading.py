"""Lines that are read in columns are read as `read_line` reads them; all others are left to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from bench.conform.logs import lines_of
from lockstep_kafka.columns.follower import ColumnFollower, Text
from lockstep_kafka.columns.kernels.layout import DONE, ODD_LINE
from lockstep_kafka.files.lines import FetchLine, LogLine, Request, Skipped
from lockstep_kafka.files.physical_lines import PhysicalLine
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.sessions.explanations import Explanations
from tests.kafka.conform.following import LOGS
from tests.kafka.sessions.following import explanations

FILE = "kafka-request.log"


@cache
def model() -> Explanations:
    return explanations()


class Reader(ColumnFollower):
    """Reads lines, and holds them all."""

    def __init__(self) -> None:
        super().__init__("", model())
        self._memory["held_at_most"] = 2**40
        self._memory["window"] = 2**40

    def read(self, content: bytes) -> dict[int, Request | None]:
        """The requests of a text by the numbers of their lines; None for those that are left."""
        read: dict[int, Request | None] = {}
        text, at = Text.of(content, FILE, 0), 0
        while True:
            self.begin(text, at, len(read) + 1)
            code = self.go_on()
            for number in range(len(read) + 1, self.line):
                read[number] = None
            if code == DONE:
                break
            assert code == ODD_LINE
            read[self.line] = None
            at = self.at + len(self.odd_line().content) + 1
        for request in map(self.requests.request, self.requests.waiting()):
            # Whether it stands behind a later one is not known when a line is read by itself.
            moved = {"moved": False} if isinstance(request, FetchLine) else {}
            read[request.line] = structs.replace(request, **moved)
        return read


def expected(content: bytes) -> dict[int, LogLine]:
    lines = content.split(b"\n")[:-1]
    return {
        number: read_line(PhysicalLine(number, line, True, None), FILE)
        for number, line in enumerate(lines, 1)
    }


@cache
def samples() -> tuple[bytes, ...]:
    """Different lines of the captures, each with its newline."""
    kinds: dict[tuple[object, ...], bytes] = {}
    for path in sorted(LOGS.rglob("*.log*")):
        content = lines_of(path) if path.suffix == ".gz" else path.read_bytes().splitlines(True)
        for line in content:
            request = read_line(PhysicalLine(1, line[:-1], True, None), FILE)
            if not isinstance(request, Skipped) and line.endswith(b"\n"):
                size = len(line) // 400
                kinds.setdefault((request.client_id, type(request), line[:1], size), line)
    return tuple(kinds.values())


def compare(content: bytes) -> int:
    """How many lines are read in columns; they are read as plain Python reads them."""
    lines = expected(content)
    read = Reader().read(content)
    assert read.keys() == lines.keys()
    for number, request in read.items():
        if request is not None:
            assert request == lines[number]
    return sum(request is not None for request in read.values())


def test_most_lines_of_captures_are_read() -> None:
    content = b"".join(samples())
    # A request that stands twice is left out, but not in what is read alone.
    assert compare(content) > 0.95 * len(samples()) > 50


Damage = Callable[[bytes, random.Random], bytes]


def _byte(line: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(line))
    return line[:at] + bytes([chance.choice(b'0129-.eE"\\{}[],: \x00\x7f\xc3tfn')]) + line[at + 1 :]


def _left_out(line: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(line))
    return line[:at] + line[at + chance.choice((1, 1, 2, 20)) :]


def _twice(line: bytes, chance: random.Random) -> bytes:
    fields = [at for at in range(len(line)) if line[at : at + 2] == b',"']
    if not fields:
        return line
    at = chance.choice(fields)
    end = line.find(b",", at + 1)
    return line[:end] + line[at:end] + line[end:]


def _number(line: bytes, chance: random.Random) -> bytes:
    digits = [
        at
        for at in range(len(line))
        if line[at : at + 1] == b":" and line[at + 1 : at + 2].isdigit()
    ]
    if not digits:
        return line
    at = chance.choice(digits) + 1
    end = at
    while line[end : end + 1].isdigit():
        end += 1
    numbers = (b"-1", b"2147483648", b"-2147483649", b"9223372036854775807", b"1.0", b"00", b"-0")
    more = (
        b"1e3",
        b"null",
        b"true",
        b'"1"',
        b"[]",
        b"127",
        b"128",
        b"32768",
        b"999999999999999999",
    )
    return line[:at] + chance.choice(numbers + more) + line[end:]


def _moved(line: bytes, chance: random.Random) -> bytes:
    """Two fields change places."""
    fields = [at for at in range(len(line)) if line[at : at + 2] == b',"']
    if len(fields) < 3:
        return line
    first = chance.randrange(len(fields) - 2)
    one, two, three = fields[first : first + 3]
    return line[:one] + line[two:three] + line[one:two] + line[three:]


DAMAGES = (_byte, _left_out, _twice, _number, _moved)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=15)
def test_damaged_lines(damage: Damage, seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        damage(line[:-1], chance).replace(b"\n", b"") + b"\n"
        for line in chance.choices(samples(), k=60)
    ]
    compare(b"".join(lines))

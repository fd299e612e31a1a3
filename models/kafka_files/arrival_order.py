"""The order in which requests arrived, restored from a log that is written as they complete.

A request arrived `totalTimeMs` before its line was written. Lines are held for a window of the
log's own time, until all that can have arrived before them has been read:

1. The Fetch requests of a connection come in the order of their correlation ids, whatever the times
   say. Requests of other APIs do not: the Java client numbers a request when it is made, and may
   send another one before it.
2. Across connections, and for other APIs, the order is that of arrival; of one time, that of the
   log.
3. A line without time counts as written with the line before it.
4. A time that lies more than the window before another one above it cannot be compared (a file that
   was put together by hand, one line with a wrong time): its line counts as written with the line
   before it. After 1,000 such lines in a row the clock itself was changed, as at the end of summer
   time: the difference is added to all times from there on.
5. A line that is not used comes out before every line that follows it in the log: it may hide a
   request of any connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import chain
from math import inf
from typing import TypeAlias

from msgspec import Struct, structs

from models.kafka_files.fetch_line import FetchLine
from models.kafka_files.other_lines import LogLine, OtherRequest, Reason, Skipped

WINDOW_MS = 5_000
"""Consumers and followers wait half a second for records; a stalled broker took 4.96 seconds."""

HELD = 50_000
"""Lines, and partitions named in them, that are held at most: about 40 MB."""

_CONNECTIONS = 20_000
"""Connections that are remembered at most; the one that began first is forgotten first."""

_LINES_OF_ANOTHER_CLOCK = 1_000
"""Lines in a row whose times lie far back, before the clock is taken to have been changed."""

_HALF_OF_THE_IDS = 2**31
_ID_MASK = 2**32 - 1


def in_arrival_order(
    items: Iterable[LogLine], *, window_ms: float = WINDOW_MS, held: int = HELD
) -> Iterator[LogLine]:
    """Every line once, in the order of arrival.

    A Fetch that stood behind a later one of its connection is marked as `moved`. One whose place
    has passed is given out as `Skipped` for being LATE, and a request that was read before, with
    the same correlation id and JSON, for being REPEATED.

    Correlation ids are compared as clients count them, where -2147483648 follows 2147483647.
    """
    order = _ArrivalOrder(window_ms, held)
    waiting, skipped = order.waiting, order.skipped
    for item in chain(items, (None,)):
        if item is None:
            order.end()
        else:
            order.read(item)
        while waiting and (waiting[0][0] < order.passed_ms or order.held > held):
            number, line = order.next()
            while skipped and skipped[0][0] <= number:
                yield order.next_skipped()
            if line is not None:
                yield line


class _Connection(Struct, gc=False):
    """The Fetch requests of a connection; ids are counted on where they wrap."""

    newest: int
    """The highest id that was read."""
    given_out: float
    """The id of the last line that was given out, minus infinity before the first."""
    fingerprint: int
    """Of the last line that was given out."""
    waiting: list[tuple[int, int, FetchLine]]
    """A heap of those that are held: id, number of the line, line."""


_Waiting: TypeAlias = "OtherRequest | Skipped | _Connection"
_Request: TypeAlias = tuple[str, int, int]


class _ArrivalOrder:
    """The lines that are held. Lines are numbered as they are read, from 1."""

    def __init__(self, window_ms: float, held_at_most: int) -> None:
        self._window_ms = window_ms
        self._held_at_most = held_at_most
        self._number = 0
        self._clock = -inf
        self._clock_is_ahead = 0.0
        self._lines_behind = 0
        self._connections: dict[str, _Connection] = {}
        self._requests: set[_Request] = set()
        self._remembered: deque[tuple[float, _Request]] = deque()
        self.held = 0
        """Lines, and partitions named in them."""
        self.passed_ms = -inf
        """What arrived before this time need not be held any longer."""
        self.waiting: list[tuple[float, int, _Waiting]] = []
        """A heap: arrival, number. A Fetch waits at its connection: of several, the one with the
        lowest id takes the place of the one that arrived first."""
        self.skipped: deque[tuple[int, Skipped]] = deque()
        """The lines of no use in the order of the log, with their numbers."""

    def read(self, line: LogLine) -> None:
        """Take a line up."""
        self._number += 1
        if isinstance(line, Skipped):
            self._skip(line)
        elif self._is_repeated(line):
            self._skip(_unused(line, Reason.REPEATED))
        else:
            arrival = self._arrival(line)
            if line.fingerprint:
                self._remember(line)
            if isinstance(line, FetchLine):
                self._read_fetch(line, arrival)
            else:
                self.held += 1
                heappush(self.waiting, (arrival, self._number, line))

    def end(self) -> None:
        """Nothing more is read."""
        self.passed_ms = inf

    def next(self) -> tuple[int, LogLine | None]:
        """The line that arrived first, with its number; None for one of no use.

        The lines of no use up to that number come before it.
        """
        _, number, first = heappop(self.waiting)
        if isinstance(first, _Connection):
            first.given_out, number, line = heappop(first.waiting)
            first.fingerprint = line.fingerprint
            self.held -= 1 + len(line.partitions) + len(line.answered)
            return number, line
        if isinstance(first, Skipped):
            return number, None
        self.held -= 1
        return number, first

    def next_skipped(self) -> Skipped:
        """The first line of no use."""
        self.held -= 1
        return self.skipped.popleft()[1]

    def _skip(self, line: Skipped) -> None:
        self.held += 1
        self.skipped.append((self._number, line))
        heappush(self.waiting, (self._clock, self._number, line))

    def _read_fetch(self, line: FetchLine, arrival: float) -> None:
        connection = self._connections.get(line.connection)
        if connection is None:
            connection = self._connect(line)
        newest = connection.newest
        step = (line.correlation_id - newest + _HALF_OF_THE_IDS) & _ID_MASK
        steps_on = newest + step - _HALF_OF_THE_IDS
        if steps_on > newest:
            connection.newest = steps_on
        elif steps_on < connection.given_out:
            self._skip(_unused(line, Reason.LATE))
            return
        elif steps_on == connection.given_out and 0 != line.fingerprint == connection.fingerprint:
            self._skip(_unused(line, Reason.REPEATED))
            return
        elif steps_on < newest:
            line = structs.replace(line, moved=True)
        self.held += 1 + len(line.partitions) + len(line.answered)
        heappush(connection.waiting, (steps_on, self._number, line))
        heappush(self.waiting, (arrival, self._number, connection))

    def _connect(self, line: FetchLine) -> _Connection:
        connections = self._connections
        if len(connections) >= _CONNECTIONS:
            first = next(iter(connections))
            if not connections[first].waiting:
                del connections[first]
        connection = _Connection(line.correlation_id, -inf, 0, [])
        connections[line.connection] = connection
        return connection

    def _arrival(self, line: FetchLine | OtherRequest) -> float:
        """When a line arrived, by a clock that never goes back."""
        if line.time_ms is None:
            return self._clock
        completed = line.time_ms + self._clock_is_ahead
        if completed > self._clock:
            self._clock = completed
            self.passed_ms = completed - self._window_ms
        elif completed < self.passed_ms:
            self._lines_behind += 1
            if self._lines_behind > _LINES_OF_ANOTHER_CLOCK:
                self._clock_is_ahead += self._clock - completed
            return self._clock
        self._lines_behind = 0
        return completed - line.total_time_ms

    def _is_repeated(self, line: FetchLine | OtherRequest) -> bool:
        request = (line.connection, line.correlation_id, line.fingerprint)
        return request in self._requests

    def _remember(self, line: FetchLine | OtherRequest) -> None:
        """Keep the request for as long as the window, or for as many lines as are held."""
        request = (line.connection, line.correlation_id, line.fingerprint)
        remembered, requests = self._remembered, self._requests
        requests.add(request)
        remembered.append((self._clock, request))
        while remembered[0][0] < self.passed_ms or len(remembered) > self._held_at_most:
            requests.remove(remembered.popleft()[1])


_WHY = {
    Reason.REPEATED: "the same request stands before it already",
    Reason.LATE: "a later Fetch of its connection was given out already",
}


def _unused(line: FetchLine | OtherRequest, reason: Reason) -> Skipped:
    detail = f"correlation id {line.correlation_id}: {_WHY[reason]}"
    return Skipped(line.line, line.file, reason, detail, line.connection, line.correlation_id)

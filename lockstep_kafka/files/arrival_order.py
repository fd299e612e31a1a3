"""The order in which requests arrived, restored from a log that is written as they complete.

A request arrived `totalTimeMs` before its line was written. Lines are held for a window of the
log's own time, until all that can have arrived before them has been read:

1. The requests of a connection that are followed, Fetch and those of the metadata quorum, come in
   the order of their correlation ids, whatever the times say. Requests of other APIs do not: the
   Java client numbers a request when it is made, and may send another one before it.
2. Across connections, and for other APIs, the order is that of arrival; of one time, that of the
   log.
3. A line without time counts as written with the line before it.
4. A time that lies more than the window before another one above it cannot be compared (a file that
   was put together by hand, one line with a wrong time): its line counts as written with the line
   before it. After 1,000 such lines in a row the clock itself was changed, as at the end of summer
   time: the difference is added to all times from there on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from math import inf
from typing import TypeAlias

from msgspec import Struct, structs

from lockstep_kafka.files.lines import FollowedLine, OtherRequest, Reason, Request, Skipped

WINDOW_MS = 5_000
"""Consumers and followers wait half a second for records; a stalled broker took 4.96 seconds."""

HELD = 50_000
"""Lines of one broker, and partitions named in them, that are held at most: about 40 MB."""

CONNECTIONS = 20_000
"""Connections of it that are remembered at most; the one that began first is forgotten first."""

LINES_OF_ANOTHER_CLOCK = 1_000
"""Lines in a row whose times lie far back, before the clock is taken to have been changed."""

ORDERED_WITHIN_MS = 100
"""How far a time may lie before one above it in a file that is in the order of its writing.

Threads of a broker take the time of a line, and write it a little later, one before the other: in
the captures of `tests/data/request-log/` times go back by 45 ms at most. Times of whole seconds may
go back by one more.
"""

_HALF_OF_THE_IDS = 2**31
_ID_MASK = 2**32 - 1
_LESS_THAN_ANY_ID = -(2**63)


class OrderedConnection(Struct, gc=False, array_like=True):
    """The followed requests of a connection; ids are counted on where they wrap."""

    newest: int
    """The highest id that was read."""
    given_out: int
    """The id of the last line that was given out; before the first, less than any."""
    fingerprint: int
    """Of the last line that was given out."""
    waiting: list[tuple[int, int, FollowedLine]]
    """A heap of those that are held: id, position, line."""


_Remembered: TypeAlias = tuple[str, int, int]
"""Connection, correlation id and fingerprint of a request."""


class OrderState(Struct, array_like=True):
    """Everything that an `ArrivalOrder` knows."""

    clock: float = -inf
    clock_is_ahead: float = 0.0
    lines_behind: int = 0
    held: int = 0
    """Lines, and partitions named in them."""
    waiting: list[tuple[float, int, OtherRequest | str]] = []
    """A heap: arrival, position, and what waits. A followed request waits at its connection, whose
    name stands here: of several, the one with the lowest id takes the place of the one that arrived
    first."""
    connections: dict[str, OrderedConnection] = {}
    remembered: list[tuple[float, _Remembered]] = []
    """The requests read lately, with the time of the clock."""
    file: str = ""
    newest_ms: int | None = None
    """The file that is read, and the latest time in it so far."""
    unordered: tuple[str, ...] = ()
    """The last two files that were seen not to be in the order of their writing."""


class ArrivalOrder:
    """The lines that are held.

    A followed request that stood behind a later one of its connection is given out marked as
    `moved`. Correlation ids are compared as clients count them, where -2147483648 follows
    2147483647.
    """

    def __init__(
        self,
        *,
        window_ms: float = WINDOW_MS,
        held: int = HELD,
        state: OrderState | None = None,
    ) -> None:
        state = state or OrderState()
        self._window_ms = window_ms
        self._held_at_most = held
        self._clock = state.clock
        self._clock_is_ahead = state.clock_is_ahead
        self._lines_behind = state.lines_behind
        self._held = state.held
        self._waiting = state.waiting
        self._connections = state.connections
        self._remembered = deque(state.remembered)
        self._requests = {request for _, request in state.remembered}
        self._passed_ms = self._clock - window_ms
        """What arrived before this time need not be held any longer."""
        self._file, self._newest_ms = state.file, state.newest_ms
        self.unordered = state.unordered

    def state(self) -> OrderState:
        """What is known now. It shares its parts with the order, which may go on changing them."""
        return OrderState(
            self._clock,
            self._clock_is_ahead,
            self._lines_behind,
            self._held,
            self._waiting,
            self._connections,
            list(self._remembered),
            self._file,
            self._newest_ms,
            self.unordered,
        )

    def shows_disorder(self, line: Request) -> bool:
        """Whether a line, before it is read, is the first to show that its file is not in order."""
        time_ms = line.time_ms
        if line.file != self._file:
            self._file, self._newest_ms = line.file, time_ms
        elif time_ms is not None and (self._newest_ms is None or time_ms > self._newest_ms):
            self._newest_ms = time_ms
        elif time_ms is not None and self._newest_ms is not None:
            are_seconds = time_ms % 1_000 == self._newest_ms % 1_000 == 0
            is_back = time_ms < self._newest_ms - ORDERED_WITHIN_MS - 1_000 * are_seconds
            if is_back and line.file not in self.unordered:
                self.unordered = line.file, *self.unordered[:1]
                return True
        return False

    def read(self, line: Request, position: int) -> Skipped | None:
        """Take a line up; positions ascend. One that will not be given out is reported at once.

        It is LATE where the place of a followed request has passed, and REPEATED where the request
        was read before, with the same correlation id and JSON.
        """
        if (line.connection, line.correlation_id, line.fingerprint) in self._requests:
            return unused(line, Reason.REPEATED)
        arrival = self._arrival(line)
        if line.fingerprint:
            self._remember(line)
        if not isinstance(line, OtherRequest):
            return self._read_followed(line, position, arrival)
        self._held += 1
        heappush(self._waiting, (arrival, position, line))
        return None

    def next(self) -> tuple[int, Request] | None:
        """The line that arrived first, with its position; None while it may still be another."""
        waiting = self._waiting
        if not waiting or (waiting[0][0] >= self._passed_ms and self._held <= self._held_at_most):
            return None
        _, position, first = heappop(waiting)
        if not isinstance(first, str):
            self._held -= 1
            return position, first
        connection = self._connections[first]
        connection.given_out, position, line = heappop(connection.waiting)
        connection.fingerprint = line.fingerprint
        self._held -= 1 + len(line.partitions) + len(line.answered)
        return position, line

    def held(self) -> Iterator[tuple[int, Request]]:
        """The lines that are held, with their positions."""
        for _, position, line in self._waiting:
            if not isinstance(line, str):
                yield position, line
        for connection in self._connections.values():
            for _, position, followed in connection.waiting:
                yield position, followed

    def end(self) -> None:
        """Nothing more is read: all that is held can be given out."""
        self._passed_ms = inf

    def _read_followed(self, line: FollowedLine, position: int, arrival: float) -> Skipped | None:
        name = line.connection
        connection = self._connections.get(name)
        if connection is None:
            connection = self._connect(line)
        newest = connection.newest
        step = (line.correlation_id - newest + _HALF_OF_THE_IDS) & _ID_MASK
        steps_on = newest + step - _HALF_OF_THE_IDS
        if steps_on > newest:
            connection.newest = steps_on
        elif steps_on < connection.given_out:
            return unused(line, Reason.LATE)
        elif steps_on == connection.given_out and 0 != line.fingerprint == connection.fingerprint:
            return unused(line, Reason.REPEATED)
        elif steps_on < newest:
            line = structs.replace(line, moved=True)
        self._held += 1 + len(line.partitions) + len(line.answered)
        heappush(connection.waiting, (steps_on, position, line))
        heappush(self._waiting, (arrival, position, name))
        return None

    def _connect(self, line: FollowedLine) -> OrderedConnection:
        connections = self._connections
        if len(connections) >= CONNECTIONS:
            first = next(iter(connections))
            if not connections[first].waiting:
                del connections[first]
        connection = OrderedConnection(line.correlation_id, _LESS_THAN_ANY_ID, 0, [])
        connections[line.connection] = connection
        return connection

    def _arrival(self, line: Request) -> float:
        """When a line arrived, by a clock that never goes back."""
        if line.time_ms is None:
            return self._clock
        completed = line.time_ms + self._clock_is_ahead
        if completed > self._clock:
            self._clock = completed
            self._passed_ms = completed - self._window_ms
        elif completed < self._passed_ms:
            self._lines_behind += 1
            if self._lines_behind > LINES_OF_ANOTHER_CLOCK:
                self._clock_is_ahead += self._clock - completed
            return self._clock
        self._lines_behind = 0
        return completed - line.total_time_ms

    def _remember(self, line: Request) -> None:
        """Keep the request for as long as the window, or for as many lines as are held."""
        request = (line.connection, line.correlation_id, line.fingerprint)
        remembered, requests = self._remembered, self._requests
        requests.add(request)
        remembered.append((self._clock, request))
        while remembered[0][0] < self._passed_ms or len(remembered) > self._held_at_most:
            requests.remove(remembered.popleft()[1])


_WHY = {
    Reason.REPEATED: "the same request stands before it already",
    Reason.LATE: "a later request of its connection was given out already",
}


def unused(line: Request, reason: Reason) -> Skipped:
    """What is said of a request that is not given out."""
    detail = f"correlation id {line.correlation_id}: {_WHY[reason]}"
    return Skipped(line.line, line.file, reason, detail, line.connection, line.correlation_id)

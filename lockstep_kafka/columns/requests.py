"""The requests of rows between tables and Python, and the order in which they arrive."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import structs

from lockstep_kafka.columns.exchange import Exchange
from lockstep_kafka.columns.kernels.layout import (
    AHEAD,
    ANSWERED,
    ASKED,
    CLOCK,
    CONNECTION,
    ODD_FOLLOWED,
    OTHER,
    PASSED,
    REMEMBERED,
    ROW,
)
from lockstep_kafka.columns.memory import Array, Memory
from lockstep_kafka.columns.numbers import given, number_in
from lockstep_kafka.files.arrival_order import OrderedConnection, OrderState
from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    FollowedLine,
    OtherRequest,
    Request,
    RequestedPartition,
    TopicPartition,
)


class Requests:
    """The requests that wait for their turn, or have it."""

    def __init__(self, memory: Memory, exchange: Exchange) -> None:
        self._memory = memory
        self._exchange = exchange
        self._odd: dict[int, FollowedLine] = {}
        """Those that Python read, by their rows."""

    def enter(self, request: Request, position: int) -> None:
        """Take up a request that Python read; it is put in order when the text goes on."""
        self._memory["entering"] = self.row(request, position)

    def row(self, request: Request, position: int) -> int:
        """A new row of a request that Python has."""
        memory, numbers = self._memory, self._exchange.numbers
        connection = numbers.of_text(request.connection)
        client = numbers.of_text(request.client_id)
        while (row := memory.do("new_row", count=ROW.size)) == 0:
            memory.make_room()
        while memory.do("name_connection", number=connection) == 0:
            memory.make_room()
        file = self._exchange.files.number(request.file)
        words = memory.tables["rows"][row : row + ROW.size]
        words[ROW.kind] = OTHER if isinstance(request, OtherRequest) else ODD_FOLLOWED
        words[ROW.line], words[ROW.file] = request.line, file
        words[ROW.time] = given(request.time_ms)
        words.view(np.float64)[ROW.total] = request.total_time_ms
        words[ROW.correlation], words[ROW.client] = request.correlation_id, client
        words[ROW.connection], words[ROW.fingerprint] = connection, request.fingerprint
        words[ROW.moved], words[ROW.position] = 0, position
        words[ROW.asked] = words[ROW.forgotten] = words[ROW.answered] = 0
        if isinstance(request, OtherRequest):
            words[ROW.api] = numbers.of_text(request.api)
        else:
            words[ROW.asked] = len(request.partitions)
            words[ROW.answered] = len(request.answered)
            words[ROW.moved] = request.moved
            self._odd[row] = request
        return row

    def free(self, row: int) -> None:
        """The row is used no more."""
        self._odd.pop(row, None)
        self._memory.do("free_row", owner=row)

    def request(self, row: int) -> Request:
        """The request of a row."""
        words = self._memory.tables["rows"][row : row + ROW.size]
        odd = self._odd.get(row)
        if odd is not None:
            return structs.replace(odd, moved=True) if words[ROW.moved] else odd
        total = float(words.view(np.float64)[ROW.total])
        numbers, files = self._exchange.numbers, self._exchange.files
        of = words.tolist()
        if of[ROW.kind] == OTHER:
            return OtherRequest(
                of[ROW.line],
                files.name(of[ROW.file]),
                numbers.text(of[ROW.api]),
                numbers.text(of[ROW.connection]),
                of[ROW.correlation],
                numbers.text(of[ROW.client]),
                number_in(of[ROW.time]),
                total,
                of[ROW.fingerprint],
            )
        return self._fetch_line(row, of, total)

    def _fetch_line(
        self, row: int, of: list[int], total: float, is_whole: bool = True
    ) -> FetchLine:
        numbers, files = self._exchange.numbers, self._exchange.files
        asked: dict[TopicPartition, RequestedPartition] = {}
        forgotten: tuple[TopicPartition, ...] = ()
        answered: dict[TopicPartition, AnsweredPartition] = {}
        if is_whole:
            rows, at = self._memory.tables["rows"], row + ROW.size
            end = at + of[ROW.asked] * ASKED.size
            for words in rows[at:end].reshape(-1, ASKED.size).tolist():
                asked[numbers.partition(words[0])] = RequestedPartition(*words[1:])
            at, end = end, end + of[ROW.forgotten]
            forgotten = tuple(map(numbers.partition, rows[at:end].tolist()))
            at, end = end, end + of[ROW.answered] * ANSWERED.size
            for words in rows[at:end].reshape(-1, ANSWERED.size).tolist():
                partition, error, high_watermark, stable, log_start, size, preferred, hint = words
                answered[numbers.partition(partition)] = AnsweredPartition(
                    error,
                    high_watermark,
                    stable,
                    log_start,
                    None if size < 0 else size,
                    preferred,
                    bool(hint),
                )
        return FetchLine(
            line=of[ROW.line],
            file=files.name(of[ROW.file]),
            time_ms=number_in(of[ROW.time]),
            version=of[ROW.version],
            correlation_id=of[ROW.correlation],
            client_id=numbers.text(of[ROW.client]),
            connection=numbers.text(of[ROW.connection]),
            replica_id=of[ROW.replica],
            session_id=of[ROW.session],
            session_epoch=of[ROW.epoch],
            partitions=asked,
            forgotten=forgotten,
            max_wait_ms=of[ROW.max_wait],
            min_bytes=of[ROW.min_bytes],
            error_code=of[ROW.error],
            response_session_id=of[ROW.response_session],
            throttle_time_ms=of[ROW.throttle],
            answered=answered,
            isolation_level=of[ROW.isolation],
            total_time_ms=total,
            fingerprint=of[ROW.fingerprint],
            moved=bool(of[ROW.moved]),
            software_name=numbers.text(of[ROW.software_name]),
            software_version=numbers.text(of[ROW.software_version]),
        )

    def held(self) -> Iterator[tuple[int, Request]]:
        """The requests that wait, without what they say of partitions."""
        rows = self._memory.tables["rows"]
        for row in self.waiting():
            of = rows[row : row + ROW.size].tolist()
            request = self._odd.get(row) or (
                self.request(row)
                if of[ROW.kind] == OTHER
                else self._fetch_line(row, of, 0.0, is_whole=False)
            )
            yield of[ROW.position], request

    def waiting(self) -> list[int]:
        """The rows that wait for their turn."""
        memory = self._memory
        rows, connections = memory.tables["rows"], memory.tables["connections"]
        waits = memory.tables["waits"][: memory["waiting"]].tolist()
        waiting = [what for what in waits if what > 0]
        for connection in {-what for what in waits if what < 0}:
            row = int(connections[connection + CONNECTION.first_waiting])
            while row:
                waiting.append(row)
                row = int(rows[row + ROW.next])
        return waiting


class SavedOrder:
    """Reads the order of arrival from tables, and puts it into new ones."""

    def __init__(self, memory: Memory, exchange: Exchange, requests: Requests) -> None:
        self._memory = memory
        self._numbers, self._files = exchange.numbers, exchange.files
        self._requests = requests

    def state(self) -> OrderState:
        """What is known now, as an `ArrivalOrder` has it."""
        memory = self._memory
        clocks, count = memory.tables["clocks"], memory["waiting"]
        heap = zip(
            memory.tables["arrivals"][:count].tolist(),
            memory.tables["positions"][:count].tolist(),
            memory.tables["waits"][:count].tolist(),
            strict=True,
        )
        waiting: list[tuple[float, int, OtherRequest | str]] = []
        for arrival, position, what in sorted(heap):
            waits = self._name(-what) if what < 0 else self._requests.request(what)
            assert isinstance(waits, OtherRequest | str), "a followed request waits in its place"
            waiting.append((arrival, position, waits))
        return OrderState(
            float(clocks[CLOCK]),
            float(clocks[AHEAD]),
            memory["lines_behind"],
            memory["held"],
            waiting,
            self._connections(),
            self._remembered(),
            self._files.name(memory["read_file"]) if memory["read_file"] else "",
            number_in(memory["newest_time"]),
            self.unordered(),
        )

    def unordered(self) -> tuple[str, ...]:
        """The last files that were seen not to be in the order of their writing."""
        numbers = self._memory["unordered"], self._memory["unordered_before"]
        return tuple(self._files.name(number) for number in numbers if number)

    def _name(self, connection: int) -> str:
        return self._numbers.text(
            int(self._memory.tables["connections"][connection + CONNECTION.name])
        )

    def _words(self, connection: int) -> Array:
        table = self._memory.tables["connections"]
        return table[connection : connection + CONNECTION.size]

    def _connections(self) -> dict[str, OrderedConnection]:
        rows, ordered = self._memory.tables["rows"], dict[str, OrderedConnection]()
        connection = self._memory["first_ordered"]
        while connection:
            words = self._words(connection).tolist()
            waiting: list[tuple[int, int, FollowedLine]] = []
            row = words[CONNECTION.first_waiting]
            while row:
                steps, position = int(rows[row + ROW.steps]), int(rows[row + ROW.position])
                line = self._requests.request(row)
                assert not isinstance(line, OtherRequest), "what is not followed waits by itself"
                waiting.append((steps, position, line))
                row = int(rows[row + ROW.next])
            ordered[self._numbers.text(words[CONNECTION.name])] = OrderedConnection(
                words[CONNECTION.newest],
                words[CONNECTION.given_out],
                words[CONNECTION.given_fingerprint],
                waiting,
            )
            connection = words[CONNECTION.next_ordered]
        return ordered

    def _remembered(self) -> list[tuple[float, tuple[str, int, int]]]:
        memory = self._memory
        first, count = memory["remembered_first"], memory["remembered_count"]
        places = (first + np.arange(count)) % memory["remembered_room"]
        times = memory.tables["remembered_times"][places].tolist()
        entries = memory.tables["remembered"].reshape(-1, REMEMBERED.size)[places + 1].tolist()
        return [
            (time, (self._numbers.text(connection), correlation, fingerprint))
            for time, (connection, correlation, fingerprint, _) in zip(times, entries, strict=True)
        ]

    def restore(self, state: OrderState) -> None:
        """Put a state into tables that have none."""
        memory = self._memory
        self._remember(state.remembered)
        memory.tables["clocks"][:] = state.clock, state.clock_is_ahead, 0.0
        memory.tables["clocks"][PASSED] = state.clock - memory["window"]
        memory["lines_behind"], memory["held"] = state.lines_behind, state.held
        memory["read_file"] = self._files.number(state.file) if state.file else 0
        memory["newest_time"] = given(state.newest_ms)
        for word, file in zip(("unordered", "unordered_before"), state.unordered, strict=False):
            memory[word] = self._files.number(file)
        for name, connection in state.connections.items():
            self._order(name, connection)
        for place, (arrival, position, what) in enumerate(sorted(state.waiting, key=_turn)):
            memory.tables["arrivals"][place] = arrival
            memory.tables["positions"][place] = position
            memory.tables["waits"][place] = (
                -self._row_of(what) if isinstance(what, str) else self._requests.row(what, position)
            )
        memory["waiting"] = len(state.waiting)

    def _row_of(self, name: str) -> int:
        number = self._numbers.of_text(name)
        while (row := self._memory.do("name_connection", number=number)) == 0:
            self._memory.make_room()
        return row

    def _order(self, name: str, ordered: OrderedConnection) -> None:
        memory, connection = self._memory, self._row_of(name)
        before = 0
        for steps, position, line in sorted(ordered.waiting, key=_turn):
            row = self._requests.row(line, position)
            rows = memory.tables["rows"]
            rows[row + ROW.steps], rows[row + ROW.next] = steps, 0
            if before:
                rows[before + ROW.next] = row
            else:
                self._words(connection)[CONNECTION.first_waiting] = row
            before = row
        words = self._words(connection)
        words[CONNECTION.last_waiting] = before
        words[CONNECTION.newest], words[CONNECTION.given_out] = ordered.newest, ordered.given_out
        words[CONNECTION.given_fingerprint] = ordered.fingerprint
        words[CONNECTION.is_ordered], words[CONNECTION.next_ordered] = 1, 0
        if memory["last_ordered"]:
            self._words(memory["last_ordered"])[CONNECTION.next_ordered] = connection
        else:
            memory["first_ordered"] = connection
        memory["last_ordered"] = connection
        memory["ordered"] += 1

    def _remember(self, remembered: list[tuple[float, tuple[str, int, int]]]) -> None:
        memory = self._memory
        while (row := memory.do("new_row", count=ROW.size)) == 0:
            memory.make_room()
        clocks = memory.tables["clocks"]
        clocks[PASSED] = -np.inf  # or what is put in first were forgotten
        words = memory.tables["rows"][row : row + ROW.size]
        for time, (connection, correlation, fingerprint) in remembered:
            words[ROW.connection] = self._numbers.of_text(connection)
            words[ROW.correlation], words[ROW.fingerprint] = correlation, fingerprint
            clocks[CLOCK] = time
            if memory["remembered_count"] + 1 >= memory["remembered_room"]:
                memory.make_room()
            memory.do("remember", owner=row)
        memory.do("free_row", owner=row)


def _turn(waiting: tuple[float, int, object]) -> tuple[float, int]:
    return waiting[:2]

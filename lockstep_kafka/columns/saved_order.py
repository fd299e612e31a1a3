"""The order of arrival between tables and an `OrderState`, for a follower that goes on."""

from __future__ import annotations

import numpy as np

from lockstep_kafka.columns.exchange import Exchange
from lockstep_kafka.columns.kernels.layout import (
    AHEAD,
    CLOCK,
    CONNECTION,
    PASSED,
    REMEMBERED,
    ROW,
)
from lockstep_kafka.columns.memory import Array, Memory
from lockstep_kafka.columns.requests import Requests
from lockstep_kafka.files.arrival_order import OrderedConnection, OrderState
from lockstep_kafka.files.lines import FollowedLine, OtherRequest


class SavedOrder:
    """Reads the order of arrival from tables, and puts it into new ones."""

    def __init__(self, memory: Memory, exchange: Exchange, requests: Requests) -> None:
        self._memory = memory
        self._numbers = exchange.numbers
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
        )

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
            memory.do("remember", owner=row)
        memory.do("free_row", owner=row)


def _turn(waiting: tuple[float, int, object]) -> tuple[float, int]:
    return waiting[:2]

"""The requests of rows: put into the tables where Python read them, and made of rows otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import structs

from lockstep_kafka.columns.exchange import Exchange
from lockstep_kafka.columns.kernels.layout import (
    ANSWERED,
    ASKED,
    CONNECTION,
    ODD_FOLLOWED,
    OTHER,
    ROW,
)
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.columns.numbers import given, number_in
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
        file = self._exchange.file(request.file)
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
                files[of[ROW.file]],
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
            file=files[of[ROW.file]],
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

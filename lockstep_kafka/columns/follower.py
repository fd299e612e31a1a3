"""Follows a broker's log in columns; `BrokerFollower` judges what is remarked, begun or ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from msgspec import structs

from lockstep.system.physical_lines import PhysicalLine
from lockstep_kafka.columns.exchange import Exchange
from lockstep_kafka.columns.kernels.layout import (
    ANOTHER_BROKER,
    ANSWERED,
    ASKED,
    CASE,
    CONNECTION,
    COUNT,
    DONE,
    LATE,
    NEW_CASE,
    NO_CONNECTION,
    NO_LOG,
    NO_ROOM,
    NO_SESSION_ROW,
    ODD_FOLLOWED,
    ODD_LINE,
    ODD_STEP,
    OTHER,
    REPEATED,
    ROW,
)
from lockstep_kafka.columns.memory import Array, Memory
from lockstep_kafka.columns.numbers import given, number_in
from lockstep_kafka.files.arrival_order import unused
from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    FollowedLine,
    OtherRequest,
    Reason,
    Request,
    RequestedPartition,
    TopicPartition,
    finding_of,
)
from lockstep_kafka.findings import Finding, LineCounts
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.fetcher_cases import (
    Expectation,
    HeadCase,
    Holding,
    Interest,
    ListingCase,
)
from lockstep_kafka.sessions.leader_case import Answer, LeaderCase, Membership, Others, Row
from lockstep_kafka.sessions.leader_lines import LineCase, ResponseId, SessionState

_EXPLAINED = 1 << 12
_ROWS = tuple(Row)
_PADDING = bytes(64)
"""What is read stops at zeros."""


@dataclass(frozen=True)
class Text:
    """Whole lines of a file; `position` is that of its line 0."""

    array: Array
    end: int
    file: str
    position: int

    @classmethod
    def of(cls, content: bytes, file: str, position: int) -> Text:
        """The text of some content."""
        return cls(np.frombuffer(content + _PADDING, np.uint8), len(content), file, position)


class ColumnFollower(BrokerFollower):
    """A `BrokerFollower` that is given text."""

    def __init__(self, broker: str, explanations: Explanations, *, prefix: str = "") -> None:
        """With a prefix, lines of connections that do not begin with it are another broker's."""
        self._memory = Memory()
        self._exchange = Exchange(self._memory)
        super().__init__(broker, explanations, tables=self._exchange.tables())
        self._explanations = explanations
        self._odd: dict[int, FollowedLine] = {}
        self._memory["empty_text"] = self._exchange.numbers.of_text("")
        self._memory.put("prefix", np.frombuffer(prefix.encode() or b"\0", np.uint8))
        self._memory["prefix_length"] = len(prefix.encode())
        self._ask_the_model()

    def _ask_the_model(self) -> None:
        """Keep what the model says of heads and listings of requests within a session."""
        fetchers = self._explanations.fetchers
        heads, listings = self._memory.tables["heads"], self._memory.tables["listings"]
        served = self._memory.tables["served"]
        within = LineCase(
            1, SessionState.EXPECTED, Membership.PRESENT, 0, ResponseId.SAME, is_throttled=False
        )
        outside = within._replace(session=SessionState.ABSENT, response_id=ResponseId.NONE)
        served[:] = [
            -1 if (row := self._explanations.lines.explain(case)) is None else _ROWS.index(row)
            for case in (
                outside._replace(epoch=0),
                outside._replace(epoch=-1),
                within,
                within._replace(is_throttled=True),
            )
        ]
        for kind, (holding, expectation) in product(range(3), product(Holding, Expectation)):
            head = HeadCase(holding, expectation, kind == 0, (1, 0, -1)[kind])
            heads[kind * 16 + holding * 4 + expectation] = fetchers.explains_head(head)
        for interest, is_listed, is_forgotten in product(Interest, (0, 1), (0, 1)):
            listing = ListingCase(interest, bool(is_listed), bool(is_forgotten))
            explained = fetchers.explains_listing(listing)
            listings[interest * 4 + 2 * is_listed + is_forgotten] = explained

    def begin(self, text: Text, at: int, line: int) -> None:
        """Read this text next, from a place on, where the line of this number begins."""
        memory = self._memory
        memory.put("text", text.array)
        memory["at"], memory["end"] = at, text.end
        memory["line"], memory["first_position"] = line, text.position
        memory["file"] = self._exchange.file(text.file)

    @property
    def at(self) -> int:
        """The place in the text where the next line begins."""
        return self._memory["at"]

    @property
    def line(self) -> int:
        """The number of the next line."""
        return self._memory["line"]

    def go_on(self) -> int:
        """Follow the text; `DONE`, or why a line is left.

        `ODD_LINE` where it is not read here: `odd_line` gives it. `ANOTHER_BROKER` where it is of
        another one's `connection`.
        """
        memory, exchange = self._memory, self._exchange
        while True:
            code = memory.run()
            if code in (DONE, ODD_LINE, ANOTHER_BROKER):
                return code
            stopped_at = memory["stopped_at"]
            if code == ODD_STEP:
                self._step(stopped_at)
            elif code == NO_CONNECTION:
                if not self._check_out_connection(stopped_at):
                    self._step(memory["current"])
            elif code == NO_SESSION_ROW:
                if not exchange.check_out_session(stopped_at):
                    self._step(memory["current"])
            elif code == NO_LOG:
                exchange.check_out_log(stopped_at)
            elif code == NEW_CASE:
                self._answer_case()
            elif code == NO_ROOM:
                memory.make_room()
            elif code in (REPEATED, LATE):
                request = self.request(stopped_at)
                reason = Reason.REPEATED if code == REPEATED else Reason.LATE
                self._report.add(finding_of(unused(request, reason)))
                self._free(stopped_at)

    def _check_out_connection(self, row: int) -> bool:
        """Whether the requests of a connection are followed in columns from here on.

        Those of one that is known to the quorum are not: it looks at each, of whichever API.
        """
        name = int(self._memory.tables["connections"][row + CONNECTION.name])
        if self._exchange.numbers.text(name) in self._broker.quorum.connections:
            return False
        return self._exchange.check_out_connection(row)

    @property
    def connection(self) -> str:
        """The connection of the line that is left."""
        return self._exchange.numbers.text(self._memory["stopped_at"])

    def odd_line(self) -> PhysicalLine:
        """The line that is not read here."""
        memory = self._memory
        at, end = memory["at"], memory["line_end"]
        return PhysicalLine(memory["line"], memory.tables["text"][at:end].tobytes(), True, None)

    def enter(self, request: Request, position: int) -> None:
        """Take up a request that Python read; it is followed when the text goes on."""
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
            self._odd[row] = request
        memory["entering"] = row

    def findings(self) -> Sequence[Finding]:
        """What is final since it was last taken."""
        return self._report.take()

    def close(self) -> Sequence[Finding]:
        self._memory["is_over"] = 1
        self._memory["at"] = self._memory["end"]
        self.go_on()
        self.take_up_counts()
        return super().close()

    def take_counts(self) -> list[LineCounts]:
        self.take_up_counts()
        return super().take_counts()

    def take_up_counts(self) -> None:
        """Add what the kernel counted to what is counted here."""
        memory = self._memory
        self.in_columns += memory["followed"] + memory["other_requests"]
        self.followed += memory["followed"]
        self.others += memory["other_requests"]
        memory["followed"] = memory["other_requests"] = 0
        counts = memory.tables["counts"][: memory["counts_count"] * COUNT.size]
        for client, version, hour, lines, partial in counts.reshape(-1, COUNT.size).tolist():
            text = self._exchange.numbers.text(client)
            row = self._report.counts_of(text, version, number_in(hour))
            row.lines += lines
            row.partial += partial
        memory["counts_count"] = memory["last_count"] = 0

    def _step(self, row: int) -> None:
        """Judge a row as `BrokerFollower` does."""
        request = self.request(row)
        position = int(self._memory.tables["rows"][row + ROW.position])
        self._take(request, position)
        self._free(row)
        self._memory["current"] = 0

    def _free(self, row: int) -> None:
        self._odd.pop(row, None)
        self._memory.do("free_row", owner=row)

    def _answer_case(self) -> None:
        """Ask the model about a case, and keep the answer for all of its order."""
        memory = self._memory
        words = memory.tables["case"].tolist()
        numbers = memory.tables["numbers"].tolist()
        answer = None
        if words[CASE.is_answered]:
            answer = Answer(
                bool(words[CASE.has_data]),
                words[CASE.answered_high_watermark],
                words[CASE.answered_log_start],
                bool(words[CASE.has_records]),
            )
        outcome = self._explanations.leader(
            LeaderCase(
                _ROWS[words[CASE.row]],
                bool(words[CASE.is_replica]),
                Membership(words[CASE.membership]),
                bool(words[CASE.is_forgotten]),
                Others(words[CASE.others]),
                answer,
                words[CASE.offset],
                words[CASE.high_watermark],
                words[CASE.log_start],
                words[CASE.requested],
                words[CASE.least_high_watermark],
                words[CASE.least_log_start],
            )
        )
        packed = 0
        if outcome is not None:
            packed = (
                _EXPLAINED
                | outcome.membership
                | outcome.is_requested << 2
                | numbers.index(outcome.high_watermark) << 3
                | numbers.index(outcome.log_start) << 7
            )
        memory.room_for_case()
        memory.do("put_case", outcome=packed)

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

    def _held(self) -> Iterator[tuple[int, Request]]:
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

"""Follows a broker's log in columns; `BrokerFollower` judges what is remarked, begun or ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from lockstep_kafka.columns.exchange import Exchange
from lockstep_kafka.columns.kernels.layout import (
    ANOTHER_BROKER,
    CASE,
    CONNECTION,
    COUNT,
    DISORDER,
    DONE,
    EXPLAINED,
    LATE,
    NEW_CASE,
    NO_CONNECTION,
    NO_LOG,
    NO_ROOM,
    ODD_LINE,
    ODD_STEP,
    REPEATED,
    ROW,
)
from lockstep_kafka.columns.memory import Array, Memory
from lockstep_kafka.columns.numbers import number_in
from lockstep_kafka.columns.requests import Requests, SavedOrder
from lockstep_kafka.files.arrival_order import ArrivalOrder, OrderState, unused
from lockstep_kafka.files.lines import (
    Reason,
    Request,
)
from lockstep_kafka.files.physical_lines import PhysicalLine
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

    def __init__(
        self,
        broker: str,
        explanations: Explanations,
        state: bytes | None = None,
        *,
        prefix: str = "",
        owns: Callable[[str], bool] | None = None,
    ) -> None:
        """With a prefix, lines of connections that do not begin with it are another broker's.

        `state` and `owns` are as of a `BrokerFollower`.
        """
        self._memory = Memory()
        self._exchange = Exchange(self._memory)
        super().__init__(broker, explanations, state, self._exchange.tables(), owns)
        self._explanations = explanations
        self.requests = Requests(self._memory, self._exchange)
        """What waits; a request that Python read is entered there."""
        self._saved_order = SavedOrder(self._memory, self._exchange, self.requests)
        if state is not None:
            self._saved_order.restore(self._order.state())
            self._order = ArrivalOrder()  # what waited there waits in the tables
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
        memory["file"] = self._exchange.files.number(text.file)

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
            exchange.check_out_sessions()
            code = memory.run()
            if code in (DONE, ODD_LINE, ANOTHER_BROKER):
                return code
            stopped_at = memory["stopped_at"]
            if code == ODD_STEP:
                self._step(stopped_at)
            elif code == NO_CONNECTION:
                if not self._check_out_connection(stopped_at):
                    self._step(memory["current"])
            elif code == NO_LOG:
                exchange.logs.row(stopped_at)
            elif code == NEW_CASE:
                self._answer_case()
            elif code == NO_ROOM:
                memory.make_room()
            elif code == DISORDER:
                self._add_disorder(self.requests.request(stopped_at))
            elif code in (REPEATED, LATE):
                request = self.requests.request(stopped_at)
                reason = Reason.REPEATED if code == REPEATED else Reason.LATE
                self._not_judged(request, unused(request, reason))
                self.requests.free(stopped_at)

    def _check_out_connection(self, row: int) -> bool:
        """Whether the requests of a connection are followed in columns from here on.

        Those of one that is known to the quorum are not: it looks at each, of whichever API.
        """
        number = int(self._memory.tables["connections"][row + CONNECTION.name])
        name = self._exchange.numbers.text(number)
        if not self._owns(name):
            self._broker.connection(name)
            self._memory.tables["connections"][row + CONNECTION.is_foreign] = 1
            return True
        if name in self._broker.quorum.connections:
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

    def findings(self) -> Sequence[Finding]:
        """What is final since it was last taken."""
        return self._report.take()

    def close(self) -> Sequence[Finding]:
        self._memory["is_over"] = 1
        self._memory["at"] = self._memory["end"]
        self.go_on()
        self.take_up_counts()
        findings = super().close()
        self._memory.forget()
        return findings

    def take_counts(self) -> list[LineCounts]:
        self.take_up_counts()
        return super().take_counts()

    def save(self) -> bytes:
        self.go_on()
        self.take_up_counts()
        self._exchange.check_in_all()
        return super().save()

    def _unordered(self) -> tuple[str, ...]:
        return self._saved_order.unordered()

    def _order_state(self) -> OrderState:
        return self._saved_order.state()

    def _turn(self) -> int:
        memory = self._memory
        return super()._turn() + memory["followed"] + memory["other_requests"]

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
        request = self.requests.request(row)
        position = int(self._memory.tables["rows"][row + ROW.position])
        self._take(request, position)
        self.requests.free(row)
        self._memory["current"] = 0

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
                EXPLAINED
                | outcome.membership
                | outcome.is_requested << 2
                | numbers.index(outcome.high_watermark) << 3
                | numbers.index(outcome.log_start) << 7
            )
        memory.room_for_case()
        memory.do("put_case", outcome=packed)

    def _held(self) -> Iterator[tuple[int, Request]]:
        return self.requests.held()

"""Follows the Fetch requests of brokers, line by line, and judges clients and brokers apart.

Lines come in the order in which the requests arrived (`in_arrival_order`). What is kept is what the
protocol itself keeps: sessions, the offsets told of partitions, connections. All three are bounded,
so that memory does not grow with the log.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from lockstep.conform.findings import Place, Remark, SessionFinding, Side, Verdict
from models.kafka_files.request_log import FetchLine, OtherRequest
from models.observed_sessions.explanations import Explanations
from models.observed_sessions.fetcher_side import FetcherSide
from models.observed_sessions.knowledge import (
    NO_SESSION,
    Connection,
    Fetcher,
    LeaderSession,
)
from models.observed_sessions.leader_cases import OPEN, Membership, Row
from models.observed_sessions.leader_lines import LineCase, ResponseId, SessionState
from models.observed_sessions.leader_side import LeaderLogs, LeaderSide, Position

_SESSION_ID_NOT_FOUND, _INVALID_EPOCH, _TOPIC_ID_ERROR = 70, 71, 106
_ERROR_NAMES = {
    _SESSION_ID_NOT_FOUND: "FETCH_SESSION_ID_NOT_FOUND",
    _INVALID_EPOCH: "INVALID_FETCH_SESSION_EPOCH",
    _TOPIC_ID_ERROR: "FETCH_SESSION_TOPIC_ID_ERROR",
}

_MOST_SESSIONS, _MOST_ENDED, _MOST_CONNECTIONS = 16_384, 1_024, 65_536


@dataclass(slots=True)
class _Ended:
    """A session that is there no more, and how that was seen."""

    finding: SessionFinding
    because: str


@dataclass(eq=False)
class _Broker:
    """One broker, by the address that its connections name."""

    logs: LeaderLogs = field(default_factory=LeaderLogs)
    sessions: OrderedDict[int, LeaderSession] = field(default_factory=OrderedDict)
    ended: OrderedDict[int, _Ended] = field(default_factory=OrderedDict)
    connections: OrderedDict[str, Connection] = field(default_factory=OrderedDict)
    fetchers: dict[int, Fetcher] = field(default_factory=dict)
    """Who has which session, so that a fetcher is known again on another connection."""


class RequestLogFollower:
    """Takes lines in, one by one, and gives out what is final of their sessions."""

    def __init__(self, explanations: Explanations) -> None:
        self._fetcher_side = FetcherSide(explanations)
        self._leader_side = LeaderSide(explanations)
        self._lines = explanations.lines
        self._next_epoch = explanations.next_epoch
        self._brokers: dict[str, _Broker] = {}
        self.followed = 0

    def other_request(self, request: OtherRequest, number: int) -> None:
        """A request of another API: it takes a correlation id of its connection."""
        broker = self._broker(request.connection)
        connection = broker.connections.get(request.connection)
        if connection is not None:
            connection.correlation_id = request.correlation_id
            connection.position, connection.time_ms = number, request.time_ms

    def follow(self, line: FetchLine, number: int) -> Iterator[SessionFinding]:
        """Judge a line, which is the given one of all; yields the sessions that are over."""
        self.followed += 1
        broker = self._broker(line.connection)
        connection = self._connection(broker, line)
        missing = connection.missing(line.correlation_id)
        fetcher = connection.fetcher
        finding, is_partial = yield from self._served(
            broker, connection, fetcher, line, Position(number, connection), missing
        )
        finding.lines += 1
        finding.partial += is_partial
        finding.last = Place(line.file, line.line)
        self._fetcher_side.received(fetcher, line)
        if fetcher.session > 0:
            broker.fetchers[fetcher.session] = fetcher
        connection.correlation_id = line.correlation_id
        connection.position, connection.time_ms = number, line.time_ms
        yield from self._forget_the_oldest(broker)

    def close(self) -> Iterator[SessionFinding]:
        """What is left when the log ends."""
        for broker in self._brokers.values():
            for session in broker.sessions.values():
                if session.overtaken is not None:
                    self._note(
                        session.finding.broker_side,
                        Remark(
                            Verdict.UNKNOWN,
                            Place(session.overtaken.file, session.overtaken.line),
                            "the log ends before it shows whether a later request overtook this",
                        ),
                    )
            findings = [session.finding for session in broker.sessions.values()]
            findings += [ended.finding for ended in broker.ended.values()]
            findings += [c.outside for c in broker.connections.values() if c.outside is not None]
            seen: set[int] = set()
            for finding in findings:
                if id(finding) not in seen:
                    seen.add(id(finding))
                    yield finding
        self._brokers.clear()

    def _broker(self, connection: str) -> _Broker:
        address, _, _ = connection.partition("-")
        broker = self._brokers.get(address)
        if broker is None:
            broker = self._brokers[address] = _Broker()
        return broker

    def _connection(self, broker: _Broker, line: FetchLine) -> Connection:
        connection = broker.connections.get(line.connection)
        if connection is None:
            # A fetcher that connects anew is known by the session that it names.
            fetcher = broker.fetchers.get(line.session_id) if line.session_id else None
            connection = broker.connections[line.connection] = Connection(fetcher or Fetcher())
        else:
            broker.connections.move_to_end(line.connection)
        return connection

    def _served(
        self,
        broker: _Broker,
        connection: Connection,
        fetcher: Fetcher,
        line: FetchLine,
        position: Position,
        missing: int | None,
    ) -> Iterator[SessionFinding]:
        raise NotImplementedError

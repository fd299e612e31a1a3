"""A broker as its log shows it: its sessions, its connections, and who is at their other ends.

Sessions and connections are bounded, so that memory does not grow with the log. One that is let go
is followed again, from its middle, when it shows up again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct, structs
from msgspec import field as struct_field

from lockstep_kafka.files.lines import FetchLine, FollowedLine, TopicPartition
from lockstep_kafka.findings import Place, Remark, SessionFinding
from lockstep_kafka.quorum.knowledge import Quorum
from lockstep_kafka.rules import Arguments, Rule
from lockstep_kafka.sessions.broker_report import BrokerReport
from lockstep_kafka.sessions.knowledge import (
    FIRST_EPOCH,
    FIRST_WITH_TOPIC_IDS,
    NO_SESSION,
    Connection,
    Fetcher,
    LeaderSession,
    Seen,
)
from lockstep_kafka.sessions.leader_logs import LeaderLog, LeaderLogs

MOST_SESSIONS, MOST_CONNECTIONS = 16_384, 65_536

_ENDED_FOR = 20_000
"""Requests of the broker for which a session that ended is remembered."""


class Gone(Struct, frozen=True, array_like=True):
    """How it was seen that a session is there no more, and at which line."""

    how: str
    at: Place | None = None

    @property
    def arguments(self) -> Arguments:
        """As sentences name them."""
        return {"gone": self.how} | ({} if self.at is None else {"since": self.at})


class Ended(Struct, eq=False, array_like=True):
    """A session that is there no more; where `gone` is None it may still be there."""

    finding: SessionFinding
    gone: Gone | None
    last: Seen
    is_shared: bool = False
    """Whether more than one connection brought it."""
    has_several_clients: bool = False
    """Whether another client than that of its finding brought it."""
    turn: int = 0
    """How many requests of the broker had been judged by then."""


class ConnectionState(Struct, array_like=True):
    """A connection; its fetcher is the one of that number."""

    name: str
    connection: Connection
    fetcher: int | None
    has_number: bool
    """Whether the broker's own number in the name is that of this connection now."""


class SessionState(Struct, array_like=True):
    """A session; its opener is the fetcher of that number."""

    session: LeaderSession
    opener: int | None


class BrokerState(Struct, array_like=True):
    """Everything that is known of a broker. Fetchers are numbered: several things share one."""

    logs: dict[TopicPartition, LeaderLog] = {}
    fetchers: list[Fetcher] = []
    sessions: list[SessionState] = []
    ended: list[Ended] = []
    connections: list[ConnectionState] = []
    holders: dict[int, int | None] = {}
    quorum: Quorum = struct_field(default_factory=Quorum)


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Recent(OrderedDict[_Key, _Value]):
    """A mapping in the order in which its keys were last used."""

    def oldest(self) -> _Key:
        """The key that was not used for longest."""
        return next(iter(self))

    def by_use(self) -> list[_Key]:
        """All keys, the one that was not used for longest first."""
        return list(self)

    def leaving(self, key: _Key) -> _Value | None:
        """The value of a key that is dropped next: only what is reported of it need be there."""
        return self.get(key)


@dataclass
class Tables:
    """What is known of a broker's sessions, connections and partitions."""

    sessions: Recent[int, LeaderSession] = field(default_factory=Recent)
    connections: Recent[str, Connection] = field(default_factory=Recent)
    fetchers: dict[int, Fetcher | None] = field(default_factory=dict)
    """Who has which session; None where several do."""
    logs: LeaderLogs = field(default_factory=LeaderLogs)


class Broker:
    """One broker; its findings go to the report."""

    def __init__(
        self,
        report: BrokerReport,
        state: BrokerState | None = None,
        tables: Tables | None = None,
    ) -> None:
        state, tables = state or BrokerState(), tables or Tables()
        self.report = report
        self.logs = tables.logs
        self.logs.restore(state.logs)
        self.quorum = state.quorum
        self.sessions = tables.sessions
        self.ended = OrderedDict((ended.finding.session, ended) for ended in state.ended)
        self._connections = tables.connections
        self._numbers: dict[str, str] = {}
        """The connection that has each of the broker's own numbers."""
        self._fetchers = tables.fetchers
        self._turn = 0
        self._restore(state)

    def _restore(self, state: BrokerState) -> None:
        numbered: dict[int | None, Fetcher | None] = {None: None, **dict(enumerate(state.fetchers))}
        for opened in state.sessions:
            session = opened.session
            session.opener = numbered[opened.opener]
            self.sessions[session.number] = session
            for partition in session.partitions:
                self.logs.watch(partition, session)
        for named in state.connections:
            named.connection.fetcher = numbered[named.fetcher]
            self._connections[named.name] = named.connection
            if named.has_number:
                self._numbers[_number_of(named.name)] = named.name
        for number, holder in state.holders.items():
            self._fetchers[number] = numbered[holder]

    def state(self) -> BrokerState:
        """What is known now. It shares its parts with the broker, which may go on changing them."""
        numbers: dict[Fetcher | None, int | None] = {None: None}

        def number(fetcher: Fetcher | None) -> int | None:
            return numbers.setdefault(fetcher, len(numbers) - 1)

        sessions = [
            SessionState(structs.replace(session, opener=None), number(session.opener))
            for session in self.sessions.values()
        ]
        connections = [
            ConnectionState(
                name,
                structs.replace(connection, fetcher=None),
                number(connection.fetcher),
                self._numbers.get(_number_of(name)) == name,
            )
            for name, connection in self._connections.items()
        ]
        holders = {session: number(holder) for session, holder in self._fetchers.items()}
        fetchers = [fetcher for fetcher in numbers if fetcher is not None]
        ended = list(self.ended.values())
        return BrokerState(
            self.logs.state(), fetchers, sessions, ended, connections, holders, self.quorum
        )

    def connection(self, name: str) -> Connection:
        """The connection of that name. One of a broker that was started again ends all sessions."""
        connection = self._connections.get(name)
        if connection is not None:
            self._connections.move_to_end(name)
            return connection
        number = _number_of(name)
        if number and self._numbers.setdefault(number, name) != name:
            self._restart()
            self._numbers[number] = name
        connection = self._connections[name] = Connection()
        if len(self._connections) > MOST_CONNECTIONS:
            oldest_name = self._connections.oldest()
            self._forget_connection(oldest_name)
            self._numbers.pop(_number_of(oldest_name), None)
        return connection

    def take_back(self, fetcher: Fetcher) -> None:
        """What is known of a fetcher is in its object from here on: its connection is looked up."""
        self._connections.get(fetcher.connection)

    def connect(self, connection: Connection, line: FetchLine) -> Fetcher:
        """Who sends the first Fetch of a connection: one that connects again names its session."""
        holder = self._fetchers.get(line.session_id)
        if holder is None or holder.client != line.client_id:
            holder = stranger(line)
        elif (left := self._connections.get(holder.connection)) is not None:
            left.is_left = True
        connection.fetcher = holder
        return holder

    def hold(self, fetcher: Fetcher) -> None:
        """A fetcher has the session that was just reported to it."""
        if fetcher.session > 0:
            holder = self._fetchers.setdefault(fetcher.session, fetcher)
            if holder is not fetcher:
                self._fetchers[fetcher.session] = None

    def finding_of(self, line: FollowedLine) -> SessionFinding | None:
        """What is said of the session of a line, or of its connection; None where nothing is."""
        number = 0
        if isinstance(line, FetchLine):
            number = line.session_id or line.response_session_id
        if number == NO_SESSION:
            connection = self._connections.get(line.connection)
            return None if connection is None else connection.outside
        known = self.sessions.get(number) or self.ended.get(number)
        return None if known is None else known.finding

    def outside(self, connection: Connection, line: FollowedLine) -> SessionFinding:
        """The finding on a connection's requests outside of any session."""
        if connection.outside is None:
            connection.outside = self.report.begin(line, NO_SESSION, is_whole=True)
        return connection.outside

    def opened_late(self, line: FetchLine, seen: Seen) -> SessionFinding | None:
        """The finding on the session that a full request opened, if it was followed before that.

        A response that gives a session away comes before every request of it: clocks alone have
        put those first where they stand behind it. It may have been judged to its end.
        """
        session = self.sessions.get(line.response_session_id)
        if session is not None:
            if session.opener is not None or session.first.is_before(seen):
                return None
            session.is_shared |= session.first.connection != line.connection
            session.has_several_clients |= session.finding.client != line.client_id
            return session.finding
        ended = self.ended.get(line.response_session_id)
        if ended is None or ended.finding.is_whole or ended.last.is_before(seen):
            return None
        ended.has_several_clients |= ended.finding.client != line.client_id
        return ended.finding

    def open(self, line: FetchLine, opener: Fetcher, seen: Seen) -> LeaderSession:
        """The session that a full request opens."""
        number = line.response_session_id
        earlier = self.sessions.get(number) or self.ended.get(number)
        if (old := self.sessions.get(number)) is not None:
            self.drop(old)
        if (ended := self.ended.pop(number, None)) is not None:
            self.report.add(ended.finding)
        session = self.add(line, self.report.begin(line, number, is_whole=True), seen)
        session.uses_topic_ids = line.version >= FIRST_WITH_TOPIC_IDS
        session.opener, session.is_whole = opener, True
        if earlier is not None:
            session.has_several_clients = (
                earlier.has_several_clients or earlier.finding.client != line.client_id
            )
        session.epoch = session.run = FIRST_EPOCH
        return session

    def add(self, line: FetchLine, finding: SessionFinding, seen: Seen) -> LeaderSession:
        """Follow a session from a line on; all of it is open."""
        ended = self.ended.pop(finding.session, None)
        at = Place(line.file, line.line)
        session = LeaderSession(finding.session, finding, at, None, None, seen, seen)
        session.has_several_clients = ended is not None and ended.has_several_clients
        self.sessions[finding.session] = session
        if len(self.sessions) > MOST_SESSIONS:
            self._drop(self.sessions.oldest())
        return session

    def open_up(self, session: LeaderSession) -> None:
        """What the session has is open from here on."""
        for partition in session.partitions:
            self.logs.leave(partition, session)
        session.partitions.clear()
        session.readable.clear()
        session.lagging.clear()
        session.is_whole = False

    def end(self, finding: SessionFinding, gone: Gone | None, seen: Seen) -> None:
        """The session is there no more; where that was not seen it may be, or not."""
        ended = Ended(finding, gone, seen, turn=self._turn)
        if (session := self.sessions.leaving(finding.session)) is not None:
            ended.is_shared = session.is_shared
            ended.has_several_clients = session.has_several_clients
            self._remove(session)
        self.ended[finding.session] = ended
        self.ended.move_to_end(finding.session)

    def forget_ended(self, turn: int) -> None:
        """So many requests were judged: sessions that ended long ago are remembered no more."""
        self._turn = turn
        while self.ended and next(iter(self.ended.values())).turn < turn - _ENDED_FOR:
            number, ended = self.ended.popitem(last=False)
            self.report.add(ended.finding)
            self._fetchers.pop(number, None)

    def drop(self, session: LeaderSession) -> None:
        """The session is followed no more, and nothing is said of whether it is there."""
        self._remove(session)
        self._fetchers.pop(session.number, None)
        self.report.add(session.finding)

    def close(self) -> None:
        """The log ends: every finding is final."""
        self._drop_all()
        for ended in self.ended.values():
            self.report.add(ended.finding)
        self.ended.clear()
        self._fetchers.clear()
        for name in self._connections.by_use():
            self._forget_connection(name)

    def _forget_connection(self, name: str) -> None:
        connection = self._connections.leaving(name)
        del self._connections[name]
        if connection is not None and connection.outside is not None:
            self.report.add(connection.outside)

    def _drop_all(self) -> None:
        for number in self.sessions.by_use():
            self._drop(number)

    def _drop(self, number: int) -> None:
        if (session := self.sessions.leaving(number)) is not None:
            self.drop(session)

    def _remove(self, session: LeaderSession) -> None:
        if session.overtaken is not None:
            at = Place(session.overtaken.file, session.overtaken.line)
            remark = Remark(Rule.OVERTAKING_NOT_SHOWN, at)
            self.report.correct(session.finding, session.overtaken, remark)
        self.open_up(session)
        del self.sessions[session.number]

    def _restart(self) -> None:
        """A number of a connection is used again: the broker was started again."""
        self._drop_all()
        self.logs.forget_all()
        self.quorum.start_again()
        self._numbers.clear()


def stranger(line: FetchLine) -> Fetcher:
    """A fetcher of which nothing is known."""
    return Fetcher(line.client_id, line.version >= FIRST_WITH_TOPIC_IDS)


def _number_of(connection: str) -> str:
    """What the broker numbers a connection by: its network thread, and a running number there.

    A controller on the same node numbers its threads again, so the broker's own address is part of
    it. Before Kafka 4.0 the name has the running number alone, which each thread counts for itself.
    """
    address, _, number = (*connection.split("-", 2), "", "")[:3]
    return f"{address}-{number}" if "-" in number else ""

"""A broker as its log shows it: its sessions, its connections, and who is at their other ends.

Sessions and connections are bounded, so that memory does not grow with the log. One that is let go
is followed anew, from its middle, when it shows up again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from lockstep.conform.findings import Place, Remark, SessionFinding, Side, Verdict
from models.kafka_files.request_log import FetchLine
from models.observed_sessions.knowledge import (
    FIRST_WITH_TOPIC_IDS,
    NO_SESSION,
    Connection,
    Fetcher,
    LeaderSession,
)
from models.observed_sessions.leader_logs import LeaderLogs

_MOST_SESSIONS, _MOST_ENDED, _MOST_CONNECTIONS = 16_384, 1_024, 65_536


@dataclass(slots=True)
class Ended:
    """A session that is there no more, how that was seen, and when.

    Without a reason it may still be there.
    """

    finding: SessionFinding
    because: str
    connection: str
    arrival_ms: float | None


@dataclass(eq=False)
class Broker:
    """One broker; `over` has the findings that are final."""

    logs: LeaderLogs = field(default_factory=LeaderLogs)
    sessions: OrderedDict[int, LeaderSession] = field(default_factory=OrderedDict)
    ended: OrderedDict[int, Ended] = field(default_factory=OrderedDict)
    over: list[SessionFinding] = field(default_factory=list)
    _connections: OrderedDict[str, Connection] = field(default_factory=OrderedDict)
    _numbers: dict[str, str] = field(default_factory=dict)
    """The connection that has each of the broker's own numbers."""
    _fetchers: dict[int, Fetcher | None] = field(default_factory=dict)
    """Who has which session; None where several do."""

    def connection(self, name: str) -> Connection:
        """The connection of that name. One of a broker that was started anew ends all sessions."""
        connection = self._connections.get(name)
        if connection is not None:
            self._connections.move_to_end(name)
            return connection
        number = _number_of(name)
        if number and self._numbers.setdefault(number, name) != name:
            self._restart()
            self._numbers[number] = name
        connection = self._connections[name] = Connection()
        if len(self._connections) > _MOST_CONNECTIONS:
            oldest_name, oldest = self._connections.popitem(last=False)
            self._numbers.pop(_number_of(oldest_name), None)
            if oldest.outside is not None:
                self.over.append(oldest.outside)
        return connection

    def connect(self, connection: Connection, line: FetchLine) -> Fetcher:
        """Who sends the first Fetch of a connection: one that connects anew names its session."""
        holder = self._fetchers.get(line.session_id)
        if holder is None or holder.client != line.client_id:
            holder = stranger(line)
        elif (left := self._connections.get(holder.connection)) is not None:
            left.is_left = True
        connection.fetcher = holder
        return holder

    def hold(self, fetcher: Fetcher) -> None:
        """A fetcher has the session that it was just told of."""
        if fetcher.session > 0:
            holder = self._fetchers.setdefault(fetcher.session, fetcher)
            if holder is not fetcher:
                self._fetchers[fetcher.session] = None

    def outside(self, connection: Connection, line: FetchLine) -> SessionFinding:
        """The finding on a connection's requests outside of any session."""
        if connection.outside is None:
            connection.outside = finding_from(line, NO_SESSION, is_whole=True)
        return connection.outside

    def open(self, line: FetchLine, opener: Fetcher) -> LeaderSession:
        """The session that a full request opens."""
        number = line.response_session_id
        if (old := self.sessions.get(number)) is not None:
            self.drop(old)
        if (ended := self.ended.pop(number, None)) is not None:
            self.over.append(ended.finding)
        session = self.add(line, finding_from(line, number, is_whole=True))
        session.uses_topic_ids = line.version >= FIRST_WITH_TOPIC_IDS
        session.opener, session.is_whole, session.epoch = opener, True, 1
        session.told_ms = line.time_ms
        return session

    def add(self, line: FetchLine, finding: SessionFinding) -> LeaderSession:
        """Follow a session from a line on; all of it is open."""
        self.ended.pop(finding.session, None)
        at = Place(line.file, line.line)
        session = LeaderSession(finding.session, finding, at, None, uses_topic_ids=None)
        session.seen(line)
        self.sessions[finding.session] = session
        if len(self.sessions) > _MOST_SESSIONS:
            self.drop(next(iter(self.sessions.values())))
        return session

    def open_up(self, session: LeaderSession) -> None:
        """What the session has is open from here on."""
        for partition in session.partitions:
            self.logs.leave(partition, session)
        session.partitions.clear()
        session.readable.clear()
        session.lagging.clear()
        session.is_whole = False

    def end(self, finding: SessionFinding, because: str, line: FetchLine) -> None:
        """The session is there no more; without a reason it may be, or not."""
        if (session := self.sessions.get(finding.session)) is not None:
            self._remove(session)
        self.ended[finding.session] = Ended(finding, because, line.connection, line.arrival_ms)
        if len(self.ended) > _MOST_ENDED:
            number, ended = self.ended.popitem(last=False)
            self.over.append(ended.finding)
            self._fetchers.pop(number, None)

    def drop(self, session: LeaderSession) -> None:
        """The session is followed no more, and nothing is said of whether it is there."""
        self._remove(session)
        self._fetchers.pop(session.number, None)
        self.over.append(session.finding)

    def close(self) -> None:
        """The log ends: every finding is final."""
        for session in tuple(self.sessions.values()):
            self.drop(session)
        self.over += [ended.finding for ended in self.ended.values()]
        outside = (connection.outside for connection in self._connections.values())
        self.over += [finding for finding in outside if finding is not None]

    def _remove(self, session: LeaderSession) -> None:
        if session.overtaken is not None:
            at = Place(session.overtaken.file, session.overtaken.line)
            because = "no later line shows whether another request overtook this one"
            correct(session.finding.broker_side, Remark(Verdict.UNKNOWN, at, because))
        self.open_up(session)
        del self.sessions[session.number]

    def _restart(self) -> None:
        """A number of a connection is used anew: the broker was started again."""
        for session in tuple(self.sessions.values()):
            self.drop(session)
        self.logs.forget_all()
        self._numbers.clear()


def stranger(line: FetchLine) -> Fetcher:
    """A fetcher of which nothing is known."""
    return Fetcher(line.client_id, line.version >= FIRST_WITH_TOPIC_IDS)


def finding_from(line: FetchLine, session: int, *, is_whole: bool) -> SessionFinding:
    """A finding that begins with a line."""
    at = Place(line.file, line.line)
    return SessionFinding(session, line.client_id, line.connection, at, at, is_whole)


def note(side: Side, remarks: list[Remark]) -> None:
    """Take a line's remarks in: it counts as judged unless one says that it cannot be."""
    if not remarks:
        side.judged += 1
        return
    departures = [remark for remark in remarks if remark.verdict is Verdict.DEPARTS]
    if departures:
        side.judged += 1
    side.remark((departures or remarks)[0])


def correct(side: Side, remark: Remark) -> None:
    """Say of a line that counts as judged what only a later one shows."""
    if remark.verdict is Verdict.UNKNOWN:
        side.judged -= 1
    side.remark(remark)


def _number_of(connection: str) -> str:
    """What the broker numbers a connection by: its network thread, and a running number there.

    Before Kafka 4.0 the name has the running number alone, which each thread counts for itself.
    """
    _, _, number = (*connection.split("-", 2), "", "")[:3]
    return number if "-" in number else ""

"""Follows the Fetch requests of brokers, line by line, and judges clients and brokers apart.

Lines come in the order in which the requests arrived (`in_arrival_order`). What is kept is what the
protocol itself keeps: sessions, the offsets told of partitions, connections. All three are bounded,
so that memory does not grow with the log.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from lockstep.conform.findings import Place, Remark, SessionFinding, Side, Verdict
from models.kafka_files.request_log import FetchLine, OtherRequest
from models.observed_sessions.explanations import Explanations
from models.observed_sessions.fetcher_side import FetcherSide
from models.observed_sessions.knowledge import (
    FIRST_WITH_TOPIC_IDS,
    NO_SESSION,
    Connection,
    Fetcher,
    LeaderSession,
)
from models.observed_sessions.leader_cases import OPEN, Membership, Row
from models.observed_sessions.leader_lines import LineCase, ResponseId, SessionState
from models.observed_sessions.leader_side import LeaderLogs, LeaderSide, Position

_NOT_FOUND, _INVALID_EPOCH, _TOPIC_ID_ERROR = 70, 71, 106

_MOST_SESSIONS, _MOST_ENDED, _MOST_CONNECTIONS = 16_384, 1_024, 65_536

_UNCLEAR_MS = 10
"""Two requests that two connections bring within this time may have come in either order: times
are those of the log's lines, which are written a little after a request is answered."""


@dataclass(slots=True)
class _Ended:
    """A session that is there no more, how that was seen, and when."""

    finding: SessionFinding
    because: str
    connection: str
    arrival_ms: float | None


@dataclass(eq=False)
class _Broker:
    """One broker, by the address that its connections name."""

    logs: LeaderLogs = field(default_factory=LeaderLogs)
    sessions: OrderedDict[int, LeaderSession] = field(default_factory=OrderedDict)
    ended: OrderedDict[int, _Ended] = field(default_factory=OrderedDict)
    connections: OrderedDict[str, Connection] = field(default_factory=OrderedDict)
    numbers: dict[str, str] = field(default_factory=dict)
    """The connection that has each of the broker's own numbers."""
    fetchers: dict[int, Fetcher | None] = field(default_factory=dict)
    """Who has which session; None where several do."""


@dataclass(slots=True)
class _Step:
    """A line on its way through both sides."""

    line: FetchLine
    broker: _Broker
    connection: Connection
    fetcher: Fetcher
    position: Position
    missing: int | None
    at: Place
    client: list[Remark] = field(default_factory=list)
    leader: list[Remark] = field(default_factory=list)
    is_partial: bool = False


class RequestLogFollower:
    """Takes lines in, one by one; `over` has the findings that are final."""

    def __init__(self, explanations: Explanations) -> None:
        self._fetcher_side = FetcherSide(explanations)
        self._leader_side = LeaderSide(explanations)
        self._heads = explanations.lines
        self._next_epoch = explanations.next_epoch
        self._brokers: dict[str, _Broker] = {}
        self.followed = 0
        self.over: list[SessionFinding] = []

    def other_request(self, request: OtherRequest, number: int) -> None:
        """A request of another API: it takes a correlation id of its connection."""
        connection = self._connection(self._broker(request.connection), request.connection)
        connection.other_request(request.correlation_id, number, request.time_ms)

    def follow(self, line: FetchLine, number: int) -> None:
        """Judge a line, which stands at this place of all lines read."""
        self.followed += 1
        broker = self._broker(line.connection)
        connection = self._connection(broker, line.connection)
        missing = connection.reach(line.correlation_id)
        fetcher = connection.fetcher
        if fetcher is None:
            fetcher = connection.fetcher = _fetcher(broker, line)
        step = _Step(
            line,
            broker,
            connection,
            fetcher,
            Position(number, connection),
            missing,
            Place(line.file, line.line),
        )
        finding = self._incremental(step) if line.session_epoch > 0 else self._full(step)
        finding.lines += 1
        finding.partial += step.is_partial
        finding.last = step.at
        _note(finding.client_side, step.client)
        _note(finding.broker_side, step.leader)
        self._fetcher_side.received(fetcher, line)
        if fetcher.session > 0:
            holder = broker.fetchers.setdefault(fetcher.session, fetcher)
            if holder is not fetcher:
                broker.fetchers[fetcher.session] = None
        connection.fetch(line.correlation_id, number, line.time_ms)

    def close(self) -> None:
        """The log ends: every finding is final."""
        for broker in self._brokers.values():
            for session in tuple(broker.sessions.values()):
                self._drop(broker, session)
            self.over += [ended.finding for ended in broker.ended.values()]
            self.over += [
                connection.outside
                for connection in broker.connections.values()
                if connection.outside is not None
            ]
        self._brokers.clear()

    def _broker(self, connection: str) -> _Broker:
        address, _, _ = connection.partition("-")
        broker = self._brokers.get(address)
        if broker is None:
            broker = self._brokers[address] = _Broker()
        return broker

    def _connection(self, broker: _Broker, name: str) -> Connection:
        connections = broker.connections
        connection = connections.get(name)
        if connection is not None:
            connections.move_to_end(name)
            return connection
        number = _number_of(name)
        if number and broker.numbers.setdefault(number, name) != name:
            self._restart(broker)
            broker.numbers[number] = name
        connection = connections[name] = Connection()
        if len(connections) > _MOST_CONNECTIONS:
            oldest_name, oldest = connections.popitem(last=False)
            broker.numbers.pop(_number_of(oldest_name), None)
            if oldest.outside is not None:
                self.over.append(oldest.outside)
        return connection

    def _restart(self, broker: _Broker) -> None:
        """A number of a connection is used anew: the broker was started again."""
        for session in tuple(broker.sessions.values()):
            self._drop(broker, session)
        broker.logs.forget_all()
        broker.numbers.clear()

    # Requests outside of a session, and those that open or close one.

    def _full(self, step: _Step) -> SessionFinding:
        line, broker = step.line, step.broker
        step.client += self._fetcher_side.judge(step.fetcher, line, step.missing)
        self._fetcher_side.sent(step.fetcher, line)
        named = broker.sessions.get(line.session_id) if line.session_id else None
        opened = None
        row = self._full_row(step, named)
        if named is not None:
            self._end(broker, named, f"a full request closed it at {step.at}", line)
        if row is Row.CREATING:
            opened = self._open(step)
            finding = opened.finding
        elif line.session_id and (ended := broker.ended.get(line.session_id)) is not None:
            finding = ended.finding
        else:
            finding = self._outside(step)
        if row is not None and not _is_throttled(line):
            step.leader += self._leader_side.answers_full(
                broker.logs, opened, row, line, step.position
            )
        return finding

    def _full_row(self, step: _Step, named: LeaderSession | None) -> Row | None:
        """How the request was served; None where its response says nothing of partitions."""
        line = step.line
        if line.error_code not in (0, _NOT_FOUND, _INVALID_EPOCH):
            step.leader.append(_outside_the_model(step.at, line.error_code))
            return None
        case = LineCase(
            line.session_epoch if line.session_epoch in (-1, 0) else -1,
            SessionState.OPEN if line.session_id else SessionState.ABSENT,
            Membership.PRESENT,
            line.error_code,
            self._response_id(step),
            _is_throttled(line),
        )
        served = self._heads.explain(case)
        if served is None:
            answer = (
                f"error {line.error_code}"
                if line.error_code
                else f"session id {line.response_session_id}"
            )
            step.leader.append(
                Remark(
                    Verdict.DEPARTS,
                    step.at,
                    f"a full request with epoch {line.session_epoch} is answered with {answer}",
                    ("227-36" if line.session_epoch == 0 else "227-34",),
                    self._heads.refusals(case),
                )
            )
            return None
        # Over its quota, a consumer gets an empty response and no session (227-D19).
        return Row(served.action)

    def _open(self, step: _Step) -> LeaderSession:
        """The session that a full request opens."""
        line, broker = step.line, step.broker
        number = line.response_session_id
        if (old := broker.sessions.get(number)) is not None:
            self._drop(broker, old)
        if (ended := broker.ended.pop(number, None)) is not None:
            self.over.append(ended.finding)
        finding = SessionFinding(
            number, line.client_id, line.connection, step.at, step.at, is_whole=True
        )
        session = self._add(step, finding, is_whole=True)
        session.opener, session.is_whole, session.epoch = step.fetcher, True, 1
        session.told_ms = line.time_ms
        return session

    def _outside(self, step: _Step) -> SessionFinding:
        connection = step.connection
        if connection.outside is None:
            connection.outside = SessionFinding(
                NO_SESSION,
                step.line.client_id,
                step.line.connection,
                step.at,
                step.at,
                is_whole=True,
            )
        return connection.outside

    # Requests within a session.

    def _incremental(self, step: _Step) -> SessionFinding:
        line, broker = step.line, step.broker
        fetcher = step.fetcher
        session = broker.sessions.get(line.session_id)
        ended = broker.ended.get(line.session_id)
        if session is not None:
            broker.sessions.move_to_end(line.session_id)
            if session.overtaken is not None:
                self._settle(session, line)
        step.client += self._fetcher_side.judge(fetcher, line, step.missing)
        if any(remark.verdict is Verdict.UNKNOWN for remark in step.client):
            fetcher.forget()
        step.is_partial = not fetcher.is_whole
        self._fetcher_side.sent(fetcher, line)
        if session is None and ended is not None:
            finding = ended.finding
        elif session is None:
            finding = SessionFinding(
                line.session_id, line.client_id, line.connection, step.at, step.at, is_whole=False
            )
        else:
            finding = session.finding
        self._judge_the_leader(step, session, ended, finding)
        return finding

    def _judge_the_leader(
        self,
        step: _Step,
        session: LeaderSession | None,
        ended: _Ended | None,
        finding: SessionFinding,
    ) -> None:
        line, broker = step.line, step.broker
        state = self._state(step, session, ended)
        if line.error_code not in (0, _NOT_FOUND, _INVALID_EPOCH):
            if not _changes_names(session, line):
                step.leader.append(_outside_the_model(step.at, line.error_code))
            if session is None and ended is None:
                self._finish(broker, line, finding, f"error {line.error_code} at {step.at}")
            return
        if _is_throttled(line) and line.response_session_id == NO_SESSION and not line.error_code:
            # Over its quota, a consumer whose session is unknown or expects another epoch gets an
            # empty response (227-D40). Which of both it was stays open.
            if session is not None:
                self._end(broker, session, "", line)
            elif ended is None:
                self._finish(broker, line, finding, "")
            return
        if self._may_be_overtaken(session, state, line):
            assert session is not None
            session.overtaken = line
            self._seen(session, line)
            return
        case = LineCase(
            1,
            state,
            _members(session, line),
            line.error_code,
            self._response_id(step),
            _is_throttled(line),
        )
        served = self._heads.explain(case)
        if served is None:
            self._departs(step, session, ended, case)
            session = self._resume(step, session, finding)
            return
        if served.action == "serve_unknown_session":
            because = f"FETCH_SESSION_ID_NOT_FOUND was answered at {step.at}"
            if session is not None:
                self._end(broker, session, because, line)
            elif ended is None:
                self._finish(broker, line, finding, because)
            return
        if served.action == "serve_wrong_epoch":
            if session is None and ended is None:
                self._add(step, finding)
            return
        if session is None:
            session = self._add(step, finding)
        step.is_partial = step.is_partial or not session.is_whole
        session.epoch = self._next_epoch(line.session_epoch)
        session.since = step.at
        row = Row(served.action)
        if row is Row.EMPTYING:
            self._end(broker, session, f"its last partition was removed at {step.at}", line)
            return
        step.leader += self._leader_side.answers_incremental(
            broker.logs, session, row, line, step.position
        )
        if row is Row.INCREMENTAL:
            session.told_ms = line.time_ms
        if step.leader and session.opener not in (None, step.fetcher):
            step.leader = [_shared(remark, session) for remark in step.leader]
        self._seen(session, line)

    def _state(
        self, step: _Step, session: LeaderSession | None, ended: _Ended | None
    ) -> SessionState:
        """What the leader has of the session that the request names."""
        epoch = step.line.session_epoch
        if session is None:
            return SessionState.OPEN if ended is None or not ended.because else SessionState.ABSENT
        if session.epoch == OPEN:
            return SessionState.OPEN
        if session.epoch == epoch:
            return SessionState.EXPECTED
        missing = step.missing
        ahead = epoch - session.epoch
        if missing != 0 and ahead > 0 and (missing is None or ahead <= missing):
            self._open_up(step.broker, session)
            return SessionState.OPEN
        return SessionState.OTHER_EPOCH

    def _may_be_overtaken(
        self, session: LeaderSession | None, state: SessionState, line: FetchLine
    ) -> bool:
        """Whether a request that was accepted may be refused at last (227-D12, 227-D13)."""
        return (
            session is not None
            and line.error_code == _INVALID_EPOCH
            and line.response_session_id == line.session_id
            and state in (SessionState.EXPECTED, SessionState.OPEN)
        )

    def _settle(self, session: LeaderSession, line: FetchLine) -> None:
        """Whether a later request overtook the one that was refused."""
        earlier = session.overtaken
        assert earlier is not None
        session.overtaken = None
        following = self._next_epoch(earlier.session_epoch)
        if (
            line.arrival_ms is not None
            and earlier.time_ms is not None
            and line.arrival_ms <= earlier.time_ms
            and line.session_epoch == following
        ):
            session.epoch = following
            self._leader_side.overtaken(session, earlier)
            return
        session.epoch = OPEN
        case = LineCase(
            1,
            SessionState.EXPECTED,
            Membership.PRESENT,
            _INVALID_EPOCH,
            ResponseId.SAME,
            is_throttled=False,
        )
        at = Place(earlier.file, earlier.line)
        remark = Remark(
            Verdict.DEPARTS,
            at,
            _undeserved(earlier),
            ("227-28",),
            self._heads.refusals(case),
        )
        _correct(session.finding.broker_side, remark)

    def _departs(
        self, step: _Step, session: LeaderSession | None, ended: _Ended | None, case: LineCase
    ) -> None:
        line = step.line
        connection, arrival = (
            (session.connection, session.arrival_ms)
            if session is not None
            else (ended.connection, ended.arrival_ms)
            if ended is not None
            else ("", None)
        )
        if (
            connection != line.connection
            and arrival is not None
            and line.arrival_ms is not None
            and abs(line.arrival_ms - arrival) <= _UNCLEAR_MS
        ):
            step.leader.append(
                Remark(
                    Verdict.UNKNOWN,
                    step.at,
                    "two connections brought requests of this session within "
                    f"{_UNCLEAR_MS} ms: the log does not show which came first",
                )
            )
            return
        because, requirements = _why(step, session, ended, case)
        step.leader.append(
            Remark(Verdict.DEPARTS, step.at, because, requirements, self._heads.refusals(case))
        )

    def _resume(
        self, step: _Step, session: LeaderSession | None, finding: SessionFinding
    ) -> LeaderSession | None:
        """After a departure: what the session has is open, and it is followed from here on."""
        line, broker = step.line, step.broker
        if session is None:
            if broker.ended.pop(line.session_id, None) is None and line.error_code:
                self._finish(broker, line, finding, "")
                return None
            session = self._add(step, finding)
        self._open_up(broker, session)
        session.epoch = OPEN
        self._seen(session, line)
        return session

    # Sessions come and go.

    def _add(
        self, step: _Step, finding: SessionFinding, *, is_whole: bool = False
    ) -> LeaderSession:
        line, broker = step.line, step.broker
        session = LeaderSession(
            finding.session,
            finding,
            step.at,
            None,
            uses_topic_ids=line.version >= FIRST_WITH_TOPIC_IDS if is_whole else None,
            connection=line.connection,
            arrival_ms=line.arrival_ms,
        )
        broker.sessions[finding.session] = session
        if len(broker.sessions) > _MOST_SESSIONS:
            self._drop(broker, next(iter(broker.sessions.values())))
        return session

    def _seen(self, session: LeaderSession, line: FetchLine) -> None:
        session.connection, session.arrival_ms = line.connection, line.arrival_ms

    def _open_up(self, broker: _Broker, session: LeaderSession) -> None:
        """What the session has is open from here on."""
        for partition in session.partitions:
            broker.logs.leave(partition, session)
        session.partitions.clear()
        session.readable.clear()
        session.lagging.clear()
        session.is_whole = False

    def _end(self, broker: _Broker, session: LeaderSession, because: str, line: FetchLine) -> None:
        """The session is there no more; without a reason it may be, or not."""
        self._open_up(broker, session)
        del broker.sessions[session.number]
        self._finish(broker, line, session.finding, because)

    def _finish(
        self, broker: _Broker, line: FetchLine, finding: SessionFinding, because: str
    ) -> None:
        broker.ended[finding.session] = _Ended(finding, because, line.connection, line.arrival_ms)
        if len(broker.ended) > _MOST_ENDED:
            number, ended = broker.ended.popitem(last=False)
            self.over.append(ended.finding)
            broker.fetchers.pop(number, None)

    def _drop(self, broker: _Broker, session: LeaderSession) -> None:
        """The session is followed no more, and nothing is said of whether it is there."""
        if session.overtaken is not None:
            at = Place(session.overtaken.file, session.overtaken.line)
            because = "no later line shows whether another request overtook this one"
            _correct(session.finding.broker_side, Remark(Verdict.UNKNOWN, at, because))
        self._open_up(broker, session)
        del broker.sessions[session.number]
        broker.fetchers.pop(session.number, None)
        self.over.append(session.finding)

    def _response_id(self, step: _Step) -> ResponseId:
        line = step.line
        number = line.response_session_id
        if number == NO_SESSION:
            return ResponseId.NONE
        if number == line.session_id:
            return ResponseId.SAME
        return ResponseId.TAKEN if number in step.broker.sessions else ResponseId.NEW


def _fetcher(broker: _Broker, line: FetchLine) -> Fetcher:
    """Who sends the first Fetch of a connection: one that connects anew names its session."""
    holder = broker.fetchers.get(line.session_id)
    if holder is not None and holder.client == line.client_id:
        return holder
    return Fetcher(line.client_id, line.version >= FIRST_WITH_TOPIC_IDS)


def _number_of(connection: str) -> str:
    """What the broker numbers a connection by: its network thread, and a running number there.

    Before Kafka 4.0 the name has the running number alone, which each thread counts for itself.
    """
    _, _, number = (*connection.split("-", 2), "", "")[:3]
    return number if "-" in number else ""


def _note(side: Side, remarks: list[Remark]) -> None:
    """Take a line's remarks in: it counts as judged unless one says that it cannot be."""
    if not remarks:
        side.judged += 1
        return
    departures = [remark for remark in remarks if remark.verdict is Verdict.DEPARTS]
    if departures:
        side.judged += 1
    side.remark((departures or remarks)[0])


def _correct(side: Side, remark: Remark) -> None:
    """Say of a line that counts as judged what only a later one shows."""
    if remark.verdict is Verdict.UNKNOWN:
        side.judged -= 1
    side.remark(remark)


def _is_throttled(line: FetchLine) -> bool:
    """Whether the response is empty because the client is over a quota (227-D18)."""
    return line.throttle_time_ms > 0 and not line.answered


def _changes_names(session: LeaderSession | None, line: FetchLine) -> bool:
    """Whether a request names topics in another way than its session's first one (227-D15)."""
    return line.error_code == _TOPIC_ID_ERROR and (
        session is None or session.uses_topic_ids is not (line.version >= FIRST_WITH_TOPIC_IDS)
    )


def _members(session: LeaderSession | None, line: FetchLine) -> Membership:
    """Whether the session has partitions once the request is taken in."""
    if session is None:
        return Membership.PRESENT if line.partitions else Membership.OPEN
    forgotten, partitions = line.forgotten, session.partitions
    if len(partitions) > len(forgotten):
        return Membership.PRESENT
    if any(partition not in forgotten for partition in line.partitions):
        return Membership.PRESENT
    if any(partition not in forgotten for partition in partitions):
        return Membership.PRESENT
    return Membership.ABSENT if session.is_whole else Membership.OPEN


def _outside_the_model(at: Place, error_code: int) -> Remark:
    return Remark(Verdict.UNKNOWN, at, f"error {error_code} is outside the model")


def _of_another(session: LeaderSession) -> str:
    return (
        f"two sessions alive have the id {session.number}, for another fetcher opened this one at "
        f"{session.finding.first}"
    )


def _shared(remark: Remark, session: LeaderSession) -> Remark:
    """The remark, where two fetchers use one id: no session of one of them explains both."""
    because = f"{_of_another(session)}: {remark.because}"
    return replace(remark, because=because, requirements=("227-3", *remark.requirements))


def _undeserved(line: FetchLine) -> str:
    return (
        "INVALID_FETCH_SESSION_EPOCH is answered to the request that the session expects: "
        f"({line.session_id}, {line.session_epoch})"
    )


def _why(
    step: _Step, session: LeaderSession | None, ended: _Ended | None, case: LineCase
) -> tuple[str, tuple[str, ...]]:
    """Why the head of a response is not explained, and the requirements broken."""
    line = step.line
    request = f"({line.session_id}, {line.session_epoch})"
    if line.error_code == _INVALID_EPOCH and case.session is SessionState.EXPECTED:
        return _undeserved(line), ("227-28",)
    if line.error_code == _INVALID_EPOCH:
        reason = ended.because if ended is not None else "it is not there"
        return (
            f"INVALID_FETCH_SESSION_EPOCH answers {request}, but the session is gone: {reason}",
            ("227-27",),
        )
    if line.error_code:
        return f"error {line.error_code} with session id {line.response_session_id}", ("227-27",)
    if case.session is SessionState.ABSENT and ended is not None:
        return f"{request} is accepted, but the session is gone: {ended.because}", ("227-27",)
    if case.session is SessionState.OTHER_EPOCH and session is not None:
        because = (
            f"{request} is accepted, but the session expects epoch {session.epoch} since "
            f"{session.since}"
        )
        if session.opener not in (None, step.fetcher):
            return f"{_of_another(session)}: {because}", ("227-3", "227-6")
        return because, ("227-6", "227-28")
    if line.response_session_id == NO_SESSION:
        return (
            f"the response closes session {line.session_id}, which still has partitions",
            ("227-4", "227-50"),
        )
    return (
        f"the response names session {line.response_session_id}, the request session "
        f"{line.session_id}",
        ("227-4", "227-49"),
    )

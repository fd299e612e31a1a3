"""Follows the Fetch requests of brokers, line by line, and judges clients and brokers apart.

Lines come in the order in which the requests arrived (`in_arrival_order`). What is kept is what the
protocol itself keeps: sessions, the offsets told of partitions, connections.
"""

from __future__ import annotations

from lockstep.conform.findings import Place, Remark, SessionFinding, Verdict
from models.kafka_files.request_log import FetchLine, OtherRequest
from models.observed_sessions.broker import Broker, Ended, finding_from, note, stranger
from models.observed_sessions.exchange import Position
from models.observed_sessions.explanations import Explanations
from models.observed_sessions.fetcher_side import FetcherSide
from models.observed_sessions.knowledge import NO_SESSION, LeaderSession
from models.observed_sessions.leader_cases import OPEN, Row
from models.observed_sessions.leader_heads import (
    LeaderHeads,
    Step,
    changes_names,
    is_outside_the_model,
    is_throttled,
    shared,
)
from models.observed_sessions.leader_side import LeaderSide


class RequestLogFollower:
    """Takes lines in, one by one, and gives out the findings that are final."""

    def __init__(self, explanations: Explanations) -> None:
        self._fetcher_side = FetcherSide(explanations)
        self._leader_heads = LeaderHeads(explanations)
        self._leader_side = LeaderSide(explanations)
        self._next_epoch = explanations.next_epoch
        self._brokers: dict[str, Broker] = {}
        self.followed = 0

    def other_request(self, request: OtherRequest, number: int) -> None:
        """A request of another API: it takes a correlation id of its connection."""
        connection = self._broker(request.connection).connection(request.connection)
        connection.other_request(request.correlation_id, number, request.time_ms)

    def follow(self, line: FetchLine, number: int) -> list[SessionFinding]:
        """Judge a line, which stands at this place of all lines read; what is final thereby."""
        self.followed += 1
        broker = self._broker(line.connection)
        connection = broker.connection(line.connection)
        missing = connection.reach(line.correlation_id)
        fetcher = connection.fetcher
        if fetcher is None:
            fetcher = broker.connect(connection, line)
        elif connection.is_left and not self._fetcher_side.explains_head(fetcher, line):
            # It was sent before the fetcher connected anew, and nobody reads the response.
            fetcher = stranger(line)
        step = Step(line, broker, connection, fetcher, missing, Place(line.file, line.line))
        position = Position(number, connection)
        if line.session_epoch > 0:
            finding = self._incremental(step, position)
        else:
            finding = self._full(step, position)
        finding.lines += 1
        finding.partial += step.is_partial
        finding.last = step.at
        note(finding.client_side, step.client)
        note(finding.broker_side, step.leader)
        self._fetcher_side.received(fetcher, line)
        broker.hold(fetcher)
        connection.fetch(line.correlation_id, number, line.time_ms)
        return _taken(broker.over) if broker.over else _NOTHING

    def close(self) -> list[SessionFinding]:
        """The log ends: every finding is final."""
        findings = []
        for broker in self._brokers.values():
            broker.close()
            findings += _taken(broker.over)
        self._brokers.clear()
        return findings

    def _broker(self, connection: str) -> Broker:
        address, _, _ = connection.partition("-")
        broker = self._brokers.get(address)
        if broker is None:
            broker = self._brokers[address] = Broker()
        return broker

    def _full(self, step: Step, position: Position) -> SessionFinding:
        """A request outside of a session, or one that opens or closes a session."""
        line, broker = step.line, step.broker
        step.client += self._fetcher_side.judge(step.fetcher, line, step.missing)
        self._fetcher_side.sent(step.fetcher, line)
        row = self._leader_heads.full(step)
        if line.session_id and (named := broker.sessions.get(line.session_id)) is not None:
            broker.end(named.finding, f"a full request closed it at {step.at}", line)
        opened = None
        if row is Row.CREATING:
            opened = broker.open(line, step.fetcher)
            finding = opened.finding
        elif line.session_id and (ended := broker.ended.get(line.session_id)) is not None:
            finding = ended.finding
        else:
            finding = broker.outside(step.connection, line)
        if row is not None and not is_throttled(line):
            step.leader += self._leader_side.answers_full(broker.logs, opened, row, line, position)
        return finding

    def _incremental(self, step: Step, position: Position) -> SessionFinding:
        """A request within a session."""
        line, broker, fetcher = step.line, step.broker, step.fetcher
        session = broker.sessions.get(line.session_id)
        ended = broker.ended.get(line.session_id)
        if session is not None:
            broker.sessions.move_to_end(line.session_id)
            if (earlier := self._leader_heads.settle(session, step)) is not None:
                self._leader_side.overtaken(session, earlier)
        step.client += self._fetcher_side.judge(fetcher, line, step.missing)
        if any(remark.verdict is Verdict.UNKNOWN for remark in step.client):
            fetcher.forget()
        step.is_partial = not fetcher.is_whole
        self._fetcher_side.sent(fetcher, line)
        if session is not None:
            finding = session.finding
        elif ended is not None:
            finding = ended.finding
        else:
            finding = finding_from(line, line.session_id, is_whole=False)
        self._answer(step, position, session, ended, finding)
        return finding

    def _answer(
        self,
        step: Step,
        position: Position,
        session: LeaderSession | None,
        ended: Ended | None,
        finding: SessionFinding,
    ) -> None:
        """Judge the response to an incremental request."""
        line, broker = step.line, step.broker
        is_unseen = session is None and ended is None
        if changes_names(session, line) or is_outside_the_model(step):
            if is_unseen:
                broker.end(finding, "", line)
            return
        if is_throttled(line) and line.response_session_id == NO_SESSION and not line.error_code:
            # Over its quota, a consumer whose session is unknown or expects another epoch gets an
            # empty response (227-D40). Which of both it was stays open.
            if session is not None or is_unseen:
                broker.end(finding, "", line)
            return
        if (
            session is not None
            and not line.answered
            and self._leader_heads.may_be_overtaken(step, session)
        ):
            session.overtaken = line
            session.seen(line)
            return
        if line.error_code and line.answered:
            because = f"error {line.error_code} is answered, and partitions with it"
            step.leader.append(Remark(Verdict.DEPARTS, step.at, because, ("227-47", "227-48")))
        served = self._leader_heads.incremental(step, session, ended)
        if served is None:
            self._resume(step, session, ended, finding)
        elif served == "serve_unknown_session":
            if session is not None or is_unseen:
                because = f"FETCH_SESSION_ID_NOT_FOUND was answered at {step.at}"
                broker.end(finding, because, line)
        elif served == "serve_wrong_epoch":
            if is_unseen:
                broker.add(line, finding)
        else:
            session = session or broker.add(line, finding)
            self._accepted(step, position, session, Row(served))

    def _accepted(self, step: Step, position: Position, session: LeaderSession, row: Row) -> None:
        """The session has processed the request, and expects the next epoch."""
        line, broker = step.line, step.broker
        step.is_partial = step.is_partial or not session.is_whole
        session.epoch = self._next_epoch(line.session_epoch)
        session.since = step.at
        if row is Row.EMPTYING:
            if any(partition not in line.partitions for partition in line.answered):
                because = "partitions are answered, but the session has none any more"
                step.leader.append(Remark(Verdict.DEPARTS, step.at, because, ("227-9",)))
            broker.end(session.finding, f"its last partition was removed at {step.at}", line)
            return
        step.leader += self._leader_side.answers_incremental(
            broker.logs, session, row, line, position
        )
        if row is Row.INCREMENTAL:
            session.told_ms = line.time_ms
        if step.leader and session.opener not in (None, step.fetcher):
            step.leader = [shared(remark, session) for remark in step.leader]
        session.seen(line)

    def _resume(
        self,
        step: Step,
        session: LeaderSession | None,
        ended: Ended | None,
        finding: SessionFinding,
    ) -> None:
        """After a departure what the session has is open, and it is followed from here on."""
        line, broker = step.line, step.broker
        if session is None:
            if ended is None and line.error_code:
                broker.end(finding, "", line)
                return
            session = broker.add(line, finding)
        broker.open_up(session)
        session.epoch = OPEN
        session.seen(line)


_NOTHING: list[SessionFinding] = []


def _taken(over: list[SessionFinding]) -> list[SessionFinding]:
    """All that is in a list, which is then empty."""
    findings = over[:]
    over.clear()
    return findings

"""Follows the requests of one broker, line by line, and judges its clients and the broker apart.

Lines come as they stand in the broker's log, and are judged in the order in which the requests
arrived. What is kept besides those that wait for their turn is what the protocol itself keeps:
sessions, the offsets reported of partitions, connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lockstep_kafka.files.arrival_order import ArrivalOrder, OrderState
from lockstep_kafka.files.lines import (
    FetchLine,
    OtherRequest,
    QuorumLine,
    Reason,
    Request,
    Skipped,
    finding_of,
)
from lockstep_kafka.findings import (
    MOVED,
    UNORDERED,
    Finding,
    LineCounts,
    LineFinding,
    Place,
    Remark,
    SessionFinding,
    Verdict,
)
from lockstep_kafka.rules import Rule
from lockstep_kafka.sessions.broker import Broker, Ended, Gone, Tables, stranger
from lockstep_kafka.sessions.broker_report import BrokerReport
from lockstep_kafka.sessions.exchange import Position
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.fetcher_side import FetcherSide
from lockstep_kafka.sessions.knowledge import (
    NO_ORDER,
    NO_SESSION,
    Connection,
    LeaderSession,
    Seen,
    epochs_between,
)
from lockstep_kafka.sessions.leader_case import OPEN, Row
from lockstep_kafka.sessions.leader_heads import (
    LeaderHeads,
    came_before,
    changes_names,
    is_outside_the_model,
    is_throttled,
    shared,
)
from lockstep_kafka.sessions.leader_lines import SessionState
from lockstep_kafka.sessions.leader_side import LeaderSide
from lockstep_kafka.sessions.saved_state import FollowerState, opened_state, sealed_state
from lockstep_kafka.sessions.turns import Step, take_turn, taken_twice, turns_from


def _all(_: str) -> bool:
    return True


class BrokerFollower:
    """Takes the lines of one broker, and gives out the findings that are final."""

    def __init__(
        self,
        broker: str,
        explanations: Explanations,
        state: bytes | None = None,
        tables: Tables | None = None,
        owns: Callable[[str], bool] | None = None,
    ) -> None:
        """Begin with the first line of a log, or go on where another follower was saved.

        With `owns` only requests of the connections that it names are judged, and what is said and
        saved is of those; the others are counted in their order. `LockstepError` where the state is
        damaged, or not one of this broker.
        """
        saved = FollowerState(broker) if state is None else opened_state(state, broker)
        self._owns = owns or _all
        self._fetcher_side = FetcherSide(explanations)
        self._leader_heads = LeaderHeads(explanations)
        self._leader_side = LeaderSide(explanations)
        self._quorum = explanations.quorum
        self._next_epoch = explanations.next_epoch
        self._report = BrokerReport(broker, saved.counts)
        self._order = ArrivalOrder(state=saved.order)
        self._broker = Broker(self._report, saved.broker_state, tables)
        self.position = saved.position
        """That of the last line that was taken; -1 before the first."""
        self.followed = saved.followed
        """How many requests were followed."""
        self.others = saved.others
        """How many requests were read of which the model says nothing."""
        self.in_columns = 0
        """For how many of both no object was made."""

    def follow(self, request: Request, position: int) -> Sequence[Finding]:
        """Take a line up; what is final thereby.

        Positions are places of lines in all of the log: they ascend from call to call.
        """
        if position <= self.position:
            raise ValueError(f"position {position} does not follow {self.position}")
        self.position = position
        if self._order.shows_disorder(request):
            self._add_disorder(request)
        skipped = self._order.read(request, position)
        if skipped is not None:
            self._not_judged(request, skipped)
        self._judge_all()
        return self._report.take()

    def close(self) -> Sequence[Finding]:
        """The log ends: what is held is judged, and every finding is final."""
        self._order.end()
        self._judge_all()
        self._broker.close()
        return self._report.take()

    def take_counts(self) -> list[LineCounts]:
        """The lines judged since they were last taken, by client, version and hour."""
        return self._report.take_counts()

    def settle(self) -> Sequence[Finding]:
        """The findings that have become final since they were last given out."""
        self._broker.forget_ended(self._turn())
        return self._report.take()

    def save(self) -> bytes:
        """All that the follower knows, for one that goes on; this one may go on as well."""
        broker_state = self._broker.state()
        named = broker_state.connections
        broker_state.connections = [one for one in named if self._owns(one.name)]
        return sealed_state(
            FollowerState(
                self._report.broker,
                self.position,
                self.followed,
                self.others,
                self._order_state(),
                broker_state,
                self._report.counts,
            )
        )

    def _order_state(self) -> OrderState:
        """What is known of the order in which lines arrived."""
        return self._order.state()

    def _held(self) -> Iterator[tuple[int, Request]]:
        """The requests that are read, but judged later, with their places."""
        return self._order.held()

    def _not_judged(self, request: Request, skipped: Skipped) -> None:
        """Say that a request is not judged; where it is late its session is not known whole."""
        if not self._owns(request.connection):
            return
        self._report.add(finding_of(skipped))
        if skipped.reason is Reason.LATE and not isinstance(request, OtherRequest):
            finding = self._broker.finding_of(request)
            if finding is not None:
                at = Place(request.file, request.line)
                self._report.leave_open(finding, request, Remark(Rule.REQUEST_LATE, at))

    def _add_disorder(self, request: Request) -> None:
        """Say that a line is the first to show that its file is not in order."""
        if self._owns(request.connection):
            at = Place(request.file, request.line)
            detail = "from here on nothing rests on the places of lines of this file"
            self._report.add(LineFinding(at, UNORDERED, detail))

    def _unordered(self) -> tuple[str, ...]:
        """The last files that were seen not to be in order."""
        return self._order.unordered

    def _ordered_file(self, file: str) -> str:
        """The file, where what stands above a line of it was written before."""
        return NO_ORDER if file in self._unordered() else file

    def _judge_all(self) -> None:
        """Judge the lines whose turn has come."""
        order = self._order
        while (first := order.next()) is not None:
            position, line = first
            self._take(line, position)

    def _turn(self) -> int:
        """How many requests had their turn."""
        return self.followed + self.others

    def _take(self, line: Request, position: int) -> None:
        """Judge a line, whose turn has come."""
        if not self._owns(line.connection):
            is_quorum = isinstance(line, QuorumLine) and self._quorum.can_judge
            if isinstance(line, FetchLine) or is_quorum:
                self.followed += 1
            else:
                self.others += 1
            self._broker.connection(line.connection)
        elif isinstance(line, FetchLine):
            self._judge(line, position)
        elif isinstance(line, QuorumLine) and self._quorum.can_judge:
            self._judge_quorum(line, position)
        else:
            self.others += 1
            self._other_request(line, position)
            self._broker.quorum.passed(line.connection, line.correlation_id)

    def _other_request(self, request: OtherRequest | QuorumLine, position: int) -> Connection:
        """A request of another API: it takes a correlation id of its connection."""
        connection = self._broker.connection(request.connection)
        file = self._ordered_file(request.file)
        connection.other_request(request.correlation_id, position, request.time_ms, file)
        return connection

    def _judge_quorum(self, line: QuorumLine, position: int) -> None:
        """Judge a request of the metadata quorum: it stands among those outside of sessions."""
        self.followed += 1
        finding = self._broker.outside(self._other_request(line, position), line)
        self._broker.quorum.unordered = self._unordered()
        judged = self._quorum.judge(line, self._broker.quorum)
        if line.moved:
            because = f"correlation id {line.correlation_id}"
            self._report.add(LineFinding(judged.at, MOVED, because))
        self._report.judge(line, finding, judged.client, judged.node, is_partial=judged.is_partial)

    def _judge(self, line: FetchLine, number: int) -> None:
        """Judge a line, which stands at this place of all of the log."""
        self.followed += 1
        broker = self._broker
        broker.forget_ended(self._turn())
        at = Place(line.file, line.line)
        if line.moved:
            self._report.add(LineFinding(at, MOVED, f"correlation id {line.correlation_id}"))
        connection = broker.connection(line.connection)
        missing = connection.reach(line.correlation_id, number)
        file = self._ordered_file(line.file)
        if file == NO_ORDER:
            connection.file = file  # nothing is known to be written before the line
        fetcher = connection.fetcher
        if fetcher is None:
            fetcher = broker.connect(connection, line)
        elif connection.is_left:
            broker.take_back(fetcher)
            if not self._fetcher_side.explains_head(fetcher, line):
                # It was sent before the fetcher connected again, and nobody reads the response.
                fetcher = stranger(line)
        position = Position(number, connection)
        seen = Seen(line.connection, number, line.time_ms, file)
        step = Step(line, broker, position, fetcher, missing, self._held, at, seen)
        finding = self._full(step) if line.asks_for_all else self._incremental(step)
        broker.quorum.unordered = self._unordered()
        if (of_quorum := self._quorum.fetch(line, broker.quorum)) is not None:
            step.client += of_quorum.client
            step.leader += of_quorum.node
        for partition in line.answered_twice:
            arguments = {"partition": str(partition)}
            step.leader.append(Remark(Rule.ANSWERED_TWICE, step.at, arguments))
        self._report.judge(line, finding, step.client, step.leader, is_partial=step.is_partial)
        self._fetcher_side.received(step)
        broker.hold(fetcher)
        connection.fetch(line.correlation_id, number, line.time_ms, file)

    def _full(self, step: Step) -> SessionFinding:
        """A request outside of a session, or one that opens or closes a session."""
        line, broker = step.line, step.broker
        step.client += self._fetcher_side.judge(step)
        self._fetcher_side.sent(step.fetcher, line)
        row = self._leader_heads.full(step)
        if line.session_id and (named := broker.sessions.leaving(line.session_id)) is not None:
            broker.end(named.finding, Gone("a full request closed it", step.at), step.seen)
        opened = None
        if row is Row.CREATING and (late := broker.opened_late(line, step.seen)) is not None:
            finding = late
        elif row is Row.CREATING:
            turns = turns_from(broker.sessions.get(line.response_session_id), step)
            opened = broker.open(line, step.fetcher, step.seen)
            opened.turns = turns
            finding = opened.finding
        elif line.session_id and (ended := broker.ended.get(line.session_id)) is not None:
            finding = ended.finding
        else:
            finding = broker.outside(step.position.connection, line)
        if row is not None and not is_throttled(line):
            step.leader += self._leader_side.answers_full(
                broker.logs, opened, row, line, step.position
            )
        return finding

    def _incremental(self, step: Step) -> SessionFinding:
        """A request within a session."""
        line, broker = step.line, step.broker
        if line.session_id == NO_SESSION:
            return self._without_session(step)
        session = broker.sessions.get(line.session_id)
        ended = broker.ended.get(line.session_id)
        if session is not None:
            broker.sessions.move_to_end(line.session_id)
            if (earlier := self._leader_heads.settle(session, step)) is not None:
                self._leader_side.overtaken(broker.logs, session, earlier)
        self._judge_fetcher(step)
        known = session or ended
        if known is not None and known.finding.client != line.client_id:
            is_refused = line.error_code != 0 and line.response_session_id == NO_SESSION
            known.has_several_clients |= not (is_refused or step.client_departs())
        if session is not None:
            finding = session.finding
        elif ended is not None:
            finding = ended.finding
        else:
            finding = broker.report.begin(line, line.session_id, is_whole=False)
        self._answer(step, session, ended, finding)
        return finding

    def _without_session(self, step: Step) -> SessionFinding:
        """A request with an epoch of sessions and the id of none: no leader knows that one."""
        line = step.line
        self._judge_fetcher(step)
        finding = step.broker.outside(step.position.connection, line)
        answered = line.response_session_id or line.error_code
        is_open = is_throttled(line) and not answered  # 227-D40
        if not (changes_names(None, line) or is_outside_the_model(step) or is_open):
            gone = Gone(f"no session has the id {NO_SESSION}")
            self._leader_heads.incremental(
                step, SessionState.ABSENT, None, Ended(finding, gone, step.seen)
            )
        return finding

    def _judge_fetcher(self, step: Step) -> None:
        """Judge whether the fetcher can send the request; it has sent it then."""
        line, fetcher = step.line, step.fetcher
        step.client += self._fetcher_side.judge(step)
        if any(remark.verdict is Verdict.UNKNOWN for remark in step.client):
            fetcher.forget()
        step.is_partial = not fetcher.is_whole or step.seen.file == NO_ORDER
        self._fetcher_side.sent(fetcher, line)

    def _answer(
        self,
        step: Step,
        session: LeaderSession | None,
        ended: Ended | None,
        finding: SessionFinding,
    ) -> None:
        """Judge the response to an incremental request."""
        line, broker = step.line, step.broker
        is_unseen = session is None and ended is None
        if changes_names(session, line) or is_outside_the_model(step):
            if is_unseen:
                broker.end(finding, None, step.seen)
            return
        if is_throttled(line) and line.response_session_id == NO_SESSION and not line.error_code:
            # Over its quota, a consumer whose session is unknown or expects another epoch gets an
            # empty response (227-D40). Which of both it was stays open.
            if session is not None or is_unseen:
                broker.end(finding, None, step.seen)
            return
        if session is not None and session.turns and not take_turn(session, step, self._next_epoch):
            session.turns = []
            step.leader.append(taken_twice(session, step))
            self._resume(step, session, ended, finding)
            return
        state = self._leader_heads.state(step, session, ended)
        is_open = state is SessionState.OPEN
        is_earlier = is_open and came_before(step, session, ended)
        if session is not None and not is_earlier:
            if is_open and session.epoch not in (OPEN, line.session_epoch):
                broker.open_up(session)
            if not line.answered and self._leader_heads.may_be_overtaken(line, state):
                session.overtaken, session.overtaken_seen = line, step.seen
                session.saw(step.seen)
                return
        if line.error_code and line.answered:
            arguments = {"error": line.error_code}
            step.leader.append(Remark(Rule.PARTITIONS_BESIDE_ERROR, step.at, arguments))
        served = self._leader_heads.incremental(step, state, session, ended)
        if served is None:
            self._resume(step, session, ended, finding)
        elif served == "serve_unknown_session":
            if session is not None or is_unseen:
                gone = Gone("FETCH_SESSION_ID_NOT_FOUND was answered", step.at)
                broker.end(finding, gone, step.seen)
        elif served == "serve_wrong_epoch":
            if is_unseen:
                broker.add(line, finding, step.seen)
        elif is_earlier:
            step.is_partial = True
        else:
            session = session or broker.add(line, finding, step.seen)
            self._accepted(step, session, Row(served))

    def _accepted(self, step: Step, session: LeaderSession, row: Row) -> None:
        """The session has processed the request, and expects the next epoch."""
        line, broker = step.line, step.broker
        step.is_partial = step.is_partial or not session.is_whole
        epoch = line.session_epoch
        if session.epoch != OPEN and epochs_between(epoch, session.epoch) > 0:
            session.is_shared = True
            if self._next_epoch(epoch) == session.run:
                session.run = epoch
            return  # it came before others that were judged first
        if session.epoch != epoch:
            session.run = epoch
        session.epoch = self._next_epoch(epoch)
        session.since = step.at
        if row is Row.EMPTYING:
            if any(partition not in line.partitions for partition in line.answered):
                step.leader.append(Remark(Rule.ANSWERED_WHEN_EMPTIED, step.at))
            gone = Gone("its last partition was removed", step.at)
            broker.end(session.finding, gone, step.seen)
            return
        step.leader += self._leader_side.answers_incremental(
            broker.logs, session, row, line, step.position
        )
        if step.leader and session.opener not in (None, step.fetcher):
            step.leader = [shared(remark, session) for remark in step.leader]
        session.saw(step.seen)
        session.took(line.total_time_ms, step.seen)

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
                broker.end(finding, None, step.seen)
                return
            session = broker.add(line, finding, step.seen)
        broker.open_up(session)
        session.epoch = OPEN
        session.saw(step.seen)

"""Judges the broker by the head of a response: its error, its session id, whether it is empty."""

from __future__ import annotations

from dataclasses import replace

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.findings import Place, Remark, Verdict
from lockstep_kafka.rules import INNER, Arguments, Rule
from lockstep_kafka.sessions.broker import Ended
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.knowledge import (
    FIRST_EPOCH,
    FIRST_WITH_TOPIC_IDS,
    NO_SESSION,
    LeaderSession,
    epochs_between,
)
from lockstep_kafka.sessions.leader_case import OPEN, Membership, Row
from lockstep_kafka.sessions.leader_lines import (
    Epochs,
    LineCase,
    ResponseId,
    SessionState,
)
from lockstep_kafka.sessions.turns import Step

NOT_FOUND, INVALID_EPOCH, TOPIC_ID_ERROR = 70, 71, 106


class LeaderHeads:
    """Says how the leader served requests, and adds to their steps where it departs."""

    def __init__(self, explanations: Explanations) -> None:
        self._explanations = explanations
        self._heads = explanations.lines
        self._next_epoch = explanations.next_epoch

    def full(self, step: Step) -> Row | None:
        """How a full request was served; None where its response says nothing of partitions."""
        line = step.line
        if is_outside_the_model(step):
            return None
        if line.response_session_id < 0:
            arguments = {"answered": line.response_session_id}
            step.leader.append(Remark(Rule.NEGATIVE_ID_OPENED, step.at, arguments))
            return None
        case = LineCase(
            line.session_epoch if line.session_epoch in (-1, 0) else -1,
            SessionState.OPEN if line.session_id else SessionState.ABSENT,
            Membership.PRESENT,
            line.error_code,
            _response_id(step),
            is_throttled(line),
        )
        served = self._heads.explain(case)
        if served is not None:
            # Over its quota, a consumer gets an empty response and no session (227-D19).
            return Row(served)
        remark = _wrong_answer(line, step.at)
        refusals = self._heads.refusals(case, Epochs.of(1, OPEN))
        step.leader.append(self._explanations.departure(remark, refusals))
        return None

    def incremental(
        self, step: Step, state: SessionState, session: LeaderSession | None, ended: Ended | None
    ) -> str | None:
        """The action that served an incremental request; None where nothing explains it."""
        line = step.line
        case = LineCase(
            1,
            state,
            _members(session, line),
            line.error_code,
            _response_id(step),
            is_throttled(line),
        )
        served = self._heads.explain(case)
        if served is None:
            step.leader.append(self._remark(step, session, ended, case))
        return served

    def state(self, step: Step, session: LeaderSession | None, ended: Ended | None) -> SessionState:
        """What the leader has of the session that the request names, as far as the log orders it.

        A request that is accepted says itself where it stands, but for one thing: no session
        accepts an epoch twice.
        """
        epoch, error = step.line.session_epoch, step.line.error_code
        last = session if session is not None else ended
        state = _known(step, session, ended)
        if last is None or state is SessionState.OPEN:
            return SessionState.OTHER_EPOCH if epoch < 0 else SessionState.OPEN
        if epoch < 0:
            return state
        if session is not None and session.turns:
            return SessionState.OPEN  # those say which epochs it may expect
        if not step.follows(last.last):
            if session is None or not session.has_accepted(epoch):
                return SessionState.OPEN
            # One that was sent before the session was opened may have been another one's.
            may_be_earlier = session.opener is not None and not (
                step.follows(session.first)
                or (
                    session.is_older_than(step.line.total_time_ms, step.seen)
                    and step.is_continued(session)
                )
            )
            return SessionState.OPEN if may_be_earlier else SessionState.OTHER_EPOCH
        # With the session's own id it was accepted before it was refused (227-D13).
        is_refused = error and step.line.response_session_id == NO_SESSION
        if state is SessionState.EXPECTED or (session is not None and is_refused):
            return state
        expected = None if session is None else session.epoch
        return SessionState.OPEN if step.may_come_later(expected) else state

    def may_be_overtaken(self, line: FetchLine, state: SessionState) -> bool:
        """Whether a request that was accepted may be refused at last (227-D12, 227-D13)."""
        return (
            line.error_code == INVALID_EPOCH
            and line.response_session_id == line.session_id
            and state in (SessionState.EXPECTED, SessionState.OPEN)
        )

    def settle(self, session: LeaderSession, step: Step) -> FetchLine | None:
        """The request that was refused because this later one overtook it; None if none was."""
        earlier, seen, line = session.overtaken, session.overtaken_seen, step.line
        if earlier is None or seen is None:
            return None
        following = self._next_epoch(earlier.session_epoch)
        follows = step.follows(seen)
        if not follows and epochs_between(line.session_epoch, earlier.session_epoch) > 0:
            return None  # it came before both
        session.overtaken = None
        if not follows and line.session_epoch == following:
            session.epoch = following
            return earlier
        session.epoch = OPEN
        at = Place(earlier.file, earlier.line)
        others = (earlier.session_epoch, following)
        if not follows or step.missing != 0 or any(map(step.may_come_later, others)):
            remark = Remark(Rule.OVERTAKING_MISSING, at)
            step.broker.report.correct(session.finding, earlier, remark)
            return None
        case = LineCase(
            1,
            SessionState.EXPECTED,
            Membership.PRESENT,
            INVALID_EPOCH,
            ResponseId.SAME,
            is_throttled=False,
        )
        remark = self._explanations.departure(
            Remark(Rule.EXPECTED_REFUSED, at, _head(earlier)),
            self._heads.refusals(case, Epochs.of(earlier.session_epoch, OPEN)),
        )
        step.broker.report.correct(session.finding, earlier, remark)
        return None

    def _remark(
        self, step: Step, session: LeaderSession | None, ended: Ended | None, case: LineCase
    ) -> Remark:
        line = step.line
        rule, arguments = _why(step, session, ended, case)
        expected = OPEN if session is None else session.epoch
        candidates = self._heads.refusals(case, Epochs.of(line.session_epoch, expected))
        remark = Remark(rule, step.at, {**_head(line), **arguments})
        remark = self._explanations.departure(remark, candidates)
        if session is None or rule is not Rule.ACCEPTED_EPOCH:
            return remark
        is_of_another = session.opener not in (None, step.fetcher)
        return shared(remark, session) if is_of_another else remark


def _known(step: Step, session: LeaderSession | None, ended: Ended | None) -> SessionState:
    """What the leader has of the session after the last line by which its epoch is known."""
    if session is None:
        return SessionState.OPEN if ended is None or ended.gone is None else SessionState.ABSENT
    if session.epoch == OPEN or _misses_requests(step, session):
        return SessionState.OPEN
    is_expected = session.epoch == step.line.session_epoch
    return SessionState.EXPECTED if is_expected else SessionState.OTHER_EPOCH


def came_before(step: Step, session: LeaderSession | None, ended: Ended | None) -> bool:
    """Whether an accepted request came before what was judged first.

    That is the end of its session, or another session that got its id.
    """
    if session is None:
        return ended is not None and ended.gone is not None and not step.follows(ended.last)
    if session.turns:
        return not step.follows(session.first)
    is_new = session.epoch == session.run == FIRST_EPOCH
    return (
        is_new
        and step.line.session_epoch != FIRST_EPOCH
        and not step.follows(session.last)
        and not _misses_requests(step, session)
        and not step.may_come_later(session.epoch)
    )


def _misses_requests(step: Step, session: LeaderSession) -> bool:
    """Whether requests of the session may be missing from the log, so that all of it is open."""
    epoch, missing = step.line.session_epoch, step.missing
    if missing == 0 or session.epoch in (OPEN, epoch):
        return False
    ahead = epochs_between(session.epoch, epoch)
    return ahead > 0 and (missing is None or ahead <= missing)


def is_outside_the_model(step: Step) -> bool:
    """Whether a top-level error is one that the model does not have; the step then says so."""
    error_code = step.line.error_code
    if error_code in (0, NOT_FOUND, INVALID_EPOCH):
        return False
    step.leader.append(Remark(Rule.OUTSIDE_THE_MODEL, step.at, {"error": error_code}))
    return True


def is_throttled(line: FetchLine) -> bool:
    """Whether the response is empty because the client is over a quota (227-D18)."""
    return line.throttle_time_ms > 0 and not line.answered


def changes_names(session: LeaderSession | None, line: FetchLine) -> bool:
    """Whether a request names topics in another way than its session's first one (227-D15)."""
    return line.error_code == TOPIC_ID_ERROR and (
        session is None or session.uses_topic_ids is not (line.version >= FIRST_WITH_TOPIC_IDS)
    )


def _members(session: LeaderSession | None, line: FetchLine) -> Membership:
    """Whether the session has partitions once the request is taken in."""
    forgotten = line.forgotten
    if any(partition not in forgotten for partition in line.partitions):
        return Membership.PRESENT
    if session is None:
        return Membership.OPEN
    partitions = session.partitions
    if len(partitions) > len(forgotten):
        return Membership.PRESENT
    if any(partition not in forgotten for partition in partitions):
        return Membership.PRESENT
    return Membership.ABSENT if session.is_whole else Membership.OPEN


def _response_id(step: Step) -> ResponseId:
    number = step.line.response_session_id
    if number == NO_SESSION:
        return ResponseId.NONE
    if number == step.line.session_id:
        return ResponseId.SAME
    return ResponseId.TAKEN if number in step.broker.sessions else ResponseId.NEW


def shared(remark: Remark, session: LeaderSession) -> Remark:
    """The remark, where two fetchers use one id: no session of one of them explains both."""
    if remark.verdict is not Verdict.DEPARTS:
        return remark
    arguments = {
        **remark.arguments,
        "session": session.number,
        "opened": session.finding.first,
        INNER: remark.rule.id,
    }
    return replace(remark, rule=Rule.ID_SHARED, arguments=arguments)


def _head(line: FetchLine) -> dict[str, str | int | Place]:
    """The session and the epoch of a request."""
    return {"session": line.session_id, "epoch": line.session_epoch}


def _wrong_answer(line: FetchLine, at: Place) -> Remark:
    """That a full request is answered with an error, or a session id, that is none of its own."""
    creating, arguments = line.session_epoch == 0, {"epoch": line.session_epoch}
    if line.error_code:
        rule = Rule.CREATING_REFUSED if creating else Rule.SESSIONLESS_REFUSED
        return Remark(rule, at, arguments | {"error": line.error_code})
    rule = Rule.CREATING_ID if creating else Rule.SESSIONLESS_ID
    return Remark(rule, at, arguments | {"answered": line.response_session_id})


def _why(
    step: Step, session: LeaderSession | None, ended: Ended | None, case: LineCase
) -> tuple[Rule, Arguments]:
    """Why the head of a response is not explained: the rule, and what it names of the response."""
    line = step.line
    answered = {"answered": line.response_session_id}
    gone = ended.gone.arguments if ended is not None and ended.gone is not None else None
    if line.error_code == INVALID_EPOCH and case.session is SessionState.EXPECTED:
        return Rule.EXPECTED_REFUSED, {}
    if line.error_code == INVALID_EPOCH:
        if case.session is not SessionState.ABSENT:
            # Only a request that was accepted and then overtaken is refused with an id (227-D13).
            return Rule.EPOCH_ERROR_WITH_ID, answered
        return Rule.EPOCH_ERROR_WHEN_GONE, gone or {"gone": "it is not there"}
    if line.error_code:
        return Rule.ERROR_WITH_ID, answered | {"error": line.error_code}
    if case.session is SessionState.ABSENT and gone is not None:
        return Rule.ACCEPTED_WHEN_GONE, gone
    if case.session is SessionState.OTHER_EPOCH and session is not None:
        return Rule.ACCEPTED_EPOCH, {"expected": session.epoch, "since": session.since}
    if line.response_session_id == NO_SESSION:
        return Rule.CLOSED_WITH_MEMBERS, {}
    return Rule.OTHER_ID_ANSWERED, answered

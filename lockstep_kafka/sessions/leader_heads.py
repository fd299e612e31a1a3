"""Judges the broker by the head of a response: its error, its session id, whether it is empty."""

from __future__ import annotations

from dataclasses import replace

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.findings import Place, Remark, Verdict
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
from lockstep_kafka.sessions.step import Step

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
            because = f"a session is opened with the id {line.response_session_id}"
            step.leader.append(Remark(Verdict.DEPARTS, step.at, because, ("227-41",)))
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
        answer = (
            f"error {line.error_code}"
            if line.error_code
            else f"session id {line.response_session_id}"
        )
        step.leader.append(
            self._explanations.departure(
                step.at,
                f"a full request with epoch {line.session_epoch} is answered with {answer}",
                ("227-36" if line.session_epoch == 0 else "227-34",),
                self._heads.refusals(case, Epochs.of(1, OPEN)),
            )
        )
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
        if not step.follows(last.last):
            is_second = session is not None and session.has_accepted(epoch)
            return SessionState.OTHER_EPOCH if is_second else SessionState.OPEN
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
            because = "the request that overtook this one may be missing from the log"
            remark = Remark(Verdict.UNKNOWN, at, because)
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
            at,
            _undeserved(earlier),
            ("227-28",),
            self._heads.refusals(case, Epochs.of(earlier.session_epoch, OPEN)),
        )
        step.broker.report.correct(session.finding, earlier, remark)
        return None

    def _remark(
        self, step: Step, session: LeaderSession | None, ended: Ended | None, case: LineCase
    ) -> Remark:
        line = step.line
        because, requirements = _why(step, session, ended, case)
        expected = OPEN if session is None else session.epoch
        candidates = self._heads.refusals(case, Epochs.of(line.session_epoch, expected))
        return self._explanations.departure(step.at, because, requirements, candidates)


def _known(step: Step, session: LeaderSession | None, ended: Ended | None) -> SessionState:
    """What the leader has of the session after the last line by which its epoch is known."""
    if session is None:
        return SessionState.OPEN if ended is None or not ended.because else SessionState.ABSENT
    if session.epoch == OPEN or _misses_requests(step, session):
        return SessionState.OPEN
    is_expected = session.epoch == step.line.session_epoch
    return SessionState.EXPECTED if is_expected else SessionState.OTHER_EPOCH


def came_before(step: Step, session: LeaderSession | None, ended: Ended | None) -> bool:
    """Whether an accepted request came before what was judged first.

    That is the end of its session, or another session that got its id.
    """
    if session is None:
        return ended is not None and bool(ended.because) and not step.follows(ended.last)
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
    because = f"error {error_code} is outside the model"
    step.leader.append(Remark(Verdict.UNKNOWN, step.at, because))
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


def _of_another(session: LeaderSession) -> str:
    return (
        f"two sessions alive have the id {session.number}, for another fetcher opened this one at "
        f"{session.finding.first}"
    )


def shared(remark: Remark, session: LeaderSession) -> Remark:
    """The remark, where two fetchers use one id: no session of one of them explains both."""
    because = f"{_of_another(session)}: {remark.because}"
    return replace(remark, because=because, requirements=("227-3", *remark.requirements))


def _undeserved(line: FetchLine) -> str:
    return (
        "INVALID_FETCH_SESSION_EPOCH is answered to the request that the session expects: "
        f"({line.session_id}, {line.session_epoch})"
    )


def _why(
    step: Step, session: LeaderSession | None, ended: Ended | None, case: LineCase
) -> tuple[str, tuple[str, ...]]:
    """Why the head of a response is not explained, and the requirements broken."""
    line = step.line
    request = f"({line.session_id}, {line.session_epoch})"
    if line.error_code == INVALID_EPOCH and case.session is SessionState.EXPECTED:
        return _undeserved(line), ("227-28",)
    if line.error_code == INVALID_EPOCH:
        if case.session is not SessionState.ABSENT:
            # Only a request that was accepted and then overtaken is refused with an id (227-D13).
            return (
                f"INVALID_FETCH_SESSION_EPOCH answers {request} with session id "
                f"{line.response_session_id} instead of {NO_SESSION}",
                ("227-50",),
            )
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

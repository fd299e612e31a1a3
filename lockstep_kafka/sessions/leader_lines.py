"""How a leader serves a request as a whole: which row of its table explains the response."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.findings import Candidate
from lockstep_kafka.rules import Arguments, Rule
from lockstep_kafka.sessions.leader_case import (
    BEYOND_ALL,
    FULL,
    OPEN,
    UNKNOWN,
    Answer,
    LeaderCase,
    Membership,
    Row,
)
from lockstep_kafka.sessions.leader_cases import arguments_of, once
from lockstep_kafka.sessions.session_model import (
    ANOTHER_SESSION,
    CONSUMER,
    OTHERS,
    PARTITION,
    REPLICA,
    SESSION,
    SessionModel,
)


class SessionState(IntEnum):
    """What the leader has of the session that a request names."""

    ABSENT = 0
    EXPECTED = 1
    """It is there, and expects the request's epoch."""
    OTHER_EPOCH = 2
    OPEN = 3


class ResponseId(IntEnum):
    """The session id of a response."""

    NONE = 0
    SAME = 1
    """The one that the request names."""
    NEW = 2
    TAKEN = 3
    """That of another session, which was not seen to end."""


class LineCase(NamedTuple):
    """The head of a request and of its response. `epoch` is -1, 0, or 1 for any positive one.

    `members` says whether the session has partitions once the request is taken in.
    """

    epoch: int
    session: SessionState
    members: Membership
    error: int
    response_id: ResponseId
    is_throttled: bool


class Epochs(NamedTuple):
    """The epoch of an incremental request, and the one that its session expects instead."""

    request: int
    expected: int

    @classmethod
    def of(cls, request: int, expected: int) -> Epochs:
        """These numbers, where they are epochs of sessions that differ; else some that do."""
        request = max(request, 1)
        if expected > 0 and expected != request:
            return cls(request, expected)
        return cls(request, 2 if request == 1 else request - 1)


_SMALL = Epochs(2, 3)
# Of two rows that give one response, the first says less of the leader's log.
_ROWS = {
    -1: (Row.SESSIONLESS,),
    0: (Row.CREATING, Row.WITHOUT_SESSION),
    1: (Row.THROTTLED, Row.INCREMENTAL, Row.EMPTYING),
}
_ERRORS = ("serve_unknown_session", "serve_wrong_epoch")


@dataclass
class LeaderLines:
    """Puts heads of requests and responses to the model; each answer is kept."""

    model: SessionModel
    _answers: dict[LineCase, str | None] = field(default_factory=dict)

    def explain(self, case: LineCase) -> str | None:
        """The first action that gives the response seen; None where no behaviour does."""
        if case not in self._answers:
            self._answers[case] = next(self._runs(case, _SMALL), None)
        return self._answers[case]

    def refusals(self, case: LineCase, epochs: Epochs) -> tuple[Candidate, ...] | None:
        """Why no way of serving the request gives the response; None where one does."""
        if next(self._runs(case, epochs), None) is not None:
            return None
        return once(self._refusal(*attempt) for attempt in self._tries(case, epochs))

    def _refusal(self, state: Any, action: str, arguments: dict[str, object]) -> Candidate:
        after = self.model.step(state, action, **arguments)
        if after is None:
            return self.model.refusal(state, action, **arguments)
        response = after.response[CONSUMER]
        names = {0: "no session", SESSION: "the session named"}
        session = names.get(response.session_id, "a new session")
        return Candidate(
            action, outcome=f"the response has error {response.error.name} and {session}"
        )

    def _runs(self, case: LineCase, epochs: Epochs) -> Iterator[str]:
        for state, action, arguments in self._tries(case, epochs):
            after = self.model.step(state, action, **arguments)
            if after is None:
                continue
            response = after.response[CONSUMER]
            expected = {
                ResponseId.NONE: 0,
                ResponseId.SAME: SESSION,
                ResponseId.NEW: ANOTHER_SESSION,
                ResponseId.TAKEN: ANOTHER_SESSION,
            }[case.response_id]
            if (response.error.value, response.session_id) != (case.error, expected):
                continue
            if response.throttled and not case.is_throttled:
                continue
            yield action

    def _tries(
        self, case: LineCase, epochs: Epochs
    ) -> Iterator[tuple[Any, str, dict[str, object]]]:
        """Every state in which the request may have come, with every action of the leader."""
        awaited = {"f": CONSUMER, "via": self.model.states.Via.AWAITED}
        for state in self._befores(case, epochs):
            for row in _ROWS[case.epoch]:
                yield state, row.value, awaited | arguments_of(row, filled=set())
            for action in _ERRORS:
                yield state, action, awaited

    def _befores(self, case: LineCase, epochs: Epochs) -> Iterator[Any]:
        sessions = {
            SessionState.ABSENT: (SessionState.ABSENT,),
            SessionState.OPEN: (
                SessionState.EXPECTED,
                SessionState.OTHER_EPOCH,
                SessionState.ABSENT,
            ),
        }.get(case.session, (case.session,))
        members = (True, False) if case.members is Membership.OPEN else (bool(case.members),)
        for session in sessions:
            for has_members in members:
                state = self._state(case, epochs, session, has_members)
                yield state
                # A session may be evicted at any time.
                for evicted in (SESSION, ANOTHER_SESSION):
                    after = self.model.step(state, "evict", i=evicted)
                    if after is not None:
                        yield after

    def _state(
        self, case: LineCase, epochs: Epochs, session: SessionState, has_members: bool
    ) -> Any:
        model = self.model
        # The others have no records to return: who has is asked partition by partition.
        interest = model.interest(1, is_new=False)
        cached = model.partitions.Cached(interest=interest, high_watermark=1, log_start_offset=0)

        def session_with(epoch: int, *, is_empty: bool) -> Any:
            return model.states.Session(
                owner=CONSUMER,
                epoch=epoch,
                partitions={PARTITION: None, OTHERS: None if is_empty else cached},
            )

        epoch = epochs.expected if session is SessionState.OTHER_EPOCH else epochs.request
        named = (
            None
            if session is SessionState.ABSENT
            else session_with(epoch, is_empty=not has_members)
        )
        other = session_with(1, is_empty=False) if case.response_id is ResponseId.TAKEN else None
        request = model.states.Request(
            session_id=0 if case.epoch <= 0 and session is SessionState.ABSENT else SESSION,
            epoch=epochs.request if case.epoch > 0 else case.epoch,
            partitions={PARTITION: None, OTHERS: interest if case.epoch <= 0 else None},
            forgotten=set(),
        )
        return model.state(
            high_watermark={PARTITION: 0, OTHERS: 1},
            log_end={PARTITION: 0, OTHERS: 1},
            sessions={SESSION: named, ANOTHER_SESSION: other},
            request={CONSUMER: request, REPLICA: None},
        )


def why(partition: TopicPartition, case: LeaderCase) -> tuple[Rule, Arguments]:
    """The rule by which a case departs, and what its sentence names."""
    named = {"partition": str(partition)}
    rule, arguments = _left_out(case) if case.answer is None else _answered(case, case.answer)
    return rule, named | arguments


def _left_out(case: LeaderCase) -> tuple[Rule, dict[str, str | int]]:
    """Why the response has to have a partition that it does not have."""
    least = case.least_high_watermark
    if case.row in FULL:
        without = case.row is Row.SESSIONLESS
        return Rule.SESSIONLESS_LEFT_OUT if without else Rule.CREATING_LEFT_OUT, {}
    if 0 <= case.high_watermark < least:
        return Rule.WATERMARK_LEFT_OUT, {"known": case.high_watermark, "watermark": least}
    if case.membership is Membership.ABSENT:
        return Rule.ADDED_LEFT_OUT, {}
    if case.high_watermark == UNKNOWN:
        return Rule.AVAILABLE_LEFT_OUT, {}
    return Rule.RECORDS_WITHHELD, _asked(case) | {"watermark": max(case.high_watermark, least)}


def _answered(case: LeaderCase, answer: Answer) -> tuple[Rule, dict[str, str | int]]:
    """Why the response cannot say of a partition what it says."""
    now, start = answer.high_watermark, answer.log_start
    if case.membership is Membership.ABSENT and case.requested == OPEN:
        return Rule.STRANGER_ANSWERED, {"asked": "request" if case.row in FULL else "session"}
    if case.is_forgotten:
        return Rule.REMOVED_ANSWERED, {}
    if answer.has_data and now < case.least_high_watermark:
        return Rule.WATERMARK_BACK, {"watermark": case.least_high_watermark, "now": now}
    if answer.has_data and start < case.least_log_start:
        return Rule.LOG_START_BACK, {"start": case.least_log_start, "now": start}
    if answer.has_data and now < 0:
        return Rule.WATERMARK_NEGATIVE, {"watermark": now}
    if answer.has_data and not 0 <= start <= now:
        return Rule.LOG_START_OUTSIDE, {"start": start, "watermark": now}
    if answer.has_records and not answer.has_data:
        return Rule.RECORDS_BESIDE_ERROR, {}
    if answer.has_records:
        return Rule.RECORDS_FROM_NOTHING, {}
    if (now, start) == (case.high_watermark, case.log_start):
        return Rule.UNCHANGED_ANSWERED, {}
    return Rule.RECORDS_WITHHELD, _asked(case) | {"watermark": now}


def _asked(case: LeaderCase) -> dict[str, str | int]:
    """The offset asked for, where it is known."""
    offset = case.offset if case.requested == OPEN else case.requested
    return {"offset": offset} if 0 <= offset < BEYOND_ALL else {}

"""What a leader does with one partition of a request: whether a behaviour explains it.

A case holds what is known before, and what the log shows. What is not known is `OPEN`: every value
that it could have is tried. The case is explained when the model's leader, from one of these
states and after some changes of its log, gives the very answer that was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from lockstep_kafka.findings import Candidate
from lockstep_kafka.sessions.leader_case import (
    FULL,
    OPEN,
    UNKNOWN,
    Cached,
    LeaderCase,
    Membership,
    Others,
    Row,
)
from lockstep_kafka.sessions.session_model import (
    ANOTHER_SESSION,
    CONSUMER,
    OTHERS,
    PARTITION,
    REPLICA,
    SESSION,
    SessionModel,
)


class _Log(NamedTuple):
    """The leader's log of the partition when it serves the request."""

    high_watermark: int
    log_start: int
    end: int
    is_failing: bool


@dataclass(frozen=True)
class LeaderCases:
    """Puts cases to an instance of the model."""

    model: SessionModel

    def explain(self, case: LeaderCase, values: tuple[int, ...]) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none.

        `values` are the offsets that open numbers may have, in ascending order.
        """
        outcome: Cached | None = None
        for before in self._befores(case, values):
            for log in _logs(case, values):
                after = self._run(case, before, log)
                if after is None:
                    continue
                outcome = after if outcome is None else _common(outcome, after)
                if _is_settled(case, outcome):
                    return outcome
        return outcome

    def refusals(self, case: LeaderCase, values: tuple[int, ...]) -> tuple[Candidate, ...]:
        """Why the ways of serving the request fail, each kind of failure once."""
        return once(
            self._refusal(case, before, log)
            for before in self._befores(case, values)
            for log in _logs(case, values)
        )

    def _befores(self, case: LeaderCase, values: tuple[int, ...]) -> Iterator[Any]:
        """The states in which the request may have come, the leader's log being what is known."""
        memberships = (
            (Membership.ABSENT, Membership.PRESENT)
            if case.membership is Membership.OPEN
            else (case.membership,)
        )
        for membership in memberships:
            if membership is Membership.ABSENT:
                yield self._state(case, None)
                continue
            for offset in _choices(case.offset, values):
                for high_watermark in _choices(case.high_watermark, (UNKNOWN, *values)):
                    for log_start in _choices(case.log_start, (UNKNOWN, *values)):
                        cached = self.model.partitions.Cached(
                            interest=self.model.interest(offset, is_new=False),
                            high_watermark=high_watermark,
                            log_start_offset=log_start,
                        )
                        yield self._state(case, cached)

    def _state(self, case: LeaderCase, cached: Any) -> Any:
        model, fetcher = self.model, REPLICA if case.is_replica else CONSUMER
        is_full = case.row in FULL
        requested = None if case.requested == OPEN else model.interest(case.requested, is_new=True)
        has_others = case.others is not Others.ABSENT
        # The others have one record, at offset 0.
        other = model.interest(int(case.others is not Others.WITH_RECORDS), is_new=False)
        other_cached = model.partitions.Cached(interest=other, high_watermark=1, log_start_offset=0)
        epoch = {Row.SESSIONLESS: -1, Row.CREATING: 0, Row.WITHOUT_SESSION: 0}.get(case.row, 1)
        request = model.states.Request(
            session_id=0 if is_full else SESSION,
            epoch=epoch,
            partitions={
                PARTITION: requested,
                OTHERS: other if is_full and has_others else None,
            },
            forgotten={PARTITION} if case.is_forgotten else set(),
        )
        session = model.states.Session(
            owner=fetcher,
            epoch=1,
            partitions={PARTITION: cached, OTHERS: other_cached if has_others else None},
        )
        return model.state(
            log_start={PARTITION: case.least_log_start, OTHERS: 0},
            high_watermark={PARTITION: case.least_high_watermark, OTHERS: 1},
            log_end={PARTITION: case.least_high_watermark, OTHERS: 1},
            sessions={SESSION: None if is_full else session, ANOTHER_SESSION: None},
            request={CONSUMER: None, REPLICA: None, fetcher: request},
        )

    def _run(self, case: LeaderCase, before: Any, log: _Log) -> Cached | None:
        """What is cached after the request was served so, if that gives the answer seen."""
        state = before
        for action, arguments in _changes(case, log):
            state = self.model.step(state, action, **arguments)
            if state is None:
                return None
        after = self.model.step(state, case.row.value, **self._serving(case))
        if after is None or not self._gives(case, after, log):
            return None
        return self._cached(case, after)

    def _refusal(self, case: LeaderCase, before: Any, log: _Log) -> Candidate:
        state = before
        for action, arguments in _changes(case, log):
            after = self.model.step(state, action, **arguments)
            if after is None:
                return self.model.refusal(state, action, **arguments)
            state = after
        after = self.model.step(state, case.row.value, **self._serving(case))
        if after is None:
            return self.model.refusal(state, case.row.value, **self._serving(case))
        return Candidate(case.row.value, outcome=_outcome(self._answer(case, after)))

    def _serving(self, case: LeaderCase) -> dict[str, object]:
        filled = set()
        if case.answer is not None and case.answer.has_records:
            filled.add(PARTITION)
        if case.others is Others.WITH_RECORDS:
            filled.add(OTHERS)
        fetcher = REPLICA if case.is_replica else CONSUMER
        awaited = {"f": fetcher, "via": self.model.states.Via.AWAITED}
        return awaited | arguments_of(case.row, filled)

    def _answer(self, case: LeaderCase, after: Any) -> Any:
        return after.response[REPLICA if case.is_replica else CONSUMER].partitions[PARTITION]

    def _gives(self, case: LeaderCase, after: Any, log: _Log) -> bool:
        answer, seen = self._answer(case, after), case.answer
        if seen is None or answer is None:
            return seen is None and answer is None
        if not seen.has_data:
            return bool(answer.failed) and not seen.has_records
        # The watermark reported may be older than the one that records are read by (227-D41).
        return (
            not answer.failed
            and answer.high_watermark == log.high_watermark
            and answer.log_start_offset == seen.log_start
            and answer.records == seen.has_records
        )

    def _cached(self, case: LeaderCase, after: Any) -> Cached:
        if case.row in (Row.SESSIONLESS, Row.WITHOUT_SESSION):
            return Cached(Membership.ABSENT, False, OPEN, OPEN)
        session = after.sessions[ANOTHER_SESSION if case.row is Row.CREATING else SESSION]
        cached = None if session is None else session.partitions[PARTITION]
        if cached is None:
            return Cached(Membership.ABSENT, False, OPEN, OPEN)
        is_requested = bool(cached.interest.partition_max_bytes)
        if case.answer is not None:
            answer = case.answer
            return Cached(Membership.PRESENT, is_requested, answer.high_watermark, answer.log_start)
        return Cached(
            Membership.PRESENT, is_requested, cached.high_watermark, cached.log_start_offset
        )


def arguments_of(row: Row, filled: set[str]) -> dict[str, object]:
    """What an action takes besides the request that it serves; `filled` have records."""
    arguments: dict[str, object] = {}
    if row not in (Row.THROTTLED, Row.EMPTYING):
        arguments["filled"] = filled
    if row is Row.CREATING:
        arguments["i"] = ANOTHER_SESSION
    return arguments


def once(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The first candidate of each kind: those that differ only in numbers are of one kind."""
    kinds: dict[tuple[str, str, str], Candidate] = {}
    for candidate in candidates:
        outcome, _, _ = candidate.outcome.partition(", with high watermark")
        kinds.setdefault((candidate.action, candidate.conjunct, outcome), candidate)
    return tuple(kinds.values())


def _choices(number: int, values: tuple[int, ...]) -> tuple[int, ...]:
    return values if number == OPEN else (number,)


def _logs(case: LeaderCase, values: tuple[int, ...]) -> Iterator[_Log]:
    """What the leader's log may have been when the request was served, by the answer."""
    answer = case.answer
    least_high, least_start = case.least_high_watermark, case.least_log_start
    if answer is not None and not answer.has_data:
        yield _Log(least_high, least_start, least_high, is_failing=True)
        return
    if answer is None:
        starts = tuple(value for value in values if value >= least_start)
        highs = tuple(value for value in values if value >= least_high)
    else:
        starts = (answer.log_start,)
        highs = (answer.high_watermark,)
        if answer.has_records and not case.is_replica:
            highs += tuple(value for value in values if value > answer.high_watermark)
    for high in highs:
        for start in starts:
            if start > high:
                continue
            ends = (high, *(value for value in values if value > high))
            for end in ends if case.is_replica else ends[:1]:
                yield _Log(high, start, end, is_failing=False)


def _changes(case: LeaderCase, log: _Log) -> Iterator[tuple[str, dict[str, object]]]:
    """The steps that take the leader's log from what is known to what is assumed."""
    if log.is_failing:
        yield "fail_partition", {"p": PARTITION}
        return
    if log.end != case.least_high_watermark:
        yield "append", {"p": PARTITION, "end": log.end}
    # What is reported was the watermark at some time since, too.
    reported = log.high_watermark if case.answer is None else case.answer.high_watermark
    reached = case.least_high_watermark
    for high_watermark in (reported, log.high_watermark):
        if high_watermark != reached:
            yield "advance_high_watermark", {"p": PARTITION, "to": high_watermark}
            reached = high_watermark
    if log.log_start != case.least_log_start:
        yield "advance_log_start", {"p": PARTITION, "to": log.log_start}


def _outcome(answer: Any) -> str:
    if answer is None:
        return "the partition is left out"
    if answer.failed:
        return "the partition is answered with an error"
    records = "with" if answer.records else "without"
    return (
        f"the partition is answered {records} records, with high watermark "
        f"{answer.high_watermark} and log start {answer.log_start_offset}"
    )


def _is_settled(case: LeaderCase, outcome: Cached) -> bool:
    """Whether no further behaviour can make more of the outcome open.

    What is answered is cached as the answer says. What is left out stays as it was, so that it is
    open afterwards only where it was before.
    """
    is_member = outcome.membership is Membership.OPEN or (
        case.membership is not Membership.OPEN or case.requested != OPEN or case.is_forgotten
    )
    return is_member and (
        case.answer is not None
        or outcome.membership is not Membership.PRESENT
        or (
            (case.high_watermark != OPEN or outcome.high_watermark == OPEN)
            and (case.log_start != OPEN or outcome.log_start == OPEN)
        )
    )


def _common(one: Cached, other: Cached) -> Cached:
    """What two outcomes agree on."""
    if one.membership is not other.membership:
        return Cached(Membership.OPEN, False, OPEN, OPEN)
    return Cached(
        one.membership,
        one.is_requested,
        one.high_watermark if one.high_watermark == other.high_watermark else OPEN,
        one.log_start if one.log_start == other.log_start else OPEN,
    )

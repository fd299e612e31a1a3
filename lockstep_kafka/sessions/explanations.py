"""One place to ask whether the protocol explains something, and why it does not.

A departure is reported only when the model says so twice: with small numbers in the order of those
seen, whose answer is kept, and with the numbers of the log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lockstep_kafka.findings import Candidate, Remark
from lockstep_kafka.quorum.models import QuorumModels
from lockstep_kafka.quorum.quorum_follower import QuorumFollower
from lockstep_kafka.rules import INNER, Rule
from lockstep_kafka.sessions.fetcher_cases import FetcherCases
from lockstep_kafka.sessions.kept_cases import KeptCases
from lockstep_kafka.sessions.leader_case import OPEN, UNKNOWN, Cached, LeaderCase
from lockstep_kafka.sessions.leader_cases import LeaderCases
from lockstep_kafka.sessions.leader_lines import LeaderLines
from lockstep_kafka.sessions.session_model import HIGHEST_OFFSET, SessionModel
from lockstep_kafka.workspaces import LoadModel

_NO_OFFSETS = {OPEN, UNKNOWN}


class RankedCases:
    """Explains cases with offsets of any size by those with few and small ones."""

    def __init__(self, cases: LeaderCases, kept: KeptCases | None = None) -> None:
        """With `kept`, answers of earlier processes are answers of this one."""
        self._cases = cases
        self._kept = kept
        self._answers = {} if kept is None else kept.read()
        self._read = len(self._answers)

    def keep(self) -> None:
        """Keep what is answered, for later processes."""
        if self._kept is not None and len(self._answers) > self._read:
            self._kept.write(self._answers)
            self._read = len(self._answers)

    def explain(self, case: LeaderCase) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none."""
        answer = case.answer
        offsets: tuple[int, ...] = case[6:]
        has_data = has_records = None
        if answer is not None:
            has_data, high_watermark, log_start, has_records = answer
            offsets = (*offsets, high_watermark, log_start)
        numbers = sorted({OPEN, UNKNOWN, *offsets})
        if numbers[0] != OPEN:  # a damaged line has an offset that is lower
            numbers = [OPEN, UNKNOWN, *sorted(set(offsets) - _NO_OFFSETS)]
        order = (*case[:5], has_data, has_records, *map(numbers.index, offsets))
        try:
            outcome = self._answers[order]
        except KeyError:
            values = tuple(range(2 * len(numbers) - 3))
            outcome = self._cases.explain(_ranked(case, numbers), values)
            self._answers[order] = outcome
        if outcome is None:
            return None
        membership, is_requested, high_watermark, log_start = outcome
        return Cached(
            membership,
            is_requested,
            numbers[(high_watermark >> 1) + 2] if high_watermark >= 0 else high_watermark,
            numbers[(log_start >> 1) + 2] if log_start >= 0 else log_start,
        )


def neighbours(case: LeaderCase, widest: int) -> tuple[int, ...]:
    """The numbers of a case and those directly beside them: what open numbers may be."""
    numbers = {
        near
        for number in (0, *_numbers(case))
        for near in (number - 1, number, number + 1)
        if 0 <= near <= widest
    }
    return tuple(sorted(numbers))


def _numbers(case: LeaderCase) -> set[int]:
    """The offsets of a case."""
    answer = case.answer
    numbers = {
        case.offset,
        case.high_watermark,
        case.log_start,
        case.requested,
        case.least_high_watermark,
        case.least_log_start,
    }
    if answer is not None:
        numbers |= {answer.high_watermark, answer.log_start}
    return numbers - _NO_OFFSETS


def _ranked(case: LeaderCase, numbers: list[int]) -> LeaderCase:
    """The case with odd ranks for its offsets; `numbers` are OPEN, UNKNOWN, and those offsets."""
    ranks = {number: 2 * place - 3 for place, number in enumerate(numbers)}
    ranks[OPEN], ranks[UNKNOWN] = OPEN, UNKNOWN
    answer = case.answer
    if answer is not None:
        answer = answer._replace(
            high_watermark=ranks[answer.high_watermark], log_start=ranks[answer.log_start]
        )
    return case._replace(
        answer=answer,
        offset=ranks[case.offset],
        high_watermark=ranks[case.high_watermark],
        log_start=ranks[case.log_start],
        requested=ranks[case.requested],
        least_high_watermark=ranks[case.least_high_watermark],
        least_log_start=ranks[case.least_log_start],
    )


class Explanations:
    """Explains what clients and brokers do; the model is loaded once for all sessions."""

    def __init__(self, load: LoadModel, *, are_kept: bool = False) -> None:
        """With `are_kept`, answers are kept in the user's cache, as `keep` is called."""
        model = SessionModel(load)
        self._cases = LeaderCases(model)
        self._ranked = RankedCases(self._cases, KeptCases(model.model) if are_kept else None)
        self.lines = LeaderLines(model)
        self.fetchers = FetcherCases(model)
        self.next_epoch: Callable[[int], int] = model.metadata.next_epoch
        """The epoch after one of a session, as the model has it."""
        self.quorum = QuorumFollower(QuorumModels(model.model.universe.root))
        """Judges what is none of a session: the metadata quorum, by its own models."""

    def keep(self) -> None:
        """Keep the answers for later processes, if they are to be kept."""
        self._ranked.keep()

    @staticmethod
    def departure(remark: Remark, candidates: tuple[Candidate, ...] | None) -> Remark:
        """That nothing explains what stands at a line, unless its own numbers say otherwise."""
        if candidates is not None:
            return replace(remark, candidates=candidates)
        arguments = {**remark.arguments, INNER: remark.rule.id}
        return Remark(Rule.OWN_NUMBERS, remark.at, arguments)

    def leader(self, case: LeaderCase) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none."""
        return self._ranked.explain(case)

    def leader_refusals(self, case: LeaderCase) -> tuple[Candidate, ...] | None:
        """Why no behaviour explains the case; None where one does with its own offsets."""
        values = neighbours(case, HIGHEST_OFFSET)
        if self._cases.explain(case, values) is not None:
            return None
        return self._cases.refusals(case, values)

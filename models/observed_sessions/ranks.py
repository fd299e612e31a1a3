"""Cases of a leader, answered once for each order that their offsets can have.

The model compares offsets and does nothing else with them. Two cases whose offsets are in the same
order are the same case, then, and its answer is kept. Between any two offsets, and beyond each end,
a rank is left free for numbers that are not known.
"""

from __future__ import annotations

from models.observed_sessions.leader_cases import (
    OPEN,
    Answer,
    Cached,
    LeaderCase,
    LeaderCases,
)

_UNLISTED = -1


class RankedCases:
    """Explains cases of any width by an instance of the model with few offsets."""

    def __init__(self, cases: LeaderCases) -> None:
        self._cases = cases
        self._answers: dict[LeaderCase, Cached | None] = {}

    def explain(self, case: LeaderCase) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none."""
        numbers = _numbers(case)
        ranked = _ranked(case, numbers)
        if ranked not in self._answers:
            values = tuple(range(2 * len(numbers) + 1))
            self._answers[ranked] = self._cases.explain(ranked, values)
        outcome = self._answers[ranked]
        if outcome is None:
            return None
        membership, is_requested, high_watermark, log_start = outcome
        return Cached(
            membership,
            is_requested,
            numbers[high_watermark >> 1] if high_watermark >= 0 else high_watermark,
            numbers[log_start >> 1] if log_start >= 0 else log_start,
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


def _numbers(case: LeaderCase) -> list[int]:
    """The offsets of a case in ascending order, each once."""
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
        numbers.add(answer.high_watermark)
        numbers.add(answer.log_start)
    numbers.discard(OPEN)
    numbers.discard(_UNLISTED)
    return sorted(numbers)


def _ranked(case: LeaderCase, numbers: list[int]) -> LeaderCase:
    ranks = {number: 2 * place + 1 for place, number in enumerate(numbers)}
    ranks[OPEN] = OPEN
    ranks[_UNLISTED] = _UNLISTED
    answer = case.answer
    if answer is not None:
        answer = Answer(
            answer.has_data,
            ranks[answer.high_watermark],
            ranks[answer.log_start],
            answer.has_records,
        )
    return LeaderCase(
        case.row,
        case.is_replica,
        case.membership,
        ranks[case.offset],
        ranks[case.high_watermark],
        ranks[case.log_start],
        ranks[case.requested],
        case.is_forgotten,
        answer,
        ranks[case.least_high_watermark],
        ranks[case.least_log_start],
        case.others,
    )

from models.observed_sessions.leader_cases import (
    OPEN,
    UNKNOWN,
    Answer,
    Cached,
    LeaderCase,
    LeaderCases,
    Membership,
    Others,
    Row,
)
from models.observed_sessions.ranks import RankedCases


class _Recorder(LeaderCases):
    """Keeps the cases that it is asked; each stays as it was."""

    def __init__(self) -> None:
        self.cases: list[LeaderCase]
        object.__setattr__(self, "cases", [])

    def explain(self, case: LeaderCase, values: tuple[int, ...]) -> Cached | None:
        assert max(case.offset, case.high_watermark, case.least_high_watermark) < max(values)
        self.cases.append(case)
        return Cached(Membership.PRESENT, False, case.high_watermark, case.log_start)


def _case(offset: int, high_watermark: int, log_start: int, answer: Answer | None) -> LeaderCase:
    return LeaderCase(
        Row.INCREMENTAL,
        is_replica=False,
        membership=Membership.PRESENT,
        is_forgotten=False,
        others=Others.QUIET,
        answer=answer,
        offset=offset,
        high_watermark=high_watermark,
        log_start=log_start,
        requested=OPEN,
        least_high_watermark=log_start,
        least_log_start=log_start,
    )


def test_offsets_in_the_same_order_are_asked_about_once_and_keep_their_numbers() -> None:
    recorder = _Recorder()
    ranked = RankedCases(recorder)
    assert ranked.explain(_case(5, 7, 0, None)) == (Membership.PRESENT, False, 7, 0)
    assert ranked.explain(_case(900, 2**63 - 1, 3, None)) == (
        Membership.PRESENT,
        False,
        2**63 - 1,
        3,
    )
    assert len(recorder.cases) == 1
    assert ranked.explain(_case(7, 7, 0, None)) == (Membership.PRESENT, False, 7, 0)
    assert ranked.explain(_case(OPEN, UNKNOWN, 0, None)) == (Membership.PRESENT, False, -1, 0)
    assert len(recorder.cases) == 3


def test_a_negative_number_is_not_taken_for_an_open_one() -> None:
    recorder = _Recorder()
    ranked = RankedCases(recorder)
    ranked.explain(_case(-5, 3, 0, Answer(True, 3, UNKNOWN, False)))
    other = _case(OPEN, 4, 2, Answer(True, 4, 1, False))._replace(requested=UNKNOWN)
    ranked.explain(other)
    assert len(recorder.cases) == 2

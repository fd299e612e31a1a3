"""Cases answered by the order of their offsets, beside the same cases at Kafka's own widths."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep_kafka.sessions.explanations import RankedCases, neighbours
from lockstep_kafka.sessions.leader_case import (
    FULL,
    OPEN,
    UNKNOWN,
    Answer,
    Cached,
    LeaderCase,
    Membership,
    Others,
    Row,
)
from lockstep_kafka.sessions.leader_cases import LeaderCases
from lockstep_kafka.sessions.session_model import HIGHEST_OFFSET, SessionModel
from tests.kafka_models import fetch_session

LAST = HIGHEST_OFFSET


@dataclass(frozen=True)
class Widths:
    """One case, put to the model in both ways."""

    ranked: RankedCases
    wide: LeaderCases

    def by_rank(self, case: LeaderCase) -> Cached | None:
        return self.ranked.explain(case)

    def by_number(self, case: LeaderCase) -> Cached | None:
        return self.wide.explain(case, neighbours(case, LAST))


@pytest.fixture(scope="module", name="widths")
def both_widths() -> Widths:
    cases = LeaderCases(SessionModel(fetch_session))
    return Widths(RankedCases(cases), cases)


@st.composite
def cases(draw: st.DrawFn, gap: int) -> LeaderCase:
    """Cases as a follower puts them; any two different offsets are so far apart, at least."""
    pool = draw(pools(gap))
    offset = st.sampled_from(pool)
    row = draw(st.sampled_from(Row))
    membership = Membership.ABSENT if row in FULL else draw(st.sampled_from(Membership))
    is_present = membership is Membership.PRESENT
    # One number of a session is open, or all of them: more take too long at Kafka's widths.
    hidden = draw(st.sampled_from(("", "offset", "high_watermark", "log_start")))

    def cached(name: str, *others: int) -> int:
        if not is_present or hidden == name:
            return OPEN
        return draw(st.sampled_from((*pool, *others)))

    requested = draw(st.one_of(st.just(OPEN), offset))
    answer = draw(st.one_of(st.none(), answers(pool)))
    least = sorted(draw(st.lists(st.sampled_from((0, 0, *pool)), min_size=2, max_size=2)))
    return LeaderCase(
        row,
        is_replica=draw(st.booleans()),
        membership=membership,
        is_forgotten=row not in FULL and draw(st.booleans()),
        others=draw(st.sampled_from(Others)),
        answer=answer,
        offset=cached("offset"),
        high_watermark=cached("high_watermark", UNKNOWN),
        log_start=cached("log_start", UNKNOWN),
        requested=requested,
        least_high_watermark=least[1],
        least_log_start=least[0],
    )


@st.composite
def pools(draw: st.DrawFn, gap: int) -> tuple[int, ...]:
    """A few offsets; 0 is as far from them as they are from one another, and so is the end."""
    steps = draw(
        st.lists(
            st.one_of(st.integers(gap, gap + 2), st.integers(gap, 2**60)), min_size=1, max_size=3
        )
    )
    pool = [sum(steps[: place + 1]) for place in range(len(steps))]
    if draw(st.booleans()):
        pool = [LAST - offset for offset in pool]
    return tuple(pool)


@st.composite
def answers(draw: st.DrawFn, pool: tuple[int, ...]) -> Answer:
    if draw(st.integers(0, 4)) == 0:
        return Answer(False, UNKNOWN, UNKNOWN, False)
    offset = st.sampled_from(pool)
    return Answer(True, draw(offset), draw(offset), draw(st.booleans()))


@pytest.mark.daily(2)
@given(case=cases(gap=2))
@settings(max_examples=100)
def test_only_the_order_of_offsets_matters(widths: Widths, case: LeaderCase) -> None:
    assert widths.by_rank(case) == widths.by_number(case)


@pytest.mark.daily(2)
@given(case=cases(gap=1))
@settings(max_examples=100)
def test_ranks_explain_no_less(widths: Widths, case: LeaderCase) -> None:
    """Between neighbours there is no offset, but there is a rank."""
    by_number, by_rank = widths.by_number(case), widths.by_rank(case)
    if by_number is not None:
        assert by_rank is not None
        assert all(
            ranked in (OPEN, Membership.OPEN, number)
            for ranked, number in zip(
                (by_rank.membership, by_rank.high_watermark, by_rank.log_start),
                (by_number.membership, by_number.high_watermark, by_number.log_start),
                strict=True,
            )
        )


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

"""Judging a response partition by partition is judging it as a whole.

Two partitions of one request are put to the model together, and each one alone, where the other
counts among the others.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep_kafka.sessions.leader_case import (
    FULL,
    OPEN,
    UNKNOWN,
    Answer,
    LeaderCase,
    Membership,
    Others,
    Row,
)
from lockstep_kafka.sessions.leader_cases import LeaderCases
from lockstep_kafka.sessions.session_model import SessionModel
from tests.kafka.conform.following import ROOT
from tests.kafka_models import fetch_session

PARTITIONS = ("p", "q", "r")
OFFSETS = tuple(range(7))
NUMBERS = (1, 3, 5)


class Part(NamedTuple):
    """One partition, as the session has it, as the request names it and as it is answered."""

    cached: tuple[int, int, int] | None
    """Fetch offset, high watermark and log start; None where the session does not have it."""
    requested: int | None
    is_forgotten: bool
    answer: Answer | None
    least: tuple[int, int]
    """The least high watermark and log start of the leader's log."""

    @property
    def has_records(self) -> bool:
        return self.answer is not None and self.answer.has_records

    def is_member(self, row: Row) -> bool:
        """Whether it is one of the others beside another one, until the request removes it."""
        return self.requested is not None or (row not in FULL and self.cached is not None)


def some_part(chance: random.Random, row: Row) -> Part:
    number = chance.choice
    cached = None
    if row not in FULL and number((True, True, False)):
        start = number((0, 0, 1, 3))
        cached = (number(NUMBERS), number((UNKNOWN, 3, 5)), number((start, UNKNOWN)))
    requested = number(NUMBERS) if row in FULL or number((True, False)) else None
    if row in FULL and number((True, False, False)):
        requested = None
    answer = None
    if number((True, True, False)):
        high = number((1, 3, 5))
        start = number([offset for offset in (0, 1, 3) if offset <= high])
        answer = Answer(True, high, start, number((True, False)))
        if number(range(8)) == 0:
            answer = Answer(False, UNKNOWN, UNKNOWN, False)
    is_forgotten = row not in FULL and requested is None and number(range(5)) == 0
    return Part(cached, requested, is_forgotten, answer, number(((0, 0), (1, 0), (3, 1))))


@dataclass(frozen=True)
class Whole:
    """The model with two partitions, and a third one that nobody asks for."""

    model: Model

    def explains(self, row: Row, parts: dict[str, Part]) -> bool:
        """Whether the leader, whatever its logs are by now, gives both answers at once."""
        engine = PlainEngine(self.model)
        action = next(action for action in self.model.actions if action.name == row.value)
        first, second = parts.values()
        return any(
            _gives(parts, logs, engine.run(action, state, arguments))
            for one in _logs(first)
            for other in _logs(second)
            for logs in [dict(zip(parts, (one, other), strict=True))]
            for state, arguments in [self._served(row, parts, logs, action)]
        )

    def _served(
        self, row: Row, parts: dict[str, Part], logs: dict[str, _Log], action: Any
    ) -> tuple[Any, tuple[Any, ...]]:
        modules = self.model.universe.modules
        partitions: Any = modules["models.fetch_partitions"]
        states: Any = modules["models.fetch_session_state"]

        def interest(offset: int) -> Any:
            return partitions.Interest(
                fetch_offset=offset,
                log_start_offset=-1,
                partition_max_bytes=0,
                current_leader_epoch=-1,
                last_fetched_epoch=-1,
            )

        cached = {
            p: partitions.Cached(
                interest=interest(part.cached[0]),
                high_watermark=part.cached[1],
                log_start_offset=part.cached[2],
            )
            for p, part in parts.items()
            if part.cached is not None
        }
        wanted = {
            p: interest(part.requested) for p, part in parts.items() if part.requested is not None
        }
        is_full = row in FULL
        none: dict[str, Any] = dict.fromkeys(PARTITIONS)
        request = states.Request(
            session_id=0 if is_full else 1,
            epoch={Row.SESSIONLESS: -1, Row.CREATING: 0, Row.WITHOUT_SESSION: 0}.get(row, 1),
            partitions={**none, **wanted},
            forgotten={p for p, part in parts.items() if part.is_forgotten},
        )
        session = states.Session(owner="c", epoch=1, partitions={**none, **cached})
        zero = dict.fromkeys(PARTITIONS, 0)
        highs = {**zero, **{p: log.high_watermark for p, log in logs.items()}}
        variables = {
            "log_start": {**zero, **{p: log.start for p, log in logs.items()}},
            "high_watermark": highs,
            "log_end": highs,
            "failing": {p for p, log in logs.items() if log.is_failing},
            "sessions": {1: None if is_full else session, 2: None},
            "request": {"c": request},
        }
        initial = self.model.initial
        state = initial.of(
            initial.fields[name].coerce(variables[name], name) if name in variables else value
            for name, value in zip(initial.fields, initial, strict=True)
        )
        values = {
            "f": "c",
            "via": states.Via.AWAITED,
            "filled": {p for p, part in parts.items() if part.has_records},
            "i": 2,
        }
        return state, tuple(
            parameter.domain.coerce(values[parameter.name], parameter.name)
            for parameter in action.parameters
        )


class _Log(NamedTuple):
    start: int
    high_watermark: int
    is_failing: bool = False


def _logs(part: Part) -> Iterator[_Log]:
    """The logs that the leader may have by now; they have the log start that is reported."""
    least_high, least_start = part.least
    answer = part.answer
    if answer is None or not answer.has_data:
        yield _Log(least_start, least_high, is_failing=True)
    for high_watermark in range(least_high, len(OFFSETS)):
        for start in range(least_start, high_watermark + 1):
            if answer is None or answer.log_start == start:
                yield _Log(start, high_watermark)


def _gives(parts: dict[str, Part], logs: dict[str, _Log], after: Any) -> bool:
    """Whether the answers are those seen, where records may lie past the watermark reported."""
    if after is None:
        return False
    for p, part in parts.items():
        answer, seen = after.response["c"].partitions[p], part.answer
        if answer is None or seen is None:
            if (answer is None) != (seen is None):
                return False
        elif answer.failed or not seen.has_data:
            if answer.failed is seen.has_data:
                return False
        else:
            earliest = seen.high_watermark if not seen.has_records else part.least[0]
            if not (
                answer.records == seen.has_records
                and answer.log_start_offset == seen.log_start
                and earliest <= seen.high_watermark <= answer.high_watermark
                and (seen.has_records or answer.high_watermark == seen.high_watermark)
            ):
                return False
    return True


def alone(row: Row, part: Part, other: Part) -> LeaderCase:
    """The case of one partition, as a follower puts it."""
    if other.has_records:
        others = Others.WITH_RECORDS
    else:
        others = Others.QUIET if other.is_member(row) else Others.ABSENT
    offset, high_watermark, log_start = part.cached or (OPEN, OPEN, OPEN)
    return LeaderCase(
        row,
        is_replica=False,
        membership=Membership.ABSENT if part.cached is None else Membership.PRESENT,
        is_forgotten=part.is_forgotten,
        others=others,
        answer=part.answer,
        offset=offset,
        high_watermark=high_watermark,
        log_start=log_start,
        requested=OPEN if part.requested is None else part.requested,
        least_high_watermark=part.least[0],
        least_log_start=part.least[1],
    )


@pytest.fixture(scope="module", name="leader")
def partition_and_others() -> LeaderCases:
    return LeaderCases(SessionModel(fetch_session))


@pytest.fixture(scope="module", name="whole")
def both_partitions() -> Whole:
    return Whole(
        load_model(
            ROOT,
            "fetch_session",
            {
                "PARTITIONS": PARTITIONS,
                "SESSION_IDS": (1, 2),
                "FETCHERS": ("c",),
                "FOLLOWERS": (),
                "MAX_EPOCH": 3,
                "MAX_OFFSET": OFFSETS[-1],
                "MAX_BYTES": 0,
            },
        )
    )


ROWS = (Row.INCREMENTAL, Row.INCREMENTAL, Row.CREATING, Row.SESSIONLESS, Row.THROTTLED)


def judged(leader: LeaderCases, whole: Whole, seed: int) -> tuple[bool, bool, str]:
    """Whether a random case is explained as a whole, and whether each part of it is alone."""
    chance = random.Random(seed)
    row = chance.choice(ROWS)
    parts = {p: some_part(chance, row) for p in ("p", "q")}
    first, second = parts.values()
    is_whole = whole.explains(row, parts)
    by_part = all(
        leader.explain(alone(row, part, other), OFFSETS) is not None
        for part, other in ((first, second), (second, first))
    )
    return is_whole, by_part, f"{row}: {parts}"


@pytest.mark.daily(2)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_both_ways_of_judging_agree(leader: LeaderCases, whole: Whole, seed: int) -> None:
    is_whole, by_part, case = judged(leader, whole, seed)
    assert is_whole == by_part, case


@pytest.mark.verify
def test_both_ways_agree_on_many_cases(leader: LeaderCases, whole: Whole) -> None:
    tally: Counter[bool] = Counter()
    for seed in range(3_000):
        is_whole, by_part, case = judged(leader, whole, seed)
        assert is_whole == by_part, case
        tally[is_whole] += 1
    assert min(tally.values()) > 100, tally

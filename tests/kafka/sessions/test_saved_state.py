"""A follower that goes on where another one was saved finds what that one would have found."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import Struct, structs

from lockstep.errors import LockstepError
from lockstep_kafka.files.lines import FetchLine, Request
from lockstep_kafka.findings import RemarkFinding, SessionFinding, Verdict
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.knowledge import LeaderSession
from tests.kafka.sessions.following import explanations
from tests.kafka.sessions.logs import BEGIN_MS
from tests.kafka.sessions.random_logs import LOSSES, SEEDS, some_log
from tests.kafka.sessions.saving import BROKER, follow


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def spoiled_log(seed: int, requests: int = 30) -> list[Request]:
    """A log of a random behaviour with lines missing or repeated, and others changed.

    Time may go by so slowly that most lines wait for their turn until the end, or so fast that
    few do.
    """
    chance = random.Random(seed)
    log = chance.choice(LOSSES)(some_log(chance, requests, chance.choice((0, 0, 3))), chance)
    pace = chance.choice((1, 30, 1_000))
    return [
        _spoiled(line, chance) if chance.random() < 0.15 else line
        for line in (_paced(line, pace) for line in log)
    ]


def _paced(line: Request, pace: int) -> Request:
    assert line.time_ms is not None
    time_ms = BEGIN_MS + pace * (line.time_ms - BEGIN_MS)
    return structs.replace(line, time_ms=time_ms, total_time_ms=pace * line.total_time_ms)


def _spoiled(line: Request, chance: random.Random) -> Request:
    if not isinstance(line, FetchLine):
        return structs.replace(line, time_ms=None)
    changes: list[dict[str, Any]] = [
        {"session_epoch": line.session_epoch + 1},
        {"session_id": line.response_session_id},
        {"response_session_id": 0},
        {"error_code": 71, "answered": {}, "response_session_id": line.session_id},
        {"error_code": 70, "answered": {}, "response_session_id": 0},
        {"answered": {}},
        {"forgotten": tuple(line.partitions)},
        {"connection": line.connection + "9"},
        {"time_ms": None},
        {"throttle_time_ms": 9, "answered": {}},
        {"version": 25 - line.version},
        {"client_id": "another"},
    ]
    return structs.replace(line, **chance.choice(changes))


@pytest.mark.daily(2)
@given(seed=SEEDS, length=st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_cut_anywhere(model: Explanations, seed: int, length: int) -> None:
    log = spoiled_log(seed)
    whole = follow(model, log)
    assert follow(model, log, lambda position: True) == whole
    assert follow(model, log, lambda position: position % length == 0) == whole


@pytest.mark.daily(2)
@given(seed=SEEDS, place=st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_closed_after_it_was_saved(model: Explanations, seed: int, place: float) -> None:
    """What is true so far is what a run finds that ends there."""
    log = spoiled_log(seed)
    beginning = log[: round(place * len(log))]
    follower = BrokerFollower(BROKER, model)
    findings = [
        finding
        for position, line in enumerate(beginning)
        for finding in follower.follow(line, position)
    ]
    state = follower.save()
    assert follower.save() == state
    findings += follower.close()
    assert findings == follow(model, beginning).findings
    assert BrokerFollower(BROKER, model, state).save() == state


@pytest.mark.daily(2)
@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_all_that_is_known_is_saved(model: Explanations, seed: int) -> None:
    """What is one thing to several others is one thing again."""
    follower = BrokerFollower(BROKER, model)
    for position, line in enumerate(spoiled_log(seed, 60)):
        follower.follow(line, position)
    other = BrokerFollower(BROKER, model, follower.save())
    assert _written(other, {}) == _written(follower, {})


_SHARED = {"_fetcher_side", "_leader_heads", "_leader_side", "_next_epoch"}
"""What a follower has of the model."""

_UNORDERED = {"_up_to_date", "_numbers"}


def _written(value: Any, numbers: dict[int, int]) -> Any:
    """All that a value is made of; a thing that was written before by its number alone."""
    if isinstance(value, list | tuple | deque):
        return [_written(item, numbers) for item in value]
    if isinstance(value, set):
        return sorted(
            repr(item.number if isinstance(item, LeaderSession) else item) for item in value
        )
    if isinstance(value, dict):
        return [(repr(key), _written(item, numbers)) for key, item in value.items()]
    if isinstance(value, Struct):
        if value.__struct_config__.frozen:
            return value
        fields = structs.asdict(value)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        fields = vars(value)
    else:
        return value
    if id(value) in numbers:
        return numbers[id(value)]
    numbers[id(value)] = len(numbers)
    return [
        type(value).__name__,
        *(
            (
                name,
                _written(
                    dict(sorted(field.items())) if name in _UNORDERED else field,
                    numbers,
                ),
            )
            for name, field in fields.items()
            if name not in _SHARED
        ),
    ]


@pytest.mark.daily(2)
@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_remarks_and_counts_say_what_sessions_do(model: Explanations, seed: int) -> None:
    following = follow(model, spoiled_log(seed))
    sessions = [finding for finding in following.findings if isinstance(finding, SessionFinding)]
    remarks = [finding for finding in following.findings if isinstance(finding, RemarkFinding)]
    counts = following.counts
    for side in ("client", "broker"):
        sides = [getattr(session, f"{side}_side") for session in sessions]
        departing = {
            (remark.remark.at, remark.session)
            for remark in remarks
            if remark.side == side and remark.remark.verdict is Verdict.DEPARTS
        }
        assert len(departing) == sum(one.departures for one in sides)
        assert len(departing) == sum(getattr(row, f"{side}_departures") for row in counts)
        assert all(
            any(remark.remark == one.worst for remark in remarks)
            for one in sides
            if one.worst is not None
        )
    assert sum(row.lines for row in counts) == sum(session.lines for session in sessions)
    assert sum(row.partial for row in counts) == sum(session.partial for session in sessions)
    assert sum(row.unknowns for row in counts) == sum(
        session.client_side.unknowns + session.broker_side.unknowns for session in sessions
    )
    begun = {(session.session, session.first) for session in sessions}
    assert {(remark.session, remark.began) for remark in remarks} <= begun


@pytest.mark.daily(2)
def test_spoiled_logs_have_remarks_of_every_kind(model: Explanations) -> None:
    """Otherwise the tests above would show little."""
    kinds = {
        (finding.side, finding.remark.verdict)
        for seed in range(40)
        for finding in follow(model, spoiled_log(seed)).findings
        if isinstance(finding, RemarkFinding)
    }
    assert len(kinds) == 4


def test_counts_begin_again_when_they_are_taken(model: Explanations) -> None:
    follower = BrokerFollower(BROKER, model)
    log = some_log(random.Random(1), 30)
    for position, line in enumerate(log):
        follower.follow(line, position)
    follower.close()
    rows = follower.take_counts()
    assert sum(row.lines for row in rows) == follower.followed > 0
    hour_ms = 3_600_000
    hours = {None if line.time_ms is None else line.time_ms // hour_ms for line in log}
    assert {row.hour for row in rows} <= hours
    assert follower.take_counts() == []


def test_positions_ascend(model: Explanations) -> None:
    follower = BrokerFollower(BROKER, model)
    line, *_ = some_log(random.Random(1), 30)
    follower.follow(line, 7)
    for position in (7, 6):
        with pytest.raises(ValueError, match=f"position {position} does not follow 7"):
            follower.follow(line, position)


@pytest.fixture(scope="module", name="state")
def saved(model: Explanations) -> bytes:
    follower = BrokerFollower(BROKER, model)
    for position, line in enumerate(spoiled_log(1)):
        follower.follow(line, position)
    return follower.save()


def refused(model: Explanations, state: bytes, broker: str = BROKER) -> str:
    with pytest.raises(LockstepError) as error:
        BrokerFollower(broker, model, state)
    return error.value.message


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_a_damaged_state(model: Explanations, state: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(state) - 1))
    damaged = bytearray(state)
    damaged[place] ^= data.draw(st.integers(1, 255))
    assert refused(model, bytes(damaged))
    assert refused(model, state[:place])
    assert refused(model, state + state[place:])


@given(content=st.binary(max_size=99))
@settings(deadline=None)
def test_any_bytes_are_no_state(model: Explanations, content: bytes) -> None:
    # Hypothesis also draws the bytes that stand in the code: a state's own beginning among them.
    assume(not content.startswith(b"lockstep follower\n"))
    assert refused(model, content) == "these bytes are no state of a follower"


def test_the_state_of_another_broker(model: Explanations, state: bytes) -> None:
    why = "the follower's state is that of broker 'kafka-1', not 'kafka-2'"
    assert refused(model, state, "kafka-2") == why


def test_a_state_of_another_format(model: Explanations, state: bytes) -> None:
    beginning = b"lockstep follower\n"
    other = beginning + b"\0\x0a" + state[len(beginning) + 2 :]
    why = "the follower's state has format 10; this version reads format 9"
    assert refused(model, other) == why

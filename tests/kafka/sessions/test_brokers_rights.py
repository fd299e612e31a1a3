"""What unmodified brokers answer, and what looks like it and departs; epochs of no request."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from lockstep_kafka.files.lines import AnsweredPartition, FetchLine
from lockstep_kafka.findings import Verdict
from lockstep_kafka.sessions.exchange import Exchange, Position
from lockstep_kafka.sessions.knowledge import Connection, Held
from lockstep_kafka.sessions.leader_case import Row
from lockstep_kafka.sessions.leader_side import _at_least
from tests.kafka.sessions.following import departures, explanations
from tests.kafka.sessions.test_attacks import (
    ANSWERED,
    ASKED,
    BEGIN_MS,
    NEXT,
    OPENING,
    PARTITION,
    RECORDS,
    verdicts,
)

CONFORMS = (Verdict.CONFORMS, Verdict.CONFORMS)
BROKER_DEPARTS = (Verdict.CONFORMS, Verdict.DEPARTS)
NEGATIVE = (-2, -3, -(2**31))


def later(place: int, line: FetchLine = NEXT, **changes: Any) -> FetchLine:
    """The request of the session with that epoch."""
    return replace(
        line,
        **{
            "line": place + 1,
            "correlation_id": place + 1,
            "time_ms": BEGIN_MS + 100 * place,
            "session_epoch": place,
            **changes,
        },
    )


def at(high_watermark: int, **changes: object) -> AnsweredPartition:
    return replace(
        ANSWERED,
        **{"high_watermark": high_watermark, "last_stable_offset": high_watermark, **changes},
    )


def in_epoch(epoch: int) -> dict[str, Any]:
    return {"partitions": {PARTITION: replace(ASKED, leader_epoch=epoch)}}


def test_a_former_leader_that_follows_takes_a_lower_watermark_within_the_new_epoch() -> None:
    """What was reported in the epoch before is no bound, though the session was silent since."""
    rises = later(1, **in_epoch(6))
    back = later(2, answered={PARTITION: at(4)})
    assert verdicts(OPENING, rises, back) == {CONFORMS}


def test_a_watermark_that_goes_back_in_the_epoch_in_which_it_was_reported() -> None:
    assert verdicts(OPENING, later(1, answered={PARTITION: at(4)})) == {BROKER_DEPARTS}


def test_a_topic_that_was_made_again_under_its_name() -> None:
    """It may serve an offset beyond its watermark, up to its log's end."""
    named = replace(OPENING, version=12)
    back = later(1, replace(NEXT, version=12), answered={PARTITION: at(4)})
    assert verdicts(named, back) == {CONFORMS}


@pytest.mark.parametrize(("error_code", "verdict"), [(76, CONFORMS), (6, BROKER_DEPARTS)])
def test_what_is_left_out_after_an_error(error_code: int, verdict: tuple[Verdict, Verdict]) -> None:
    """Beside 76 a broker before 4.0 caches the true watermark, so that it says nothing next."""
    failed = later(1, answered={PARTITION: at(-1, error_code=error_code, log_start_offset=-1)})
    assert verdicts(OPENING, failed, later(2)) == {verdict}


@pytest.mark.parametrize(
    ("version", "reported_epoch", "leader_epoch", "bound"),
    [
        (13, 3, 3, (9, 1)),
        (12, 3, 3, (5, 0)),
        (13, -1, -1, (5, 0)),
        (13, 3, 4, (5, 0)),
        (13, -2, 3, (5, 0)),
    ],
)
def test_what_a_session_was_sent_is_a_bound(
    version: int, reported_epoch: int, leader_epoch: int, bound: tuple[int, int]
) -> None:
    """Only for the same topic, which an id names, and the same epoch of its leader."""
    line = replace(NEXT, version=version)
    exchange = Exchange(Row.INCREMENTAL, line, Position(1, Connection()))
    held = Held(ASKED, 9, 1, 9, reported_epoch)
    assert exchange.is_definite(leader_epoch) is (version >= 13 and leader_epoch >= 0)
    assert _at_least((5, 0), exchange, held, leader_epoch) == bound


@pytest.mark.parametrize("epoch", NEGATIVE)
@pytest.mark.parametrize("error_code", [70, 71])
def test_an_epoch_of_no_request_is_refused(epoch: int, error_code: int) -> None:
    """With 71 while the session is there; it may have been evicted, and then with 70."""
    refused = later(1, session_epoch=epoch, error_code=error_code, response_session_id=0)
    assert verdicts(OPENING, refused) == {(Verdict.DEPARTS, Verdict.CONFORMS)}


@pytest.mark.parametrize("epoch", NEGATIVE)
def test_an_epoch_of_no_request_is_not_served(epoch: int) -> None:
    served = later(1, session_epoch=epoch, **in_epoch(0), answered={PARTITION: RECORDS})
    for response_session_id in (0, 77, 78):
        answered = replace(served, response_session_id=response_session_id)
        assert (Verdict.DEPARTS, Verdict.DEPARTS) in verdicts(OPENING, answered)


@pytest.mark.parametrize("epoch", [5, *NEGATIVE])
def test_a_refusal_with_the_sessions_own_id(epoch: int) -> None:
    """It does not say that the session is gone: it is there."""
    refused = later(1, session_epoch=epoch, error_code=71)
    reported = [remark.because for remark in departures(explanations(), [OPENING, refused])]
    assert any(
        because
        == f"INVALID_FETCH_SESSION_EPOCH answers (77, {epoch}) with session id 77 instead of 0"
        for because in reported
    )


def test_a_last_stable_offset_beyond_the_watermark_is_not_judged() -> None:
    ahead = later(1, answered={PARTITION: replace(RECORDS, last_stable_offset=9)})
    assert verdicts(OPENING, ahead) == {CONFORMS}


def test_a_leader_epoch_that_goes_back_is_not_judged() -> None:
    """KIP-320 asks for error 74; `specs/` has no requirement of it."""
    opening = replace(OPENING, **in_epoch(6))
    back = later(1, **in_epoch(5), answered={PARTITION: RECORDS})
    assert verdicts(opening, back) == {CONFORMS}

"""Logs that were made to mislead: what stands in them departs, or must not end the run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    RequestedPartition,
    TopicPartition,
)
from lockstep_kafka.findings import Verdict
from tests.kafka.sessions.following import explanations, findings

PARTITION = TopicPartition("u9N9H1iDQn6aPTYefss46w", 0)
ASKED = RequestedPartition(
    fetch_offset=5, log_start_offset=-1, max_bytes=1000, leader_epoch=0, last_fetched_epoch=-1
)
ANSWERED = AnsweredPartition(
    error_code=0,
    high_watermark=5,
    last_stable_offset=5,
    log_start_offset=0,
    records_size=0,
    preferred_read_replica=-1,
    has_diverging_epoch=False,
    has_snapshot_id=False,
)
BEGIN_MS = 1_795_252_000_000
OPENING = FetchLine(
    line=1,
    file="a.log",
    time_ms=BEGIN_MS,
    version=18,
    correlation_id=1,
    client_id="c",
    connection="127.0.0.1:9092-127.0.0.1:50000-0-1",
    replica_id=-1,
    session_id=0,
    session_epoch=0,
    partitions={PARTITION: ASKED},
    forgotten=(),
    max_wait_ms=500,
    min_bytes=1,
    isolation_level=0,
    error_code=0,
    response_session_id=77,
    throttle_time_ms=0,
    answered={PARTITION: ANSWERED},
    total_time_ms=1.0,
)
NEXT = replace(
    OPENING,
    line=2,
    time_ms=BEGIN_MS + 100,
    correlation_id=2,
    session_id=77,
    session_epoch=1,
    partitions={},
    answered={},
)
RECORDS = replace(ANSWERED, high_watermark=6, last_stable_offset=6, records_size=70)


def verdicts(*lines: FetchLine) -> set[tuple[Verdict, Verdict]]:
    sessions = findings(explanations(), lines)
    return {(one.client_side.verdict, one.broker_side.verdict) for one in sessions}


def test_nothing_is_wrong_with_the_lines_themselves() -> None:
    served = replace(NEXT, answered={PARTITION: RECORDS})
    assert verdicts(OPENING, served) == {(Verdict.CONFORMS, Verdict.CONFORMS)}


@pytest.mark.parametrize(
    "answer",
    [
        replace(RECORDS, error_code=6, high_watermark=-1),
        replace(RECORDS, preferred_read_replica=2),
        replace(RECORDS, has_diverging_epoch=True),
        replace(ANSWERED, high_watermark=-1),
        replace(ANSWERED, high_watermark=-5),
        replace(RECORDS, log_start_offset=-5),
        replace(RECORDS, log_start_offset=7),
    ],
)
def test_an_answer_that_no_broker_gives(answer: AnsweredPartition) -> None:
    served = replace(NEXT, answered={PARTITION: answer})
    assert verdicts(OPENING, served) == {(Verdict.CONFORMS, Verdict.DEPARTS)}


@pytest.mark.parametrize(
    ("high_watermark", "log_start"), [(-5, 0), (6, -5), (-2, -2), (6, -2), (-(2**63), -(2**63))]
)
@pytest.mark.parametrize("error_code", [0, 6])
def test_impossible_numbers_do_not_end_the_run(
    high_watermark: int, log_start: int, error_code: int
) -> None:
    """Neither in the session that was sent them, nor in another that has the partition."""
    bad = replace(
        ANSWERED, high_watermark=high_watermark, log_start_offset=log_start, error_code=error_code
    )
    reported = replace(NEXT, answered={PARTITION: bad})
    later = replace(
        NEXT,
        line=3,
        correlation_id=3,
        time_ms=BEGIN_MS + 300,
        session_epoch=2,
        answered={PARTITION: replace(RECORDS, high_watermark=3, last_stable_offset=3)},
    )
    other = replace(
        OPENING,
        line=4,
        correlation_id=4,
        time_ms=BEGIN_MS + 400,
        response_session_id=78,
        answered={PARTITION: replace(ANSWERED, high_watermark=1, last_stable_offset=1)},
    )
    assert (Verdict.CONFORMS, Verdict.DEPARTS) in verdicts(OPENING, reported, later, other)


@pytest.mark.parametrize("error_code", [70, 71])
def test_an_error_with_partitions(error_code: int) -> None:
    refused = replace(
        NEXT, error_code=error_code, response_session_id=0, answered={PARTITION: RECORDS}
    )
    assert verdicts(OPENING, refused) == {(Verdict.CONFORMS, Verdict.DEPARTS)}


def test_an_emptied_session_answers_nothing() -> None:
    emptied = replace(
        NEXT, forgotten=(PARTITION,), response_session_id=0, answered={PARTITION: RECORDS}
    )
    assert verdicts(OPENING, emptied) == {(Verdict.CONFORMS, Verdict.DEPARTS)}


def test_a_session_has_a_positive_id() -> None:
    assert verdicts(replace(OPENING, response_session_id=-77)) == {
        (Verdict.CONFORMS, Verdict.DEPARTS)
    }


def test_version_4_has_no_log_start() -> None:
    old = replace(
        OPENING,
        version=4,
        session_epoch=-1,
        response_session_id=0,
        answered={PARTITION: replace(ANSWERED, log_start_offset=-1)},
    )
    assert verdicts(old) == {(Verdict.CONFORMS, Verdict.CONFORMS)}


def test_a_negative_fetch_offset_is_out_of_range() -> None:
    asked = replace(
        OPENING,
        partitions={PARTITION: replace(ASKED, fetch_offset=-1)},
        answered={
            PARTITION: replace(ANSWERED, error_code=1, high_watermark=-1, log_start_offset=-1)
        },
    )
    assert verdicts(asked) == {(Verdict.CONFORMS, Verdict.CONFORMS)}


def test_a_long_poll_that_is_written_late() -> None:
    """The client reconnects and asks again; the broker then writes the line of the old poll."""
    made_again = replace(
        OPENING,
        line=2,
        time_ms=BEGIN_MS + 10_000,
        connection="127.0.0.1:9092-127.0.0.1:50001-0-2",
        session_id=77,
        response_session_id=78,
    )
    late = replace(NEXT, line=3, time_ms=BEGIN_MS + 30_000, total_time_ms=29_000.0)
    broker_verdicts = {broker for _, broker in verdicts(OPENING, made_again, late)}
    assert Verdict.DEPARTS not in broker_verdicts


def test_a_client_that_closes_while_its_full_request_is_under_way() -> None:
    """It still has the session that the full request named."""
    asking = replace(NEXT, session_epoch=0, partitions={PARTITION: ASKED}, response_session_id=78)
    asking = replace(asking, answered={PARTITION: ANSWERED})
    closing = replace(NEXT, line=3, correlation_id=3, time_ms=BEGIN_MS + 200, session_epoch=-1)
    closing = replace(closing, response_session_id=0)
    assert {client for client, _ in verdicts(OPENING, asking, closing)} == {Verdict.CONFORMS}

"""What is known of connections, of a leader's log, and of fetchers."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.sessions.knowledge import (
    Connection,
    Fetcher,
    epochs_between,
    read_end,
)
from lockstep_kafka.sessions.leader_logs import LeaderLog

LAST_ID = 2**31 - 1
FIRST_ID = -(2**31)
LAST_EPOCH = 2**31 - 1


def connection(last_fetch: int | None, *others: int) -> Connection:
    """A connection after a Fetch, at place 100, and requests of other APIs, from place 101 on."""
    known = Connection()
    if last_fetch is not None:
        known.fetch(last_fetch, 100, 100)
    for place, other in enumerate(others, start=101):
        known.other_request(other, place, place)
    return known


@pytest.mark.parametrize(
    ("last_fetch", "others", "next_fetch", "missing"),
    [
        (None, (), 7, None),
        (None, (5, 6), 7, None),
        (6, (), 7, 0),
        (6, (), 9, 2),
        (6, (7, 8), 9, 0),
        (6, (8, 7), 9, 0),
        (6, (8,), 9, 1),
        # Numbered before the Fetch at 6, or after the one at 9: neither lies between them.
        (6, (5,), 9, 2),
        (6, (10,), 9, 2),
        (LAST_ID, (), FIRST_ID, 0),
        (LAST_ID - 1, (LAST_ID, FIRST_ID), FIRST_ID + 2, 1),
        # The client counts from 0, or lines are not in order: any number may be missing.
        (6, (), 6, None),
        (6, (), 2, None),
    ],
)
def test_how_many_requests_may_be_missing(
    last_fetch: int | None, others: tuple[int, ...], next_fetch: int, missing: int | None
) -> None:
    assert connection(last_fetch, *others).reach(next_fetch, 999) == missing


def test_a_request_counts_for_the_fetch_that_follows_its_id() -> None:
    known = connection(6, 9)
    assert known.reach(8, 999) == 1
    known.fetch(8, 110, 110)
    assert known.reach(10, 999) == 0


def test_lines_count_that_surely_stand_before_a_request() -> None:
    known = connection(6, 7, 12)
    known.reach(8, 109)
    assert (known.position, known.time_ms) == (101, 101)  # 12 was sent later
    known.fetch(8, 110, 110)
    known.reach(13, 200)
    assert (known.position, known.time_ms) == (110, 110)


@given(
    first=st.integers(FIRST_ID, LAST_ID),
    steps=st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=20),
    seed=st.integers(0, 2**32),
)
def test_requests_of_a_connection_are_all_counted(
    first: int, steps: list[tuple[int, bool]], seed: int
) -> None:
    """Some ids are those of Fetch requests, some of others, in any order, and some are missing."""
    ids, fetches = [first], [0]
    for step, is_fetch in (*steps, (1, True)):
        ids += [(ids[-1] + count + 2**31) % 2**32 - 2**31 for count in range(1, step + 1)]
        if is_fetch:
            fetches.append(len(ids) - 1)
    chance = random.Random(seed)
    known = Connection()
    assert known.reach(first, 999) is None
    known.fetch(first, 0, None)
    for before, after in pairwise(fetches):
        others = [ids[place] for place in range(before + 1, after)]
        seen = [other for other in others if chance.random() < 0.5]
        chance.shuffle(seen)
        for other in seen:
            known.other_request(other, before + 1, None)
        assert known.reach(ids[after], after) == len(others) - len(seen)
        known.fetch(ids[after], after, None)


tellings = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 5), st.integers(0, 5)),
    min_size=1,
    max_size=12,
    unique_by=lambda telling: telling[0],
)


@given(reported=tellings, seed=st.integers(0, 2**32), position=st.integers(0, 31))
def test_the_order_of_reading_does_not_matter(
    reported: list[tuple[int, int, int]], seed: int, position: int
) -> None:
    log = LeaderLog(0)
    shuffled = list(reported)
    random.Random(seed).shuffle(shuffled)
    for place, high_watermark, log_start in shuffled:
        log.tell(place, place, high_watermark, log_start)
    earlier = [telling for telling in reported if telling[0] <= position]
    assert log.before(Connection(position=position, time_ms=position)) == (
        max((high for _, high, _ in earlier), default=0),
        max((start for _, _, start in earlier), default=0),
    )
    assert log.highest == max(high for _, high, _ in reported)


@given(reported=tellings, seed=st.integers(0, 2**32))
def test_it_is_reported_whether_a_watermark_is_the_latest(
    reported: list[tuple[int, int, int]], seed: int
) -> None:
    log = LeaderLog(0)
    random.Random(seed).shuffle(reported)
    highest = -1
    for place, high_watermark, log_start in reported:
        if log.tell(place, place, high_watermark, log_start):
            highest = max(highest, high_watermark)
        else:
            assert high_watermark <= highest
        assert log.highest == highest


def test_a_request_that_was_sent_later_says_nothing_of_an_earlier_one() -> None:
    """Its client numbered it first. The clock may have put it first as well: its line did not."""
    known = connection(6, 7)
    known.other_request(8, 300, 50)
    known.reach(9, 200)
    assert (known.position, known.time_ms) == (101, 101)


def test_a_line_whose_time_is_later_does_not_count() -> None:
    log = LeaderLog(0)
    log.tell(1, 1_000, 5, 2)
    log.tell(2, 3_000, 6, 2)
    assert log.before(Connection(position=3, time_ms=2_000)) == (5, 2)
    assert log.before(Connection(position=3)) == (6, 2)


def test_many_tellings_are_not_kept() -> None:
    log = LeaderLog(0)
    for place in range(1_000):
        log.tell(place, place, place, 0)
    assert len(log.tellings) < 100
    assert log.before(Connection(position=999, time_ms=999)) == (999, 0)
    assert log.before(Connection(position=10, time_ms=10)) == (0, 0)


def line(connection: str, time_ms: int | None, total_ms: float) -> FetchLine:
    return FetchLine(
        line=1,
        file="server.log",
        time_ms=time_ms,
        version=18,
        correlation_id=1,
        client_id="client",
        connection=connection,
        replica_id=-1,
        session_id=7,
        session_epoch=2,
        partitions={},
        forgotten=(),
        max_wait_ms=500,
        min_bytes=1,
        error_code=0,
        response_session_id=7,
        throttle_time_ms=0,
        answered={},
        total_time_ms=total_ms,
    )


@pytest.mark.parametrize(
    ("connection", "time_ms", "total_ms", "is_waiting"),
    [
        ("new", 1_100, 101, True),
        ("new", 1_100, 100, False),
        ("new", None, 101, False),
        # A broker reads the next request of a connection when the last one is answered.
        ("old", 1_100, 101, False),
    ],
)
def test_a_fetcher_that_does_not_wait(
    connection: str, time_ms: int | None, total_ms: float, is_waiting: bool
) -> None:
    fetcher = Fetcher("client", uses_topic_ids=True, connection="old", completion_ms=1_000)
    assert fetcher.is_waiting(line(connection, time_ms, total_ms)) is is_waiting


def test_a_fetcher_that_sent_nothing_does_not_wait() -> None:
    assert not Fetcher("client", uses_topic_ids=True).is_waiting(line("new", 1_100, 101))


@pytest.mark.parametrize(
    ("earlier", "later", "steps"),
    [
        (1, 1, 0),
        (1, 5, 4),
        (5, 1, -4),
        (LAST_EPOCH, 1, 1),
        (1, LAST_EPOCH, -1),
        (LAST_EPOCH - 1, 2, 3),
    ],
)
def test_epochs_go_on_from_the_last_to_the_first(earlier: int, later: int, steps: int) -> None:
    assert epochs_between(earlier, later) == steps


@pytest.mark.parametrize(("isolation_level", "end"), [(0, 9), (1, 5)])
def test_where_records_end(isolation_level: int, end: int) -> None:
    assert read_end(5, 9, isolation_level) == end

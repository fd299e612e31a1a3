"""Restoring the order of each connection."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.kafka_files.connection_order import Moved, in_connection_order
from models.kafka_files.fetch_line import FetchLine


def fetch(line: int, correlation_id: int, connection: str = "a") -> FetchLine:
    return FetchLine(
        line=line,
        file="kafka-request.log",
        time_ms=None,
        version=12,
        correlation_id=correlation_id,
        client_id="client",
        connection=connection,
        replica_id=-1,
        session_id=0,
        session_epoch=-1,
        partitions={},
        forgotten=(),
        max_wait_ms=500,
        min_bytes=1,
        error_code=0,
        response_session_id=0,
        throttle_time_ms=0,
        answered={},
    )


def log(*ids: int | tuple[str, int]) -> list[FetchLine]:
    """Lines 1, 2, ... with these correlation ids, of connection `a` where none is named."""
    named = [shown if isinstance(shown, tuple) else ("a", shown) for shown in ids]
    return [fetch(line, number, name) for line, (name, number) in enumerate(named, 1)]


def order(ordered: list[FetchLine]) -> list[int]:
    return [line.line for line in ordered]


@pytest.mark.parametrize(
    ("ids", "lines", "moved"),
    [
        ((), [], []),
        ((5,), [1], []),
        ((5, 6, 9), [1, 2, 3], []),
        # Of two, the later one.
        ((6, 5), [2, 1], [(2, 5, None)]),
        ((5, 6, 8, 7, 9), [1, 2, 4, 3, 5], [(4, 7, 2)]),
        ((5, 6, 7, 4), [4, 1, 2, 3], [(4, 4, None)]),
        # As few as possible.
        ((9, 5, 6, 7), [2, 3, 4, 1], [(1, 9, 4)]),
        ((5, 9, 8, 6, 7), [1, 4, 5, 3, 2], [(2, 9, 3), (3, 8, 5)]),
        ((3, 2, 1), [3, 2, 1], [(2, 2, 3), (3, 1, None)]),
        # A repeated id says nothing of the order.
        ((5, 5, 6, 6), [1, 2, 3, 4], []),
        ((5, 6, 5, 7), [1, 2, 3, 4], []),
        ((5, 5, 7, 6), [1, 2, 4, 3], [(4, 6, 2)]),
        ((7, 5, 6, 7), [2, 3, 1, 4], [(1, 7, 3)]),
        # Ids wrap as 32-bit integers do.
        ((2**31 - 9, -(2**31), -(2**31) + 1), [1, 2, 3], []),
        ((-(2**31), 2**31 - 9, -(2**31) + 1), [2, 1, 3], [(2, 2**31 - 9, None)]),
    ],
)
def test_one_connection(
    ids: tuple[int, ...], lines: list[int], moved: list[tuple[int, int, int | None]]
) -> None:
    ordered, report = in_connection_order(iter(log(*ids)))
    assert order(ordered) == lines
    assert report == [Moved(line, "a", number, after) for line, number, after in moved]


def test_connections_do_not_touch_each_other() -> None:
    lines = log(5, ("b", 1), 7, ("b", 3), ("c", 9), 6, ("b", 2), ("c", 8))
    ordered, report = in_connection_order(lines)
    assert order(ordered) == [1, 2, 6, 3, 7, 4, 8, 5]
    assert report == [
        Moved(6, "a", 6, 1),
        Moved(7, "b", 2, 2),
        Moved(8, "c", 8, None),
    ]


small_logs = st.lists(st.tuples(st.sampled_from("ab"), st.integers(-3, 5)), max_size=9).map(
    lambda shown: log(*shown)
)


def first_showings(lines: list[FetchLine], connection: str) -> list[FetchLine]:
    by_id: dict[int, FetchLine] = {}
    for line in lines:
        if line.connection == connection:
            by_id.setdefault(line.correlation_id, line)
    return list(by_id.values())


def is_ascending(lines: list[FetchLine]) -> bool:
    ids = [line.correlation_id for line in lines]
    return ids == sorted(ids)


@given(lines=small_logs)
@settings(deadline=None)
def test_every_connection_is_in_order_and_nothing_is_lost(lines: list[FetchLine]) -> None:
    ordered, report = in_connection_order(lines)
    assert sorted(order(ordered)) == order(lines)
    moved = {entry.line for entry in report}
    assert len(moved) == len(report)
    assert [line.line for line in ordered if line.line not in moved] == [
        line.line for line in lines if line.line not in moved
    ]
    for connection in "ab":
        shown = first_showings(lines, connection)
        repeated = {line.line for line in lines if line.connection == connection}
        repeated -= {line.line for line in shown}
        assert not moved & repeated
        assert is_ascending([line for line in ordered if line in shown])


@given(lines=small_logs)
@settings(deadline=None)
def test_no_fewer_lines_could_be_moved(lines: list[FetchLine]) -> None:
    _, report = in_connection_order(lines)
    for connection in "ab":
        shown = first_showings(lines, connection)
        count = sum(entry.connection == connection for entry in report)
        for size in range(len(shown) - count + 1, len(shown) + 1):
            assert not any(is_ascending(list(in_place)) for in_place in combinations(shown, size))


@given(lines=small_logs)
@settings(deadline=None)
def test_each_moved_line_tells_what_it_follows(lines: list[FetchLine]) -> None:
    ordered, report = in_connection_order(lines)
    for entry in report:
        own = [line.line for line in ordered if line.connection == entry.connection]
        place = own.index(entry.line)
        assert entry.after_line == (own[place - 1] if place else None)


@given(
    start=st.integers(-(2**31), 2**31 - 1),
    ages=st.lists(st.integers(0, 2**31 - 1), unique=True, min_size=1, max_size=20),
)
@settings(deadline=None)
def test_ids_are_compared_as_they_wrap(start: int, ages: list[int]) -> None:
    ids = [(start + age + 2**31) % 2**32 - 2**31 for age in ages]
    ordered, _ = in_connection_order(log(*ids))
    assert order(ordered) == [line for _, line in sorted(zip(ages, range(1, 99), strict=False))]


@given(lines=small_logs)
@settings(deadline=None)
def test_what_is_in_order_stays(lines: list[FetchLine]) -> None:
    shown = [line for connection in "ab" for line in first_showings(lines, connection)]
    once, _ = in_connection_order(shown)
    assert in_connection_order(once) == (once, [])


def test_many_lines() -> None:
    ids = [number ^ 1 for number in range(50_000)]
    ordered, report = in_connection_order(log(*ids))
    assert [line.correlation_id for line in ordered] == list(range(50_000))
    assert len(report) == 25_000

"""Restoring the order in which requests arrived, within a window."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from lockstep_kafka.files.lines import (
    FetchLine,
    LogLine,
    OtherRequest,
    Reason,
    RequestedPartition,
    Skipped,
    TopicPartition,
)
from tests.kafka.files.arrival import in_arrival_order

ASKED = RequestedPartition(0, -1, 1048576, -1, -1)
FILE = "kafka-request.log"


def fetch(
    line: int,
    correlation_id: int,
    connection: str = "a",
    time_ms: int | None = None,
    total_time_ms: float = 0.0,
    fingerprint: int = 0,
) -> FetchLine:
    return FetchLine(
        line=line,
        file=FILE,
        time_ms=time_ms,
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
        total_time_ms=total_time_ms,
        fingerprint=fingerprint,
    )


def other(
    line: int, correlation_id: int, time_ms: int, total_time_ms: float = 0.0, fingerprint: int = 0
) -> OtherRequest:
    return OtherRequest(
        line, FILE, "PRODUCE", "a", correlation_id, "client", time_ms, total_time_ms, fingerprint
    )


def log(*ids: int | tuple[str, int]) -> list[FetchLine]:
    """Lines 1, 2, ... with these correlation ids, of connection `a` where none is named."""
    named = [entry if isinstance(entry, tuple) else ("a", entry) for entry in ids]
    return [fetch(line, number, name) for line, (name, number) in enumerate(named, 1)]


def order(lines: Iterable[LogLine], **limits: float) -> list[int]:
    return [line.line for line in in_arrival_order(lines, **limits)]


def unused(lines: Iterable[LogLine]) -> list[tuple[int, Reason]]:
    return [(line.line, line.reason) for line in lines if isinstance(line, Skipped)]


def moved(lines: Iterable[LogLine]) -> list[int]:
    return sorted(line.line for line in lines if isinstance(line, FetchLine) and line.moved)


class TestConnections:
    @pytest.mark.parametrize(
        ("ids", "lines", "moves"),
        [
            ((), [], []),
            ((5,), [1], []),
            ((5, 6, 9), [1, 2, 3], []),
            ((6, 5), [2, 1], [2]),
            ((5, 6, 8, 7, 9), [1, 2, 4, 3, 5], [4]),
            ((5, 6, 7, 4), [4, 1, 2, 3], [4]),
            ((3, 2, 1), [3, 2, 1], [2, 3]),
            # One id twice, but not one request twice: as they stand.
            ((5, 6, 5, 7), [1, 3, 2, 4], [3]),
            # Ids wrap as 32-bit integers do.
            ((2**31 - 9, -(2**31), -(2**31) + 1), [1, 2, 3], []),
            ((-(2**31), 2**31 - 9, -(2**31) + 1), [2, 1, 3], [2]),
        ],
    )
    def test_one_connection(self, ids: tuple[int, ...], lines: list[int], moves: list[int]) -> None:
        ordered = list(in_arrival_order(iter(log(*ids))))
        assert [line.line for line in ordered] == lines
        assert moved(ordered) == moves

    def test_connections_do_not_touch_each_other(self) -> None:
        lines = log(5, ("b", 1), 7, ("b", 3), ("c", 9), 6, ("b", 2), ("c", 8))
        assert order(lines) == [1, 2, 6, 7, 8, 3, 4, 5]

    def test_ids_count_whatever_the_times_say(self) -> None:
        lines = [fetch(1, 6, time_ms=1000), fetch(2, 5, time_ms=1400), fetch(3, 7, time_ms=1500)]
        assert order(lines) == [2, 1, 3]

    @given(
        start=st.integers(-(2**31), 2**31 - 1),
        ages=st.lists(st.integers(0, 2**31 - 1), unique=True, min_size=1, max_size=20),
    )
    @settings(deadline=None)
    def test_ids_are_compared_as_they_wrap(self, start: int, ages: list[int]) -> None:
        ids = [(start + age + 2**31) % 2**32 - 2**31 for age in ages]
        by_age = [line for _, line in sorted(zip(ages, range(1, 99), strict=False))]
        assert order(log(*ids)) == by_age

    def test_many_lines(self) -> None:
        ids = [number ^ 1 for number in range(50_000)]
        ordered = list(in_arrival_order(log(*ids), held=10))
        assert [line.correlation_id for line in ordered] == list(range(50_000))
        assert len(moved(ordered)) == 25_000


class TestArrival:
    def test_a_long_poll_arrived_before_what_was_written_meanwhile(self) -> None:
        lines: list[LogLine] = [
            fetch(1, 1, "b", time_ms=1100, total_time_ms=1.0),
            other(2, 1, time_ms=1200, total_time_ms=150.5),
            fetch(3, 1, "a", time_ms=1500, total_time_ms=500.0),
        ]
        ordered = list(in_arrival_order(lines))
        assert [line.line for line in ordered] == [3, 2, 1]
        assert moved(ordered) == []

    def test_of_one_time_as_they_stand(self) -> None:
        assert order([fetch(n, 1, str(n), time_ms=1000) for n in range(1, 9)]) == [*range(1, 9)]

    def test_other_requests_are_not_in_the_order_of_their_ids(self) -> None:
        # A real Java client: 3 was made before 4, and sent four seconds after it.
        lines: list[LogLine] = [
            other(1, 4, time_ms=1000),
            fetch(2, 5, time_ms=2000),
            other(3, 3, time_ms=5000),
        ]
        assert order(lines) == [1, 2, 3]

    def test_a_line_is_given_out_when_the_window_has_passed_it(self) -> None:
        read: list[int] = []

        def lines() -> Iterator[FetchLine]:
            for line in range(1, 8):
                read.append(line)
                yield fetch(line, line, time_ms=1000 * line)

        ordered = in_arrival_order(lines(), window_ms=2500)
        assert next(ordered).line == 1
        assert read == [1, 2, 3, 4]
        assert next(ordered).line == 2
        assert read == [1, 2, 3, 4, 5]

    def test_what_comes_too_late_for_its_connection(self) -> None:
        lines = [
            fetch(1, 2, time_ms=1000),
            fetch(2, 3, time_ms=9000),
            fetch(3, 1, time_ms=9000),
            fetch(4, 1, "b", time_ms=9000, total_time_ms=8500),
        ]
        ordered = list(in_arrival_order(lines))
        # Before the line that follows it in the log.
        assert [line.line for line in ordered] == [1, 3, 4, 2]
        assert unused(ordered) == [(3, Reason.LATE)]
        late = ordered[1]
        assert isinstance(late, Skipped)
        assert (late.connection, late.correlation_id) == ("a", 1)


class TestTimes:
    def test_lines_without_time_stand_with_the_line_before_them(self) -> None:
        lines = [
            fetch(1, 1, "a", time_ms=1000),
            fetch(2, 1, "b"),
            fetch(3, 1, "c", time_ms=1001),
            fetch(4, 1, "d", time_ms=1001, total_time_ms=50.0),
        ]
        assert order(lines) == [4, 1, 2, 3]

    def test_one_time_that_is_far_ahead(self) -> None:
        lines = [fetch(line, line, str(line % 3), time_ms=1000 + line) for line in range(1, 9)]
        lines[3] = fetch(4, 4, "1", time_ms=100_000)
        assert order(lines) == [*range(1, 9)]

    def test_the_end_of_summer_time(self) -> None:
        # From line 2001 on the times are an hour less; every second line was raced by the next.
        lines = [
            fetch(
                line,
                line,
                f"{line % 2}",
                time_ms=10_000_000 + 10 * line - (3_600_000 if line > 2000 else 0),
                total_time_ms=15.0 if line % 2 else 0.0,
            )
            for line in range(1, 5001)
        ]
        ordered = order(lines)
        assert sorted(ordered) == [*range(1, 5001)]
        by_arrival = [1, *(line for odd in range(3, 5000, 2) for line in (odd, odd - 1)), 5000]
        assert ordered[:1990] == by_arrival[:1990]
        # The log's own order, until it is clear that the clock was changed.
        assert ordered[2010:2990] == [*range(2011, 2991)]
        assert ordered[3010:] == by_arrival[3010:]


class TestRepetitions:
    def test_the_same_request_twice(self) -> None:
        lines: list[LogLine] = [
            fetch(1, 1, time_ms=1000, fingerprint=7),
            other(2, 2, time_ms=1001, fingerprint=8),
            fetch(3, 1, time_ms=1000, fingerprint=7),
            other(4, 2, time_ms=1001, fingerprint=8),
            fetch(5, 3, time_ms=1002, fingerprint=9),
        ]
        ordered = list(in_arrival_order(lines))
        assert unused(ordered) == [(3, Reason.REPEATED), (4, Reason.REPEATED)]
        assert all(
            (line.connection, line.correlation_id) in (("a", 1), ("a", 2))
            for line in ordered
            if isinstance(line, Skipped)
        )

    def test_the_last_of_a_connection_is_remembered_longer_than_the_window(self) -> None:
        lines = [
            fetch(1, 1, "a", time_ms=1000, fingerprint=7),
            fetch(2, 1, "b", time_ms=20_000, fingerprint=8),
            fetch(3, 1, "a", time_ms=20_000, fingerprint=7),
        ]
        assert unused(in_arrival_order(lines)) == [(3, Reason.REPEATED)]

    def test_another_request_with_the_same_id(self) -> None:
        lines = [fetch(1, 1, time_ms=1000, fingerprint=7), fetch(2, 1, time_ms=1000, fingerprint=8)]
        assert unused(in_arrival_order(lines)) == []


def lines_of(
    first_id: int, entries: list[tuple[str, str, int, int | None, float, int]]
) -> list[LogLine]:
    lines: list[LogLine] = []
    for line, (kind, connection, step, time_ms, total, fingerprint) in enumerate(entries, 1):
        number = (first_id + step + 2**31) % 2**32 - 2**31
        if kind == "fetch":
            lines.append(fetch(line, number, connection, time_ms, total, fingerprint))
        else:
            lines.append(other(line, number, time_ms or 0, total, fingerprint))
    return lines


any_lines = st.builds(
    lines_of,
    st.sampled_from([0, 2**31 - 3]),
    st.lists(
        st.tuples(
            st.sampled_from(["fetch", "fetch", "fetch", "other"]),
            st.sampled_from("abc"),
            st.integers(0, 8),
            st.none() | st.integers(0, 60),
            st.floats(0, 30),
            st.integers(0, 2),
        ),
        max_size=30,
    ),
)


@given(lines=any_lines, window=st.integers(0, 70), held=st.integers(1, 40))
@settings(max_examples=300, deadline=None)
def test_whatever_the_log_is(lines: list[LogLine], window: int, held: int) -> None:
    read = 0

    def reading() -> Iterator[LogLine]:
        nonlocal read
        for line in lines:
            read += 1
            yield line

    ordered: list[LogLine] = []
    for line in in_arrival_order(reading(), window_ms=window, held=held):
        ordered.append(line)
        # Lines without partitions count for one each; one is being given out.
        assert read - len(ordered) <= held + 1
    # Nothing is lost and nothing doubled.
    assert Counter(line.line for line in ordered) == Counter(range(1, len(lines) + 1))
    for connection in "abc":
        newest = None
        for line in ordered:
            if isinstance(line, FetchLine) and line.connection == connection:
                if newest is not None:
                    assert (line.correlation_id - newest) % 2**32 < 2**31
                newest = line.correlation_id


def test_partitions_count_for_lines() -> None:
    read: list[int] = []

    def lines() -> Iterator[FetchLine]:
        for line in range(1, 100):
            read.append(line)
            partitions = {TopicPartition("t", index): ASKED for index in range(9)}
            yield structs.replace(fetch(line, line), partitions=partitions)

    ordered = in_arrival_order(lines(), held=50)
    assert next(ordered).line == 1
    assert len(read) == 6


def test_memory_does_not_grow_with_the_log() -> None:
    def lines() -> Iterator[FetchLine]:
        for line in range(1, 50_001):
            connection = f"connection {line // 2}"
            yield fetch(line, line, connection, 1000 * line, fingerprint=line)

    tracemalloc.start()
    try:
        count = sum(1 for _ in in_arrival_order(lines()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 50_000
    # Most of it is the connections that are remembered.
    assert peak < 10_000_000


@given(data=st.data(), counts=st.lists(st.integers(1, 8), min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_any_permutation_within_the_window(data: st.DataObject, counts: list[int]) -> None:
    requests = [
        fetch(0, number, str(name), time_ms=1000 + data.draw(st.integers(0, 4000)), fingerprint=1)
        for name, count in enumerate(counts)
        for number in range(count)
    ]
    ordered = list(in_arrival_order(data.draw(st.permutations(requests))))
    assert unused(ordered) == []
    for name, count in enumerate(counts):
        ids = [
            line.correlation_id
            for line in ordered
            if isinstance(line, FetchLine) and line.connection == str(name)
        ]
        assert ids == list(range(count))


@given(
    requests=st.lists(
        st.tuples(st.integers(0, 20_000), st.integers(0, 4_000)), unique=True, max_size=40
    )
)
@settings(max_examples=200, deadline=None)
def test_connections_of_one_request_come_in_the_order_of_arrival(
    requests: list[tuple[int, int]],
) -> None:
    written = sorted((arrived + total, arrived, total) for arrived, total in requests)
    lines = [
        fetch(line, 1, str(line), completed, total)
        for line, (completed, _, total) in enumerate(written, 1)
    ]
    arrivals = [line.arrival_ms for line in in_arrival_order(lines) if isinstance(line, FetchLine)]
    assert arrivals == sorted(arrived for arrived, _ in requests)

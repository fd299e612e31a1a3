"""The order in which each connection carried its requests, restored from their correlation ids."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.kafka_files.fetch_line import FetchLine

_ID_COUNT = 2**32
_HALF_OF_THE_IDS = 2**31


@dataclass(frozen=True, slots=True)
class Moved:
    """A line that stood out of its connection's order."""

    line: int
    connection: str
    correlation_id: int
    after_line: int | None
    """The line of the same connection that it follows now; None when it is now the first."""


def in_connection_order(lines: Iterable[FetchLine]) -> tuple[list[FetchLine], list[Moved]]:
    """The lines with every connection in the order of its correlation ids, and what was moved.

    As few lines as possible are moved; of two that stand the wrong way round, the later one. Each
    goes directly before the line of its connection that has the next higher id, or after the last
    one when there is none. All other lines, of whatever connection, keep their order. A line whose
    id its connection has shown before is a repetition: it says nothing of the order and is left
    where it is.

    Ids are compared as clients count them, where -2147483648 follows 2147483647: the ids of one
    connection are taken to lie less than 2147483648 from the first one in the log.
    """
    log = list(lines)
    put_before: dict[int, list[int]] = defaultdict(list)
    put_after: dict[int, list[int]] = defaultdict(list)
    moved: set[int] = set()
    for positions in _first_showings(log).values():
        origin = log[positions[0]].correlation_id
        ages = [_steps(origin, log[position].correlation_id) for position in positions]
        in_place = {positions[place] for place in _longest_ascending(ages)}
        if len(in_place) == len(positions):
            continue
        moved.update(position for position in positions if position not in in_place)
        waiting: list[int] = []
        last_kept = -1
        for _, position in sorted(zip(ages, positions, strict=True)):
            if position in in_place:
                put_before[position] = waiting
                waiting = []
                last_kept = position
            else:
                waiting.append(position)
        put_after[last_kept] = waiting

    order = [
        placed
        for position in range(len(log))
        if position not in moved
        for placed in (*put_before.get(position, ()), position, *put_after.get(position, ()))
    ]
    return [log[position] for position in order], _report(log, order, moved)


def _first_showings(lines: Sequence[FetchLine]) -> dict[str, list[int]]:
    """For each connection, where each of its correlation ids stands for the first time."""
    shown: dict[str, dict[int, int]] = defaultdict(dict)
    for position, line in enumerate(lines):
        shown[line.connection].setdefault(line.correlation_id, position)
    return {connection: list(by_id.values()) for connection, by_id in shown.items()}


def _steps(origin: int, correlation_id: int) -> int:
    """How far an id lies after (or, negative, before) another, counting as 32 bits wrap."""
    return (correlation_id - origin + _HALF_OF_THE_IDS) % _ID_COUNT - _HALF_OF_THE_IDS


def _longest_ascending(values: Sequence[int]) -> list[int]:
    """Where the values of a longest ascending subsequence stand: of several, the earliest one."""
    # Patience sorting from the right: best_starts[n] is the highest value at which n + 1 ascending
    # values start, negated so that the list ascends.
    best_starts: list[int] = []
    run_lengths = [0] * len(values)
    for place in range(len(values) - 1, -1, -1):
        start = -values[place]
        length = bisect_left(best_starts, start)
        best_starts[length : length + 1] = [start]
        run_lengths[place] = length + 1

    chosen: list[int] = []
    wanted = len(best_starts)
    for place, run_length in enumerate(run_lengths):
        if run_length == wanted and (not chosen or values[place] > values[chosen[-1]]):
            chosen.append(place)
            wanted -= 1
    return chosen


def _report(lines: Sequence[FetchLine], order: Sequence[int], moved: set[int]) -> list[Moved]:
    """One entry for each moved line, in the order of the log as it was given."""
    if not moved:
        return []
    followed: dict[int, int | None] = {}
    latest: dict[str, int] = {}
    for position in order:
        line = lines[position]
        if position in moved:
            followed[position] = latest.get(line.connection)
        latest[line.connection] = line.line
    return [
        Moved(lines[at].line, lines[at].connection, lines[at].correlation_id, followed[at])
        for at in sorted(moved)
    ]

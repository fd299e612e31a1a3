"""Whole logs put in the order of arrival."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lockstep_kafka.files.arrival_order import HELD, WINDOW_MS, ArrivalOrder
from lockstep_kafka.files.lines import LogLine, Skipped


def in_arrival_order(
    lines: Iterable[LogLine], *, window_ms: float = WINDOW_MS, held: float = HELD
) -> Iterator[LogLine]:
    """Every line once; one that is not used as soon as that is known."""
    order = ArrivalOrder(window_ms=window_ms, held=int(held))

    def due() -> Iterator[LogLine]:
        while (first := order.next()) is not None:
            yield first[1]

    for position, line in enumerate(lines):
        skipped = line if isinstance(line, Skipped) else order.read(line, position)
        if skipped is not None:
            yield skipped
        yield from due()
    order.end()
    yield from due()

"""One broker that has much of all lines is followed by several tasks, each a share of it.

Each of them reads all of its lines, first to see which connections belong together, and then to
follow its share of these. So they need no word of each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import Any, NamedTuple

from lockstep_kafka.fleet.broker_logs import LogInColumns, Owns, Piece
from lockstep_kafka.fleet.columns import STATE_ORDER
from lockstep_kafka.fleet.pieces import unpacked
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.sessions.saved_state import sealed_state
from lockstep_kafka.sessions.shares import Groups, merged, share_of_state

_PARTS = 2**16
"""More than a state has; parts of one share are numbered behind those of another."""

_MOST_SHARES = 4
"""Each share reads all lines: more of them would save little."""

_LEAST_BYTES = 8 * 2**20
"""What is less is followed sooner than another task has begun."""

_SAMPLE = 4 * 2**20
"""Bytes after which, and after twice as many each time, it is seen whether splitting pays."""


class Share(NamedTuple):
    """One of so many shares of a broker."""

    number: int
    of: int


def shares_of(ranges: Iterable[Mapping[str, Any]], cores: int) -> dict[str, int]:
    """The brokers to split, and into how many shares: their files have more than a core's share."""
    sizes: Counter[str] = Counter()
    for range_ in ranges:
        of = range_["brokers"]
        sizes[of[0] if len(of) == 1 else ""] += range_["end"] - range_["begin"]
    each = max(sizes.total() / cores, _LEAST_BYTES)
    counts = {broker: min(ceil(size / each), _MOST_SHARES) for broker, size in sizes.items()}
    return {broker: count for broker, count in counts.items() if broker and count > 1}


def part_number(share: Share, part: int) -> int:
    """The number of a part of the state of a share."""
    return share.number * _PARTS + part


def states_in(parts: Iterable[Piece], broker: str, owns: Owns | None) -> bytes | None:
    """What a follower goes on from, out of the parts of the states of all shares."""
    states = _states(parts)
    if not states or (len(states) == 1 and owns is None):
        return states[0] if states else None
    state = merged(states, broker)
    if owns is not None:
        share_of_state(state, owns)
    return sealed_state(state)


def _states(parts: Iterable[Piece]) -> list[bytes]:
    shares = groupby(parts, lambda part: part["line"] // _PARTS)
    return [b"".join(map(itemgetter("content"), of_share)) for _, of_share in shares]


def owned(broker: str, observed: Observed, share: Share, pieces: Sequence[Piece]) -> Owns | None:
    """What is of a share; None where nothing is."""
    log = _ScoutedLog(broker, observed)
    states = _states(piece for piece in pieces if piece["order"] == STATE_ORDER)
    if states:
        log.groups.add_state(merged(states, broker))
    new = [one for one in pieces if one["order"] != STATE_ORDER and one["quarantined"] is None]
    for _, of_file in groupby(new, lambda piece: (piece["order"], piece["file"])):
        for _ in log.read(map(unpacked, of_file)):
            pass
    log.scout.take_up()
    share_of = log.groups.shares(share.of)
    if share.number and share.number not in share_of.values():
        return None
    return lambda one: share_of.get(one, 0) == share.number


class _ScoutedLog(LogInColumns):
    """A log that is read until it is seen that most of it belongs together."""

    def __init__(self, broker: str, observed: Observed) -> None:
        from lockstep_kafka.columns.scout import Scout

        super().__init__(broker, observed, None)
        self.scout = Scout(broker, observed.explanations, self._prefix)
        self.kept = self.scout
        self._read, self._look_at = 0, _SAMPLE

    @property
    def groups(self) -> Groups:
        """What belongs together."""
        return self.scout.groups

    def _blocks(self, piece: Piece) -> Iterator[bytes]:
        for block in super()._blocks(piece):
            if self._read >= self._look_at:
                self.scout.take_up()
                if self.groups.is_one():
                    return
                self._look_at *= 2
            self._read += len(block)
            yield block

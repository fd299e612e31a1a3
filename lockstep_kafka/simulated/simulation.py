"""What is asked of a simulator, and what it gives: the lines of a running system's log.

A log is simulated broker by broker. Its lines are those of behaviours of the model, but for the
departures that are seeded on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lockstep_kafka.findings import SideName


@dataclass(frozen=True)
class Simulation:
    """The log of one broker to be simulated.

    `broker` counts from 1 to `brokers`; it has `lines` lines, and `clients` fetchers at a time,
    which fetch `partitions` partitions. All that is drawn by chance follows from `seed`. Steps of
    the model are taken for `behaviours` different behaviours. `departures` is the share of lines
    at which one of `kinds` is seeded.
    """

    broker: int
    brokers: int
    lines: int
    clients: int
    partitions: int
    seed: int
    behaviours: int
    departures: float = 0.0
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeededDeparture:
    """A departure that the log shows: every one of `sides` departs at its line or later.

    It may be reported under any of `sessions`, where 0 stands for the requests of `connection`
    outside of any session. `blameless` sides of these sessions do not depart.
    """

    kind: str
    sides: tuple[SideName, ...]
    requirements: tuple[str, ...]
    blameless: tuple[SideName, ...]
    sessions: tuple[int, ...]
    connection: str


class SimulatedLine(NamedTuple):
    """A line of the log without its end, and the departure that begins there, if one does."""

    text: str
    departure: SeededDeparture | None = None

"""What the tables of a fleet's logs add up to: what a page or a summary shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lockstep_kafka.findings import Candidate, Verdict

SIDES = ("client", "broker")


@dataclass(frozen=True)
class Counts:
    """Lines of requests, and those of them on which a side departs or is unknown."""

    lines: int = 0
    client_departures: int = 0
    broker_departures: int = 0
    unknown: int = 0

    @property
    def departures(self) -> int:
        """Of both sides."""
        return self.client_departures + self.broker_departures


@dataclass(frozen=True)
class Hour:
    """One hour of the log's own time; `begin_ms` is None for lines without a time."""

    begin_ms: int | None
    counts: Counts


@dataclass(frozen=True)
class Source:
    """The requests of one client id in one version of the API to one broker."""

    broker: str
    client: str
    version: int
    counts: Counts


@dataclass(frozen=True)
class Example:
    """A line that shows a departure; `text` is the line itself, `candidates` what could be."""

    file: str
    line: int
    time_ms: int | None
    because: str
    text: str
    candidates: Sequence[Candidate] = ()


@dataclass(frozen=True)
class DepartureGroup:
    """Departures of one side that have one reason but for the numbers and names in it.

    `first_ms` and `last_ms` are when the first and the last of them were written.
    """

    side: str
    because: str
    requirements: Sequence[str]
    count: int
    first_ms: int | None
    last_ms: int | None
    brokers: Sequence[str]
    clients: Sequence[str]
    versions: Sequence[int]
    examples: Sequence[Example] = ()


@dataclass(frozen=True)
class Quarantined:
    """Lines that were not followed for one reason, and the first places where they stand."""

    reason: str
    is_loss: bool
    count: int
    places: Sequence[str]


@dataclass(frozen=True)
class FleetFigures:
    """All of it. `sessions` has the number of sessions by side and verdict."""

    sessions: Mapping[str, Mapping[Verdict, int]]
    hours: Sequence[Hour]
    sources: Sequence[Source]
    kinds: Sequence[DepartureGroup]
    quarantined: Sequence[Quarantined]
    requirements: Mapping[str, str] = field(default_factory=dict)
    """The text of each requirement that is named, by its id."""

    @property
    def counts(self) -> Counts:
        """The sum over all sources."""
        parts = [source.counts for source in self.sources]
        return Counts(
            sum(part.lines for part in parts),
            sum(part.client_departures for part in parts),
            sum(part.broker_departures for part in parts),
            sum(part.unknown for part in parts),
        )

    @property
    def brokers(self) -> list[str]:
        """The brokers whose lines were read."""
        return sorted({source.broker for source in self.sources})

"""What a page shows of the tables of a fleet's logs.

It is in as many rows as a person reads, whatever the tables hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lockstep_kafka.findings import Candidate, Verdict
from lockstep_kafka.fleet.groups import Grouping, answers, largest_causes, largest_groups
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import DEPARTURES, METRICS, QUARANTINE, SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
    """A line that shows a departure, whole and abridged; `candidates` are what could be."""

    file: str
    line: int
    time_ms: int | None
    because: str
    text: str
    abridged: str
    candidates: Sequence[Candidate] = ()


@dataclass(frozen=True)
class DepartureGroup:
    """Departures of one side by one rule, of one software or broker: `who`.

    `because` is said of the first.

    `first_ms` and `last_ms` are when the first and the last of them were written.
    """

    side: str
    rule: str
    who: str
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


_MOST_KINDS = 50
_MOST_EXAMPLES = 3
_MOST_NAMES = 1_000
_MOST_SOURCES = 10_000
_LONGEST_TEXT = 20_000

Row = Mapping[str, Any]


def figures(tables: Tables, requirements: Mapping[str, str]) -> FleetFigures:
    """Ask the tables; `requirements` has the texts of those that may be named."""
    questions: dict[str, Callable[[], Any]] = {
        "sessions": lambda: _sessions(tables.rows(SESSIONS)),
        "hours": lambda: list(_hours(tables.rows(METRICS))),
        "sources": lambda: list(_sources(tables.rows(METRICS))),
        "kinds": lambda: list(_kinds(tables.rows(DEPARTURES))),
        "quarantined": lambda: list(_quarantined(tables.rows(QUARANTINE))),
    }
    found = answers(questions)
    named = {id for kind in found["kinds"] for id in kind.requirements}
    texts = {id: requirements[id] for id in sorted(named) if id in requirements}
    return FleetFigures(**found, requirements=texts)


def _sessions(sessions: DataFrame) -> dict[str, dict[Verdict, int]]:
    numbers: dict[str, dict[Verdict, int]] = {}
    for side in SIDES:
        rows = sessions.groupBy(sessions[f"{side}_side.verdict"].alias("verdict")).count()
        numbers[side] = {Verdict(row["verdict"]): row["count"] for row in rows.collect()}
    return numbers


def _summed(metrics: DataFrame, *keys: str) -> DataFrame:
    from pyspark.sql import functions as sql

    columns = ("lines", "client_departures", "broker_departures", "unknowns")
    return metrics.groupBy(*keys).agg(*(sql.sum(column).alias(column) for column in columns))


def _counts(row: Row) -> Counts:
    return Counts(row["lines"], row["client_departures"], row["broker_departures"], row["unknowns"])


def _hours(metrics: DataFrame) -> Iterator[Hour]:
    from pyspark.sql import functions as sql

    # As a number: Spark gives Python a time of the machine's own zone.
    for row in _summed(metrics.withColumn("begin", sql.unix_millis("hour")), "begin").collect():
        yield Hour(row["begin"], _counts(row.asDict()))


def _sources(metrics: DataFrame) -> Iterator[Source]:
    from pyspark.sql import functions as sql

    rows = _summed(metrics, "broker", "client", "api_version")
    departures = sql.col("client_departures") + sql.col("broker_departures")
    rows = rows.orderBy(departures.desc(), sql.desc("lines")).limit(_MOST_SOURCES)
    for row in rows.collect():
        yield Source(row["broker"], row["client"], row["api_version"], _counts(row.asDict()))


def _kinds(departures: DataFrame) -> Iterator[DepartureGroup]:
    from pyspark.sql import functions as sql

    names = [
        sql.slice(sql.sort_array(sql.collect_set(column)), 1, _MOST_NAMES).alias(alias)
        for alias, column in (
            ("brokers", "broker"),
            ("clients", "client"),
            ("versions", "api_version"),
        )
    ]
    for group, span in largest_causes(departures, _MOST_KINDS, _MOST_EXAMPLES, *names):
        first = group.firsts[0]
        yield DepartureGroup(
            because=first["because"],
            requirements=first["requirements"],
            count=group.count,
            examples=[_example(row) for row in group.firsts],
            **span,
        )


def _example(row: Row) -> Example:
    text = row["text"] or ""
    if len(text) > _LONGEST_TEXT:
        text = f"{text[:_LONGEST_TEXT]}… ({len(text):,} characters)"
    return Example(
        row["file"],
        row["line"],
        row["time_ms"],
        row["because"],
        text,
        row["abridged"],
        tuple(map(_candidate, row["candidates"] or ())),
    )


def _candidate(row: Row) -> Candidate:
    values = row["values"] or {}
    return Candidate(row["action"], row["conjunct"], values, row["outcome"])


def _quarantined(quarantine: DataFrame) -> Iterator[Quarantined]:
    grouping = Grouping(("reason", "is_loss"), ("file", "line"), _MOST_KINDS, _MOST_EXAMPLES)
    for group in largest_groups(quarantine, grouping):
        reason, is_loss = group.key
        places = [f"{row['file']}:{row['line']}" for row in group.firsts]
        yield Quarantined(reason, is_loss, group.count, places)

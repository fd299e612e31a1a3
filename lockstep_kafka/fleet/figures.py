"""What a page shows of the tables: in as many rows as a person reads, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lockstep_kafka.findings import Candidate, Verdict
from lockstep_kafka.fleet.fleet_figures import (
    SIDES,
    Counts,
    DepartureGroup,
    Example,
    FleetFigures,
    Hour,
    Quarantined,
    Source,
)
from lockstep_kafka.fleet.summary import Grouping, kind_of, largest_groups
from lockstep_kafka.fleet.tables import DEPARTURES, METRICS, QUARANTINE, SESSIONS, Tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
    with ThreadPoolExecutor(len(questions)) as threads:
        futures = {name: threads.submit(question) for name, question in questions.items()}
        answers = {name: future.result() for name, future in futures.items()}
    named = {id for kind in answers["kinds"] for id in kind.requirements}
    texts = {id: requirements[id] for id in sorted(named) if id in requirements}
    return FleetFigures(**answers, requirements=texts)


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

    rows = departures.withColumns(
        {"kind": kind_of(departures["because"]), "time_ms": sql.unix_millis("time")}
    )
    order = ("time", "file", "line")
    groups = largest_groups(
        rows, Grouping(("side", "kind"), order, groups=_MOST_KINDS, members=_MOST_EXAMPLES)
    )
    names = [
        sql.slice(sql.sort_array(sql.collect_set(column)), 1, _MOST_NAMES).alias(alias)
        for alias, column in (
            ("brokers", "broker"),
            ("clients", "client"),
            ("versions", "api_version"),
        )
    ]
    ends = sql.min("time_ms").alias("first"), sql.max("time_ms").alias("last")
    spans = {
        (row["side"], row["kind"]): row
        for row in rows.groupBy("side", "kind").agg(*ends, *names).collect()
    }
    for group in groups:
        span = spans[group.key]
        first = group.firsts[0]
        yield DepartureGroup(
            group.key[0],
            first["because"],
            first["requirements"],
            group.count,
            span["first"],
            span["last"],
            span["brokers"],
            span["clients"],
            span["versions"],
            [_example(row) for row in group.firsts],
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

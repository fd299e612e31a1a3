"""What the tables say, in as many rows as a person reads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep.conform.findings import Verdict
from lockstep.spark.fleet.groups import Group, Grouping, largest_groups
from lockstep.spark.fleet.tables import (
    DEPARTURES,
    INPUTS,
    QUARANTINE,
    SESSIONS,
    STATES,
    Tables,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_NUMBER = r"\d+"


@dataclass(frozen=True)
class Shown:
    """How much is shown: so many sessions, groups, and members of each group."""

    sessions: int
    groups: int
    members: int


@dataclass(frozen=True)
class Summary:
    """What the tables say.

    `sessions` has a row for each pair of verdicts of client and broker. `departing` are the first
    sessions that depart. Groups are those of most rows: `departures` by broker, client, version of
    the API, side and reason; `unknown` by side and reason; `quarantine` by file, reason, and
    whether a request may be lost. Reasons are equal where they differ in numbers alone. `lines` are
    those that were read, `followed` and `others` those of requests.
    """

    sessions: list[dict[str, Any]]
    departing: list[dict[str, Any]]
    departures: list[Group]
    unknown: list[Group]
    quarantine: list[Group]
    quarantined: dict[str, int]
    lines: int
    followed: int
    others: int


def summary(tables: Tables, shown: Shown, nothing_judged: str) -> Summary:
    """Ask the tables; `nothing_judged` is why a side is unknown of which nothing is remarked."""
    asked: dict[str, Callable[[], Any]] = {
        "sessions": lambda: _verdicts(tables.rows(SESSIONS)),
        "departing": lambda: _departing(tables.rows(SESSIONS), shown.sessions),
        "departures": lambda: _departures(tables.rows(DEPARTURES), shown),
        "unknown": lambda: _unknown(tables.rows(SESSIONS), shown, nothing_judged),
        "quarantine": lambda: largest_groups(
            tables.rows(QUARANTINE),
            Grouping(("file", "reason", "is_loss"), ("line",), shown.groups, shown.members),
        ),
        "quarantined": lambda: _quarantined(tables.rows(QUARANTINE)),
        "lines": lambda: _sum(tables.rows(INPUTS), "lines")[0],
        "requests": lambda: _requests(tables.rows(STATES)),
    }
    with ThreadPoolExecutor(len(asked)) as askers:
        futures = {name: askers.submit(ask) for name, ask in asked.items()}
        answers = {name: future.result() for name, future in futures.items()}
    followed, others = answers.pop("requests")
    return Summary(**answers, followed=followed, others=others)


def _dicts(rows: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in rows.collect()]


def _sum(rows: DataFrame, *columns: str) -> list[int]:
    from pyspark.sql import functions as sql

    row = rows.agg(*(sql.sum(column) for column in columns)).first()
    return [0] * len(columns) if row is None else [value or 0 for value in row]


def _verdicts(sessions: DataFrame) -> list[dict[str, Any]]:
    from pyspark.sql import functions as sql

    keys = [
        sql.col("verdict"),
        sql.col("client_side.verdict").alias("client"),
        sql.col("broker_side.verdict").alias("broker"),
    ]
    counts = sql.count("*").alias("count"), sql.sum("partial").alias("partial")
    return _dicts(sessions.groupBy(*keys).agg(*counts))


def _departing(sessions: DataFrame, most: int) -> list[dict[str, Any]]:
    departing = sessions.where(sessions["verdict"] == Verdict.DEPARTS.value)
    return _dicts(departing.orderBy("first_time", "first_file", "first_line").limit(most))


def _departures(departures: DataFrame, shown: Shown) -> list[Group]:
    rows = departures.withColumn("kind", kind_of(departures["because"]))
    keys = ("broker", "client", "api_version", "side", "kind")
    return largest_groups(rows, Grouping(keys, ("time", "file", "line"), shown.groups, 1))


def _unknown(sessions: DataFrame, shown: Shown, nothing_judged: str) -> list[Group]:
    """Why sides are unknown where nothing departs; one reason where both sides have the same."""
    from pyspark.sql import functions as sql

    def reason(side: str) -> Column:
        worst = sql.col(f"{side}_side.worst")
        return sql.struct(
            sql.coalesce(worst["because"], sql.lit(nothing_judged)).alias("because"),
            sql.coalesce(worst["file"], "first_file").alias("file"),
            sql.coalesce(worst["line"], "first_line").alias("line"),
        )

    def is_unknown(side: str) -> Column:
        return sql.col(f"{side}_side.verdict") == Verdict.UNKNOWN.value

    client, broker = reason("client"), reason("broker")
    both = is_unknown("client") & is_unknown("broker") & (client == broker)
    sides = sql.when(both, sql.array(_sided("client and broker", client))).otherwise(
        sql.filter(
            sql.array(
                sql.when(is_unknown("client"), _sided("client", client)),
                sql.when(is_unknown("broker"), _sided("broker", broker)),
            ),
            lambda side: side.isNotNull(),
        )
    )
    unknown = sessions.where(sessions["verdict"] == Verdict.UNKNOWN.value)
    rows = unknown.select(sql.inline(sides)).withColumn("kind", kind_of(sql.col("because")))
    grouping = Grouping(("side", "kind"), ("file", "line"), shown.groups, shown.members)
    return largest_groups(rows, grouping)


def _sided(side: str, reason: Column) -> Column:
    from pyspark.sql import functions as sql

    return sql.struct(
        sql.lit(side).alias("side"),
        reason["because"].alias("because"),
        reason["file"].alias("file"),
        reason["line"].alias("line"),
    )


def kind_of(because: Column) -> Column:
    """The reason with every number as 0: reasons that differ in numbers alone are of one kind."""
    from pyspark.sql import functions as sql

    return sql.regexp_replace(because, _NUMBER, "0")


def _quarantined(quarantine: DataFrame) -> dict[str, int]:
    """How many lines have each reason."""
    counts = quarantine.groupBy("reason").count().collect()
    return {row["reason"]: row["count"] for row in counts}


def _requests(states: DataFrame) -> tuple[int, int]:
    """How many requests were followed, and how many the model says nothing of."""
    from pyspark.sql import functions as sql

    firsts = states.where("part = 0").groupBy("broker")
    newest = firsts.agg(
        sql.max_by("followed", "batch").alias("followed"),
        sql.max_by("others", "batch").alias("others"),
    )
    followed, others = _sum(newest, "followed", "others")
    return followed, others

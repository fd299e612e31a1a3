"""What the tables say, in as many rows as a person reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep_kafka.findings import Verdict
from lockstep_kafka.fleet.tables import (
    DEPARTURES,
    INPUTS,
    QUARANTINE,
    SESSIONS,
    STATES,
    Tables,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Group:
    """Rows that have one key: how many there are, and the first of them."""

    key: tuple[Any, ...]
    count: int
    firsts: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Grouping:
    """How rows are grouped: by `keys`, the first ones being so by `order`.

    `groups` groups are kept, those of most rows, and `members` rows of each.
    """

    keys: Sequence[str]
    order: Sequence[str]
    groups: int
    members: int


def largest_groups(rows: DataFrame, grouping: Grouping) -> list[Group]:
    """The groups of most rows, the largest first; what is not kept stays where it is."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    keys = list(grouping.keys)
    counts = rows.groupBy(*keys).agg(sql.count("*").alias("group_count"))
    top = counts.orderBy(sql.desc("group_count"), *keys).limit(grouping.groups)
    sizes = {tuple(row[name] for name in keys): row.group_count for row in top.collect()}
    if not sizes:
        return []
    kept = rows.sparkSession.createDataFrame(
        list(sizes), rows.select(*keys).schema
    ).withColumnsRenamed({name: f"kept_{name}" for name in keys})
    same = [rows[name].eqNullSafe(kept[f"kept_{name}"]) for name in keys]
    window = Window.partitionBy(*keys).orderBy(*grouping.order)
    ranked = rows.join(sql.broadcast(kept), same, "left_semi").withColumn(
        "group_rank", sql.row_number().over(window)
    )
    firsts = ranked.where(sql.col("group_rank") <= grouping.members).orderBy("group_rank")
    members: dict[tuple[Any, ...], list[dict[str, Any]]] = {key: [] for key in sizes}
    for row in firsts.collect():
        values = row.asDict(recursive=True)
        members[tuple(values[name] for name in keys)].append(values)
    return [Group(key, count, tuple(members[key])) for key, count in sizes.items()]


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
    whether a request may be lost. Reasons are equal where they differ in numbers alone.
    `quarantined` counts lines by reason. `damaged` files cannot be read on. `followed` counts the
    requests that the model follows, and `others` those that it says nothing of.
    """

    sessions: list[dict[str, Any]]
    departing: list[dict[str, Any]]
    departures: list[Group]
    unknown: list[Group]
    quarantine: list[Group]
    quarantined: dict[str, int]
    damaged: list[dict[str, Any]]
    followed: int
    others: int


def summary(tables: Tables, shown: Shown, nothing_judged: str) -> Summary:
    """Ask the tables; `nothing_judged` is why a side is unknown of which nothing is remarked."""
    sessions, quarantine = tables.rows(SESSIONS), tables.rows(QUARANTINE)
    counts = _answers(
        {
            "sessions": lambda: _verdicts(sessions),
            "quarantined": lambda: _quarantined(quarantine),
            "requests": lambda: _requests(tables.rows(STATES)),
            "damaged": lambda: _damaged(tables.rows(INPUTS)),
        }
    )
    followed, others = counts.pop("requests")
    details: dict[str, Callable[[], Any]] = {
        "departing": lambda: _departing(sessions, shown.sessions),
        "departures": lambda: _departures(tables.rows(DEPARTURES), shown),
        "unknown": lambda: _unknown(sessions, shown, nothing_judged),
        "quarantine": lambda: largest_groups(
            quarantine,
            Grouping(("file", "reason", "is_loss"), ("line",), shown.groups, shown.members),
        ),
    }
    verdicts = {row["verdict"] for row in counts["sessions"]}
    needed = {
        "departing": Verdict.DEPARTS in verdicts,
        "departures": Verdict.DEPARTS in verdicts,
        "unknown": Verdict.UNKNOWN in verdicts,
        "quarantine": bool(counts["quarantined"]),
    }
    answers = _answers({name: ask for name, ask in details.items() if needed[name]})
    answers |= {name: [] for name in details if not needed[name]}
    return Summary(**counts, **answers, followed=followed, others=others)


def _answers(asked: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """The answers to questions that are asked at once."""
    if not asked:
        return {}
    with ThreadPoolExecutor(len(asked)) as askers:
        futures = {name: askers.submit(ask) for name, ask in asked.items()}
        return {name: future.result() for name, future in futures.items()}


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
    from pyspark.sql import functions as sql

    rows = departures.withColumn("kind", kind_of(departures["because"]))
    # As text: Spark gives Python a time of the machine's own zone.
    rows = rows.withColumn("since", sql.date_format("time", "yyyy-MM-dd HH:mm:ss"))
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


def _damaged(inputs: DataFrame) -> list[dict[str, Any]]:
    """The files that could not be read on when they were last read."""
    from pyspark.sql import functions as sql

    last = inputs.groupBy("broker", "size", "digest").agg(
        sql.max_by("path", "order").alias("path"), sql.max_by("flaw", "order").alias("flaw")
    )
    return _dicts(last.where("flaw IS NOT NULL").orderBy("path"))


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

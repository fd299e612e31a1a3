"""Rows of tables in groups, the largest ones first, and several questions asked at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep_kafka.findings import SideName
from lockstep_kafka.totals import UNNAMED

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


CAUSE = ("side", "rule", "who")
"""What departures are grouped by."""


def with_who(departures: DataFrame) -> DataFrame:
    """Departures with the column `who`, as `who_departs` says it, and their time as a number."""
    from pyspark.sql import functions as sql

    unnamed = sql.format_string(UNNAMED.format("%d"), "api_version")
    software = sql.when(sql.col("software") == "", unnamed).otherwise(sql.col("software"))
    is_broker = sql.col("side") == SideName.BROKER.value
    return departures.withColumns(
        {
            "who": sql.when(is_broker, sql.col("broker")).otherwise(software),
            "time_ms": sql.unix_millis("time"),
        }
    )


def largest_causes(
    departures: DataFrame, groups: int, members: int, *more: Column
) -> list[tuple[Group, dict[str, Any]]]:
    """The causes of most departures, each with when they were written first and last, and more."""
    from pyspark.sql import functions as sql

    rows = with_who(departures)
    ends = sql.min("time_ms").alias("first_ms"), sql.max("time_ms").alias("last_ms")
    said = {
        tuple(row[name] for name in CAUSE): row.asDict()
        for row in rows.groupBy(*CAUSE).agg(*ends, *more).collect()
    }
    grouping = Grouping(CAUSE, ("time", "file", "line"), groups, members)
    return [(group, said[group.key]) for group in largest_groups(rows, grouping)]


def answers(asked: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """The answers to questions that are asked at once."""
    if not asked:
        return {}
    with ThreadPoolExecutor(len(asked)) as askers:
        futures = {name: askers.submit(ask) for name, ask in asked.items()}
        return {name: future.result() for name, future in futures.items()}

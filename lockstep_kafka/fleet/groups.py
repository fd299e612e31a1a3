"""Groups of rows of a table: the largest ones, and the first few rows of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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

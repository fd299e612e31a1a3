"""What the tables say, in as many rows as a person reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep_kafka.findings import (
    MOST_PLACES,
    MOVED,
    Candidate,
    FileFinding,
    Place,
    Progress,
    Remark,
    SessionFinding,
    Side,
    Verdict,
)
from lockstep_kafka.fleet.tables import (
    DEPARTURES,
    INPUTS,
    QUARANTINE,
    SESSIONS,
    STATES,
    Tables,
)
from lockstep_kafka.totals import (
    MOST_REASONS,
    NOTHING_JUDGED,
    ConformTotals,
    Firsts,
    LineReason,
    Unknowns,
)

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


_MOST_SESSIONS = 20
_MOST_GROUPS = MOST_REASONS


@dataclass(frozen=True)
class Summary:
    """What the tables say: the totals, with the first sessions that depart.

    `departures` are groups of most rows, by broker, client, version of the API, side and reason.
    Reasons are equal where they differ in numbers alone.
    """

    totals: ConformTotals
    departures: list[Group]


def summary(tables: Tables) -> Summary:
    """Ask the tables; what is not needed is not asked."""
    sessions, quarantine = tables.rows(SESSIONS), tables.rows(QUARANTINE)
    counts = answers(
        {
            "sessions": lambda: _verdicts(sessions),
            "quarantined": lambda: _quarantined(quarantine),
            "requests": lambda: _requests(tables.rows(STATES)),
            "damaged": lambda: _damaged(tables.rows(INPUTS)),
        }
    )
    verdicts = {row["verdict"] for row in counts["sessions"]}
    details: dict[str, Callable[[], Any]] = {}
    if Verdict.DEPARTS in verdicts:
        details["departing"] = lambda: _departing(sessions, _MOST_SESSIONS)
        details["departures"] = lambda: _departures(tables.rows(DEPARTURES))
    if Verdict.UNKNOWN in verdicts:
        details["unknown"] = lambda: _unknown(sessions)
    if counts["quarantined"]:
        keys = ("file", "reason", "is_loss")
        grouping = Grouping(keys, ("line",), _MOST_GROUPS, MOST_PLACES)
        details["quarantine"] = lambda: largest_groups(quarantine, grouping)
    found = answers(details)
    return Summary(_totals(counts | found), found.get("departures", []))


def _totals(said: Mapping[str, Any]) -> ConformTotals:
    totals = ConformTotals(_MOST_SESSIONS)
    for row in said.get("departing", ()):
        totals.sessions[Verdict.DEPARTS].add(_session(row))
    for kept in totals.sessions.values():
        kept.count = 0
    for row in said["sessions"]:
        count = row["count"]
        totals.sessions[Verdict(row["verdict"])].count += count
        totals.client[Verdict(row["client"])] += count
        totals.broker[Verdict(row["broker"])] += count
        totals.partial += row["partial"]
    for group in said.get("unknown", ()):
        side, kind = group.key
        totals.unknown_by_reason[side, kind] = _unknowns(side, group)
    for group in said.get("quarantine", ()):
        numbers = Firsts(MOST_PLACES, [row["line"] for row in group.firsts], group.count)
        totals.reasons[LineReason(*group.key)] = numbers
    for row in said["damaged"]:
        totals.add(FileFinding(row["path"], row["flaw"]))
    totals.moved = said["quarantined"].get(MOVED, 0)
    totals.lines.count = sum(said["quarantined"].values())
    totals.add(Progress("", 0, *said["requests"]))
    return totals


def _unknowns(side: str, group: Group) -> Unknowns:
    reasons = [row["because"] for row in group.firsts]
    places = [Place(row["file"], row["line"]) for row in group.firsts]
    varies = len(set(reasons)) > 1
    return Unknowns(side, reasons[0], varies, Firsts(MOST_PLACES, places, group.count))


def _session(row: Mapping[str, Any]) -> SessionFinding:
    same = ("session", "client", "connection", "is_whole", "lines", "partial", "broker")
    return SessionFinding(
        **{name: row[name] for name in (*same, "api_version")},
        first=Place(row["first_file"], row["first_line"]),
        last=Place(row["last_file"], row["last_line"]),
        client_side=_side(row["client_side"]),
        broker_side=_side(row["broker_side"]),
    )


def _side(row: Mapping[str, Any]) -> Side:
    worst, remark = row["worst"], None
    if worst is not None:
        remark = Remark(
            Verdict(row["verdict"]),
            Place(worst["file"], worst["line"]),
            worst["because"],
            tuple(worst["requirements"]),
            tuple(Candidate(**candidate) for candidate in worst["candidates"]),
        )
    return Side(row["judged"], row["departures"], row["unknowns"], remark)


def answers(asked: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
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


def _departures(departures: DataFrame) -> list[Group]:
    from pyspark.sql import functions as sql

    rows = departures.withColumn("kind", kind_of(departures["because"]))
    # As text: Spark gives Python a time of the machine's own zone.
    rows = rows.withColumn("since", sql.date_format("time", "yyyy-MM-dd'T'HH:mm:ss'Z'"))
    keys = ("broker", "client", "api_version", "side", "kind")
    return largest_groups(rows, Grouping(keys, ("time", "file", "line"), _MOST_GROUPS, 1))


def _unknown(sessions: DataFrame) -> list[Group]:
    """Why sides are unknown where nothing departs; one reason where both sides have the same."""
    from pyspark.sql import functions as sql

    def reason(side: str) -> Column:
        worst = sql.col(f"{side}_side.worst")
        return sql.struct(
            sql.coalesce(worst["because"], sql.lit(NOTHING_JUDGED)).alias("because"),
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
    grouping = Grouping(("side", "kind"), ("file", "line"), _MOST_GROUPS, MOST_PLACES)
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

"""What the tables say, in as many rows as a person reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep_kafka.findings import (
    LATE,
    MOST_PLACES,
    MOVED,
    UNFINISHED,
    UNORDERED,
    Candidate,
    FileFinding,
    Place,
    Progress,
    Remark,
    RemarkFinding,
    SessionFinding,
    Side,
    SideName,
    Verdict,
)
from lockstep_kafka.fleet.groups import Group, Grouping, answers, largest_causes, largest_groups
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import (
    DEPARTURES,
    INPUTS,
    QUARANTINE,
    SESSIONS,
    STATES,
)
from lockstep_kafka.rules import Rule, rule_of
from lockstep_kafka.totals import (
    Cause,
    ConformTotals,
    Firsts,
    LineReason,
    Unknowns,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


MOST_SESSIONS = 20
MOST_GROUPS = 20

OF_REMARK = ("broker", "session", "client", "api_version", "software", "abridged")
"""What a row of `departures` and a remark have in common."""


@dataclass(frozen=True)
class Summary:
    """What the tables say: the totals, with the first sessions that depart.

    `departures` are groups of most rows, by broker, client, version of the API, side and rule.
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
            "lost": lambda: quarantine.where(
                quarantine["is_loss"] & (quarantine["reason"] != UNFINISHED)
            ).count(),
            "requests": lambda: _requests(tables.rows(STATES)),
            "damaged": lambda: _damaged(tables.rows(INPUTS)),
        }
    )
    verdicts = {row["verdict"] for row in counts["sessions"]}
    details: dict[str, Callable[[], Any]] = {}
    if Verdict.DEPARTS in verdicts:
        details["departing"] = lambda: _departing(sessions, MOST_SESSIONS)
        details["departures"] = lambda: _departures(tables.rows(DEPARTURES))
        details["causes"] = lambda: _causes(tables.rows(DEPARTURES))
    if Verdict.UNKNOWN in verdicts:
        details["unknown"] = lambda: _unknown(sessions)
    if counts["quarantined"]:
        keys = ("file", "reason", "is_loss")
        grouping = Grouping(keys, ("line",), MOST_GROUPS, MOST_PLACES)
        details["quarantine"] = lambda: largest_groups(quarantine, grouping)
    found = answers(details)
    return Summary(totals_of(counts | found), found.get("departures", []))


def totals_of(said: Mapping[str, Any]) -> ConformTotals:
    """The totals of the answers to what `summary` asks."""
    totals = ConformTotals(MOST_SESSIONS)
    for row in said.get("departing", ()):
        totals.sessions[Verdict.DEPARTS].add(session_of(row))
    for kept in totals.sessions.values():
        kept.count = 0
    for row in said["sessions"]:
        count = row["count"]
        totals.sessions[Verdict(row["verdict"])].count += count
        totals.client[Verdict(row["client"])] += count
        totals.broker[Verdict(row["broker"])] += count
        totals.partial += row["partial"]
    for cause in said.get("causes", ()):
        totals.by_cause[cause.first.side, cause.first.remark.rule, cause.who] = cause
    for group in said.get("unknown", ()):
        unknowns = _unknowns(group)
        totals.unknown_by_rule[unknowns.side, unknowns.rule] = unknowns
    for group in said.get("quarantine", ()):
        numbers = Firsts(MOST_PLACES, [row["line"] for row in group.firsts], group.count)
        totals.reasons[LineReason(*group.key)] = numbers
        totals.details[LineReason(*group.key)] = group.firsts[0]["detail"]
    for row in said["damaged"]:
        totals.add(FileFinding(row["path"], row["flaw"]))
    totals.moved = sum(said["quarantined"].get(reason, 0) for reason in (MOVED, UNORDERED))
    totals.late = said["quarantined"].get(LATE, 0)
    totals.lost = said["lost"]
    totals.lines.count = sum(said["quarantined"].values())
    totals.add(Progress("", 0, *said["requests"]))
    return totals


def _unknowns(group: Group) -> Unknowns:
    side, rule = group.key
    reasons = [row["because"] for row in group.firsts]
    places = [Place(row["file"], row["line"]) for row in group.firsts]
    firsts = Firsts(MOST_PLACES, places, group.count)
    return Unknowns(side, rule_of(rule), reasons[0], len(set(reasons)) > 1, firsts)


def session_of(row: Mapping[str, Any]) -> SessionFinding:
    """The finding of a row of `sessions`."""
    same = ("session", "client", "connection", "is_whole", "lines", "partial", "broker")
    return SessionFinding(
        **{name: row[name] for name in (*same, "api_version")},
        first=Place(row["first_file"], row["first_line"]),
        last=Place(row["last_file"], row["last_line"]),
        client_side=_side(row["client_side"]),
        broker_side=_side(row["broker_side"]),
    )


def _side(row: Mapping[str, Any]) -> Side:
    worst = row["worst"]
    remark = None if worst is None else remark_of(worst)
    return Side(row["judged"], row["departures"], row["unknowns"], remark)


def remark_of(row: Mapping[str, Any]) -> Remark:
    """The remark of a row that has one."""
    return Remark(
        rule_of(row["rule"]),
        Place(row["file"], row["line"]),
        row["arguments"],
        tuple(Candidate(**candidate) for candidate in row["candidates"]),
    )


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

    # As text: Spark gives Python a time of the machine's own zone.
    rows = departures.withColumn("since", sql.date_format("time", "yyyy-MM-dd'T'HH:mm:ss'Z'"))
    keys = ("broker", "client", "api_version", "side", "rule")
    return largest_groups(rows, Grouping(keys, ("time", "file", "line"), MOST_GROUPS, 1))


def _causes(departures: DataFrame) -> list[Cause]:
    from pyspark.sql import functions as sql

    session = ("broker", "session", "first_file", "first_line")
    counts = (
        sql.count_distinct(*session).alias("sessions"),
        sql.count_distinct("file", "line").alias("lines"),
    )
    return [_cause(*cause) for cause in largest_causes(departures, MOST_GROUPS, 1, *counts)]


def _cause(group: Group, counts: Mapping[str, Any]) -> Cause:
    (row,) = group.firsts
    finding = RemarkFinding(
        side=SideName(row["side"]),
        began=Place(row["first_file"], row["first_line"]),
        remark=remark_of(row),
        time_ms=row["time_ms"],
        **{name: row[name] for name in OF_REMARK},
    )
    places = Firsts(MOST_PLACES, [finding.remark.at], counts["lines"])
    times = counts["first_ms"], counts["last_ms"]
    return Cause(row["who"], finding, counts["sessions"], places, *times)


def _unknown(sessions: DataFrame) -> list[Group]:
    """Why sides are unknown where nothing departs; one reason where both sides have the same."""
    from pyspark.sql import functions as sql

    def reason(side: str) -> Column:
        worst = sql.col(f"{side}_side.worst")
        return sql.struct(
            sql.coalesce(worst["rule"], sql.lit(Rule.NOTHING_JUDGED.id)).alias("rule"),
            sql.coalesce(worst["because"], sql.lit(Rule.NOTHING_JUDGED.said({}))).alias("because"),
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
    grouping = Grouping(("side", "rule"), ("file", "line"), MOST_GROUPS, MOST_PLACES)
    return largest_groups(unknown.select(sql.inline(sides)), grouping)


def _sided(side: str, reason: Column) -> Column:
    from pyspark.sql import functions as sql

    return sql.struct(
        sql.lit(side).alias("side"),
        *(reason[name].alias(name) for name in ("rule", "because", "file", "line")),
    )


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

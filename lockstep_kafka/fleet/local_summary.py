"""What the tables say, without Spark: `summary` of one process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep_kafka.findings import (
    FileFinding,
    LineFinding,
    Place,
    Progress,
    RemarkFinding,
    SideName,
)
from lockstep_kafka.fleet.groups import Group
from lockstep_kafka.fleet.local_run import by_time
from lockstep_kafka.fleet.local_tables import LocalTables, Row
from lockstep_kafka.fleet.summary import (
    MOST_GROUPS,
    MOST_SESSIONS,
    OF_REMARK,
    Summary,
    remark_of,
    session_of,
)
from lockstep_kafka.fleet.tables import DEPARTURES, INPUTS, QUARANTINE, SESSIONS, STATES
from lockstep_kafka.totals import ConformTotals

_KEYS = ("broker", "client", "api_version", "side", "rule")


def local_summary(tables: LocalTables) -> Summary:
    """Ask the tables; the totals keep as much as those of Spark."""
    totals = ConformTotals(MOST_SESSIONS)
    sessions = tables.rows(SESSIONS)
    sessions.sort(key=lambda row: (str(row["first_time"]), row["first_file"], row["first_line"]))
    for row in sessions:
        totals.add(session_of(row))
    departures = tables.rows(DEPARTURES)
    departures.sort(key=by_time)
    for finding in _remarks(departures):
        totals.add(finding)
    quarantined = tables.rows(QUARANTINE)
    quarantined.sort(key=lambda row: (row["file"], row["line"]))
    for row in quarantined:
        place = Place(row["file"], row["line"])
        totals.add(LineFinding(place, row["reason"], row["detail"], row["is_loss"]))
    for path, flaw in _damaged(tables.rows(INPUTS)):
        totals.add(FileFinding(path, flaw))
    totals.add(Progress("", 0, *_requests(tables.rows(STATES))))
    return Summary(totals, _groups(departures))


def _remarks(departures: Sequence[Row]) -> Iterator[RemarkFinding]:
    seen: set[tuple[Any, ...]] = set()
    for row in departures:
        session = row["broker"], row["session"], row["first_file"], row["first_line"]
        key = *session, row["side"], row["rule"]
        yield RemarkFinding(
            side=SideName(row["side"]),
            began=Place(row["first_file"], row["first_line"]),
            remark=remark_of(row),
            time_ms=None if row["time"] is None else round(row["time"].timestamp() * 1000),
            is_first=key not in seen,
            **{name: row[name] for name in OF_REMARK},
        )
        seen.add(key)


def _groups(departures: Sequence[Row]) -> list[Group]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in departures:
        groups.setdefault(tuple(row[name] for name in _KEYS), []).append(row)
    largest = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))[:MOST_GROUPS]
    return [
        Group(key, len(rows), ({**rows[0], "since": _since(rows[0])},)) for key, rows in largest
    ]


def _since(row: Row) -> str | None:
    return None if row["time"] is None else row["time"].strftime("%Y-%m-%dT%H:%M:%SZ")


def _damaged(inputs: list[Row]) -> list[tuple[str, str]]:
    inputs.sort(key=lambda row: (row["order"], row["first_line"]))
    last = {(row["broker"], row["size"], row["digest"]): row for row in inputs}
    flaws = ((row["path"], row["flaw"]) for row in last.values())
    return sorted((path, flaw) for path, flaw in flaws if flaw is not None)


def _requests(states: list[Row]) -> tuple[int, int]:
    states.sort(key=lambda row: row["batch"])
    newest = {row["broker"]: row for row in states}.values()
    return sum(row["followed"] for row in newest), sum(row["others"] for row in newest)

"""The totals of a fleet, from what its tables say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from lockstep_kafka.fleet.summary import Group, Shown, Summary
from lockstep_kafka.verbs.conform_totals import (
    MOST_REASONS,
    ConformTotals,
    Firsts,
    LineReason,
    Unknowns,
)

SHOWN = Shown(sessions=20, groups=MOST_REASONS, members=MOST_PLACES)
"""How much of a fleet's tables is summed up."""

Row = Mapping[str, Any]


def totals_of(said: Summary) -> ConformTotals:
    """The totals, with the first sessions that depart."""
    totals = ConformTotals(SHOWN.sessions)
    for row in said.departing:
        totals.sessions[Verdict.DEPARTS].add(_session(row))
    for kept in totals.sessions.values():
        kept.count = 0
    for row in said.sessions:
        count = row["count"]
        totals.sessions[Verdict(row["verdict"])].count += count
        totals.client[Verdict(row["client"])] += count
        totals.broker[Verdict(row["broker"])] += count
        totals.partial += row["partial"]
    for group in said.unknown:
        side, kind = group.key
        totals.unknown_by_reason[side, kind] = _unknown(side, group)
    for group in said.quarantine:
        file, reason, is_loss = group.key
        numbers = [row["line"] for row in group.firsts]
        totals.reasons[LineReason(file, reason, is_loss)] = Firsts(
            MOST_PLACES, numbers, group.count
        )

    for row in said.damaged:
        totals.add(FileFinding(row["path"], row["flaw"]))
    totals.moved = said.quarantined.get(MOVED, 0)
    totals.lines.count = sum(said.quarantined.values())
    totals.add(Progress("", 0, said.followed, said.others))
    return totals


def _unknown(side: str, group: Group) -> Unknowns:
    reasons = [row["because"] for row in group.firsts]
    places = [Place(row["file"], row["line"]) for row in group.firsts]
    varies = len(set(reasons)) > 1
    return Unknowns(side, reasons[0], varies, Firsts(MOST_PLACES, places, group.count))


def _session(row: Row) -> SessionFinding:
    return SessionFinding(
        session=row["session"],
        client=row["client"],
        connection=row["connection"],
        first=Place(row["first_file"], row["first_line"]),
        last=Place(row["last_file"], row["last_line"]),
        is_whole=row["is_whole"],
        lines=row["lines"],
        partial=row["partial"],
        broker=row["broker"],
        api_version=row["api_version"],
        client_side=_side(row["client_side"]),
        broker_side=_side(row["broker_side"]),
    )


def _side(row: Row) -> Side:
    worst = row["worst"]
    remark = None if worst is None else _remark(Verdict(row["verdict"]), worst)
    return Side(row["judged"], row["departures"], row["unknowns"], remark)


def _remark(verdict: Verdict, row: Row) -> Remark:
    return Remark(
        verdict,
        Place(row["file"], row["line"]),
        row["because"],
        tuple(row["requirements"]),
        tuple(Candidate(**candidate) for candidate in row["candidates"]),
    )

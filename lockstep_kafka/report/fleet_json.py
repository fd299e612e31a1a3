"""What `conform --engine spark --json` prints: docs/reference/json.md has the shape."""

from __future__ import annotations

from lockstep_kafka.fleet.arrival import Arrived
from lockstep_kafka.fleet.groups import Group
from lockstep_kafka.report.conform_json import conform_json
from lockstep_kafka.verbs.conform_fleet import FleetResult


def fleet_json(result: FleetResult) -> dict[str, object]:
    """The document of `conform`, and what only a fleet has."""
    return conform_json(result.conform) | {
        "tables": str(result.tables),
        "departures": [_group(group) for group in result.departures],
        "new": None if result.new is None else _new(result.new),
    }


def _new(new: Arrived) -> dict[str, object]:
    return {
        "lines": new.lines,
        "files": sorted({range_.path for range_ in new.ranges}),
        "unfinished": new.unfinished,
        "copies": new.copies,
    }


def _group(group: Group) -> dict[str, object]:
    broker, client, version, side, _ = group.key
    first = group.firsts[0]
    return {
        "broker": broker,
        "client": client,
        "api_version": version,
        "side": side,
        "lines": group.count,
        "since": first["since"],
        "first": {name: first[name] for name in ("file", "line", "offset", "because", "text")},
    }

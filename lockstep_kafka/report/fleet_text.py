"""What `conform --engine spark` prints, for a reader and as JSON (docs/reference/json.md)."""

from __future__ import annotations

from lockstep.report.output import Output
from lockstep.words import plural, shown_path
from lockstep_kafka.fleet.arrival import Arrived
from lockstep_kafka.fleet.summary import Group
from lockstep_kafka.report.conform_json import conform_json
from lockstep_kafka.report.conform_text import print_conform, shown_line
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


HEADERS = ("broker", "client id", "version", "departs", "lines", "since", "first at")
RIGHT = ("version", "lines")


def print_fleet(output: Output, result: FleetResult) -> None:
    """Print the largest groups of departures, what the totals are, and what this run has read."""
    if result.departures:
        output.table(HEADERS, [_row(group) for group in result.departures], RIGHT)
        output.line()
    print_conform(output, result.conform, verbose=False, rest="the tables have all")
    if result.new is not None:
        _print_new(output, result.new)
    shown_line(output, f"tables: {shown_path(result.tables)}")


def _print_new(output: Output, new: Arrived) -> None:
    """Print what was new of files, and what of them is not read."""
    files = len({range_.path for range_ in new.ranges})
    shown_line(output, f"new in this run: {plural(new.lines, 'line')} of {plural(files, 'file')}")
    for path, size in new.unfinished.items():
        size_text = plural(size, "byte")
        text = f"{path}: its last line has no end yet ({size_text}): the next run reads it"
        shown_line(output, text)
    for path, other in new.copies.items():
        shown_line(output, f"{path} begins as {other} does, and is taken for a copy: not read")


def _row(group: Group) -> tuple[str, ...]:
    broker, client, version, side, _ = group.key
    first = group.firsts[0]
    place = f"{first['file']}:{first['line']}"
    return (broker, client, str(version), side, f"{group.count:,}", first["since"] or "", place)

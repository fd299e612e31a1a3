"""The table, for people and for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from bench.cases import Case
from bench.machine import Machine
from bench.rows import Row, Status
from bench.tools import lockstep

_HEAD = (
    "tool",
    "checks",
    "wall s",
    "CPU s",
    "compile s",
    "peak MiB",
    "bytes/state",
    "M states/s",
    "x wall",
    "x CPU",
)


def reference(row: Row, rows: Sequence[Row]) -> Row | None:
    """The row of lockstep's to compare with: compiled before, as peers are, checking as much."""
    for other in rows:
        is_reference = other.tool == lockstep.WARM and other.checks == row.checks
        if is_reference and other.status is Status.MEASURED:
            return other
    return None


def ratios(row: Row, rows: Sequence[Row]) -> tuple[float, float] | None:
    """How many times as long as lockstep a row took, by the clock and in processor time.

    None for a row that says nothing. Of one not finished, each state that it found by then is
    compared with each of lockstep's.
    """
    other = reference(row, rows)
    if row.status not in (Status.MEASURED, Status.NOT_FINISHED):
        return None
    if other is None or other.run is None or row.run is None:
        return None
    wall, cpu = row.run.seconds / other.run.seconds, row.run.cpu_seconds / other.run.cpu_seconds
    if row.status is Status.MEASURED:
        return wall, cpu
    if not row.counts.states or other.counts.states is None:
        return None
    share = other.counts.states / row.counts.states
    return wall * share, cpu * share


def markdown(case: Case, rows: Sequence[Row]) -> str:
    """One case: its counts, the table, and a note for each row that is not measured."""
    cells = [_cells(case, row, rows) for row in rows]
    widths = [max(len(line[column]) for line in [_HEAD, *cells]) for column in range(len(_HEAD))]
    notes = [
        f"- {row.tool} ({row.checks}): {row.status}: {row.because}" for row in rows if row.because
    ]
    return "\n".join(
        [
            f"## {case.model}, scope `{case.scope}`",
            "",
            f"{case.states:,} states, {case.transitions:,} transitions, depth {case.depth}.",
            "",
            _line(_HEAD, widths),
            _line(
                [
                    "-" * width if column < 2 else "-" * (width - 1) + ":"
                    for column, width in enumerate(widths)
                ],
                widths,
            ),
            *[_line(line, widths) for line in cells],
            *(["", *notes] if notes else []),
            "",
        ]
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _cells(case: Case, row: Row, rows: Sequence[Row]) -> list[str]:
    name = [row.tool, str(row.checks)]
    run = row.run
    if run is None or row.status not in (Status.MEASURED, Status.NOT_FINISHED):
        return [*name, str(row.status), *[""] * (len(_HEAD) - 3)]
    is_measured = row.status is Status.MEASURED
    more, about = ("", "") if is_measured else (">", "~")
    ratio_pair = ratios(row, rows)
    return [
        *name,
        f"{more}{run.seconds:.1f}",
        f"{more}{run.cpu_seconds:.1f}",
        "" if row.prepared is None else f"{row.prepared:.1f}",
        f"{run.peak_bytes / 2**20:,.0f}",
        f"{run.peak_bytes / case.states:.0f}" if is_measured else "",
        # Of a tool that did not finish, what it found by then.
        "" if row.counts.states is None else f"{row.counts.states / run.seconds / 1e6:.2f}",
        *(["", ""] if ratio_pair is None else [f"{about}{ratio:.2f}" for ratio in ratio_pair]),
    ]


LEGEND = """\
Each time is that of a whole process, its start included. A peer's program is compiled before, and
`compile s` is what that took; lockstep is cold when its caches are empty, and warm when it has
compiled this model before. Of a run under 30 s the fastest of several is shown. `CPU s` are the
seconds of all its processes: where other programs disturb, they say more than the wall's.
`bytes/state` is the peak of resident memory by the number of states. `x` is how many times as long
as warm lockstep a tool took, of lockstep's rows the one that checks as much; `~` where the tool did
not finish, and the states that it found by then are what is compared. A tool that finds another
number of states, transitions or steps is void."""


def remarks(rows: Sequence[Row]) -> str:
    """What each tool checks, and the commands."""
    lines: list[str] = []
    for row in rows:
        lines.append(f"- {row.tool} ({row.checks}): {row.remark}.")
        lines += [f"  `{command}`" for command in row.commands]
    return "\n".join(lines)


def machine_text(machine: Machine) -> str:
    """The machine, its load and the versions."""
    versions = ", ".join(f"{name} {text}" for name, text in machine.versions.items())
    return (
        f"{machine.date}. {machine.processor}, {machine.cores} cores, "
        f"{machine.memory_gibibytes} GiB, {machine.system}; load {machine.load} when it began.\n\n"
        f"Versions: {versions}."
    )


def document(machine: Machine, measured: Sequence[tuple[Case, Sequence[Row]]]) -> str:
    """All of it in Markdown."""
    parts = ["# Measurements", "", machine_text(machine), "", LEGEND, ""]
    for case, rows in measured:
        parts += [markdown(case, rows), "What is checked, and the commands:", "", remarks(rows), ""]
    return "\n".join(parts)


def as_json(machine: Machine, measured: Sequence[tuple[Case, Sequence[Row]]]) -> str:
    """All of it for programs: seconds, bytes and counts as measured, ratios beside them."""
    cases = [
        {
            "model": case.model,
            "scope": case.scope,
            "states": case.states,
            "transitions": case.transitions,
            "depth": case.depth,
            "rows": [_row_json(row, rows) for row in rows],
        }
        for case, rows in measured
    ]
    whole = {"version": 1, "machine": dataclasses.asdict(machine), "cases": cases}
    return json.dumps(whole, indent=2) + "\n"


def _row_json(row: Row, rows: Sequence[Row]) -> dict[str, object]:
    ratio_pair = ratios(row, rows)
    return {
        "tool": row.tool,
        "checks": str(row.checks),
        "remark": row.remark,
        "status": str(row.status),
        "because": row.because,
        "counts": dataclasses.asdict(row.counts),
        "seconds": None if row.run is None else round(row.run.seconds, 3),
        "cpu_seconds": None if row.run is None else round(row.run.cpu_seconds, 3),
        "peak_bytes": None if row.run is None else row.run.peak_bytes,
        "runs": row.runs,
        "compile_seconds": None if row.prepared is None else round(row.prepared, 3),
        "wall_ratio": None if ratio_pair is None else round(ratio_pair[0], 3),
        "cpu_ratio": None if ratio_pair is None else round(ratio_pair[1], 3),
        "commands": list(row.commands),
    }

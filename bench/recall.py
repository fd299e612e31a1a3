"""`python -m bench.recall`: how many seeded departures `conform` finds, by kind.

It simulates a log with departures and the same log without any, follows both, and prints a table.
A departure is found where each side that the log shows to depart does so, at its line or at one
that stands behind it or arrived later.
What departs besides is a false alarm, and so is whatever departs in the log without departures.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import Place, Remark, SessionFinding, SideName, Verdict
from lockstep_kafka.verbs.conform import ConformRequest, conform
from lockstep_kafka.verbs.simulate import SimulateRequest, departure_kinds, simulate


@dataclass(frozen=True)
class Seeded:
    """A line of the file that says which departures are seeded."""

    at: Place
    kind: str
    sides: frozenset[SideName]
    blameless: frozenset[SideName]
    sessions: frozenset[int]
    connection: str

    @staticmethod
    def read(log: Path, document: dict[str, Any]) -> Seeded:
        """What a line says of the logs in a folder."""
        return Seeded(
            at=Place(str(log / document["file"]), document["line"]),
            kind=document["kind"],
            sides=frozenset(map(SideName, document["sides"])),
            blameless=frozenset(map(SideName, document["blameless"])),
            sessions=frozenset(document["sessions"]),
            connection=document["connection"],
        )

    def is_reported_by(self, finding: SessionFinding) -> bool:
        """Whether a session is one under which the departure may be reported."""
        if finding.session == 0:
            return 0 in self.sessions and finding.connection == self.connection
        return finding.session in self.sessions

    def explains(self, side: SideName, remark: Remark) -> bool:
        """Whether a side may depart so."""
        if side in self.blameless:
            return False
        is_behind = _order(remark.at) >= _order(self.at)
        return is_behind or _arrival_ms(remark.at) >= _arrival_ms(self.at)


@dataclass
class Recall:
    """What was found in some logs."""

    seeded: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    places: list[str] = field(default_factory=list)
    """What was missed, and where."""
    false: list[str] = field(default_factory=list)
    sessions: Counter[Verdict] = field(default_factory=Counter)
    lines: int = 0
    seconds: float = 0.0


def follow(log: Path) -> Recall:
    """Follow the log of every broker in a folder, and compare with what was seeded."""
    recall = Recall()
    for folder in sorted(path for path in log.iterdir() if path.is_dir()):
        started = time.perf_counter()
        totals = conform(ConformRequest(logs=(folder,))).totals
        recall.seconds += time.perf_counter() - started
        recall.lines += totals.read
        for verdict in Verdict:
            recall.sessions[verdict] += totals.sessions[verdict].count
        truth = log / f"{folder.name}.departures.jsonl"
        seeded = [
            Seeded.read(log, json.loads(line)) for line in truth.read_text("utf-8").splitlines()
        ]
        _compare(recall, seeded, totals.departing.items)
    return recall


def _compare(recall: Recall, seeded: list[Seeded], departing: list[SessionFinding]) -> None:
    by_session: dict[int, list[Seeded]] = defaultdict(list)
    for departure in seeded:
        recall.seeded[departure.kind] += 1
        for session in departure.sessions:
            by_session[session].append(departure)
    reported: dict[Seeded, set[SideName]] = {departure: set() for departure in seeded}
    for finding in departing:
        for side, remark in _remarks(finding):
            causes = [
                departure
                for departure in by_session[finding.session]
                if departure.is_reported_by(finding) and departure.explains(side, remark)
            ]
            for cause in causes:
                reported[cause].add(side)
            if not causes:
                text = f"{remark.at} {side} of {finding.session}: {remark.because}"
                recall.false.append(text)
    for departure, sides in reported.items():
        if missing := departure.sides - sides:
            recall.missed[departure.kind] += 1
            who = " and ".join(sorted(missing))
            recall.places.append(f"{departure.at} {departure.kind}: {who} does not depart")


def _remarks(finding: SessionFinding) -> Iterator[tuple[SideName, Remark]]:
    """The first departure of each side that departs."""
    for name, side in (
        (SideName.CLIENT, finding.client_side),
        (SideName.BROKER, finding.broker_side),
    ):
        if side.worst is not None and side.verdict is Verdict.DEPARTS:
            yield name, side.worst


def _order(place: Place) -> tuple[str, int]:
    """Files are named in the order in which they are written."""
    return place.file, place.line


def _arrival_ms(place: Place) -> float:
    """When a request arrived: lines that were written later may stand behind it."""
    line = next(islice(read_request_log(place.file), place.line - 1, None))
    assert isinstance(line, FetchLine)
    return line.arrival_ms or 0.0


def table(seeded: Recall, clean: Recall) -> str:
    """The table in markdown, then what was missed and what is a false alarm."""
    kinds = [kind.name for kind in departure_kinds()]
    rows = [
        f"| {kind} | {seeded.seeded[kind]:,} | {seeded.seeded[kind] - seeded.missed[kind]:,} |"
        for kind in kinds
    ]
    total = seeded.seeded.total()
    return "\n".join(
        [
            "| kind | seeded | found |",
            "|---|---:|---:|",
            *rows,
            f"| all | {total:,} | {total - seeded.missed.total():,} |",
            "",
            _sum("with departures", seeded),
            _sum("without", clean),
            *(f"missed: {place}" for place in seeded.places),
            *(f"false alarm: {text}" for text in (*seeded.false, *clean.false)),
        ]
    )


def _sum(name: str, recall: Recall) -> str:
    verdicts = ", ".join(f"{recall.sessions[verdict]:,} {verdict}" for verdict in Verdict)
    return (
        f"{name}: {recall.lines:,} lines, {len(recall.false):,} false alarms; "
        f"sessions: {verdicts}; followed at {recall.lines / recall.seconds:,.0f} lines/s"
    )


def main() -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--brokers", type=int, default=2)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--partitions", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--departures", type=float, default=0.002)
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="lockstep-recall-") as scratch:
        for rate in (options.departures, 0.0):
            request = replace(
                SimulateRequest(**vars(options)), log=Path(scratch) / f"{rate:g}", departures=rate
            )
            started = time.perf_counter()
            log = simulate(request).log
            seconds = time.perf_counter() - started
            print(
                f"simulated {options.lines:,} lines at {options.lines / seconds:,.0f} lines/s",
                file=sys.stderr,
            )
            results.append(follow(log))
    print(table(*results))
    return int(any(recall.missed or recall.false for recall in results))


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except LockstepError as error:
        print(error, file=sys.stderr)
        raise SystemExit(int(error.exit_code)) from None

"""How many damages are found: `python -m tests.kafka.conform.recall`, a table by kind of damage.

Every kind is done at many places of logs without a departure, one damage a log, and the damaged
log is followed. A damage is found when each side that the log shows to depart does so at the
damaged line or after it. What departs besides is a false departure.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from lockstep_kafka.simulated.damage.kind import Damage, Place, Shown, shown_places
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.episodes import KINDS
from tests.kafka.conform.following import (
    LOGS,
    Findings,
    follow,
    judged,
    lines_of_sessions,
    read_log,
)

SAMPLES = sorted(LOGS.glob("*.log"))
FRESH = sorted(path for path in (LOGS / "fresh").iterdir() if path.name != "README.md")


@dataclass(frozen=True)
class Outcome:
    """What came of one damage: sides that should depart and do not, and departures of others."""

    log: str
    kind: str
    place: Place
    missing: tuple[str, ...]
    false: tuple[str, ...]

    def __str__(self) -> str:
        of = f" {self.place.partition}" if self.place.partition else ""
        words = [*(f"{side} does not depart" for side in self.missing), *self.false]
        return f"{self.kind}, {self.log}:{self.place.line}{of}: {'; '.join(words)}"


@dataclass
class Tally:
    """The outcomes of a kind."""

    shown: int = 0
    found: int = 0
    false: int = 0
    failures: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.shown += 1
        self.found += not outcome.missing
        self.false += len(outcome.false)
        if outcome.missing or outcome.false:
            self.failures.append(outcome)


def compare(
    findings: Findings, shown: Shown, early: Set[int] = frozenset()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sides that should depart and do not, and the departures that should not be.

    `early` are the lines before the damage.
    """
    right = {
        departure.side
        for departure in findings.departures
        if departure.session in shown.sessions and departure.remark.at.line not in early
    }
    false = [
        str(departure)
        for departure in findings.departures
        if departure.session not in shown.sessions
        or departure.side in shown.blameless
        or departure.remark.at.line in early
    ]
    return tuple(sorted(shown.sides - right)), tuple(false)


def damage_log(path: Path, kind: Damage, places: int, seed: int) -> Iterator[Outcome]:
    """Do one kind of damage at up to so many places of a log, and follow each."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "damaged.log"
        for place, damaged, shown in shown_places(kind, _read(path), places, seed):
            file.write_text(damaged.text(), encoding="utf-8")
            missing, false = compare(follow(file), shown, _early(damaged, shown.since))
            yield Outcome(path.name, kind.name, place, missing, false)


def _early(log: Log, since: int) -> set[int]:
    """The lines before one, and of those that stand before it none that arrived later."""
    arrival = log.arrival_ms(since)
    return {
        fetch.number
        for fetch in log.fetches
        if fetch.number < since and log.arrival_ms(fetch.number) <= arrival
    }


@lru_cache(maxsize=2)
def _read(path: Path) -> Log:
    return read_log(path)


def _all_kinds(path: Path, places: int, seed: int) -> list[Outcome]:
    return [outcome for kind in KINDS for outcome in damage_log(path, kind, places, seed)]


def _undamaged(path: Path) -> tuple[int, int, int]:
    findings = follow(path)
    return len(findings.departures), judged(findings), lines_of_sessions(findings)


@dataclass(frozen=True)
class Recall:
    """The outcomes by kind, and what was found in the logs as they are."""

    tallies: dict[str, Tally]
    departures: int
    judged: int
    lines: int

    def table(self) -> str:
        """As it is printed."""
        width = max(map(len, self.tallies))
        head = f"{'kind':{width}}  shown  found  recall  false"
        rows = [
            f"{name:{width}}  {tally.shown:5}  {tally.found:5}  "
            f"{tally.found / max(tally.shown, 1):6.1%}  {tally.false:5}"
            for name, tally in self.tallies.items()
        ]
        failures = [str(failure) for tally in self.tallies.values() for failure in tally.failures]
        return "\n".join(
            [
                head,
                *rows,
                f"departures in undamaged logs: {self.departures}",
                f"lines of sessions judged: {self.judged} of {self.lines}, "
                f"{self.judged / max(self.lines, 1):.1%}",
                *failures,
            ]
        )


def measure(logs: Sequence[Path], places: int, seed: int, jobs: int) -> Recall:
    """Every kind in every log."""
    tallies = {kind.name: Tally() for kind in KINDS}
    totals: Counter[str] = Counter()
    with ProcessPoolExecutor(jobs) as pool:
        undamaged = pool.map(_undamaged, logs)
        count = len(logs)
        for outcomes in pool.map(_all_kinds, logs, [places] * count, [seed] * count):
            for outcome in outcomes:
                tallies[outcome.kind].add(outcome)
        for departures, lines_judged, lines in undamaged:
            totals.update(departures=departures, judged=lines_judged, lines=lines)
    return Recall(tallies, totals["departures"], totals["judged"], totals["lines"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.kafka.conform.recall", description=__doc__
    )
    parser.add_argument("logs", nargs="*", type=Path, help="instead of the fresh logs and samples")
    parser.add_argument("--places", type=int, default=20, help="of each kind and log")
    parser.add_argument("--seed", type=int, default=227)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    logs = options.logs or [*FRESH, *SAMPLES]
    print(measure(logs, options.places, options.seed, options.jobs).table())


if __name__ == "__main__":
    main()

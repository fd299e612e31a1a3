"""`python -m bench.drive`: Apache Kafka's own classes in step with the models.

It prints two tables: which releases conform, and after how many steps each seeded difference is
found, by cover and by random behaviours of three seeds. Each run is a process of `lockstep drive`,
for a process holds one release.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep_kafka.drive.differences import OF_SESSIONS, OF_THE_CACHE
from lockstep_kafka.drive.raft_differences import OF_DOWNLOADS, OF_RAFT
from lockstep_kafka.jars import JARS, NEWEST, NEWEST_RAFT

_SEEDS = (0, 1, 2)
_BEHAVIOURS = 2_000
_NOT_CHOSEN = "not chosen by the software"


@dataclass(frozen=True)
class Column:
    """A model, in one scope, with the driver of it."""

    title: str
    model: str
    driver: str
    options: tuple[str, ...] = ()


SESSIONS = Column("`fetch_session`", "fetch_session", "kafka-sessions")
CACHE = Column(
    "`session_cache`, Kafka's order",
    "session_cache",
    "kafka-session-cache",
    ("--set", "KAFKA_ORDER=true"),
)
QUORUM = Column("`snapshot_election`", "snapshot_election", "kafka-raft")
CRASHES = Column(
    "`snapshot_election`, with a crash",
    "snapshot_election",
    "kafka-raft",
    ("--set", "MAX_RESTARTS=1", "--set", "MAX_SNAPSHOTS=0"),
)
DOWNLOADS = Column("`snapshot_fetch`", "snapshot_fetch", "kafka-raft")
LETTER = Column("`session_cache`, the KIP's letter", "session_cache", "kafka-session-cache")
TWO_EPOCHS = Column(
    "`snapshot_fetch`, two epochs",
    "snapshot_fetch",
    "kafka-raft",
    ("--set", "MAX_EPOCH=2", "--set", "MAX_DISTURBANCES=0"),
)
_NEEDS = {"vote-lost-by-a-crash": CRASHES, "old-epoch-served": TWO_EPOCHS}
"""Where a difference does not show in the column of its model."""
_DIFFERENCES: Mapping[str, tuple[Column, Mapping[str, object]]] = {
    "sessions": (SESSIONS, OF_SESSIONS),
    "cache": (CACHE, OF_THE_CACHE),
    "quorum": (QUORUM, OF_RAFT),
    "downloads": (DOWNLOADS, OF_DOWNLOADS),
}
_QUICK = {
    SESSIONS.model: ("--set", "MAX_DISTURBANCES=0"),
    CACHE.model: ("--set", "MAX_TIME=1"),
}


def answer(column: Column, driver: str, options: Sequence[str]) -> dict[str, Any]:
    """What `lockstep drive` answers; SystemExit where it does not."""
    command = [sys.executable, "-m", "lockstep", "drive", column.model, "--driver", driver]
    command += ["--scope", "small", "--json", *column.options, *options]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr}")
    found: dict[str, Any] = json.loads(ran.stdout)["results"][0]
    print(f"{column.model} {driver}: {found['verdict']}, {found['seconds']:.0f} s", file=sys.stderr)
    return found


def done(found: dict[str, Any]) -> str:
    """A cell of the table of releases."""
    details = found["details"]
    if details["departure"] is not None:
        return f"departs after {len(details['departure']['stimuli']):,} steps"
    ties = details["not_done"].get(_NOT_CHOSEN, 0)
    text = f"{details['done']:,} of {details['chosen']:,}"
    return f"{text}, {ties:,} by chance" if ties else text


def releases(chosen: Sequence[str], *, quick: bool) -> tuple[str, bool]:
    """The table of releases, and whether each cell is as it is known to be."""
    columns, is_known = (SESSIONS, CACHE, LETTER), True
    lines = ["| release | " + " | ".join(column.title for column in columns) + " |"]
    lines.append("|---|" + "---:|" * len(columns))
    for release in chosen:
        cells = []
        for column in columns:
            smaller = _QUICK[column.model] if quick and column is not LETTER else ()
            found = answer(column, f"{column.driver}:{release}", smaller)
            is_known &= found["verdict"] == ("departs" if column is LETTER else "conforms")
            cells.append(done(found))
        lines.append(f"| {release} | " + " | ".join(cells) + " |")
    return "\n".join(lines), is_known


def row(column: Column, release: str, name: str) -> tuple[str, bool]:
    """After how many steps a difference was found by cover and by each seed; whether by cover."""
    driver = f"{column.driver}:{release}+{name}"
    drawn = ("--random", str(_BEHAVIOURS), "--seed")
    ways: list[tuple[str, ...]] = [(), *((*drawn, str(seed)) for seed in _SEEDS)]
    found = [answer(column, driver, way) for way in ways]
    departures = [one["details"]["departure"] for one in found]
    cells = [
        "not found" if departure is None else f"{one['details']['steps']:,}"
        for one, departure in zip(found, departures, strict=True)
    ]
    lengths = [len(one["stimuli"]) for one in departures if one is not None]
    cells.append(f"{min(lengths):,}" if lengths else "")
    text = f"| {column.title} | `{name}` | " + " | ".join(cells) + " |"
    return text, departures[0] is not None


def differences(kinds: Sequence[str], release: str) -> bool:
    """Print the table of differences row by row; whether each was found by cover.

    `release` is that of sessions; a quorum is of the newest that has its tests.
    """
    seeds = " | ".join(f"seed {seed}" for seed in _SEEDS)
    print(f"| model | difference | cover | {seeds} | shortest |")
    print("|---|---|" + "---:|" * (len(_SEEDS) + 2), flush=True)
    are_found = True
    for kind in kinds:
        usual, names = _DIFFERENCES[kind]
        of = release if usual.driver != QUORUM.driver else NEWEST_RAFT
        for name in names:
            text, is_found = row(_NEEDS.get(name, usual), of, name)
            print(text, flush=True)
            are_found &= is_found
    return are_found


def main() -> int:
    """Measure as the command line says; 1 where a release departs, or cover misses a difference."""
    parser = argparse.ArgumentParser(prog="python -m bench.drive", description=__doc__)
    parser.add_argument("--releases", nargs="*", default=list(JARS), choices=[*JARS, []])
    parser.add_argument("--quick", action="store_true", help="cover smaller scopes by release")
    parser.add_argument("--differences-of", default=NEWEST, choices=[*JARS, "none"])
    parser.add_argument("--kinds", nargs="*", default=list(_DIFFERENCES), choices=_DIFFERENCES)
    options = parser.parse_args()
    is_good = True
    if options.releases:
        text, is_good = releases(options.releases, quick=options.quick)
        print(text, end="\n\n", flush=True)
    if options.differences_of != "none":
        is_good &= differences(options.kinds, options.differences_of)
    return 0 if is_good else 1


if __name__ == "__main__":
    raise SystemExit(main())

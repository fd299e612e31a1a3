"""The manifest of a search: which runs there are, and what was counted up to the last level.

It is the only file that says what is there. It is replaced as a whole, so that whatever interrupts
the process leaves the level before.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lockstep.machine.search.crew import Totals
from lockstep.machine.search.interface import REPORT
from lockstep.spark.search.runs import Run
from lockstep.spark.search.sampling import Sampled

FORMAT = 1


@dataclass(frozen=True)
class Manifest:
    """What is committed: the runs by owner, the states of each level, the totals, a sample."""

    owners: int
    levels: tuple[int, ...]
    totals: Totals
    runs: Mapping[int, tuple[Run, ...]] = field(default_factory=dict)
    sample: tuple[Sampled, ...] = ()

    @property
    def depth(self) -> int:
        """The last level that was committed."""
        return len(self.levels) - 1

    @property
    def states(self) -> int:
        """All states of the levels that were committed."""
        return sum(self.levels)

    @property
    def frontier(self) -> list[Run]:
        """The runs of the last level."""
        return [run for runs in self.runs.values() for run in runs if run.first == self.depth]

    @property
    def files(self) -> set[str]:
        """The names of all runs."""
        return {run.file for runs in self.runs.values() for run in runs}

    @property
    def bytes(self) -> int:
        """The size of all runs."""
        return sum(run.bytes for runs in self.runs.values() for run in runs)


class NotAManifest(Exception):
    """A file that is no manifest, or is damaged; the text says why."""


def write_manifest(file: Path, identity: Mapping[str, str], manifest: Manifest) -> None:
    """Replace the manifest, safely on disk. `OSError` where that cannot be done."""
    text = json.dumps(
        {
            "format": FORMAT,
            "search": dict(identity),
            "owners": manifest.owners,
            "levels": manifest.levels,
            "totals": vars(manifest.totals),
            "runs": {
                owner: [list(asdict(run).values()) for run in runs]
                for owner, runs in manifest.runs.items()
            },
            "sample": [list(asdict(sampled).values()) for sampled in manifest.sample],
        }
    )
    part = file.with_suffix(".part")
    with part.open("w", encoding="utf-8") as out:
        json.dump({"crc32": zlib.crc32(text.encode()), "manifest": text}, out)
        out.flush()
        os.fsync(out.fileno())
    part.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_document(file: Path) -> dict[str, Any]:
    """The document in a manifest's file; `NotAManifest` where it is none."""
    try:
        sealed = json.loads(file.read_text("utf-8"))
        text = sealed["manifest"]
        is_whole = zlib.crc32(text.encode()) == sealed["crc32"]
        document = json.loads(text)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NotAManifest("it cannot be read") from None
    if not is_whole or not isinstance(document, dict):
        raise NotAManifest("its checksum is wrong")
    return document


def manifest_of(document: Mapping[str, Any], *, actions: int, properties: int) -> Manifest:
    """The manifest that a document describes; `NotAManifest` where it describes none."""
    try:
        totals = Totals(**{name: _numbers(part) for name, part in document["totals"].items()})
        manifest = Manifest(
            owners=int(document["owners"]),
            levels=tuple(_numbers(document["levels"])),
            totals=totals,
            runs={
                int(owner): tuple(_run(row) for row in rows)
                for owner, rows in document["runs"].items()
            },
            sample=tuple(
                Sampled(int(mark), int(level), tuple(_numbers(state)))
                for mark, level, state in document["sample"]
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NotAManifest("it describes no search") from None
    if [len(part) for part in vars(totals).values()] != [actions, properties, REPORT]:
        raise NotAManifest("it has no counts of this model")
    kept = sum(run.states for runs in manifest.runs.values() for run in runs)
    if kept != manifest.states:
        raise NotAManifest(f"its runs have {kept:,} states, its levels {manifest.states:,}")
    return manifest


def with_level(
    manifest: Manifest,
    runs: Mapping[int, tuple[Run, ...]],
    new: int,
    totals: Totals,
    sample: list[Sampled],
) -> Manifest:
    """The manifest with one more level of so many new states, and these runs of some owners."""
    return replace(
        manifest,
        levels=(*manifest.levels, new),
        totals=totals,
        runs={**manifest.runs, **runs},
        sample=tuple(sample),
    )


def _run(row: list[Any]) -> Run:
    file, *numbers = row
    if not isinstance(file, str) or Path(file).name != file:
        raise ValueError(file)
    return Run(file, *_numbers(numbers))


def _numbers(numbers: Any) -> list[int]:
    if not isinstance(numbers, list) or not all(
        type(number) is int and number >= 0 for number in numbers
    ):
        raise ValueError("whole numbers are wanted")
    return numbers

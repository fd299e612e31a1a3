"""The folder of a search on Spark: its manifest and its runs.

All machines that take part see it under the same path. Nothing in it is ever executed. The manifest
is the only file that says what is there. It is replaced as a whole, so that whatever interrupts the
process leaves the level before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from lockstep.errors import LockstepError
from lockstep.machine.search.crew import Totals
from lockstep.machine.search.interface import REPORT
from lockstep.machine.search.search_folder import SearchFolder
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.runs import Run, RunFolder
from lockstep.spark.search.sampling import Sampled
from lockstep.system.sealed import Natural

_MANIFEST = "spark.json"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is committed: the runs by owner, the states of each level, the totals, a sample."""

    owners: Natural
    levels: tuple[Natural, ...]
    totals: Totals
    runs: dict[int, tuple[Run, ...]] = {}
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


class WorkFolder:
    """A folder for one search; closing it lets others use the folder.

    `manifest` is what is committed, None where nothing is. Raises LockstepError where the folder
    cannot be used, is in use, belongs to another search, or has a damaged manifest.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str], machine: Machine) -> None:
        self._machine = machine
        self._folder = SearchFolder(folder, identity)
        self.runs = self._folder.path / "runs"
        """The folder of the runs."""
        try:
            self.runs.mkdir(exist_ok=True)
            self.manifest = self._read()
        except OSError as error:
            self._folder.close()
            raise LockstepError(f"{self.runs} cannot be made: {error.strerror}") from None
        except BaseException:
            self._folder.close()
            raise

    @property
    def reader(self) -> RunFolder:
        """The runs, read and written from here."""
        return RunFolder(self.runs, self._machine)

    def commit(self, manifest: Manifest) -> None:
        """From now on this is what is there; every other file of runs is removed.

        No task may be running that still needs one. `OSError` where it cannot be done: what was
        committed before is still good.
        """
        self._folder.write(_MANIFEST, manifest)
        self.manifest = manifest
        for file in self.runs.iterdir():
            if file.name not in manifest.files:
                file.unlink(missing_ok=True)

    def close(self) -> None:
        """Let others use the folder."""
        self._folder.close()

    def _read(self) -> Manifest | None:
        manifest = self._folder.read(_MANIFEST, Manifest)
        if manifest is None:
            return None
        file, shape = self._folder.path / _MANIFEST, self._machine.shape
        sizes = [len(part) for part in vars(manifest.totals).values()]
        if sizes != [shape.actions, shape.properties, REPORT]:
            raise self._folder.damaged(file, "it has no counts of this model")
        kept = sum(run.states for runs in manifest.runs.values() for run in runs)
        if kept != manifest.states:
            why = f"its runs have {kept:,} states, its levels {manifest.states:,}"
            raise self._folder.damaged(file, why)
        return manifest

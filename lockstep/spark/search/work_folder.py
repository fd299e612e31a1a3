"""The folder of a search on Spark: its manifest and its runs.

All machines that take part see it under the same path. Nothing in it is ever executed. The manifest
is the only file that says what is there. It is replaced as a whole, so that whatever interrupts the
process leaves the level before.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np

from lockstep.errors import LockstepError
from lockstep.machine.code.machine import MachineCode, machine_code
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import REPORT
from lockstep.machine.search.loops import Loops, loops_for
from lockstep.machine.search.sample import STATES
from lockstep.machine.search.search_folder import SearchFolder
from lockstep.machine.search.workers import ProgramShape, Totals, Worker, shape_of
from lockstep.spark.search.owners import Sampled, smallest
from lockstep.spark.search.runs import Run, RunFolder
from lockstep.system.sealed import Natural
from lockstep.system.user_cache import cache_folder

_MANIFEST = "spark.json"


class OwnerReport(msgspec.Struct, frozen=True, tag=True):
    """What one owner did for a level: `replaced` runs are no more, `written` ones are there."""

    owner: int
    level: int
    states: int
    written: tuple[Run, ...]
    replaced: tuple[str, ...]
    account: Account
    sample: tuple[Sampled, ...]

    def runs_after(self, before: Sequence[Run]) -> tuple[Run, ...]:
        """The owner's runs from then on."""
        return (*(run for run in before if run.file not in self.replaced), *self.written)


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
        return [run for run in chain(*self.runs.values()) if run.first == self.depth]

    @property
    def most_mark(self) -> int:
        """The largest mark that a state of the sample may have."""
        return self.sample[-1].mark if len(self.sample) >= STATES else 2**64 - 1

    def after(self, reports: Sequence[OwnerReport], totals: Totals) -> Manifest:
        """What is there once one more level is."""
        runs = {each.owner: each.runs_after(self.runs.get(each.owner, ())) for each in reports}
        levels = (*self.levels, sum(report.states for report in reports))
        sample = smallest(chain(self.sample, *(report.sample for report in reports)))
        return Manifest(self.owners, levels, totals, {**self.runs, **runs}, sample)


class WorkFolder(SearchFolder):
    """A folder for one search; closing it lets others use the folder.

    `manifest` is what is committed, None where nothing is. Raises LockstepError where the folder
    cannot be used, is in use, belongs to another search, or has a damaged manifest.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str], shape: ProgramShape) -> None:
        super().__init__(folder, identity)
        self.runs = RunFolder(self.path / "runs", shape.words)
        try:
            self.runs.path.mkdir(exist_ok=True)
            self.manifest = self._manifest(shape)
        except OSError as error:
            self.close()
            raise LockstepError(f"{self.runs.path} cannot be made: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def commit(self, manifest: Manifest, *, is_all: bool = True) -> None:
        """From now on this is what is there; if it `is_all`, every other file of runs is removed.

        No task may be running that still needs one. `OSError` where it cannot be done: what was
        committed before is still good.
        """
        self.write(_MANIFEST, manifest)
        self.manifest = manifest
        named = {run.file for run in chain(*manifest.runs.values())}
        for file in self.runs.path.iterdir() if is_all else ():
            if file.name not in named:
                file.unlink(missing_ok=True)

    def _manifest(self, shape: ProgramShape) -> Manifest | None:
        manifest = self.read(_MANIFEST, Manifest)
        if manifest is None:
            return None
        sizes = [len(part) for part in vars(manifest.totals).values()]
        if sizes != [shape.actions, shape.properties, REPORT]:
            raise self.damaged(self.path / _MANIFEST, "it has no counts of this model")
        kept = sum(run.states for run in chain(*manifest.runs.values()))
        if kept != manifest.states:
            why = f"its runs have {kept:,} states, its levels {manifest.states:,}"
            raise self.damaged(self.path / _MANIFEST, why)
        return manifest


@dataclass(frozen=True)
class Machine:
    """A program, ready to be sent: its text, compressed, and its shape; and its code here."""

    text: bytes
    shape: ProgramShape
    deadlock_allowed: bool

    @classmethod
    def of(cls, program: Program, *, deadlock_allowed: bool) -> Machine:
        """The machine of a program."""
        text = zlib.compress(program.text.encode(), 6)
        return cls(text, shape_of(program), deadlock_allowed)

    @property
    def code(self) -> MachineCode:
        """The machine code, made at most once on this machine."""
        return _translated(self.text)

    @property
    def words(self) -> int:
        """The words of a state."""
        return self.shape.words

    @property
    def loops(self) -> Loops:
        """The loops for states."""
        return loops_for("search", self.shape.words)

    def worker(self, buffer: int = 0) -> Worker:
        """A worker whose buffers fill up to so many candidates a shard."""
        allowed = self.deadlock_allowed
        return Worker(self.shape, self.code, deadlock_allowed=allowed, buffer=buffer)


@lru_cache(maxsize=4)
def _translated(text: bytes) -> MachineCode:
    return machine_code(zlib.decompress(text).decode(), cache_folder() / "compiled")


class Account(msgspec.Struct, frozen=True, tag=True):
    """What one worker counted, and of each kind of failure the first one, as `Findings` has it."""

    totals: Totals
    noted: list[list[int]]

    @classmethod
    def of(cls, worker: Worker) -> Account:
        """The account of what a worker has done."""
        totals = Totals(worker.fired.tolist(), worker.marks.tolist(), worker.report.tolist())
        return cls(totals, [each.packed.tolist() for each in vars(worker.findings).values()])

    def add_to(self, worker: Worker) -> None:
        """Let another worker have done all this, too; in whatever order, the sum is the same."""
        worker.fired += np.array(self.totals.fired, np.int64)
        np.maximum(worker.marks, self.totals.marks, out=worker.marks)
        worker.report += np.array(self.totals.report, np.int64)
        for finding, noted in zip(vars(worker.findings).values(), self.noted, strict=True):
            # Where nothing is noted stands what is larger than any rank.
            finding.packed[:] = np.array(min(noted, finding.packed.tolist()), np.uint64)

"""Breadth-first search by levels, most of which are found by jobs of Spark's: the driver's side.

The first levels are found as on one machine, in memory. Then the driver has counts and the manifest
alone: in a job tasks expand the runs of the last level, candidates go to their owners, and each
owner writes those that are new. A level counts once the manifest names its runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lockstep.errors import LockstepError
from lockstep.machine.code.program import Program
from lockstep.machine.search.checkpoint import code_in, search_identity
from lockstep.machine.search.interface import Array
from lockstep.machine.search.levels import Ancestry, LevelAncestry
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.visited import VisitedStates, distinct
from lockstep.machine.search.workers import shape_of
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import Progress, SearchResult, add_remark
from lockstep.spark.search.jobs import Jobs
from lockstep.spark.search.owners import owners_for, places_by_owner, sample_of, shares_of, smallest
from lockstep.spark.search.questions import Inquirer
from lockstep.spark.search.runs import Run, dated
from lockstep.spark.search.tasks import LevelPlan
from lockstep.spark.search.work_folder import Machine, Manifest, OwnerReport, WorkFolder
from lockstep.spark.session import KEPT_SESSION, SparkOptions, java_for_spark, master_of
from lockstep.system.scratch import scratch_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_AHEAD = 4
"""Levels that one job finds, where they are small and become no larger."""


@dataclass(frozen=True)
class NearBounds:
    """How far the driver explores by itself: up to about so many `states`, if it has room for them.

    Later levels of up to `small` states share a job. `owners` is how many there are in a search
    that begins; None for four to each task that Spark does at a time.
    """

    states: int = 20_000_000
    small: int = 500_000
    owners: int | None = None


NEAR = NearBounds()
_SHARE = 8
"""When states take such a share of the free memory, the rest is left to Spark: the next level
may be larger than all before it."""
_FEW = 100_000_000
"""Up to so many states one machine takes a quarter of the processor time, where it has room."""


class SparkSearch(ParallelSearch):
    """One search of a compiled model on Spark; `run` does it, once.

    Its answer is that of one machine. `LockstepError` where a file of the search was lost or
    changed, or where Spark gives up.
    """

    def __init__(
        self,
        program: Program,
        folder: WorkFolder,
        request: Exploration,
        session: Callable[[], SparkSession],
        *,
        near: NearBounds = NEAR,
        threads: int | None = None,
    ) -> None:
        """Prepare a search in its folder; `session` is called when the first job is due.

        Before that so many `threads` explore, by default one a core.
        """
        machine = Machine.of(program, deadlock_allowed=request.deadlock_allowed)
        alone = replace(request, threads=threads, checkpoint=None, expected=0, environment=None)
        super().__init__(program, machine.code, alone)
        self._result.engine = "spark"
        self._jobs = Jobs(machine, folder.runs, session, self._look_on)
        self._folder = folder
        self._goes_on = request.checkpoint is not None
        self._near = near
        self._near_levels = 0
        self._manifest = folder.manifest
        """What is committed; None while all levels are in memory alone."""
        self._later: list[list[OwnerReport]] = []
        """What was reported of levels that come next."""
        self._level_reports: list[OwnerReport] = []
        self._tasks = (0, 0)

    def run(self) -> SearchResult:
        """As on one machine, and with a remark on which engine suits so many states."""
        result = super().run()
        if self._manifest is None or self._near_levels == len(self._levels):
            advice = (
                f"Spark was not needed: up to {self._near.states:,} states one process explores"
            )
        elif result.states < _FEW:
            advice = f"up to {_FEW:,} states one machine takes a quarter of the processor time"
        else:
            return result
        add_remark(result, advice)
        return result

    def _resume(self) -> bool:
        """Go on from what was committed, if anything was."""
        if self._manifest is None:
            return False
        for count in self._manifest.levels:
            self._levels.leave_out(count)
        self._crew.restore(self._manifest.totals)
        return True

    def _level(self, depth: int) -> None:
        """Find the level after the last one."""
        if self._manifest is None:
            super()._level(depth)
            return
        self._waiting = self._levels.count(depth)
        self._later = self._later or self._plan_after(self._manifest).reports(self._jobs)
        self._level_reports = self._later.pop(0)
        for report in self._level_reports:
            report.account.add_to(self._crew.workers[0])
        self._supervision.watch_states()
        self._result.depth += any(report.states for report in self._level_reports)

    def _plan_after(self, manifest: Manifest) -> LevelPlan:
        """How the next level is found, or several that are hardly worth a job each."""
        depth, most = manifest.depth, self._request.bounds.max_depth
        before, last = (0, *manifest.levels)[-2:]
        ahead = 1 if last > min(before, self._near.small) else _AHEAD
        return LevelPlan(
            manifest.owners,
            depth,
            shares_of(manifest.frontier, manifest.owners),
            manifest.runs,
            manifest.most_mark,
            ahead if most is None else min(ahead, most - depth),
        )

    def _keep(self) -> None:
        """A level is finished: the manifest names its runs."""
        if self._manifest is None:
            super()._keep()
            if self._goes_on if not self._levels.counts[-1] else not self._is_near:
                self._near_levels = len(self._levels)
                self._manifest = self._of_near_levels()
                self._leave_to_spark()
        else:
            self._levels.leave_out(self._new_states)
            self._manifest = self._manifest.after(self._level_reports, self._crew.totals)
            self._level_reports = []
        if self._manifest is not None:
            self._folder.commit(self._manifest, is_all=not self._later)

    @property
    def _is_near(self) -> bool:
        """Whether the next level, if it has as many states as the last, is found here too."""
        counts = self._levels.counts
        size = self._visited.bytes + self._levels.bytes
        is_small = sum(counts) + counts[-1] < self._near.states
        return is_small and size < self._allowance.room // _SHARE

    def _leave_to_spark(self) -> None:
        """Give back what only a search in this process needs; one worker has counted it all."""
        self._crew.restore(self._crew.totals)
        del self._crew.workers[1:]
        self._visited = VisitedStates(self._words, self._allowance.room)

    @property
    def _new_states(self) -> int:
        return sum(report.states for report in self._level_reports)

    @property
    def _known(self) -> int:
        if self._manifest is None:
            return super()._known
        return sum(self._levels.counts) + self._new_states

    def _of_near_levels(self) -> Manifest:
        """The levels in memory as runs: for each owner one of the last, and one of the others."""
        words, owners, depth = self._words, self._owners(), len(self._levels) - 1
        runs: dict[int, tuple[Run, ...]] = {}
        for levels in (range(depth), range(depth, depth + 1)):
            of_owners: dict[int, list[Array]] = {}
            for level in levels:
                for part in self._levels.parts(level):
                    rows = dated(part, words, level).reshape(-1, words + 1)
                    for owner, places in places_by_owner(part, words, owners):
                        of_owners.setdefault(owner, []).append(rows[places].reshape(-1))
            for owner in sorted(of_owners):
                states = distinct(of_owners.pop(owner), words + 1)
                run = self._folder.runs.write(owner, [states], levels[0], levels[-1])
                runs[owner] = (*runs.get(owner, ()), *filter(None, [run]))
        sample = smallest(
            sampled
            for level in range(depth + 1)
            for part in self._levels.parts(level)
            for sampled in sample_of(part, words, level, 2**64 - 1)
        )
        counts, totals = tuple(self._levels.counts), self._crew.totals
        return Manifest(owners, counts, totals, runs, sample)

    def _owners(self) -> int:
        if self._near.owners is not None:
            return self._near.owners
        if not self._levels.counts[-1]:
            return 1
        return owners_for(self._jobs.session().sparkContext.defaultParallelism)

    def _ancestry(self) -> Ancestry:
        """The finished levels: those in memory, and those in runs."""
        return super()._ancestry() if self._manifest is None else self._inquirer(self._manifest)

    def _inquirer(self, manifest: Manifest) -> Inquirer:
        near = LevelAncestry(self._program, self.code, self._levels)
        return Inquirer(self._jobs, manifest, near, self._near_levels)

    def _look_on(self, tasks: tuple[int, int]) -> None:
        """Report how far a job is, and end it when a bound is met."""
        self._tasks = tasks
        self._supervision.watch(self._progress)

    def _progress(self, seconds: float) -> Progress:
        return replace(super()._progress(seconds), tasks=self._tasks)

    def _sample(self) -> None:
        """Let plain Python say of some states what it says of them, for a moment."""
        self._successors = [np.empty(0, np.uint64)]
        super()._sample()
        if self._manifest is None:
            return
        missing = self._inquirer(self._manifest).missing(np.concatenate(self._successors))
        if missing:
            raise Disagreement(f"the search missed {missing}")

    def _chosen(self) -> Iterator[tuple[int, Array]]:
        if self._manifest is None:
            yield from super()._chosen()
        else:
            for sampled in self._manifest.sample:
                yield sampled.level, np.array(sampled.state, np.uint64)

    def _found(self, state: Array) -> bool:
        """Whether the search found a state: those in runs are looked for all at once."""
        if self._manifest is None:
            return super()._found(state)
        self._successors.append(state)
        return True


SETTINGS = {
    # A level is a few small stages whose sizes are known.
    "spark.sql.adaptive.enabled": "false",
    # What was sent for a level is of no use after it.
    "spark.sql.classic.shuffleDependency.fileCleanup.enabled": "true",
    # A row has up to some ten megabytes of states.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
}


def explore_on_spark(
    program: Program, request: Exploration, *, near: NearBounds = NEAR
) -> SearchResult:
    """Search a program's states on Spark; `LockstepError` for what this engine does not do."""
    _refuse(request)
    options = SparkOptions(master_of(request.master), settings=SETTINGS)
    if request.checkpoint is None and not options.is_local:
        raise LockstepError(
            "a search on a cluster needs a folder that all machines see",
            cure="--checkpoint DIR, on a file system that they share",
        )
    allowed = request.deadlock_allowed
    here = hashlib.sha256(code_in(Path(__file__).parent).encode()).hexdigest()
    identity = search_identity(program, deadlock_allowed=allowed) | {"the engine's own code": here}
    with ExitStack() as stack:
        scratch = scratch_folder("lockstep-search-")
        place = request.checkpoint or stack.enter_context(scratch)
        folder = stack.enter_context(closing(WorkFolder(place, identity, shape_of(program))))

        def session() -> SparkSession:
            return KEPT_SESSION.session(options)

        threads = options.threads
        return SparkSearch(program, folder, request, session, near=near, threads=threads).run()


def _refuse(request: Exploration) -> None:
    """`LockstepError` where something is asked for that this engine does not do."""
    java_for_spark()
    refused = {
        "--memory": (request.bounds.memory, "spark.executor.memory bounds it"),
        "--spill": (request.bounds.spill, "leave it out: all states are in files"),
        "--threads": (request.threads, "--master 'local[N]' names the number of threads"),
    }
    for flag, (value, cure) in refused.items():
        if value is not None:
            raise LockstepError(f"the engine spark does not take {flag}", cure=cure)

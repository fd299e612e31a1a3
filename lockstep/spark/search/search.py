"""Breadth-first search by levels on Spark: the driver's side.

The driver has counts, the manifest, and as many states as it explores itself. A level is one job:
tasks expand the runs of the last level, candidates go to their owners, and each owner writes those
that are new. It counts once the manifest names its runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from lockstep.machine.code.program import Program
from lockstep.machine.search.crew import count
from lockstep.machine.search.interface import DEADLOCKS, TRANSITIONS
from lockstep.machine.search.rebuild import Rebuilder
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Exploration
from lockstep.plain.supervision import Stopped, Supervision
from lockstep.results.search_result import Progress, SearchResult, conclude
from lockstep.results.verdict import Verdict
from lockstep.spark.search.account import Account, together
from lockstep.spark.search.expansion import Settled
from lockstep.spark.search.jobs import run_job
from lockstep.spark.search.machine import machine_of, shipment_of
from lockstep.spark.search.merging import distinct
from lockstep.spark.search.near_levels import KeptAncestry, NearLevels
from lockstep.spark.search.owners import owners_for, places_by_owner, shares_of
from lockstep.spark.search.questions import Inquirer
from lockstep.spark.search.runs import Run, dated
from lockstep.spark.search.sampling import SampleCheck, bound_of, sample_of, smallest
from lockstep.spark.search.tasks import LevelPlan, read_notes
from lockstep.spark.search.work_folder import Manifest, WorkFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class NearBounds:
    """How far the driver explores by itself: levels of so few states, of so few in all.

    `owners` is how many there are in a search that begins; None for four to each task that Spark
    does at a time.
    """

    level: int = 50_000
    states: int = 2_000_000
    owners: int | None = None


NEAR = NearBounds()


class SparkSearch:
    """One search of a compiled model on Spark; `run` does it, once."""

    def __init__(
        self,
        program: Program,
        folder: WorkFolder,
        request: Exploration,
        session: Callable[[], SparkSession],
        *,
        near: NearBounds = NEAR,
    ) -> None:
        """Prepare a search in its folder; `session` is called when the first job is due."""
        self._program = program
        self._folder = folder
        self._request = request
        self._session = session
        self._near = near
        self._shipment = shipment_of(program, deadlock_allowed=request.deadlock_allowed)
        self._machine = machine_of(self._shipment)
        self._near_levels: NearLevels | None = None
        self._result = SearchResult(program.model.name, "spark")
        if program.symmetry is not None:
            self._result.remark = str(program.symmetry)
        self._account = Account.none(self._machine.shape)
        self._levels: list[int] = []

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met.

        Ctrl-C ends the search too. `LockstepError` where a file of the search was lost or changed,
        or where Spark gives up.
        """
        result = self._result
        self._supervision = Supervision(self._request, result, None, lambda: sum(self._levels))
        with self._supervision.giving_up():
            self._explore_or_stop()
            if result.violation is None and result.error is None:
                self._sample()
        totals = self._account.totals
        count(self._program.model, totals, result)
        result.states = sum(self._levels)
        result.transitions = totals.report[TRANSITIONS]
        result.deadlocks = totals.report[DEADLOCKS]
        levels = list(filter(None, self._levels))
        result.depth = max(0, len(levels) - 1)
        is_wrong = result.violation is not None or result.error is not None
        result.levels = list(filter(None, self._levels[:-1])) if is_wrong else levels
        if result.verdict is Verdict.HOLDS:
            conclude(self._program.model, result)
        result.seconds = self._supervision.seconds
        return result

    def _explore_or_stop(self) -> None:
        """Explore until the end or a bound."""
        try:
            self._explore()
        except Stopped as stopped:
            self._supervision.give_up(str(stopped))

    def _explore(self) -> None:
        manifest = self._folder.manifest
        if manifest is None:
            manifest = self._begin()
        else:
            self._resume(manifest)
        while manifest is not None and manifest.levels[-1]:
            self._watch_bounds(manifest.depth)
            manifest = self._level(manifest)

    def _resume(self, manifest: Manifest) -> None:
        """Go on from what was committed."""
        self._levels = list(manifest.levels)
        self._account = Account(manifest.totals, self._account.noted)

    def _watch_bounds(self, depth: int) -> None:
        """End the search where a bound is met; every level up to `depth` is finished."""
        self._supervision.cover(depth)
        self._supervision.watch_states()
        self._watch((0, 0))

    def _begin(self) -> Manifest | None:
        """Explore the first levels here, and commit them; None where something is wrong there."""
        initial = self._program.layout.encode(self._program.model.initial)
        near = self._near_levels = NearLevels(self._machine, initial)
        settled = near.begin()
        while True:
            self._supervision.watch_states(len(settled.states) // self._machine.words)
            self._add(settled)
            if self._ended_by_findings(settled.account):
                return None
            near.keep(settled)
            if not self._levels[-1] or not self._is_near:
                return self._commit_near(near)
            self._watch_bounds(len(near.levels) - 1)
            settled = near.next(lambda: self._watch((0, 0)))

    def _add(self, settled: Settled) -> None:
        """One more level, which is not committed."""
        self._levels.append(len(settled.states) // self._machine.words)
        self._account = together([self._account, settled.account])

    @property
    def _is_near(self) -> bool:
        return self._levels[-1] < self._near.level and sum(self._levels) < self._near.states

    def _commit_near(self, near: NearLevels) -> Manifest:
        """Commit the levels in memory: for each owner a run of the last, and one of the others."""
        words, owners, depth = self._machine.words, self._owners(), len(near.levels) - 1
        runs: dict[int, tuple[Run, ...]] = {}
        for levels in (range(depth), range(depth, depth + 1)):
            states = [dated(near.states(level), words, level) for level in levels]
            rows = distinct(states, words + 1, self._machine.dated).reshape(-1, words + 1)
            bare = np.ascontiguousarray(rows[:, :words]).reshape(-1)
            for owner, places in places_by_owner(bare, words, owners).items():
                part = rows[places].reshape(-1)
                run = self._folder.reader.write(owner, [part], levels[0], levels[-1])
                runs[owner] = (*runs.get(owner, ()), run)
        samples = [
            sampled
            for level in range(depth + 1)
            for sampled in sample_of(near.states(level), words, level, None)
        ]
        counts, totals = tuple(near.levels.counts), near.account.totals
        manifest = Manifest(owners, counts, totals, runs, tuple(smallest(samples)))
        self._folder.commit(manifest)
        return manifest

    def _owners(self) -> int:
        if self._near.owners is not None:
            return self._near.owners
        if not self._levels[-1] or self._is_near:
            return 1
        return owners_for(self._session().sparkContext.defaultParallelism)

    def _level(self, manifest: Manifest) -> Manifest | None:
        """Find and commit the level after the last one; None where something is wrong on it."""
        plan = LevelPlan(
            self._shipment,
            str(self._folder.runs),
            manifest.owners,
            manifest.depth,
            shares_of(manifest.frontier, manifest.owners),
            manifest.runs,
            bound_of(manifest.sample),
        )
        spark = self._session()
        notes = read_notes(run_job(spark, plan.on(spark), self._watch))
        reports = [note.report for note in notes if note.report is not None]
        states = sum(report.states for report in reports)
        self._supervision.watch_states(states)
        account = together(report.account for report in reports)
        self._account = together([self._account, account])
        self._levels.append(states)
        if self._ended_by_findings(account):
            return None
        runs = {report.owner: report.runs_after(manifest.runs) for report in reports}
        sample = smallest([*manifest.sample, *(one for report in reports for one in report.sample)])
        later = replace(
            manifest,
            levels=(*manifest.levels, states),
            totals=self._account.totals,
            runs={**manifest.runs, **runs},
            sample=tuple(sample),
        )
        self._folder.commit(later)
        return later

    def _ended_by_findings(self, account: Account) -> bool:
        """Whether something is wrong on the level just finished; the result then says what."""
        findings = account.findings(self._machine.words)
        if not findings.is_noted:
            return False
        ancestry = KeptAncestry(self._program, self._machine, self._near_levels, self._inquirer())
        Rebuilder(self._program, ancestry).report(self._result, [findings])
        return True

    def _inquirer(self) -> Inquirer:
        """What answers questions to the committed runs."""
        return Inquirer(self._shipment, self._folder, self._session, self._watch)

    def _watch(self, tasks: tuple[int, int]) -> None:
        """Report how far the search is, and end it when a bound is met."""
        self._supervision.watch(lambda seconds: self._progress(seconds, tasks))

    def _progress(self, seconds: float, tasks: tuple[int, int]) -> Progress:
        transitions = self._account.totals.report[TRANSITIONS]
        known = sum(self._levels)
        waiting = self._levels[-1] if self._levels else 0
        return Progress(known, transitions, len(self._levels) - 1, waiting, seconds, tasks=tasks)

    def _sample(self) -> None:
        """Let plain Python say of some states what it says of them, for a moment."""
        manifest = self._folder.manifest
        if manifest is None:
            return
        check = SampleCheck(self._program, self._machine, self._supervision.seconds)
        successors = check.successors(manifest.sample, before=manifest.depth)
        missing = self._inquirer().missing(successors)
        if missing:
            raise Disagreement(f"the search missed {missing}")
        self._result.sampled, self._result.sampled_steps = check.states, check.steps

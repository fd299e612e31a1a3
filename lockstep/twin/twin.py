"""Holds one model in one scope against its TLA+ twin."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from lockstep.errors import LockstepError
from lockstep.explore.engine import Verdict
from lockstep.explore.search import Progress, SearchResult
from lockstep.language.model import Model, load_model
from lockstep.specs.scopes import ModelSpec, Scope
from lockstep.twin.compare import (
    CountDifference,
    Difference,
    compare_counts,
    compare_graphs,
    explore,
)
from lockstep.twin.complaints import unusable
from lockstep.twin.config import scope_config, without_checks
from lockstep.twin.dump import read_dump
from lockstep.twin.findings import TlcProgress, TlcRun
from lockstep.twin.names import snake_name
from lockstep.twin.states import render_tlc_trace
from lockstep.twin.tlc import run_tlc

Watch: TypeAlias = "Callable[[str], AbstractContextManager[Callable[[Progress], None] | None]]"
"""Makes what is told of the progress of one part of the work, named by its text."""


@dataclass(frozen=True)
class TwinFiles:
    """The twin's root module and what its configurations have in common."""

    module: Path
    template: Path


@dataclass(frozen=True)
class TwinResult:
    """One model in one scope beside its twin.

    The verdict is `holds` when both are the same, state by state (`compare` is `graph`) or in their
    counts (`counts`), and TLC finds everything that the twin claims; `violated` when they differ or
    TLC refutes a claim; `inconclusive` when a bound ended the search of the model before that.
    """

    model: Model
    scope: str
    compare: str
    verdict: Verdict
    because: str
    """Why the verdict is not `holds`; empty if it is."""
    explored: SearchResult
    run: TlcRun
    """TLC's run that was compared."""
    difference: Difference | None
    counts: tuple[CountDifference, ...]
    """What is not the same although both explored everything."""
    refuting: TlcRun | None
    """TLC's run that refuted a claim of the twin, with the behaviour that does."""

    @property
    def refuted(self) -> str | None:
        """The claim refuted, by its name in the model: an invariant, a property or `deadlock`."""
        if self.refuting is None:
            return None
        return snake_name(self.refuting.violated or "deadlock")


def twin_files(root: Path, spec: ModelSpec) -> TwinFiles:
    """The files of a model's twin; LockstepError when it has none, or they are not there."""
    if spec.twin is None:
        raise LockstepError(
            f"{spec.name} has no twin",
            cure=f"write tla/MC...tla and .cfg, and name the twin in specs/{spec.name}.toml",
        )
    folder = root / "tla"
    files = TwinFiles(folder / f"MC{spec.twin}.tla", folder / f"MC{spec.twin}.cfg")
    for file in (files.module, files.template):
        if not file.is_file():
            raise LockstepError(
                f"the twin {spec.twin} of {spec.name} lacks {file}",
                cure="a twin has a module of bounds MC<twin>.tla, and MC<twin>.cfg",
            )
    return files


def compare_twin(
    root: Path,
    spec: ModelSpec,
    scope: Scope,
    *,
    workers: int = 1,
    max_seconds: float | None = None,
    keep: Path | None = None,
    watch: Watch = lambda _: nullcontext(),
) -> TwinResult:
    """Runs TLC on a model's twin in one scope, explores the model, and compares.

    `workers` are TLC's threads. `max_seconds` bounds TLC and the search of the model, each for
    itself. `keep` is a folder, made if need be, where TLC's configuration and the dump of the graph
    are left.

    Raises TwinUnusable when TLC cannot check the twin, TlcTimeout and TlcOutOfMemory when it did
    not see everything, and LockstepError when the model or the twin cannot be used otherwise.
    """
    files = twin_files(root, spec)
    model = load_model(root, spec.name, scope.constants)
    with ExitStack() as folders:
        if keep is None:
            made = tempfile.TemporaryDirectory(prefix="lockstep-twin-")
            keep = Path(folders.enter_context(made))
        work = _Work(model, spec, scope, files, keep, workers, max_seconds, watch)
        return work.compare()


@dataclass(frozen=True)
class _Work:
    """One comparison; its files are left in `folder`."""

    model: Model
    spec: ModelSpec
    scope: Scope
    files: TwinFiles
    folder: Path
    workers: int
    max_seconds: float | None
    watch: Watch

    def compare(self) -> TwinResult:
        self._make_folder()
        whole_graph = self.scope.compare == "graph"
        dump = self._file(".dot") if whole_graph else None
        run = claimed = self._run_tlc(dump)
        if whole_graph and claimed.verdict != "holds":
            # TLC stopped at what it refuted: look at the whole graph, whatever is claimed of it.
            run = self._run_tlc(dump, claims=False)
        graph = None if dump is None else read_dump(dump)
        with self.watch(f"{self.spec.name} {self.scope.name}: model") as on_progress:
            if graph is None:
                difference = None
                explored = explore(
                    self.model, max_seconds=self.max_seconds, on_progress=on_progress
                )
            else:
                explored, difference = compare_graphs(
                    self.model, graph, max_seconds=self.max_seconds, on_progress=on_progress
                )
        return self._result(explored, run, difference, claimed)

    def _run_tlc(self, dump: Path | None, *, claims: bool = True) -> TlcRun:
        template = self.files.template.read_text("utf-8")
        config = self._file(".cfg" if claims else "-without-claims.cfg")
        text = scope_config(self.model.constants, template if claims else without_checks(template))
        config.write_text(text, "utf-8")
        with self.watch(f"{self.spec.name} {self.scope.name}: TLC") as show:
            run = run_tlc(
                self.files.module,
                config,
                workers=self.workers,
                dump=dump,
                check_deadlock=claims and not self.spec.deadlock_allowed,
                timeout=self.max_seconds,
                on_progress=None if show is None else lambda now: show(_as_progress(now)),
            )
        if run.verdict == "error":
            behaviour = list(render_tlc_trace(self.model, run.trace))
            raise unusable(run.message, self.files.module, config, behaviour)
        return run

    def _result(
        self,
        explored: SearchResult,
        run: TlcRun,
        difference: Difference | None,
        claimed: TlcRun,
    ) -> TwinResult:
        name, scope = self.spec.name, self.scope
        if explored.error is not None:
            raise LockstepError(
                f"{name} has no meaning in a reachable state: {explored.because}",
                cure=f"`lockstep check {name} --scope {scope.name}` shows how it gets there",
            )
        saw_everything = explored.verdict is Verdict.HOLDS and run.verdict == "holds"
        counts = tuple(compare_counts(explored, run)) if saw_everything else ()
        refuting = None if claimed.verdict == "holds" else claimed
        because: list[str] = []
        if difference is not None:
            because.append(difference.because)
        elif counts:
            because.append(f"the counts differ: {'; '.join(map(str, counts))}")
        if refuting is not None:
            because.append(f"TLC refutes the twin's {refuting.violated or 'claim: no deadlock'}")
        verdict = Verdict.VIOLATED if because else explored.verdict
        return TwinResult(
            model=self.model,
            scope=scope.name,
            compare=scope.compare,
            verdict=verdict,
            because="; ".join(because) or explored.because,
            explored=explored,
            run=run,
            difference=difference,
            counts=counts,
            refuting=refuting,
        )

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LockstepError(
                f"the folder {self.folder} cannot be made: {error.strerror}",
                cure="keep the files elsewhere",
            ) from None

    def _file(self, suffix: str) -> Path:
        return self.folder / f"{self.spec.name}-{self.scope.name}{suffix}"


def _as_progress(now: TlcProgress) -> Progress:
    return Progress(now.distinct, now.generated, max(0, now.depth - 1), now.queued, now.seconds)

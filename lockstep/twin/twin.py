"""Holds one model in one scope against its TLA+ twin."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.results.search_result import Progress, SearchResult
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope
from lockstep.system.scratch import scratch_folder
from lockstep.system.text_files import read_text
from lockstep.twin.compare import (
    CountDifference,
    Difference,
    TwinResult,
    compare_counts,
    compare_graphs,
    explore,
)
from lockstep.twin.config import (
    NO_MORE_STATES,
    claims,
    limited_module,
    limited_name,
    scope_config,
    without_checks,
    without_claims,
)
from lockstep.twin.dump import read_dump
from lockstep.twin.findings import TlcProgress, TlcRun
from lockstep.twin.names import definition_name, render_tlc_trace
from lockstep.twin.refinement import MOST_REFINED, Refinement, check_refinement, refinement_files
from lockstep.twin.tlc import TlcOptions, TwinFiles, require_constants, run_tlc, twin_files
from lockstep.twin.tool_messages import unusable

Watch: TypeAlias = "Callable[[str], AbstractContextManager[Callable[[Progress], None] | None]]"
"""Makes what is reported of the progress of one part of the work, named by its text."""


_MOST_LIVE = 2_100
"""States of a model up to which TLC is asked for liveness, unless it is asked for at any cost.

TLC evaluates what each premise of fairness enables in every transition: of the 2,241 states of
snapshot_fetch, which has four liveness properties, it takes five minutes."""

_BRIEF = 200_000
"""States of a model up to which TLC's search of its twin is short."""


class ModelBounded(LockstepError):
    """The search of the model was stopped before it had seen everything: there is no comparison."""

    exit_code = ExitCode.INCONCLUSIVE

    def __init__(self, model: str, because: str) -> None:
        super().__init__(
            f"the search of {model} {because}",
            cure="give it more time, or compare a smaller scope",
        )


@dataclass(frozen=True)
class TwinOptions:
    """How a model and its twin are compared.

    - `workers`: TLC's threads where counts are compared; a graph is always explored by one, so that
      the difference named is the first.
    - `max_seconds`: bounds TLC and the search of the model, each for itself.
    - `keep`: a folder, made if need be, where TLC's configuration, the module that it began with,
      and the dump of the graph are left.
    - `liveness`: whether TLC is asked for it in any scope. It takes TLC many times as long as all
      else, so that it is asked for in scopes of some thousand states only.
    - `watch`: makes what looks on at each part of the work.
    """

    workers: int = 1
    max_seconds: float | None = None
    keep: Path | None = None
    liveness: bool = False
    watch: Watch = lambda _: nullcontext()


def compare_twin(
    model: Model, spec: ModelSpec, scope: Scope, options: TwinOptions = TwinOptions()
) -> TwinResult:
    """Runs TLC on a model's twin in one scope, explores the model, and compares.

    `model` is what `spec` is about, loaded with the constants of the scope.

    Raises TwinUnusable when TLC cannot check the twin; TlcTimeout, TlcOutOfMemory and ModelBounded
    when not everything was seen; and LockstepError when model or twin cannot be used otherwise.
    """
    files = twin_files(model.universe.root, spec)
    require_constants(model.constants, files.module)
    with ExitStack() as folders:
        folder = options.keep
        if folder is None:
            folder = folders.enter_context(scratch_folder("lockstep-twin-"))
        return _Work(model, spec, scope, files, folder, options).compare()


@dataclass(frozen=True)
class _Work:
    """One comparison; its files are left in `folder`."""

    model: Model
    spec: ModelSpec
    scope: Scope
    files: TwinFiles
    folder: Path
    options: TwinOptions

    def compare(self) -> TwinResult:
        started = time.monotonic()
        self._make_folder()
        whole_graph = self.scope.compare == "graph"
        steps: dict[State, list[Step]] = {}
        explored = self._explore(steps.__setitem__ if whole_graph else None)
        limit = explored.states
        dump = self._file(".dot") if whole_graph else None
        run = claimed = self._run_tlc(dump, limit)
        if whole_graph and claimed.verdict != "holds":
            # TLC stopped at what it refuted: look at the graph, whatever is claimed of it.
            run = self._run_tlc(dump, limit, claimed=False)
        difference = None
        if dump is not None:
            graph, whole = read_dump(dump), run.distinct <= limit
            difference = compare_graphs(self.model, steps, graph, whole=whole)
        counts = tuple(compare_counts(explored, run)) if run.verdict == "holds" else ()
        refinement = None
        if claimed.verdict == "holds" and difference is None and not counts:
            refinement = self._refinement(explored.states)
        refuting = None if claimed.verdict == "holds" else claimed
        objections = list(self._objections(difference, counts, refuting, refinement))
        verdict = Verdict.VIOLATED if objections else Verdict.HOLDS
        if not objections and not claims(read_text(self.files.template)):
            objections = [f"the twin claims nothing: {self.files.template.name} names no property"]
            verdict = Verdict.INCONCLUSIVE
        return TwinResult(
            model=self.model,
            scope=self.scope.name,
            compare=self.scope.compare,
            verdict=verdict,
            because="; ".join(objections),
            explored=explored,
            run=run,
            difference=difference,
            counts=counts,
            refuting=refuting,
            unchecked=self._unchecked(explored.states),
            refinement=refinement,
            unrefined=self.spec.refines if refinement is None else None,
            seconds=time.monotonic() - started,
        )

    def _objections(
        self,
        difference: Difference | None,
        counts: tuple[CountDifference, ...],
        refuting: TlcRun | None,
        refinement: Refinement | None,
    ) -> Iterator[str]:
        """Why the twin is not the model, or does not hold."""
        if difference is not None:
            yield difference.because
        elif counts:
            yield f"the counts differ: {'; '.join(map(str, counts))}"
        if refuting is not None:
            yield f"TLC refutes what the twin claims: {_refuted(self.model, refuting)}"
        if refinement is not None and refinement.verdict is not Verdict.HOLDS:
            yield f"the twin does not refine {refinement.abstract}"

    def _explore(self, on_state: Callable[[State, list[Step]], None] | None) -> SearchResult:
        name, scope = self.spec.name, self.scope.name
        with self.options.watch(f"{name} {scope}: model") as on_progress:
            explored = explore(
                self.model,
                on_state=on_state,
                max_seconds=self.options.max_seconds,
                on_progress=on_progress,
            )
        if explored.interrupted:
            raise KeyboardInterrupt
        if explored.error is not None:
            raise LockstepError(
                f"{name} has no meaning in a reachable state: {explored.because}",
                cure=f"`lockstep check {name} --scope {scope}` shows how it gets there",
            )
        if explored.verdict is not Verdict.HOLDS:
            raise ModelBounded(name, explored.because)
        return explored

    def _run_tlc(self, dump: Path | None, limit: int, *, claimed: bool = True) -> TlcRun:
        template = read_text(self.files.template)
        config = self._file(".cfg" if claimed else "-without-claims.cfg")
        left_out = self._unchecked(limit)
        template = without_claims(template, {definition_name(name) for name in left_out})
        text = scope_config(self.model.constants, template if claimed else without_checks(template))
        config.write_text(f"{text.rstrip()}\n\nCONSTRAINT {NO_MORE_STATES}\n", "utf-8")
        module = self.folder / f"{limited_name(self.files.module, self.scope.name)}.tla"
        module.write_text(limited_module(self.files.module, self.scope.name, limit), "utf-8")
        with self.options.watch(f"{self.spec.name} {self.scope.name}: TLC") as show:
            options = TlcOptions(
                workers=self.options.workers if dump is None else 1,
                library=self.files.module.parent,
                dump=dump,
                check_deadlock=claimed and not self.spec.deadlock_allowed,
                brief=limit <= _BRIEF,
                timeout=self.options.max_seconds,
                on_progress=_shown(show),
            )
            run = run_tlc(module, config, options)
        if run.verdict == "error":
            behaviour = list(render_tlc_trace(self.model, run.trace))
            raise unusable(run.message, self.files.module, config, behaviour)
        return run

    def _refinement(self, states: int) -> Refinement | None:
        """What TLC says of the abstract module; None where there is none or it is not asked."""
        abstract, twin = self.spec.refines, self.spec.twin
        if abstract is None or twin is None or states > MOST_REFINED:
            return None
        module = refinement_files(self.model.universe.root, twin, abstract)
        config = self._file("-refines.cfg")
        with self.options.watch(f"{self.spec.name} {self.scope.name}: {abstract}") as show:
            options = TlcOptions(timeout=self.options.max_seconds, on_progress=_shown(show))
            template = read_text(self.files.template)
            run = check_refinement(module, self.model.constants, template, config, options)
        if run.verdict == "error":
            raise unusable(run.message, module, config)
        return Refinement(abstract, run)

    def _unchecked(self, states: int) -> tuple[str, ...]:
        if self.options.liveness or states <= _MOST_LIVE:
            return ()
        return tuple(prop.name for prop in self.model.of_kind(Kind.LEADS_TO))

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


def _refuted(model: Model, run: TlcRun) -> str:
    if run.verdict == "deadlock":
        return "that it never stops"
    if run.violated is not None:
        return run.violated
    pending = [definition_name(prop.name) for prop in model.of_kind(Kind.LEADS_TO)]
    if len(pending) == 1:
        return pending[0]
    claims = f" (one of {', '.join(pending)})" if pending else ""
    return f"a temporal property, which TLC does not name{claims}"


def _shown(show: Callable[[Progress], None] | None) -> Callable[[TlcProgress], None] | None:
    """TLC's progress, reported as that of any other search."""
    if show is None:
        return None
    return lambda now: show(
        Progress(now.distinct, now.generated, max(0, now.depth - 1), now.queued, now.seconds)
    )

"""Runs the faults of a model: what catches each, and whether that is what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.frontend import lower
from lockstep.language.model import DEADLOCK, Model, fault_marks, load_model
from lockstep.language.notation import FaultMark, Kind
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.report.progress import progress_line
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope, load_model_spec
from lockstep.verbs.check import Request, fault_scope
from lockstep.words import indented, plural


@dataclass
class FaultRun:
    """One fault, explored up to the first violation; a harmless one in all of its scope.

    `caught_by` are the properties that fail where the shortest trace ends: more than one when they
    fail at the same step. `problem` says what is wrong, None when the fault is caught, or harmless,
    as it says. `by_constants` says that the constants which the fault sets break the model by
    themselves.
    """

    model: Model
    name: str
    mark: FaultMark
    scope: Scope
    constants: Mapping[str, object]
    result: SearchResult
    caught_by: tuple[str, ...]
    problem: str | None = None
    by_constants: bool = False

    @property
    def trace(self) -> Trace | None:
        """The shortest behaviour to the violation; None without one, or for a missed goal."""
        for violation in self.result.unfulfilled:
            if violation.properties[0] == self.first:
                return violation.trace
        return None if self.result.violation is None else self.result.violation.trace

    @property
    def first(self) -> str:
        """The property that caught it: the one it names where that is among several."""
        if self.mark.breaks in self.caught_by:
            return self.mark.breaks
        return self.caught_by[0] if self.caught_by else ""

    @property
    def idle(self) -> bool:
        """Whether the fault is an action, its own or another's, that was never enabled."""
        replaced = self.mark.replaces
        name = self.name if replaced is None else replaced.__name__
        return self.result.fired.get(name) == 0


@dataclass
class FaultsOfModel:
    """All faults of one model, and each of its invariants with the faults that it catches."""

    name: str
    runs: list[FaultRun] = field(default_factory=list)
    invariants: dict[str, list[str]] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def problems(self) -> list[str]:
        """Everything that is not as it must be, one line each."""
        found = [f"{self.name}.{run.name}: {run.problem}" for run in self.runs if run.problem]
        if not self.interrupted:
            found += [
                f"{self.name}.{invariant}: no fault breaks it first"
                for invariant, faults in self.invariants.items()
                if not faults
            ]
        return found


def run_faults_of(root: Path, name: str, request: Request) -> Iterator[FaultsOfModel]:
    """Run every fault of a model; the same object is given before and after each.

    `LockstepError` when the model, its spec or a fault cannot be loaded.
    """
    spec = load_model_spec(root, name)
    found = FaultsOfModel(name)
    base = load_model(root, name, fault_scope(spec, None).constants)
    found.invariants = {p.name: [] for p in base.properties if p.kind is not Kind.SOMETIMES}
    yield found
    for fault, (mark, _) in fault_marks(root, name).items():
        run = _run(root, spec, fault, mark, request)
        run.by_constants = _is_constants_alone(root, run, spec, request)
        found.runs.append(run)
        found.interrupted = run.result.interrupted
        for invariant in run.caught_by:
            if invariant in found.invariants:
                found.invariants[invariant].append(fault)
        yield found
        if found.interrupted:
            return


def _run(root: Path, spec: ModelSpec, fault: str, mark: FaultMark, request: Request) -> FaultRun:
    scope = fault_scope(spec, mark.scope)
    constants: dict[str, object] = {**scope.constants, **mark.constants}
    model = load_model(root, spec.name, constants, fault=fault)
    lower(model)
    pending = {prop.name for prop in model.of_kind(Kind.LEADS_TO)}
    title = f"{spec.name} fault {fault}"
    result = _explore(model, spec, request, title, liveness=mark.breaks in pending)
    caught = result.violation.properties if result.violation else result.missed
    if result.unfulfilled:
        caught = tuple(violation.properties[0] for violation in result.unfulfilled)
    run = FaultRun(model, fault, mark, scope, constants, result, caught)
    run.problem = _problem(run)
    return run


def _explore(
    model: Model,
    spec: ModelSpec,
    request: Request,
    title: str,
    max_depth: int | None = None,
    *,
    liveness: bool = False,
) -> SearchResult:
    with progress_line(title, None) as watch:
        how = Exploration(
            request.engine,
            Bounds(request.max_states, request.max_seconds, max_depth),
            deadlock_allowed=spec.deadlock_allowed,
            liveness=liveness,
            on_progress=watch,
        )
        return explore(model, how)


def _problem(run: FaultRun) -> str | None:
    named = run.mark.breaks
    if named is None:
        return _problem_of_harmless(run)
    if named != DEADLOCK and named not in {prop.name for prop in run.model.properties}:
        return f"it says that it breaks {named}, which {run.model.name} does not have"
    if run.result.error is not None:
        return _without_meaning(run.result.error)
    if run.result.verdict is Verdict.INCONCLUSIVE:
        return f"not caught: {run.result.because}"
    if not run.caught_by:
        return f"not caught, though all of scope {run.scope.name} was explored"
    if named not in run.caught_by:
        return f"caught first by {run.caught_by[0]}, not by {named}"
    return None


def _problem_of_harmless(run: FaultRun) -> str | None:
    if run.result.error is not None:
        return _without_meaning(run.result.error)
    if run.caught_by:
        steps = f" after {plural(len(run.trace.steps), 'step')}" if run.trace else ""
        if run.trace is not None and run.trace.loop is not None:
            steps = " by a behaviour that goes on for ever"
        return f"not harmless: it breaks {', '.join(run.caught_by)}{steps}"
    if run.result.verdict is Verdict.INCONCLUSIVE:
        return f"not known to be harmless: {run.result.because}"
    if run.idle:
        return f"not known to be harmless: it never happens in scope {run.scope.name}"
    return None


def _without_meaning(error: EvaluationError) -> str:
    return f"its text has no meaning in a reachable state:\n{indented(str(error), 2)}"


def _is_constants_alone(root: Path, run: FaultRun, spec: ModelSpec, request: Request) -> bool:
    """Whether the model without the fault, but with its constants, is violated as soon."""
    if run.trace is None or not run.mark.constants:
        return False
    try:
        model = load_model(root, spec.name, run.constants)
    except LockstepError:
        return False  # a constant of the fault's own: without the fault there is no such scope
    title = f"{spec.name} without {run.name}"
    # What goes on for ever is found only where everything is explored.
    loops = run.trace.loop is not None
    depth = None if loops else len(run.trace.steps)
    return _explore(model, spec, request, title, depth, liveness=loops).violation is not None

"""`faults`: every fault of some models is run, and what catches each is compared with its claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.answers.answer import Answer
from lockstep.campaign.task import Task
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.faults import fault_marks, fault_places, no_fault
from lockstep.language.model import load_model, model_places
from lockstep.language.notation import FaultMark, Kind
from lockstep.plain.run import PlainEngine
from lockstep.requests.affected import Affected, affected_models, spec_files
from lockstep.requests.campaign import FaultsRequest
from lockstep.requests.option import choose
from lockstep.requests.run import Watch
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import Violation
from lockstep.results.verdict import INTERRUPTED, Verdict, worst
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.trace.claims import failing_binding
from lockstep.trace.itf import Origin
from lockstep.verbs.campaign import ModelsRun, SizedTask, TaskError, campaign_rows, run_models
from lockstep.verbs.fault_task import FaultAnswer, explore_fault, taken_again
from lockstep.verbs.replay_result import Replay
from lockstep.words import shown_path
from lockstep.workspace import Workspace, find_workspace

__all__ = ["FaultsRequest", "FaultsRun", "faults", "plan_faults"]


@dataclass
class FaultsOfModel(ShownInNotebooks):
    """All faults of one model, and each of its invariants with the faults that it catches.

    `errors` are of what could not be loaded: a fault, or the model itself.
    """

    name: str
    runs: list[FaultAnswer] = field(default_factory=list)
    invariants: dict[str, list[str]] = field(default_factory=dict)
    errors: list[LockstepError] = field(default_factory=list)
    interrupted: bool = False

    def take(self, row: Answer) -> None:
        """Take in the row of a task."""
        if row.details:
            self.add(FaultAnswer.of(row))
        if row.error:
            self.errors.append(TaskError(row))

    def add(self, run: FaultAnswer) -> None:
        """Take in the row of one fault."""
        self.runs.append(run)
        for invariant in run.details.caught_by:
            if invariant in self.invariants:
                self.invariants[invariant].append(run.name)

    @property
    def problems(self) -> list[str]:
        """Everything that is not as it must be, one line each."""
        problems = [
            f"{self.name}.{run.name}: {run.details.problem}"
            for run in self.runs
            if run.details.problem
        ]
        if self.interrupted or self.errors:
            return problems
        return problems + [
            f"{self.name}.{invariant}: no fault breaks it first"
            for invariant, faults in self.invariants.items()
            if not faults
        ]

    @property
    def exit_code(self) -> int:
        """What this model alone would end the process with."""
        codes = [int(error.exit_code) for error in self.errors]
        codes += [int(ExitCode.VIOLATED)] * bool(self.problems) + [INTERRUPTED] * self.interrupted
        return worst(codes)


@dataclass(frozen=True)
class FaultsRun(ModelsRun[FaultsOfModel], ShownInNotebooks):
    """The faults of each model; `errors` are of files that nothing reads."""

    errors: list[LockstepError] = field(default_factory=list)
    affected: Affected | None = None
    """Which models a change can affect, where that was asked; the others were skipped."""

    @property
    def exit_code(self) -> int:
        """1 when a fault is not what it says, or an invariant has no fault that it catches."""
        return worst([super().exit_code, *(int(error.exit_code) for error in self.errors)])


def faults(
    request: FaultsRequest = FaultsRequest(),
    *,
    on_result: Callable[[FaultsOfModel], None] = lambda _: None,
    watch: Watch = Watch(),
) -> FaultsRun:
    """Run every fault of some models, on all cores.

    `on_result` hears of each model, in the order of the models, as soon as it and those before it
    are done. A fault that cannot be loaded is an error of its model, and the others run.
    """
    workspace = request.workspace or find_workspace()
    unread = [] if request.models else [file for file in workspace.unused() if file.is_mistake]
    errors = [LockstepError(f"{shown_path(one.file)} is not read: {one.why}") for one in unread]
    names, affected = choose(request.models, workspace), None
    if request.changed is not None:
        affected = affected_models(
            workspace, request.changed, names, lambda name: _files(workspace.root, name)
        )
        names = list(affected.reasons)
    run = run_models(
        names,
        lambda name: plan_faults(workspace, request, name),
        lambda tasks: campaign_rows(workspace, explore_fault, tasks, request, watch),
        on_result,
    )
    return FaultsRun(run.results, run.pending, run.kept, errors, affected)


def _files(root: Path, name: str) -> list[Path]:
    """All files that the faults of a model depend on, there or not."""
    spec = load_model_spec(root, name)
    model = load_model(root, name, spec.fault_scope().constants)
    return [*model_places(model), *fault_places(root, name), *spec_files(root, spec)]


def plan_faults(
    workspace: Workspace, request: FaultsRequest, name: str
) -> tuple[FaultsOfModel, list[SizedTask]]:
    """The tasks of a model, one a fault. What is wrong with it is in its result."""
    model, root = FaultsOfModel(name), workspace.root
    try:
        spec = load_model_spec(root, name)
        base = load_model(root, name, spec.fault_scope().constants)
        if not request.names:
            properties = (prop for prop in base.properties if prop.kind is not Kind.SOMETIMES)
            model.invariants = {prop.name: [] for prop in properties}
        marks = fault_marks(root, name)
    except Exception as error:
        model.errors.append(failure_of(error, workspace))
        return model, []
    for fault in request.names:
        if fault not in marks:
            model.errors.append(no_fault(name, fault, marks))
    chosen = [fault for fault in marks if fault in request.names or not request.names]
    return model, [_task(request, spec, fault, marks[fault][0]) for fault in chosen]


def _task(request: FaultsRequest, spec: ModelSpec, fault: str, mark: FaultMark) -> SizedTask:
    """The task of a fault, and the number of states of its scope."""
    scope = mark.scope or spec.fault_scope().name
    task = Task(
        kind="fault",
        model=spec.name,
        scope=scope,
        fault=fault,
        constants=mark.constants,
        engine=request.engine_of_each,
        liveness=request.liveness,
        max_states=request.max_states,
        max_seconds=request.max_seconds,
        spill=None if request.spill is None else str(request.spill),
        save=None if request.save is None else str(request.save),
    )
    return task, spec.scopes[scope].pins.states if scope in spec.scopes else None


def behaviour_of(root: Path, run: FaultAnswer) -> Replay | None:
    """The steps that a row keeps, with the states that they lead to; None where there are none.

    `LockstepError` where the model does not behave so.
    """
    steps = run.details.steps
    if steps is None or run.violated is None:
        return None
    scope = load_model_spec(root, run.model).scope(run.scope)
    constants = {**scope.constants, **run.constants}
    model = load_model(root, run.model, constants, fault=run.name)
    again = f"run `lockstep faults {run.model} --no-cache`"
    trace = taken_again(model, steps, run.details.loop)
    if isinstance(trace, int):
        action = steps[trace - 1]["action"]
        raise LockstepError(
            f"{run.model} with the fault {run.name} does not take step {trace}, {action}",
            cure=again,
        )
    origin = Origin.of(model, run.violated, scope=run.scope, fault=run.name, engine=run.engine)
    parameters = failing_binding(PlainEngine(model), run.violated, trace)
    if parameters is None:
        raise LockstepError(
            f"{run.model} with the fault {run.name} violates nothing so", cure=again
        )
    violation = Violation((run.violated,), parameters, trace)
    return Replay(model, origin, trace, Verdict.VIOLATED, violation=violation)

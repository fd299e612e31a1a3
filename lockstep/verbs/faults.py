"""`check --faults`: runs every fault of models; each must do what it says that it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.frontend import lower
from lockstep.language.model import Model, fault_marks, load_model
from lockstep.language.notation import FaultMark, Kind
from lockstep.plain.exploration import Exploration
from lockstep.results.exits import worst
from lockstep.results.search_result import SearchResult
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.trace.itf import Origin, constants_of
from lockstep.trace.saving import save_trace
from lockstep.verbs.check import fault_scope
from lockstep.verbs.fault_run import FaultRun, FaultsOfModel
from lockstep.verbs.models import choose
from lockstep.verbs.run import Run, Unwatched, Watch, run_each
from lockstep.words import shown_path
from lockstep.workspace import Workspace, find_workspace


@dataclass(frozen=True)
class FaultsRequest:
    """The faults of some models; of all unless some are named."""

    models: tuple[str, ...] = ()
    workspace: Workspace | None = None
    exploration: Exploration = Exploration()
    """How each fault is explored; whether a deadlock is allowed is the model's own."""
    save: Path | None = None
    """A folder for the shortest trace of each fault; none are saved unless told."""


@dataclass(frozen=True)
class FaultsRun(Run[str, FaultsOfModel]):
    """The faults of each model; `errors` are of files that nothing reads."""

    errors: list[LockstepError] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1 when a fault is not what it says, or an invariant has no fault that it catches."""
        return worst([super().exit_code, *(int(error.exit_code) for error in self.errors)])

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return bool(self.pending) or any(model.interrupted for model in self.results)


def faults(
    request: FaultsRequest = FaultsRequest(),
    *,
    on_result: Callable[[FaultsOfModel], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> FaultsRun:
    """Run every fault of some models; `on_result` is told of each model as soon as it is done.

    A fault that cannot be loaded is an error of its model, and the others run.
    """
    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    unread = [] if request.models else [file for file in workspace.unused() if file.is_mistake]
    errors = [LockstepError(f"{shown_path(one.file)} is not read: {one.why}") for one in unread]
    work = _Work(workspace, request, watch)
    run = run_each(names, work.of_model, on_result)
    return FaultsRun(run.results, run.pending, errors)


@dataclass(frozen=True)
class _Work:
    workspace: Workspace
    request: FaultsRequest
    watch: Watch

    def of_model(self, name: str) -> FaultsOfModel:
        """Every fault of a model, one after the other; what Ctrl-C prevents is left out."""
        result = FaultsOfModel(name)
        try:
            spec = load_model_spec(self.workspace.root, name)
            base = load_model(self.workspace.root, name, fault_scope(spec, None).constants)
            marks = fault_marks(self.workspace.root, name)
        except Exception as error:
            result.errors.append(failure_of(error, self.workspace))
            return result
        result.invariants = {
            prop.name: [] for prop in base.properties if prop.kind is not Kind.SOMETIMES
        }
        try:
            for fault, (mark, _) in marks.items():
                self._add(result, spec, fault, mark)
                if result.interrupted:
                    break
        except KeyboardInterrupt:
            result.interrupted = True
        except Exception as error:
            result.errors.append(failure_of(error, self.workspace))
        return result

    def _add(self, result: FaultsOfModel, spec: ModelSpec, fault: str, mark: FaultMark) -> None:
        try:
            run = self._run(spec, fault, mark)
            result.add(run)
            if self.request.save is not None:
                self._save(run, self.request.save)
        except LockstepError as error:
            result.errors.append(error)

    def _run(self, spec: ModelSpec, fault: str, mark: FaultMark) -> FaultRun:
        scope = fault_scope(spec, mark.scope)
        constants: dict[str, object] = {**scope.constants, **mark.constants}
        model = load_model(self.workspace.root, spec.name, constants, fault=fault)
        lower(model)
        pending = {prop.name for prop in model.of_kind(Kind.LEADS_TO)}
        exploration = replace(
            self.request.exploration,
            deadlock_allowed=spec.deadlock_allowed,
            liveness=self.request.exploration.liveness or mark.breaks in pending,
        )
        result = self._explore(model, f"{spec.name} fault {fault}", exploration)
        run = FaultRun(model, fault, mark, scope, constants, result)
        return replace(run, by_constants=self._is_constants_alone(run, spec, exploration))

    def _explore(self, model: Model, title: str, exploration: Exploration) -> SearchResult:
        with self.watch.search(title, None) as on_progress:
            return explore(model, replace(exploration, on_progress=on_progress))

    def _is_constants_alone(self, run: FaultRun, spec: ModelSpec, as_run: Exploration) -> bool:
        """Whether the model without the fault, but with its constants, is violated as soon."""
        if run.trace is None or not run.mark.constants:
            return False
        try:
            model = load_model(self.workspace.root, spec.name, run.constants)
        except LockstepError:
            return False  # a constant of the fault's own: without the fault there is no such scope
        # What goes on for ever is found only where everything is explored.
        loops = run.trace.loop is not None
        bounds = replace(as_run.bounds, max_depth=None if loops else len(run.trace.steps))
        exploration = replace(as_run, bounds=bounds, liveness=loops)
        title = f"{spec.name} without {run.name}"
        return self._explore(model, title, exploration).violation is not None

    def _save(self, run: FaultRun, folder: Path) -> None:
        """Save the behaviour of a fault; `LockstepError` when that cannot be done."""
        if run.trace is None:
            return
        origin = Origin(
            model=run.model.name,
            property=run.first,
            scope=run.scope.name,
            fault=run.name,
            engine=run.result.engine,
            constants=constants_of(run.model),
        )
        saved = save_trace(self.workspace, run.model, run.trace, origin, folder)
        if saved.why_not is not None:
            raise LockstepError(saved.why_not)

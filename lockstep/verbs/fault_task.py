"""The task of one fault: it is put in place, and explored up to the first violation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lockstep.answers.answer import decode, encode
from lockstep.campaign.place import Share
from lockstep.campaign.task import Outcome, Task, answer_to
from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.faults import marks_in_place
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.trace.itf import Origin, constants_of, to_json
from lockstep.trace.saving import file_name
from lockstep.verbs.check import fault_scope
from lockstep.verbs.fault_answer import row_of
from lockstep.verbs.fault_run import FaultRun
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace


def explore_fault(
    workspace: Path, task: bytes, share: Share, *, watch: Watch = Unwatched()
) -> bytes:
    """Explore a fault; the encoded outcome. What is wrong with it is in its row."""
    fault = _Fault(workspace, decode(task, Task), share, watch)
    try:
        return encode(fault.outcome())
    except Exception as error:
        failure = failure_of(error, Workspace(workspace, workspace.name))
        row = answer_to(
            fault.task,
            verdict=str(Verdict.ERROR),
            error=str(failure),
            exit_code=int(failure.exit_code),
        )
        return encode(Outcome(row))


@dataclass(frozen=True)
class _Fault:
    root: Path
    task: Task
    share: Share
    watch: Watch

    def outcome(self) -> Outcome:
        """The row of the fault with its trace."""
        run = self.run()
        row = row_of(self.task, run)
        if run.trace is None:
            return Outcome(row)
        origin = Origin(
            model=run.model.name,
            property=run.first,
            scope=run.scope.name,
            fault=run.name,
            engine=run.result.engine,
            constants=constants_of(run.model),
        )
        return Outcome(row, file_name(origin), to_json(run.model, run.trace, origin))

    def run(self) -> FaultRun:
        """Explore the fault."""
        task = self.task
        spec = load_model_spec(self.root, task.model)
        assert task.fault is not None
        (mark,) = marks_in_place(self.root, task.model, task.fault)
        scope = fault_scope(spec, mark.scope)
        constants: dict[str, object] = {**scope.constants, **mark.constants}
        model = load_model(self.root, spec.name, constants, fault=task.fault)
        lower(model)
        pending = {prop.name for prop in model.of_kind(Kind.LEADS_TO)}
        exploration = self._exploration(spec, liveness=task.liveness or mark.breaks in pending)
        result = self._explore(model, f"{spec.name} fault {task.fault}", exploration)
        run = FaultRun(model, task.fault, mark, scope, constants, result)
        return replace(run, by_constants=self._is_constants_alone(run, spec, exploration))

    def _exploration(self, spec: ModelSpec, *, liveness: bool) -> Exploration:
        task, share = self.task, self.share
        spill = None if task.spill is None else Path(task.spill)
        return Exploration(
            task.engine,
            Bounds(task.max_states, task.max_seconds, memory=share.memory, spill=spill),
            deadlock_allowed=spec.deadlock_allowed,
            liveness=liveness,
            threads=share.threads,
        )

    def _explore(self, model: Model, title: str, exploration: Exploration) -> SearchResult:
        with self.watch.search(title, None) as on_progress:
            return explore(model, replace(exploration, on_progress=on_progress))

    def _is_constants_alone(self, run: FaultRun, spec: ModelSpec, as_run: Exploration) -> bool:
        """Whether the model without the fault, but with its constants, is violated as soon."""
        if run.trace is None or not run.mark.constants:
            return False
        try:
            model = load_model(self.root, spec.name, run.constants)
        except LockstepError:
            return False  # a constant of the fault's own: without the fault there is no such scope
        # What goes on for ever is found only where everything is explored.
        loops = run.trace.loop is not None
        bounds = replace(as_run.bounds, max_depth=None if loops else len(run.trace.steps))
        exploration = replace(as_run, bounds=bounds, liveness=loops)
        title = f"{spec.name} without {run.name}"
        return self._explore(model, title, exploration).violation is not None

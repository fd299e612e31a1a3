"""`twin`: models are compared with their TLA+ twins, unless an earlier run did so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.requests.option import choose, refuse_unread
from lockstep.requests.others import TwinRequest
from lockstep.requests.run import Run, Watch, run_each
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.system.java import find_java
from lockstep.system.text_files import read_text
from lockstep.trace.layout import show
from lockstep.twin.refinement import refinement_files
from lockstep.twin.tlc import TLC, tlc_jar, twin_files
from lockstep.twin.twin import TwinOptions, compare_twin
from lockstep.verbs.check_result import PACKAGES
from lockstep.verbs.twin_result import (
    Compared,
    Comparison,
    Task,
    Uncompared,
    comparison_answer,
    kept_comparison,
)
from lockstep.workspace import Workspace, find_workspace

__all__ = ["Compared", "TwinPlan", "TwinRequest", "TwinRun", "Uncompared", "twin"]


USUAL_SCOPES = ("small", "default")
"""What is compared unless a scope is named."""


@dataclass(frozen=True)
class TwinRun(Run[Task, Comparison], ShownInNotebooks):
    """A `Compared` or an `Uncompared` of each model and scope.

    `without_twin` are models that were left out because they have none. `unseen` says of each model
    that was found to refine its abstract module which values of constants other scopes have, and no
    refinement of this run had.
    """

    without_twin: tuple[str, ...] = ()
    unseen: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class TwinPlan:
    """What is to be compared, in order; `without_twin` are models that have none."""

    workspace: Workspace
    request: TwinRequest
    tasks: tuple[Task, ...]
    without_twin: tuple[str, ...] = ()


def twin(
    request: TwinRequest | TwinPlan = TwinRequest(),
    *,
    on_result: Callable[[Comparison], None] = lambda _: None,
    watch: Watch = Watch(),
) -> TwinRun:
    """Compare models with their twins, as planned or as requested.

    `on_result` hears of each comparison when it is done.
    Errors of one comparison are in its result, not raised. `LockstepError` for a request that
    cannot be met, where no model has a twin, and where Java or TLC cannot be had.
    """
    plan = request if isinstance(request, TwinPlan) else plan_twin(request)
    run = run_each(plan.tasks, lambda task: _compare(plan, task, watch), on_result)
    refining = _refining(run).items()
    unseen = {name: values for name, tasks in refining if (values := _unseen(plan, tasks))}
    return TwinRun(run.results, run.pending, plan.without_twin, unseen)


def plan_twin(request: TwinRequest) -> TwinPlan:
    """What a request asks for: each model in its scope, or in those of `USUAL_SCOPES` that it has.

    Models without a twin are left out, and named in the plan, unless they were named. It fails
    before any work where Java or TLC cannot be had.
    """
    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    if not request.models:
        refuse_unread(workspace)
    tasks: list[Task] = []
    without_twin: list[str] = []
    for name in names:
        spec = load_model_spec(workspace.root, name)
        if spec.twin is None and not request.models:
            without_twin.append(name)
            continue
        twin_files(workspace.root, spec)
        if spec.twin is not None and spec.refines is not None:
            refinement_files(workspace.root, spec.twin, spec.refines)
        for scope in twin_scopes(spec, request.scope):
            tasks.append(Task(spec, spec.scope(scope), replace(request, scope=scope).again(name)))
    if not tasks:
        raise LockstepError(
            f"no model of the workspace {workspace.name} has a twin",
            cure="write one in tla/ and name it in specs/MODEL.toml: `twin = ...`",
        )
    find_java()
    tlc_jar()
    return TwinPlan(workspace, request, tuple(tasks), tuple(without_twin))


def _refining(run: Run[Task, Comparison]) -> dict[str, list[Task]]:
    """By model, where it was found to refine its abstract module."""
    tasks: dict[str, list[Task]] = {}
    for one in run.results:
        refinement = one.result.refinement if isinstance(one, Compared) else None
        if refinement is not None and refinement.verdict is Verdict.HOLDS:
            tasks.setdefault(one.task.model, []).append(one.task)
    return tasks


def _unseen(plan: TwinPlan, tasks: Sequence[Task]) -> dict[str, tuple[str, ...]]:
    """The values of a model's constants that no refinement had, in the order of its scopes."""
    spec = tasks[0].spec
    usual = load_model(plan.workspace.root, spec.name).constants
    unseen: dict[str, tuple[str, ...]] = {}
    for constant in {name: None for scope in spec.scopes.values() for name in scope.constants}:
        default = usual[constant]
        had = {show(task.scope.constants.get(constant, default)) for task in tasks}
        all_values = (scope.constants.get(constant, default) for scope in spec.scopes.values())
        others = tuple(value for value in dict.fromkeys(map(show, all_values)) if value not in had)
        if others:
            unseen[constant] = others
    return unseen


def twin_scopes(spec: ModelSpec, scope: str | None = None) -> list[str]:
    """The scopes in which a model is compared with its twin: that one, or the usual ones."""
    if scope is not None:
        return [scope]
    usual = [name for name in USUAL_SCOPES if name in spec.scopes]
    if not usual:
        raise LockstepError(
            f"{spec.name} has neither a scope `small` nor `default`",
            cure="name one with --scope",
        )
    return usual


def _compare(plan: TwinPlan, task: Task, watch: Watch) -> Comparison:
    request = plan.request
    try:
        model = load_model(plan.workspace.root, task.model, task.scope.constants)
        question = comparison_question(plan.workspace, task.spec, task.scope, model, request)
        is_anew = request.anew or request.keep is not None
        earlier = None if is_anew else question.find()
        kept = None if earlier is None else kept_comparison(model, earlier)
        if earlier is not None and kept is not None:
            return Compared(task, kept, earlier.since)
        options = TwinOptions(
            workers=request.workers,
            max_seconds=request.max_seconds,
            keep=request.keep,
            liveness=request.liveness,
            watch=lambda title: watch.search(title, task.scope.pins.states),
        )
        result = compare_twin(model, task.spec, task.scope, options)
        # TLC reads the twin's files by itself: they may have been edited meanwhile.
        again = comparison_question(plan.workspace, task.spec, task.scope, model, request)
        if again.dependencies == question.dependencies:
            question.keep(comparison_answer(Compared(task, result)))
    except Exception as error:
        return Uncompared(task, failure_of(error, plan.workspace))
    return Compared(task, result)


def comparison_question(
    workspace: Workspace, spec: ModelSpec, scope: Scope, model: Model, request: TwinRequest
) -> Question:
    """The comparison of a model with its twin, as far as its result depends on it."""
    folder = workspace.root / "tla"
    files = sorted([*folder.rglob("*.tla"), *folder.glob("*.cfg")])
    twins = {f"tla/{file.relative_to(folder).as_posix()}": read_text(file) for file in files}
    texts = {**texts_of(model), **twins}
    options = {
        "model": spec.name,
        "twin": spec.twin,
        "refines": spec.refines,
        "compare": scope.compare,
        "constants": {name: repr(value) for name, value in scope.constants.items()},
        "deadlock_allowed": spec.deadlock_allowed,
        "workers": request.workers,
        "liveness": request.liveness,
        "tlc": TLC.sha256,
        "java": str(find_java()),
    }
    dependencies = Dependencies(texts, options, PACKAGES)
    return Question(workspace, "twin", spec.name, scope.name, dependencies)

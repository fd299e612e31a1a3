"""`twin`: models are compared with their TLA+ twins, unless an earlier run did so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

import msgspec

from lockstep.answers.answer import Answer, counts_of
from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.requests.models import choose, refuse_unread
from lockstep.requests.others import TwinRequest
from lockstep.requests.run import Failure, Judged, Run, Unwatched, Watch, run_each
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import ModelSpec, Scope, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.system.java import find_java
from lockstep.system.text_files import read_text
from lockstep.twin.findings import TlcRun
from lockstep.twin.refinement import Refinement, refinement_files
from lockstep.twin.twin import TwinOptions, compare_twin
from lockstep.twin.twin_files import TLC, tlc_jar, twin_files
from lockstep.twin.twin_result import TwinResult
from lockstep.verbs.check_result import PACKAGES
from lockstep.workspace import Workspace, find_workspace

__all__ = ["Compared", "TwinPlan", "TwinRequest", "TwinRun", "Uncompared", "twin"]


USUAL_SCOPES = ("small", "default")
"""What is compared unless a scope is named."""


@dataclass(frozen=True)
class Task:
    """One model in one scope; `again` is the command that makes the comparison again."""

    spec: ModelSpec
    scope: Scope
    again: str

    @property
    def model(self) -> str:
        """The model's name."""
        return self.spec.name

    def __str__(self) -> str:
        return f"{self.model} {self.scope.name}"


@dataclass(frozen=True)
class Compared(Judged, ShownInNotebooks):
    """A model and its twin, both explored."""

    task: Task
    result: TwinResult
    since: datetime | None = None
    """When it was compared, where that was in an earlier run."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the comparison."""
        return self.result.verdict


@dataclass(frozen=True)
class Uncompared(Failure, ShownInNotebooks):
    """A model and its twin of which one cannot be used, or TLC did not see everything."""

    task: Task
    error: LockstepError


Comparison: TypeAlias = Compared | Uncompared


@dataclass(frozen=True)
class TwinRun(Run[Task, Comparison], ShownInNotebooks):
    """A `Compared` or an `Uncompared` of each model and scope.

    `without_twin` are models that were left out because they have none.
    """

    without_twin: tuple[str, ...] = ()


@dataclass(frozen=True)
class TwinPlan:
    """What is to be compared, in order; `without_twin` are models that have none."""

    workspace: Workspace
    request: TwinRequest
    tasks: tuple[Task, ...]
    without_twin: tuple[str, ...] = ()


def twin(
    request: TwinRequest = TwinRequest(),
    *,
    on_result: Callable[[Comparison], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> TwinRun:
    """Compare models with their twins; `on_result` is told of each comparison when it is done.

    Errors of one comparison are in its result, not raised. `LockstepError` for a request that
    cannot be met, where no model has a twin, and where Java or TLC cannot be had.
    """
    return run_twin(plan_twin(request), on_result=on_result, watch=watch)


def plan_twin(request: TwinRequest) -> TwinPlan:
    """What a request comes to: each model in its scope, or in those of `USUAL_SCOPES` that it has.

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


def run_twin(
    plan: TwinPlan,
    *,
    on_result: Callable[[Comparison], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> TwinRun:
    """Do what was planned."""
    run = run_each(plan.tasks, lambda task: _compare(plan, task, watch), on_result)
    return TwinRun(run.results, run.pending, plan.without_twin)


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
            return Compared(task, kept, earlier.moment)
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
            question.keep(comparison_answer(result))
    except Exception as error:
        return Uncompared(task, failure_of(error, plan.workspace))
    return Compared(task, result)


class TlcCounts(msgspec.Struct, frozen=True):
    """What is kept of a `TlcRun` that refuted nothing."""

    initial: int
    initial_generated: int
    generated: int
    distinct: int
    depth: int
    workers: int
    seconds: float


class KeptRefinement(msgspec.Struct, frozen=True):
    """What is kept of a `Refinement`."""

    abstract: str
    run: TlcCounts


class TwinDetails(msgspec.Struct, frozen=True):
    """What only the answer of a comparison has; the fields are those of `TwinResult`."""

    run: TlcCounts
    unchecked: tuple[str, ...]
    refinement: KeptRefinement | None
    unrefined: str | None


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


def comparison_answer(result: TwinResult) -> Answer:
    """The answer of a comparison."""
    answer = Answer(
        kind="twin",
        model=result.model.name,
        scope=result.scope,
        verdict=str(result.verdict),
        because=result.because,
        judged=result.compare,
        **{**counts_of(result.explored), "seconds": result.seconds},
    )
    if result.verdict is Verdict.HOLDS:
        details = msgspec.convert(result, TwinDetails, from_attributes=True)
        answer.details = msgspec.to_builtins(details)
    return answer


def kept_comparison(model: Model, answer: Answer) -> TwinResult | None:
    """The result that an answer describes; None where it describes none that holds."""
    if answer.verdict != Verdict.HOLDS:
        return None
    try:
        details = msgspec.convert(answer.details, TwinDetails)
    except msgspec.ValidationError:
        return None
    refining = details.refinement
    return TwinResult(
        model=model,
        scope=answer.scope,
        compare=answer.judged,
        verdict=Verdict.HOLDS,
        because="",
        explored=SearchResult(
            model.name,
            answer.engine,
            states=answer.states,
            transitions=answer.transitions,
            depth=answer.depth,
        ),
        run=_run(details.run),
        difference=None,
        counts=(),
        refuting=None,
        unchecked=details.unchecked,
        refinement=None if refining is None else Refinement(refining.abstract, _run(refining.run)),
        unrefined=details.unrefined,
        seconds=answer.seconds,
    )


def _run(counts: TlcCounts) -> TlcRun:
    """TLC's run that counted so: one that refuted nothing."""
    return TlcRun(
        verdict="holds",
        violated=None,
        message="",
        trace=(),
        loops_to=None,
        warnings=(),
        **msgspec.structs.asdict(counts),
    )

"""`check`: every reachable state of some models is explored, and what must hold there is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import unknown
from lockstep.explore.engines import explore, simulate
from lockstep.language.frontend import lower
from lockstep.language.inventory import Unused
from lockstep.language.model import DEADLOCK, Model, load_model, model_places
from lockstep.language.notation import Kind
from lockstep.mutants.mutant import find_mutant
from lockstep.plain.exploration import Exploration, Spaces
from lockstep.requests.affected import Affected, affected_models, spec_files
from lockstep.requests.check import CheckRequest
from lockstep.requests.option import choose, refuse_shipped
from lockstep.requests.run import OnProgress, Watch, run_each
from lockstep.requests.version import Version, refuse_several, refuse_unknown_scope, version_of
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.judgement import check_declarations, judge
from lockstep.specs.matrix import check_stated_requirements
from lockstep.specs.pinning import pin
from lockstep.specs.scopes import Pins, Scope, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.system.interruption import INTERRUPTION
from lockstep.trace.itf import Origin, save_trace
from lockstep.verbs.check_result import (
    Checked,
    CheckResult,
    CheckRun,
    Unchecked,
    kept_search,
    search_answer,
    search_question,
)
from lockstep.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from lockstep.plain.space import Space  # numpy is not needed before

__all__ = ["CheckPlan", "CheckRequest", "CheckResult", "CheckRun", "Checked", "Unchecked", "check"]


@dataclass(frozen=True)
class CheckPlan:
    """Which models are checked, and in which scope."""

    workspace: Workspace
    versions: tuple[Version, ...]
    """The models, each as the request changes it."""
    scope: str
    request: CheckRequest
    unused: tuple[Unused, ...]
    """Files that nothing reads; none where only some models are meant."""
    spaces: Spaces[Space] | None = None
    """Where the graphs of what is explored are kept; None where nobody asks more of them."""
    affected: Affected | None = None
    """Which models a change can affect, where that was asked; the others are not in `models`."""

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(version.model for version in self.versions)

    def again(self, model: str) -> str:
        """The command that checks one model again as here."""
        return replace(self.request, scope=self.scope).again(model)


def check(
    request: CheckRequest | CheckPlan = CheckRequest(),
    *,
    on_result: Callable[[CheckResult], None] = lambda _: None,
    watch: Watch = Watch(),
) -> CheckRun:
    """Check models, as planned or as requested; `on_result` hears of each as soon as it is done.

    Errors of one model are in its result, not raised. `LockstepError` for a request that cannot be
    met, such as a model that is not there.
    """
    plan = request if isinstance(request, CheckPlan) else plan_check(request)
    run = run_each(plan.versions, lambda version: _check_model(plan, version, watch), on_result)
    pending = tuple(version.model for version in run.pending)
    return CheckRun(run.results, pending, plan.unused, plan.affected)


def plan_check(request: CheckRequest) -> CheckPlan:
    """What a request means in its workspace; `LockstepError` where it cannot be met."""
    workspace = request.workspace or find_workspace()
    models = choose(request.models, workspace)
    refuse_several(models, request)
    versions = {name: version_of(workspace, name, request) for name in models}
    scope = request.scope or versions[models[0]].usual_scope
    refuse_unknown_scope(versions.values(), scope)
    if request.pin:
        refuse_shipped(workspace, "pin the counts of a workspace of your own")
    unused = () if request.models else tuple(workspace.unused())
    affected = None
    if request.changed is not None:
        affected = affected_models(
            workspace, request.changed, models, lambda name: _files(versions[name], scope)
        )
        models = list(affected.reasons)
    asked = tuple(versions[name] for name in models)
    return CheckPlan(workspace, asked, scope, request, unused, affected=affected)


def _files(version: Version, scope: str) -> list[Path]:
    """All files that the check of a model depends on, there or not."""
    return [*model_places(version.at(scope)), *spec_files(version.workspace.root, version.spec)]


def _check_model(plan: CheckPlan, version: Version, watch: Watch) -> CheckResult:
    INTERRUPTION.heed()
    try:
        return _check(plan, version, watch)
    except Exception as error:
        return Unchecked(version.model, plan.scope, failure_of(error, plan.workspace))


def _check(plan: CheckPlan, version: Version, watch: Watch) -> Checked:
    request, spec, name = plan.request, version.spec, version.model
    scope = spec.scope(plan.scope)
    constants = version.over(scope.constants)
    model = version.load(constants)
    if request.mutant is not None:
        change = find_mutant(model, request.mutant).change
        model = load_model(plan.workspace.root, name, constants, change=change)
    in_time = {prop.name for prop in model.of_kind(Kind.LEADS_TO)}
    breaks_in_time = any(mark.breaks in in_time for mark, _ in version.faults.values())
    check_declarations(model, spec)
    check_stated_requirements(model, spec)
    lower(model)  # refuses what is outside the notation, whichever engine runs
    model = _selected(model, request)
    pinned = request.is_the_scope_itself
    exploration = replace(
        request.exploration,
        deadlock_allowed=spec.deadlock_allowed,
        liveness=request.liveness or breaks_in_time,
        environment=frozenset(spec.environment),
        spaces=plan.spaces,
        checkpoint=_checkpoint(request, name, scope.name),
        expected=(scope.pins.states or 0) if pinned else 0,
    )
    question = search_question(plan.workspace, model, scope.name, constants, exploration)
    is_kept = pinned and not exploration.is_on_disk
    earlier = question.find() if is_kept and not request.anew else None
    kept = None if earlier is None else kept_search(model, earlier)
    if earlier is None or kept is None:
        expected = scope.pins.states if pinned else None
        with watch.search(f"{name} {scope.name}", expected) as on_progress:
            result, since = _explored(model, request, exploration, on_progress), None
    else:
        result, since = kept, earlier.since
    judgement = judge(model, scope, result, pinned=pinned)
    checked = Checked(model, scope.name, result, judgement, since=since)
    if request.pin and checked.verdict in (Verdict.HOLDS, Verdict.DIFFERS):
        _pin(checked, plan)
    _keep(checked, plan)
    if is_kept and since is None and not result.interrupted:
        question.keep(search_answer(checked))
    if request.goes_on:
        checked.others, checked.rest = check_rest(
            checked, scope, exploration, plan.workspace, watch
        )
        for other in (*checked.others, checked.rest):
            if isinstance(other, Checked):
                _keep(other, plan)
    return checked


def _pin(checked: Checked, plan: CheckPlan) -> None:
    """Write what was counted into the model's file of scopes, and judge again."""
    result, root = checked.result, plan.workspace.root
    pins = Pins(str(result.verdict), result.states, result.transitions, result.depth)
    checked.pinned = pin(root, result.model, checked.scope, pins)
    scope = load_model_spec(root, result.model).scope(checked.scope)
    checked.judgement = judge(checked.model, scope, result, pinned=True)


def _explored(
    model: Model, request: CheckRequest, exploration: Exploration, on_progress: OnProgress | None
) -> SearchResult:
    watched = replace(exploration, on_progress=on_progress)
    walks = request.walks
    if walks is None:
        return explore(model, watched)
    if walks.by_hypothesis:
        from lockstep.testing.behaviours import draw_behaviours  # Hypothesis takes its time to load

        return draw_behaviours(model, walks, watched)
    return simulate(model, walks, watched)


def _selected(model: Model, request: CheckRequest) -> Model:
    """The model with the properties that are to be checked."""
    names = {prop.name for prop in model.properties}
    for name in (*request.only, *request.omitted):
        if name not in names:
            problem, place = (
                f"{model.name} has no property {name!r}",
                f"in invariants/{model.name}.py",
            )
            raise unknown(problem, name, sorted(names), "its properties are", place)
    wanted = set(request.only) or names - set(request.omitted)
    if wanted == names:
        return model
    kept = tuple(prop for prop in model.properties if prop.name in wanted)
    return replace(model, properties=kept)


def _checkpoint(request: CheckRequest, name: str, scope: str) -> Path | None:
    """The folder of one model's search in that of all checkpoints."""
    if request.checkpoint is None:
        return None
    return request.checkpoint / "-".join(
        filter(None, (name, scope, request.fault, request.proposal))
    )


def _keep(checked: Checked, plan: CheckPlan) -> None:
    """Save the trace of a violation or error, if there is one; a failure to do so is noted."""
    result, judged, request = checked.result, checked.judgement, plan.request
    if result.violation is not None:
        broken, trace = result.violation.properties[0], result.violation.trace
    elif result.error_trace is not None:
        broken, trace = None, result.error_trace
    else:
        return
    checked.trace = trace
    checked.origin = Origin.of(
        checked.model,
        broken,
        scope=plan.scope,
        fault=request.fault,
        proposal=request.proposal,
        engine=request.engine,
        error=judged.because if judged.verdict is Verdict.ERROR else None,
    )
    if request.mutant is not None:
        checked.not_saved = "a replay would take the model as it is, without the mutant"
        return
    saved = save_trace(plan.workspace, checked.model, trace, checked.origin, request.save)
    checked.saved, checked.not_saved = saved.file, saved.why_not


def check_rest(
    first: Checked, scope: Scope, exploration: Exploration, workspace: Workspace, watch: Watch
) -> tuple[tuple[Checked, ...], CheckResult | None]:
    """What else is violated, one result a search, and the result of the properties that are left.

    A deadlock that was found is allowed from then on. The second is None where `first` violates
    nothing, and where no property is left. Neither an error nor Ctrl-C is raised, for what was
    found before stands.
    """
    others: list[Checked] = []
    latest = first
    exploration = replace(exploration, checkpoint=None, expected=0)
    while names := latest.result.violated:
        properties = tuple(prop for prop in latest.model.properties if prop.name not in names)
        allowed = exploration.deadlock_allowed or DEADLOCK in names
        if allowed and not properties:
            break
        model = replace(latest.model, properties=properties)
        exploration = replace(exploration, deadlock_allowed=allowed)
        try:
            result = _search(model, f"{model.name} {scope.name}, the rest", exploration, watch)
        except Exception as error:
            return tuple(others), Unchecked(model.name, scope.name, failure_of(error, workspace))
        latest = Checked(model, scope.name, result, judge(model, scope, result, pinned=False))
        if not result.violated:
            is_nothing_left = not properties and result.verdict is Verdict.HOLDS
            return tuple(others), None if is_nothing_left else latest
        others.append(latest)
    return tuple(others), None


def _search(model: Model, title: str, exploration: Exploration, watch: Watch) -> SearchResult:
    try:
        INTERRUPTION.heed()
        with watch.search(title, None) as on_progress:
            return explore(model, replace(exploration, on_progress=on_progress))
    except KeyboardInterrupt:
        return SearchResult(
            model.name,
            exploration.engine,
            Verdict.INCONCLUSIVE,
            interrupted=True,
            because="interrupted",
        )
